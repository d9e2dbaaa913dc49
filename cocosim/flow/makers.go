package flow

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math/bits"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// A bad ICRC is damage on the way, or its maker's mistake. A mistake is in every frame of a host, or of a kind, and
// mostly one of a few.

// Bounds: hosts that are counted; how many frames of a host, all bad, are a host that makes them so.
const (
	maxMakers    = 1 << 12
	allBadFrames = 8
	sureMistakes = 3 // of one usual mistake
)

// maker is what is known of a host's ICRCs.
type maker struct {
	good, bad uint64
	first     uint64 // number of the first bad frame
	rule      roce.Rule
	fits      map[string]uint64 // bad frames by the mistake that explains them
	ops       map[ib.Opcode]*[2]uint64
	found     map[string]int // the finding of a mistake, by its place in the list
}

// ICRCNote sums up the bad ICRCs of one host.
type ICRCNote struct {
	Host    string `json:"host"`
	Bad     uint64 `json:"bad"`
	Of      uint64 `json:"of"`
	Mistake string `json:"mistake,omitempty"` // the usual mistake that explains them
	Text    string `json:"text"`
}

// makers finds hosts; the last few are at hand.
type makers struct {
	hosts map[addr]*maker
	near  [4]struct {
		a addr
		m *maker
	}
}

func (k *makers) of(a addr) *maker {
	slot := &k.near[a[15]&3]
	if slot.m != nil && slot.a == a {
		return slot.m
	}
	m := k.hosts[a]
	if m == nil && len(k.hosts) < maxMakers {
		if k.hosts == nil {
			k.hosts = map[addr]*maker{}
		}
		m = new(maker)
		k.hosts[a] = m
	}
	slot.a, slot.m = a, m
	return m
}

// countICRC counts a frame for its sender and returns the usual mistake that a bad one shows, "" for none.
func (c *Checker) countICRC(f *vectors.Frame, w *wire.Packet, icrc wire.ICRCStatus) (m *maker, mistake string) {
	if m = c.makers.of(c.src); m == nil {
		return nil, ""
	}
	bad := icrc == wire.ICRCBad
	if !bad && m.bad == 0 {
		m.good++
		return m, ""
	}
	if bth := w.BTH(); bth != nil {
		m.kind(bth.Opcode(), bad)
	}
	if !bad {
		m.good++
		return m, ""
	}
	if m.bad++; m.bad == 1 {
		m.first, m.rule, m.fits, m.found = f.Number, icrcRule(w.Encap), map[string]uint64{}, map[string]int{}
	}
	mistake = mistakeOf(w)
	m.fits[mistake]++
	return m, mistake
}

func (m *maker) kind(op ib.Opcode, bad bool) {
	if m.ops == nil {
		m.ops = map[ib.Opcode]*[2]uint64{}
	}
	n := m.ops[op]
	if n == nil {
		n = new([2]uint64)
		m.ops[op] = n
	}
	if bad {
		n[1]++
	} else {
		n[0]++
	}
}

// wrongMaker gives the verdict on a bad ICRC that is its sender's: sent by the endpoint, or with a usual mistake again
// and again.
func (c *Checker) wrongMaker(f *vectors.Frame, w *wire.Packet, m *maker, mistake string, sent bool) (Verdict, bool) {
	if m == nil || !sent && (c.atEnd || mistake == "" || m.fits[mistake] < sureMistakes) {
		return Verdict{}, false
	}
	v := said(Broken, "sent with a wrong ICRC")
	if v.Rule = icrcRule(w.Encap); mistake != "" {
		v.Text += ": " + mistake
	}
	if at, has := m.found[mistake]; has {
		c.violations.list[at].Folded++
		return v, true
	}
	first := f.Number
	if !sent {
		first = m.first
		v.Text = fmt.Sprintf("%v sends a wrong ICRC: %s", c.src, mistake)
	}
	c.violations.add(found(first, true, v.Rule, v.Text))
	if n := len(c.violations.list); c.violations.total == uint64(n) {
		m.found[mistake] = n - 1
		c.violations.list[n-1].Folded = m.fits[mistake] - 1
	}
	return v, true
}

