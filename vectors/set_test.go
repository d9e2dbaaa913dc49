package vectors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors/capture"
	"hcacosim/vectors/scenario"
)

func stageNamed(t testing.TB, name string) sim.StageSpec {
	t.Helper()
	s, ok := stages.Lookup(name)
	require.True(t, ok)
	return s
}

func generate(t testing.TB, name, dut string, seed, count uint64, o SetOptions) *Set {
	t.Helper()
	s, err := scenario.Lookup(name)
	require.NoError(t, err)
	set, err := GenerateSet(filepath.Join(t.TempDir(), "set"), s, stageNamed(t, dut), seed, count, o)
	require.NoError(t, err)
	return set
}

func fileOf(t testing.TB, s *Set, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.Dir, name))
	require.NoError(t, err)
	return b
}

// TestSameSeedSameBytes: two runs give the same directory, byte for byte.
func TestSameSeedSameBytes(t *testing.T) {
	o := SetOptions{ReadmemhBits: 256, CHeader: true}
	for _, dut := range []string{"icrc_check", "icrc_insert", "vcrc_check"} {
		s := scenario.Default(dut).Name
		a, b := generate(t, s, dut, 9, 300, o), generate(t, s, dut, 9, 300, o)
		require.Len(t, a.Files, 7)
		for name := range a.Files {
			require.Equal(t, fileOf(t, a, name), fileOf(t, b, name), name)
		}
		require.Equal(t, fileOf(t, a, manifestFile), fileOf(t, b, manifestFile))
		require.NotEqual(t, fileOf(t, a, stimulusFile), fileOf(t, generate(t, s, dut, 10, 300, o), stimulusFile))
	}
}

// TestBytesOfFormat1 pins the bytes of generator version 3, so that a change of them is never an accident: then
// GeneratorVersion or SetFormat goes up and these lines change.
func TestBytesOfFormat1(t *testing.T) {
	require.Equal(t, 4, scenario.GeneratorVersion)
	require.Equal(t, 1, SetFormat)
	set := generate(t, "mix", "icrc_check", 1, 1000, SetOptions{})
	for name, want := range map[string]string{
		stimulusFile: pinnedStimulus,
		expectFile:   pinnedExpect,
		recordsFile:  pinnedRecords,
	} {
		require.Equal(t, want, set.Files[name].SHA256[:16], name)
	}
}

const pinnedStimulus, pinnedExpect, pinnedRecords = "3e0a00dfe16b43e0", "d07790af916129d8", "18ede69763ea58b4"

// TestShorterSetIsAPrefix: a smaller count gives the start of the larger set.
func TestShorterSetIsAPrefix(t *testing.T) {
	o := SetOptions{ReadmemhBits: 64}
	short, long := generate(t, "mix", "icrc_check", 5, 100, o), generate(t, "mix", "icrc_check", 5, 250, o)
	for name := range short.Files {
		require.True(t, bytes.HasPrefix(fileOf(t, long, name), fileOf(t, short, name)), name)
	}
}

// TestSetIsReadBack: what OpenSet gives is what was generated and what the model says.
func TestSetIsReadBack(t *testing.T) {
	for _, dut := range []string{"icrc_check", "icrc_insert", "vcrc_check"} {
		stage := stageNamed(t, dut)
		sc := scenario.Default(dut)
		written := generate(t, sc.Name, dut, 3, 500, SetOptions{})
		set, err := OpenSet(written.Dir)
		require.NoError(t, err)
		require.Equal(t, written.Manifest, set.Manifest)
		require.NoError(t, set.Check())

		stimulus, err := set.Stimulus()
		require.NoError(t, err)
		defer stimulus.Close()
		expected, err := set.Expected()
		require.NoError(t, err)
		defer expected.Close()
		again, err := NewGenerated(sc, stage, 3, 500)
		require.NoError(t, err)
		model := stage.New(nil)
		for i := range 500 {
			var want, got, exp sim.Record
			require.NoError(t, again.Next(&want))
			require.NoError(t, stimulus.Next(&got))
			require.Equal(t, want, got, "%s record %d", dut, i)
			require.Equal(t, string(again.Why()), string(stimulus.Why()))
			require.NoError(t, expected.Next(&exp))
			out := model.Advance(0, []sim.Record{want}, nil)[0]
			require.True(t, sameRecord(&out, &exp), "%s record %d: %+v, %+v", dut, i, out, exp)
			require.Equal(t, hca.VerdictText(dut, out.User), string(expected.Why()))
		}
		var r sim.Record
		require.Equal(t, io.EOF, stimulus.Next(&r))
		require.Equal(t, io.EOF, expected.Next(&r))
		require.Contains(t, stimulus.Origin(2), stimulusFile+", packet 3: ")
	}
}

