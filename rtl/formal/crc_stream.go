package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hcacosim/cocosim/manifest"
	"hcacosim/rtl"
)

const streamFile = "lib/crc_stream.sv"

// crc_stream is not shown by a solver: XORs of a thousand bits are what SAT is worst at, and linear algebra best. With
// valid and first given, each register's next bit is an XOR of bits (the first property). So zero and the unit vectors
// decide about all vectors (the second and the third), and the ranks about all beats in a row (the fourth).
var _ = register(proof{block: "crc_stream", properties: []property{
	{says: "XOR gates and wires only between data and registers, but for what valid and first gate",
		exam: isLinear, fault: fault{"a partial sum is an OR", streamFile,
			"assign sum2_d[r]   = ^parts1_q;", "assign sum2_d[r] = |parts1_q;"}},
	{says: "a beat leaves in the register what a serial LFSR leaves: zero and every unit vector",
		exam: isLFSR, fault: fault{"a tap too many", streamFile,
			"(column[0] ? Poly : '0);", "(column[0] ? Poly | CrcWidth'(2) : '0);"}},
	{says: "without valid the register stays: the same vectors",
		exam: staysWithoutValid, fault: fault{"it takes a beat that is none", streamFile,
			"if (valid2_q) state3_q", "if (valid2_q | ~first2_q) state3_q"}},
	{says: "beats, their valid and their first meet others in the register only",
		exam: hasRanks, fault: fault{"a beat's sum goes into the next one's", streamFile,
			"assign sum2_d[r]   = ^parts1_q;", "assign sum2_d[r] = ^parts1_q ^ sum2_q[r];"}},
}})

// crc is a reflected polynomial, as docs/blocks say: CRC-32 of Ethernet, and x^16 + x^12 + x^3 + x + 1.
type crc struct {
	width int
	poly  uint32
}

var crcs = []crc{{16, 0xD008}, {32, 0xEDB8_8320}}

// shift is what one bit does to the register of the serial LFSR.
func (c crc) shift(state, bit uint32) uint32 {
	if (state^bit)&1 != 0 {
		return state>>1 ^ c.poly
	}
	return state >> 1
}

// stream is crc_stream at a size.
type stream struct {
	crc
	bits int // of a beat
	*gates
}

func (s *stream) String() string { return fmt.Sprintf("CRC-%d, %d bits", s.width, s.bits) }