// icrcNotes says of each host with bad ICRCs whose fault they are, and lists as possible what no usual mistake
// explains.
func (c *Checker) icrcNotes() (notes []ICRCNote) {
	for a, m := range c.makers.hosts {
		if m.bad == 0 {
			continue
		}
		n := ICRCNote{Host: a.String(), Bad: m.bad, Of: m.good + m.bad}
		for mistake, k := range m.fits {
			if mistake != "" && (k >= sureMistakes || k == m.bad) {
				n.Mistake = mistake
			}
		}
		var wrong bool
		n.Text, wrong = c.whoseICRCs(a, m, n.Mistake)
		notes = append(notes, n)
		if wrong && len(m.found) == 0 {
			c.accuse(a, m, n.Text)
		}
	}
	return notes
}

// whoseICRCs says whose fault the bad ICRCs of a host are, and whether it may be the host's.
func (c *Checker) whoseICRCs(a addr, m *maker, mistake string) (text string, wrong bool) {
	of, all, op := m.good+m.bad, m.good == 0, m.wholeKind()
	switch {
	case mistake != "":
		return fmt.Sprintf("%d of %d frames of %v have a wrong ICRC: %s", m.bad, of, a, mistake), true
	case c.atEnd && a == c.own:
		return fmt.Sprintf("%d of %d frames of %v have a wrong ICRC, and no usual mistake explains it", m.bad, of, a), true
	case all && m.bad >= allBadFrames:
		return fmt.Sprintf("all %d frames of %v have a wrong ICRC, and no usual mistake explains it: it makes them "+
			"wrong, or something on the way "+
			"changes every frame", m.bad, a), true
	case all && m.bad == 1:
		return fmt.Sprintf("the only frame of %v has a wrong ICRC: too few to tell why", a), false
	case all:
		return fmt.Sprintf("all %d frames of %v have a wrong ICRC: too few to tell why", m.bad, a), false
	case op != "":
		return fmt.Sprintf("every %s of %v has a wrong ICRC", op, a), true
	}
	return fmt.Sprintf("%d of %d frames of %v were damaged on the way", m.bad, of, a), false
}

// accuse lists bad ICRCs of which it is not certain who made them.
func (c *Checker) accuse(a addr, m *maker, text string) {
	if c.atEnd && a != c.own {
		c.oddities.add(found(m.first, false, m.rule, text))
	} else {
		c.violations.add(found(m.first, false, m.rule, text))
	}
}

// wholeKind is an opcode of which every frame is bad while others are good; "" if there is none.
func (m *maker) wholeKind() string {
	ops := slices.Sorted(maps.Keys(m.ops))
	i := slices.IndexFunc(ops, func(op ib.Opcode) bool {
		n := m.ops[op]
		return n[0] == 0 && n[1] >= allBadFrames &&
			m.good > 0
	})
	if i < 0 {
		return ""
	}
	best := ops[i]
	if info := ib.Lookup(best); info != nil {
		return info.Name
	}
	return fmt.Sprintf("opcode %02Xh", uint8(best))
}

// mistakeOf names the usual mistake that an ICRC shows, "" for none: a chance of 2^-32 each.
func mistakeOf(w *wire.Packet) string {
	if !w.HasICRC(len(w.Frame)) || w.BTH() == nil {
		return ""
	}
	got := binary.LittleEndian.Uint32(w.Frame[w.End-icrcBytes:])
	right := w.Location.ICRC(w.Frame)
	for _, x := range []struct {
		crc  uint32
		text string
	}{
		{bits.ReverseBytes32(right), "its bytes are in the wrong order"},
		{^right, "it is not inverted at the end"},
		{bits.ReverseBytes32(^right), "it is not inverted, and its bytes are in the wrong order"},
		{bits.Reverse32(right), "its bits are in the wrong order"},
	} {
		if got == x.crc && x.crc != right {
			return x.text
		}
	}
	if text := wrongMask(w, got, right); text != "" {
		return text
	}
	return wrongSpan(w, got, right)
}

// ones are the eight bytes that stand for the LRH.
var ones = [8]byte{255, 255, 255, 255, 255, 255, 255, 255}

// ff and zeros are what a field may be masked with.
var (
	ff    = [4]byte{255, 255, 255, 255}
	zeros [4]byte
)