// TestCheckFindsEveryFlippedByte flips bytes all over a set: each is found, and each error is for people.
func TestCheckFindsEveryFlippedByte(t *testing.T) {
	set := generate(t, "mix", "icrc_check", 3, 5, SetOptions{ReadmemhBits: 64, CHeader: true})
	for name := range set.Files {
		path := filepath.Join(set.Dir, name)
		data := fileOf(t, set, name)
		for at := 0; at < len(data); at += 1 + len(data)/97 {
			data[at] ^= 1
			require.NoError(t, os.WriteFile(path, data, 0o666))
			var e *capture.Error
			require.ErrorAs(t, set.Check(), &e, "%s byte %d", name, at)
			data[at] ^= 1
		}
		require.NoError(t, os.WriteFile(path, data, 0o666))
	}
	require.NoError(t, set.Check())
}

// TestCheckDoesNotTrustTheManifest: changes whose hashes fit are found by reading, counting and by the model.
func TestCheckDoesNotTrustTheManifest(t *testing.T) {
	set := generate(t, "valid", "icrc_check", 3, 3, SetOptions{})
	rewrite := func(name string, change func(string) string) error {
		before := fileOf(t, set, name)
		manifest := set.Manifest
		defer func() {
			require.NoError(t, os.WriteFile(filepath.Join(set.Dir, name), before, 0o666))
			set.Manifest = manifest
		}()
		after := []byte(change(string(before)))
		require.NoError(t, os.WriteFile(filepath.Join(set.Dir, name), after, 0o666))
		sum, size, err := hashFile(filepath.Join(set.Dir, name))
		require.NoError(t, err)
		set.Files = map[string]FileInfo{}
		for n, f := range manifest.Files {
			set.Files[n] = f
		}
		set.Files[name] = FileInfo{sum, size, manifest.Files[name].Records, manifest.Files[name].Lines}
		return set.Check()
	}
	lines := string(fileOf(t, set, recordsFile))
	first, rest, _ := strings.Cut(lines, "\n")

	require.ErrorContains(t, rewrite(recordsFile, func(s string) string {
		return strings.Replace(s, `"user":`, `"user":1`,
			1)
	}),
		"after stimulus record 1: the set expects m_axis 0 (cause 0, user ")
	require.ErrorContains(t, rewrite(recordsFile, func(string) string { return rest }), "the set expects m_axis 1")
	require.ErrorContains(t, rewrite(recordsFile, func(s string) string { return s + first + "\n" }),
		"has no packet in expect.pcapng")
	require.ErrorContains(t, rewrite(recordsFile, func(s string) string { return s[:len(first)+1] }),
		"has no line in records.jsonl")
	require.ErrorContains(t, rewrite(recordsFile, func(s string) string { return "nonsense\n" + s }),
		"line 1: not a record: ")
	require.ErrorContains(t, rewrite(recordsFile, func(s string) string {
		return strings.Replace(s, "m_axis", "p_axis",
			1)
	}), `line 1: "p_axis" is no port of the set`)
	require.ErrorContains(t, rewrite(expectFile, func(s string) string { return s[:len(s)-1] }),
		"cut in the middle of packet 3")
	require.ErrorContains(t, rewrite(stimulusFile, func(s string) string { return s[:len(s)-1] }),
		"cut in the middle of packet 3")
	require.ErrorContains(t, rewrite(stimulusFile, func(s string) string {
		return strings.Replace(s, "s_axis", "x_axis",
			2)
	}), `is no packet port of the set`)

	// Other JSON of the same meaning is as good.
	require.NoError(t, rewrite(recordsFile, func(s string) string {
		return strings.ReplaceAll(s, `,"cause"`,
			` , "cause"`)
	}))

	set.StimulusRecords++
	require.ErrorContains(t, set.Check(), "3 and 3 records were read, the manifest says 4 and 3")
	set.StimulusRecords--
	require.NoError(t, os.WriteFile(filepath.Join(set.Dir, "extra"), nil, 0o666))
	require.ErrorContains(t, set.Check(), "is not listed in the manifest")
	require.NoError(t, os.Remove(filepath.Join(set.Dir, "extra")))
	require.NoError(t, os.Remove(filepath.Join(set.Dir, recordsFile)))
	require.ErrorContains(t, set.Check(), "records.jsonl: no such file")
}

func TestOpenSetSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	for content, want := range map[string]string{
		`{"format":2}`:            "vector set of format 2; this program reads 1",
		`{"format":1,"sneed":1}`:  `unknown field "sneed"`,
		`[]`:                      "not a manifest of a vector set",
		`{"format":1,"seed":"a"}`: "not a manifest of a vector set",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, manifestFile), []byte(content), 0o666))
		_, err := OpenSet(dir)
		require.ErrorContains(t, err, want)
	}
	_, err := OpenSet(filepath.Join(dir, "absent"))
	require.ErrorContains(t, err, "no such directory")
	_, err = OpenSet(t.TempDir())
	require.ErrorContains(t, err, "not a vector set: it has no manifest.json")

	set := generate(t, "valid", "icrc_check", 3, 3, SetOptions{})
	set.Ports[1].UserBits++
	require.ErrorContains(t, set.Check(), "the ports of icrc_check have changed since the set was made (make it again: "+
		"vecgen gen --scenario valid")
	set.Dut = "nonesuch"
	require.ErrorContains(t, set.Check(), `made for "nonesuch", which the golden model does not have`)
}

// TestSetAppearsWholeOrNotAtAll: an error on the way leaves nothing behind, and nothing but a vector set is replaced.
func TestSetAppearsWholeOrNotAtAll(t *testing.T) {
	s, err := scenario.Lookup("valid")
	require.NoError(t, err)
	stage := stageNamed(t, "icrc_check")
	parent := t.TempDir()
	dir := filepath.Join(parent, "deep", "set")

	_, err = WriteSet(dir, Manifest{Dut: stage.Name}, failingSource{}, SetOptions{})
	require.ErrorContains(t, err, "out of ideas")
	left, _ := os.ReadDir(filepath.Join(parent, "deep"))
	require.Empty(t, left)

	_, err = GenerateSet(dir, s, stage, 1, 2, SetOptions{})
	require.NoError(t, err)
	_, err = GenerateSet(dir, s, stage, 2, 2, SetOptions{})
	require.ErrorContains(t, err, "is not empty (--force replaces a vector set)")
	set, err := GenerateSet(dir, s, stage, 2, 2, SetOptions{Force: true})
	require.NoError(t, err)
	require.NoError(t, set.Check())
	left, _ = os.ReadDir(filepath.Join(parent, "deep"))
	require.Len(t, left, 1)

	foreign := filepath.Join(parent, "home")
	require.NoError(t, os.MkdirAll(foreign, 0o777))
	_, err = GenerateSet(foreign, s, stage, 2, 2, SetOptions{})
	require.NoError(t, err, "an empty directory is taken")
	require.NoError(t, os.Remove(filepath.Join(foreign, manifestFile)))
	_, err = GenerateSet(foreign, s, stage, 2, 2, SetOptions{Force: true})
	require.ErrorContains(t, err, "is neither empty nor a vector set: not replaced")
}

// TestFullDiskStopsTheSet: soon, and with the reason.
func TestFullDiskStopsTheSet(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("no " + full)
	}
	dir := t.TempDir()
	require.NoError(t, os.Symlink(full, filepath.Join(dir, expectFile)))
	stage := stageNamed(t, "icrc_check")
	s, err := scenario.Lookup("minimum")
	require.NoError(t, err)
	const endless = 1 << 60
	source, err := NewGenerated(s, stage, 1, endless)
	require.NoError(t, err)
	w := &setWriter{dir: dir, manifest: &Manifest{Files: map[string]FileInfo{}}, stage: stage}
	require.NoError(t, w.open(SetOptions{}))
	require.NoError(t, w.fill(source, nil))
	require.ErrorIs(t, w.close(), syscall.ENOSPC)
}

type failingSource struct{}

func (failingSource) Next(*sim.Record) error { return errors.New("out of ideas") }
func (failingSource) Why() []byte            { return nil }