// streamWidths are the DataWidths that manifests name of blocks with a crc_stream in them.
func streamWidths(rtlDir string) ([]int, error) {
	manifests, err := manifest.Embedded()
	if err != nil {
		return nil, err
	}
	widths := map[int]bool{}
	for _, m := range manifests {
		sources, err := rtl.Needed(rtlDir, m.Top)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(sources, func(s rtl.Source) bool { return s.Path == filepath.Join(rtlDir, streamFile) }) {
			continue
		}
		for _, size := range append(slices.Clone(m.Sizes), m.Parameters) {
			if width := size["DataWidth"]; width > 0 {
				widths[width] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(widths)), nil
}

// sound are the streams as they are: the same for all properties.
var sound struct {
	sync.Once
	streams []*stream
	err     error
}

// examine has the property looked at in the block at every size.
func (b *bench) examine(prop property) (proved, counterexample string, err error) {
	sound.Do(func() { sound.streams, sound.err = b.soundStreams() })
	if sound.err != nil {
		return "", "", sound.err
	}
	var sizes []string
	for _, s := range sound.streams {
		if err := prop.exam(s); err != nil {
			return "", fmt.Sprintf("    %s: %s\n", s, err), nil
		}
		if size := fmt.Sprint(s.bits); !slices.Contains(sizes, size) {
			sizes = append(sizes, size)
		}
	}
	return fmt.Sprintf("for all beats, CRC-16 and CRC-32, %s bits", strings.Join(sizes, ", ")), "", nil
}

func (b *bench) soundStreams() ([]*stream, error) {
	widths, err := streamWidths(b.rtlDir)
	if err != nil {
		return nil, err
	}
	var all []*stream
	for _, width := range widths {
		for _, c := range crcs {
			s, err := b.stream(c, width, nil)
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// examineFault has the property looked at with its fault, at the smallest size that has more than one partial sum a
// row.
func (b *bench) examineFault(prop property) (rejected bool, err error) {
	faulty, err := b.stream(crcs[0], 128, &prop.fault)
	if err != nil {
		return false, err
	}
	return prop.exam(faulty) != nil, nil
}

// stream has Yosys make gates of crc_stream, with a fault or without.
func (b *bench) stream(c crc, width int, f *fault) (*stream, error) {
	files, err := b.files(f)
	if err != nil {
		return nil, err
	}
	to := filepath.Join(b.dir, fmt.Sprintf("gates%t.json", f != nil))
	defer os.Remove(to)
	out, err := b.yosys("-q", "-p", fmt.Sprintf(
		"read_verilog -sv %s; chparam -set DataWidth %d -set CrcWidth %d -set Poly %[3]d'h%[4]x crc_stream; "+
			"hierarchy -check -top crc_stream; rename -top crc_stream; proc; opt_expr; opt_clean; simplemap; opt_expr; "+
			"opt_clean; check -assert; write_json %[5]s", strings.Join(files, " "), width, c.width, c.poly, to))
	if err != nil {
		return nil, fmt.Errorf("yosys on crc_stream: %w\n%s", err, lastLines(out, 15))
	}
	g, err := readGates(to, "crc_stream")
	return &stream{c, width, g}, err
}

// follows tells of every net whether data_i can reach it, now or clocks later.
func (s *stream) follows() map[int]bool {
	follows := map[int]bool{}
	for _, net := range s.inputs["data_i"] {
		follows[net] = true
	}
	for before := -1; before != len(follows); {
		before = len(follows)
		for _, g := range slices.Concat(s.comb, s.flops) {
			if slices.ContainsFunc(g.in(), func(net int) bool { return follows[net] }) {
				follows[g.out()] = true
			}
		}
	}
	return follows
}

// isLinear holds where each gate that data reaches is an XOR of data, or passes data or zero as something says that no
// data reaches. A constant one would be an inverter.
func isLinear(s *stream) error {
	follows := s.follows()
	data := func(net int) bool { return follows[net] || net == 0 }
	for i := range s.comb {
		g := &s.comb[i]
		if !follows[g.out()] {
			continue
		}
		a, b := g.pin["A"], g.pin["B"]
		ok := false
		switch g.kind {
		case "$_XOR_":
			ok = data(a) && data(b)
		case "$_AND_":
			ok = follows[a] != follows[b]
		case "$_MUX_":
			ok = data(a) && data(b) && !follows[g.pin["S"]]
		}
		if !ok {
			return fmt.Errorf("a gate %s that is not linear in the data", g.kind)
		}
	}
	return nil
}

// behind gives the register behind one beat, of each lane: zero, each bit of the register, each bit of the beat.
func (s *stream) behind(valid, first bool) []uint32 {
	count := 1 + s.width + s.bits
	words := (count + 63) / 64
	value := map[int]lanes{}
	for _, net := range s.sources() {
		value[net] = make(lanes, words)
	}
	set := func(net int, on bool) {
		for w := range value[net] {
			value[net][w] = map[bool]uint64{true: ^uint64(0)}[on]
		}
	}
	unit := func(net, lane int) { value[net][lane/64] |= 1 << (lane % 64) }
	set(1, true)
	for r, net := range s.outputs["state_o"] {
		unit(net, 1+r)
	}
	for i, net := range s.inputs["data_i"] {
		unit(net, 1+s.width+i)
	}
	set(s.inputs["valid_i"][0], valid)
	set(s.inputs["first_i"][0], first)
	for range 3 {
		s.clock(value)
		set(s.inputs["valid_i"][0], false)
		set(s.inputs["first_i"][0], false)
		for _, net := range s.inputs["data_i"] {
			set(net, false)
		}
	}
	states := make([]uint32, count)
	for r, net := range s.outputs["state_o"] {
		for lane := range states {
			states[lane] |= uint32(value[net][lane/64]>>(lane%64)&1) << r
		}
	}
	return states
}

// lane gives what behind starts from: the register, and the one bit of the beat that is set, or none, -1.
func (s *stream) lane(lane int) (state uint32, bit int) {
	switch {
	case lane == 0:
		return 0, -1
	case lane <= s.width:
		return 1 << (lane - 1), -1
	}
	return 0, lane - 1 - s.width
}

// isLFSR holds where a beat leaves what a serial LFSR leaves that takes bit 0 of the beat first, and starts at zero
// where the beat is a packet's first.
func isLFSR(s *stream) error {
	for _, first := range []bool{false, true} {
		for lane, got := range s.behind(true, first) {
			want, set := s.lane(lane)
			if first {
				want = 0
			}
			for i := range s.bits {
				bit := uint32(0)
				if i == set {
					bit = 1
				}
				want = s.shift(want, bit)
			}
			if got != want {
				return fmt.Errorf("vector %d, first %t: %#x, the serial LFSR has %#x", lane, first, got, want)
			}
		}
	}
	return nil
}

func staysWithoutValid(s *stream) error {
	for _, first := range []bool{false, true} {
		for lane, got := range s.behind(false, first) {
			if want, _ := s.lane(lane); got != want {
				return fmt.Errorf("vector %d, first %t: %#x without valid, was %#x", lane, first, got, want)
			}
		}
	}
	return nil
}

// ranks are what each register may read: what is known of a beat goes from one to the next, and the last one keeps.
var ranks = map[string][]string{
	"valid1_q": {"valid_i"},
	"first1_q": {"first_i"},
	"parts1_q": {"data_i"},
	"valid2_q": {"valid1_q"},
	"first2_q": {"first1_q"},
	"sum2_q":   {"parts1_q"},
	"state3_q": {"first2_q", "state3_q", "sum2_q", "valid2_q"},
}

func hasRanks(s *stream) error {
	reads := map[int]map[string]bool{0: {}, 1: {}} // of a net, by name
	for _, net := range s.sources()[2:] {
		reads[net] = map[string]bool{s.names[net]: true}
	}
	for i := range s.comb {
		all := map[string]bool{}
		for _, net := range s.comb[i].in() {
			maps.Copy(all, reads[net])
		}
		reads[s.comb[i].out()] = all
	}
	for i := range s.flops {
		name := s.names[s.flops[i].out()]
		for from := range reads[s.flops[i].pin["D"]] {
			if !slices.Contains(ranks[name], from) {
				return fmt.Errorf("%s reads %s", name, from)
			}
		}
	}
	for _, net := range s.outputs["state_o"] {
		if s.names[net] != "state3_q" {
			return fmt.Errorf("state_o is %s", s.names[net])
		}
	}
	return nil
}