// masked is what the ICRC covers behind ones, with the variant fields as ones, and where they are: by name, bytes and
// bits.
func masked(w *wire.Packet) (b []byte, fields []field) {
	b = append(b, w.Frame[w.Net:w.End-icrcBytes]...)
	bth := w.Transport - w.Net
	switch w.Encap {
	case wire.EncapRoCEv2IPv4:
		fields = []field{{"TOS", 1, ff[:1]}, {"TTL", 8, ff[:1]}, {"the IPv4 header checksum", 10, ff[:2]}}
	case wire.EncapRoCEv2IPv6, wire.EncapRoCEv1:
		fields = []field{{"the traffic class", 0, []byte{0x0F, 0xF0}}, {"the flow label", 1, []byte{0x0F, 0xFF, 0xFF}},
			{"the traffic class with the flow label", 0, []byte{0x0F, 0xFF, 0xFF, 0xFF}}, {"the hop limit", 7, ff[:1]}}
	default:
		return nil, nil
	}
	if w.Encap != wire.EncapRoCEv1 {
		fields = append(fields, field{"the UDP checksum", bth - 2, ff[:2]})
	}
	fields = append(fields, field{"FECN, BECN and reserved bits of the BTH", bth + 4, ff[:1]})
	for _, f := range fields {
		for i, bits := range f.bits {
			b[f.at+i] |= bits
		}
	}
	return b, fields
}

// field is one that the ICRC leaves out: which bits of the bytes from at on.
type field struct {
	name string
	at   int
	bits []byte
}

// lay puts the bits of a field that lie in from, the bytes of the same place, into b.
func (f *field) lay(b, from []byte) {
	for i, bits := range f.bits {
		b[i] = b[i]&^bits | from[i]&bits
	}
}

// wrongMask tries each of the masked fields as it is, and all.
func wrongMask(w *wire.Packet, got, right uint32) string {
	b, fields := masked(w)
	if b == nil {
		return ""
	}
	plain := w.Frame[w.Net : w.End-icrcBytes]
	head := crc32.ChecksumIEEE(ones[:])
	for _, f := range fields {
		f.lay(b[f.at:], plain[f.at:])
		if crc := crc32.Update(head, crc32.IEEETable, b); crc == got && crc != right {
			return f.name + " is not masked"
		}
		f.lay(b[f.at:], zeros[:])
		if crc := crc32.Update(head, crc32.IEEETable, b); crc == got && crc != right {
			return f.name + " is masked with zeros"
		}
		f.lay(b[f.at:], ff[:])
	}
	if crc := crc32.Update(head, crc32.IEEETable, plain); crc == got && crc != right {
		return "nothing is masked"
	}
	return ""
}

// wrongSpan tries other bytes and another start.
func wrongSpan(w *wire.Packet, got, right uint32) string {
	b, _ := masked(w)
	if b == nil {
		return ""
	}
	bth := w.Transport - w.Net
	head := crc32.ChecksumIEEE(ones[:])
	over := func(span []byte) uint32 { return crc32.Update(head, crc32.IEEETable, span) }
	pad := int(w.BTH().Pad())
	for _, x := range []struct {
		crc  uint32
		text string
	}{
		{crc32.ChecksumIEEE(b), "the 8 bytes of ones in front are left out"},
		{crc32.Update(^uint32(0), crc32.IEEETable, append(append([]byte(nil), ones[:]...), b...)),
			"it starts from 0 and not from ones"},
		{over(b[:len(b)-pad]), "the pad is left out"},
		{over(append(append([]byte(nil), b...), 0, 0, 0, 0)), "it covers its own place"},
		{over(b[bth:]), "it starts at the BTH, behind 8 bytes of ones"},
		{crc32.ChecksumIEEE(b[bth:]), "it starts at the BTH"},
		{crc32.ChecksumIEEE(w.Frame[w.Transport : w.End-icrcBytes]), "it starts at the BTH, and nothing is masked"},
		{over(b[max(0, bth-8):]), "it starts at the UDP header, behind 8 bytes of ones"},
		{crc32.ChecksumIEEE(b[max(0, bth-8):]), "it starts at the UDP header"},
		{crc32.ChecksumIEEE(w.Frame[:w.End-icrcBytes]), "it is the CRC of the Ethernet frame"},
		{over(b[:bth+bthBytes]), "it ends behind the BTH"},
	} {
		if x.crc == got && x.crc != right {
			return x.text
		}
	}
	return ""
}