func TestImport(t *testing.T) {
	stage := stageNamed(t, "icrc_check")
	dir := filepath.Join(t.TempDir(), "set")
	set, err := ImportSet(dir, filepath.Join("known", "uc_v6_corrupt25.b.pcap"), stage, SetOptions{})
	require.NoError(t, err)
	require.NoError(t, set.Check())
	require.Equal(t, uint64(120), set.StimulusRecords)
	require.Equal(t, "uc_v6_corrupt25.b.pcap", set.Source)
	require.Equal(t, "vecgen import uc_v6_corrupt25.b.pcap --dut icrc_check", set.Command)
	require.Equal(t, 29, strings.Count(string(fileOf(t, set, expectFile)), "icrc=bad"))
}

// twoPorts is a stage with a packet port, a port of fields and a sideband that is more than the link.
type twoPorts struct{ seq uint64 }

func (s *twoPorts) Reset() { s.seq = 0 }

func (s *twoPorts) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	for i := range in {
		out = append(out, sim.Record{Port: 2, Seq: s.seq, Cause: in[i].Seq, Key: 7, Data: []byte{byte(in[i].Port),
			byte(in[i].User)}})
		s.seq++
	}
	return out
}

var twoPortsSpec = sim.StageSpec{Name: "two_ports", New: func(sim.Settings) sim.Stage { return &twoPorts{} },
	Ports: []sim.PortSpec{
		{Name: "rx", Input: true, Kind: sim.Axis, UserBits: 8},
		{Name: "timer", Input: true, Kind: sim.Fields},
		{Name: "event", Kind: sim.Fields},
	}}

// listSource plays records.
type listSource struct {
	records []sim.Record
	at      int
}

func (s *listSource) Next(r *sim.Record) error {
	if s.at == len(s.records) {
		return io.EOF
	}
	*r = s.records[s.at]
	s.at++
	return nil
}

func (s *listSource) Why() []byte { return []byte("because") }

// TestPortsThatAreNoPackets: their records, and sidebands that say more than the link, travel in records.jsonl.
func TestPortsThatAreNoPackets(t *testing.T) {
	in := []sim.Record{
		{Port: 1, Seq: 0, Data: []byte{1}},
		{Port: 0, Seq: 0, Data: []byte("plain"), User: 1},
		{Port: 0, Seq: 1, Data: []byte("odd"), User: 0xA4},
		{Port: 1, Seq: 1, Data: []byte{2, 3}},
		{Port: 1, Seq: 2, Data: []byte{4}},
		{Port: 0, Seq: 2, Data: []byte("plain again")},
		{Port: 1, Seq: 3, Data: []byte{5}},
	}
	dir := filepath.Join(t.TempDir(), "set")
	set, err := writeSet(dir, twoPortsSpec, Manifest{Dut: "two_ports"}, &listSource{records: in},
		SetOptions{ReadmemhBits: 64, CHeader: true})
	require.NoError(t, err)
	require.NoError(t, set.checkFiles())
	stimulus, err := set.Stimulus()
	require.NoError(t, err)
	defer stimulus.Close()
	for i, want := range in {
		var r sim.Record
		require.NoError(t, stimulus.Next(&r))
		require.Equal(t, want, r, "record %d", i)
	}
	require.Equal(t, io.EOF, stimulus.Next(&sim.Record{}))
	expected, err := set.Expected()
	require.NoError(t, err)
	defer expected.Close()
	for i, cause := range in {
		var r sim.Record
		require.NoError(t, expected.Next(&r))
		require.Equal(t, sim.Record{Port: 2, Seq: uint64(i), Cause: cause.Seq, Key: 7, Data: []byte{byte(cause.Port),
			byte(cause.User)}}, r)
	}
	require.Equal(t, io.EOF, expected.Next(&sim.Record{}))
	require.Contains(t, string(fileOf(t, set, "event.memh")), "\na400\n", "bit 0 of byte 0 is bit 0 of the word")
}

// fork is a stage that sends packets out of two ports in turn.
type fork struct{ seqs [3]uint64 }

func (s *fork) Reset() { *s = fork{} }

func (s *fork) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	for i := range in {
		port := 1 + sim.Port(in[i].Seq%2)
		out = append(out, sim.Record{Port: port, Seq: s.seqs[port], Cause: in[i].Seq, Data: in[i].Data})
		s.seqs[port]++
	}
	return out
}

// TestLinesAndPacketsMustMatch: a line of one port does not take the packet of another.
func TestLinesAndPacketsMustMatch(t *testing.T) {
	spec := sim.StageSpec{Name: "fork", New: func(sim.Settings) sim.Stage { return &fork{} }, Ports: []sim.PortSpec{
		{Name: "in", Input: true, UserBits: 1}, {Name: "even"}, {Name: "odd"}}}
	in := []sim.Record{{Seq: 0, Data: []byte("zero")}, {Seq: 1, User: 1, Data: []byte("one")},
		{Seq: 2, Data: []byte("two")}}
	set, err := writeSet(filepath.Join(t.TempDir(), "set"), spec, Manifest{Dut: "fork"}, &listSource{records: in},
		SetOptions{})
	require.NoError(t, err)
	expected, err := set.Expected()
	require.NoError(t, err)
	defer expected.Close()
	for i, want := range []sim.Record{{Port: 1, Data: in[0].Data}, {Port: 2, Cause: 1, Data: in[1].Data},
		{Port: 1, Seq: 1, Cause: 2, Data: in[2].Data}} {
		var r sim.Record
		require.NoError(t, expected.Next(&r))
		require.Equal(t, want, r, "record %d", i)
	}

	lines := strings.SplitAfter(string(fileOf(t, set, recordsFile)), "\n")
	lines[0], lines[1] = lines[1], lines[0]
	require.NoError(t, os.WriteFile(filepath.Join(set.Dir, recordsFile), []byte(strings.Join(lines, "")), 0o666))
	expected, err = set.Expected()
	require.NoError(t, err)
	defer expected.Close()
	require.ErrorContains(t, expected.Next(&sim.Record{}), "line 1: is of port odd, but the packet is of even")
}

// TestReadmemh reads the beats back into packets.
func TestReadmemh(t *testing.T) {
	for _, bits := range []int{64, 512, 1024} {
		set := generate(t, "mix", "icrc_check", 3, 60, SetOptions{ReadmemhBits: bits})
		for port, side := range map[string]func() (*Records, error){"s_axis": set.Stimulus, "m_axis": set.Expected} {
			records, err := side()
			require.NoError(t, err)
			defer records.Close()
			var packet []byte
			var users []uint32 // on the beats of the packet
			lines := strings.Split(strings.TrimSpace(string(fileOf(t, set, port+".memh"))), "\n")[1:]
			require.EqualValues(t, len(lines), set.Files[port+".memh"].Lines)
			for _, line := range lines {
				f := strings.Split(line, "_")
				require.Len(t, f, 4)
				require.Len(t, f[2], bits/32)
				require.Len(t, f[3], bits/4)
				var user, last uint32
				var keep [32]byte
				data := make([]byte, bits/8)
				_, err := fmt.Sscanf(f[0]+" "+f[1], "%x %x", &user, &last)
				require.NoError(t, err)
				for i := range bits / 32 {
					fmt.Sscanf(f[2][i:i+1], "%x", &keep[bits/32-1-i])
				}
				for i := range data {
					fmt.Sscanf(f[3][2*i:2*i+2], "%x", &data[len(data)-1-i])
				}
				n := 0
				for n < bits/8 && keep[n/4]>>(n%4)&1 == 1 {
					n++
				}
				packet, users = append(packet, data[:n]...), append(users, user)
				for _, v := range data[n:] {
					require.Zero(t, v)
				}
				if last == 0 {
					require.Equal(t, bits/8, n)
					continue
				}
				var r sim.Record
				require.NoError(t, records.Next(&r))
				require.Equal(t, r.Data, packet)
				for i, u := range users { // of an output on the last beat only
					if port == "s_axis" || i == len(users)-1 {
						require.Equal(t, r.User, u)
					} else {
						require.Zero(t, u)
					}
				}
				packet, users = packet[:0], users[:0]
			}
			require.Equal(t, io.EOF, records.Next(&sim.Record{}))
		}
	}
	s, _ := scenario.Lookup("mix")
	_, err := GenerateSet(filepath.Join(t.TempDir(), "set"), s, stageNamed(t, "icrc_check"), 1, 1,
		SetOptions{ReadmemhBits: 96})
	require.EqualError(t, err, "--readmemh 96: no data width of the blocks (64, 128, 256, 512 or 1024)")
}

// TestCHeader takes the numbers apart again.
func TestCHeader(t *testing.T) {
	set := generate(t, "mix", "icrc_check", 3, 60, SetOptions{CHeader: true})
	text := string(fileOf(t, set, "m_axis.h"))
	text = text[strings.Index(text, "{")+1 : strings.Index(text, "}")]
	var b []byte
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' }) {
		var v byte
		_, err := fmt.Sscan(f, &v)
		require.NoError(t, err)
		b = append(b, v)
	}
	records, err := set.Expected()
	require.NoError(t, err)
	defer records.Close()
	for len(b) > 0 {
		var r sim.Record
		require.NoError(t, records.Next(&r))
		u32 := binary.LittleEndian.Uint32
		require.Equal(t, r.User, u32(b))
		size := u32(b[4:])
		require.Equal(t, r.Data, b[8:8+size])
		b = b[8+size:]
	}
	require.Equal(t, io.EOF, records.Next(&sim.Record{}))
}

// TestScapyBuildsTheSamePackets: scapy, given the fields of valid packets, comes to the same bytes, ICRC included.
func TestScapyBuildsTheSamePackets(t *testing.T) {
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import scapy.contrib.roce").Run() != nil {
		t.Skip("no scapy for " + python)
	}
	set := generate(t, "valid", "icrc_check", 21, 3000, SetOptions{})
	out, err := exec.Command(python, "bench_scapy.py", filepath.Join(set.Dir, stimulusFile)).CombinedOutput()
	require.NoError(t, err, string(out))
	var packets, skipped, different int
	_, err = fmt.Sscanf(string(out), "packets %d, skipped %d, different %d", &packets, &skipped, &different)
	require.NoError(t, err, string(out))
	require.Zero(t, different)
	require.Greater(t, packets, 200)
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"port":"m_axis","seq":1,"cause":2,"key":3,"user":4,"data":"00ff"}` + "\n"))
	f.Add([]byte(`{"port":"timer","seq":1,"after":2}` + "\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		// The quick parser and encoding/json agree wherever the quick one answers.
		r := recordReader{}
		line, _, _ := bytes.Cut(file, []byte("\n"))
		if !r.parse(line) {
			return
		}
		rec, data := r.rec, bytes.Clone(r.data)
		slow := newRecordReader(bytes.NewReader(append([]byte(" "), line...)), "f") // the blank turns the quick one away
		ok, err := slow.next()
		if err != nil || !ok {
			t.Fatalf("only the quick parser takes %q: %v", line, err)
		}
		slow.rec.Data = ""
		if rec != slow.rec || !bytes.Equal(data, slow.data) {
			t.Fatalf("%q: %+v %x, %+v %x", line, rec, data, slow.rec, slow.data)
		}
	})
}

// BenchmarkSet writes vector sets with expected results: where it costs what our code costs (every file is /dev/null),
// and into a directory, in /dev/shm if there is one. Packets per second of processor time, so that it is per core and
// other programs do not count.
func BenchmarkSet(b *testing.B) {
	const packets = 200_000
	for _, name := range []string{"mix", "minimum"} {
		s, err := scenario.Lookup(name)
		require.NoError(b, err)
		stage := stageNamed(b, "icrc_check")
		b.Run(name+"/null", func(b *testing.B) {
			dir := b.TempDir()
			for _, f := range []string{stimulusFile, expectFile, recordsFile} {
				require.NoError(b, os.Symlink(os.DevNull, filepath.Join(dir, f)))
			}
			perCore(b, packets, func() {
				source, err := NewGenerated(s, stage, 1, packets)
				require.NoError(b, err)
				w := &setWriter{dir: dir, manifest: &Manifest{Files: map[string]FileInfo{}}, stage: stage}
				require.NoError(b, w.open(SetOptions{}))
				require.NoError(b, w.fill(source, nil))
				require.NoError(b, w.close())
			})
		})
		b.Run(name+"/tmpfs", func(b *testing.B) {
			parent := "/dev/shm"
			if _, err := os.Stat(parent); err != nil {
				parent = b.TempDir()
			}
			dir, err := os.MkdirTemp(parent, "vecgen")
			require.NoError(b, err)
			defer os.RemoveAll(dir)
			perCore(b, packets, func() {
				_, err := GenerateSet(filepath.Join(dir, "set"), s, stage, 1, packets, SetOptions{Force: true})
				require.NoError(b, err)
			})
		})
	}
}

func perCore(b *testing.B, packets int, f func()) {
	n := 0
	before := processorTime()
	for b.Loop() {
		f()
		n += packets
	}
	b.ReportMetric(float64(n)/(processorTime()-before).Seconds(), "packets/core-s")
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "packets/s")
}

// processorTime is what this process has used, user and system.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
