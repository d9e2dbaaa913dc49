package vectors

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/vectors/capture"
	"hcacosim/vectors/scenario"
)

func stageNamed(t testing.TB, name string) sim.StageSpec {
	t.Helper()
	s, ok := Lookup(name)
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

// TestSameBytesOnOneCore: the number of cores changes nothing.
func TestSameBytesOnOneCore(t *testing.T) {
	o := SetOptions{ReadmemhBits: 64, CHeader: true, SVPackage: true, Strict: true}
	for _, stage := range Stages() {
		s := scenario.Default(stage.Name).Name
		many := generate(t, s, stage.Name, 9, 500, o)
		before := runtime.GOMAXPROCS(1)
		one := generate(t, s, stage.Name, 9, 500, o)
		runtime.GOMAXPROCS(before)
		require.Equal(t, many.Manifest, one.Manifest, stage.Name)
	}
}

// TestBytesOfFormat2 pins the bytes of generator version 8, so that a change of them is never an accident: then
// GeneratorVersion or SetFormat goes up and these lines change.
func TestBytesOfFormat2(t *testing.T) {
	require.Equal(t, 34, scenario.GeneratorVersion)
	require.Equal(t, 2, SetFormat)
	set := generate(t, "mix", "icrc_check", 1, 1000, SetOptions{})
	requirePinned(t, set, map[string]string{
		stimulusFile: "17aaa78cdc6b8280",
		expectFile:   "fea5de407b9a936d",
		recordsFile:  "116db185a8e70c20",
	})
	requirePinned(t, generate(t, "mix", "roce_parse", 1, 300, SetOptions{ReadmemhBits: 256, CHeader: true,
		SVPackage: true}), map[string]string{
		"s_axis.memh": "bf7541f602e18581", "m_hdr.memh": "8e47556926099500", "m_axis.memh": "a36326b301793dfa",
		"m_hdr.h": "f87a841458c42dbc", packageFile: "59f742bfcf457baa", recordsFile: "52e9abc4bf940c05",
	})
	requirePinned(t, generate(t, "resp-psn-check", "resp_answers", 1, 1000, SetOptions{}), map[string]string{
		recordsFile: "f93fc0dfb62fad56",
	})
}

// requirePinned holds files against the first 64 bits of their SHA-256.
func requirePinned(t *testing.T, set *Set, pinned map[string]string) {
	t.Helper()
	got := map[string]string{}
	for name := range pinned {
		sum := sha256.Sum256(fileOf(t, set, name))
		got[name] = hex.EncodeToString(sum[:8])
	}
	require.Equal(t, pinned, got)
}

// TestDigestIsTheCanonicalOne: the values that the reference implementation publishes for no bytes, and that xxhsum
// prints.
func TestDigestIsTheCanonicalOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(path, nil, 0o666))
	sum, size, err := hashFile(path)
	require.NoError(t, err)
	require.Zero(t, size)
	require.Equal(t, "99aa06d3014798d86001c324468d497f", sum)
}

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
			var want, got sim.Offer
			var exp sim.Record
			require.NoError(t, again.Next(&want))
			require.NoError(t, stimulus.Next(&got))
			require.Equal(t, want, got, "%s record %d", dut, i)
			require.Equal(t, string(again.Why()), string(stimulus.Why()))
			require.NoError(t, expected.Next(&exp))
			out := model.Advance(0, []sim.Record{want.Accepted(0, 0)}, nil)[0]
			require.True(t, sameRecord(&out, &exp), "%s record %d: %+v, %+v", dut, i, out, exp)
			require.Equal(t, hca.VerdictText(dut, out.User), string(expected.Why()))
		}
		require.Equal(t, io.EOF, stimulus.Next(&sim.Offer{}))
		require.Equal(t, io.EOF, expected.Next(&sim.Record{}))
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
		return checkRewritten(t, set, name, change)
	}
	replace := func(old, new string, n int) func(string) string {
		return func(s string) string { return strings.Replace(s, old, new, n) }
	}
	lines := string(fileOf(t, set, recordsFile))
	first, rest, _ := strings.Cut(lines, "\n")

	require.ErrorContains(t, rewrite(recordsFile, replace(`"user":`, `"user":1`, 1)),
		"after stimulus record 1: the set expects m_axis 0 (cause 0, user ")
	require.ErrorContains(t, rewrite(recordsFile, func(string) string { return rest }), "the set expects m_axis 1")
	require.ErrorContains(t, rewrite(recordsFile, func(s string) string { return s + first + "\n" }),
		"has no packet in expect.pcapng")
	require.ErrorContains(t, rewrite(recordsFile, func(s string) string { return s[:len(first)+1] }),
		"has no line in records.jsonl")
	require.ErrorContains(t, rewrite(recordsFile, func(s string) string { return "nonsense\n" + s }),
		"line 1: not a record: ")
	require.ErrorContains(t, rewrite(recordsFile, replace("m_axis", "p_axis", 1)),
		`line 1: "p_axis" is no port of the set`)
	require.ErrorContains(t, rewrite(expectFile, func(s string) string { return s[:len(s)-1] }),
		"cut in the middle of packet 3")
	require.ErrorContains(t, rewrite(stimulusFile, func(s string) string { return s[:len(s)-1] }),
		"cut in the middle of packet 3")
	require.ErrorContains(t, rewrite(stimulusFile, replace("s_axis", "x_axis", 2)), `is no packet port of the set`)

	// Other JSON of the same meaning is as good.
	require.NoError(t, rewrite(recordsFile, replace(`,"cause"`, ` , "cause"`, -1)))

	set.StimulusRecords++
	require.ErrorContains(t, set.Check(), "3 and 3 records were read, the manifest says 4 and 3")
	set.StimulusRecords--
	require.NoError(t, os.WriteFile(filepath.Join(set.Dir, "extra"), nil, 0o666))
	require.ErrorContains(t, set.Check(), "is not listed in the manifest")
	require.NoError(t, os.Remove(filepath.Join(set.Dir, "extra")))
	require.NoError(t, os.Remove(filepath.Join(set.Dir, recordsFile)))
	require.ErrorContains(t, set.Check(), "records.jsonl: no such file")
}

// checkRewritten is what Check says of the set with a file changed and its hash made to fit. The file is put back.
func checkRewritten(t *testing.T, set *Set, name string, change func(string) string) error {
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

func TestOpenSetSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	for content, want := range map[string]string{
		`{"format":1}`:            "vector set of format 1; this program reads 2",
		`{"format":2,"sneed":1}`:  `unknown field "sneed"`,
		`[]`:                      "not a manifest of a vector set",
		`{"format":2,"seed":"a"}`: "not a manifest of a vector set",
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
	require.ErrorContains(t, set.Check(), "the ports of icrc_check, or the choices that it leaves, have changed since "+
		"the set "+
		"was made (make it again: "+
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

	kept := filepath.Join(dir, "notes.txt")
	require.NoError(t, os.WriteFile(kept, nil, 0o666))
	_, err = GenerateSet(dir, s, stage, 2, 2, SetOptions{Force: true})
	require.ErrorContains(t, err, "notes.txt: is no file of the vector set there: not replaced")
	require.FileExists(t, kept)

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

func (failingSource) Next(*sim.Offer) error { return errors.New("out of ideas") }
func (failingSource) Why() []byte           { return nil }

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
	f.Add([]byte(`{"port":"m","seq":1,"cause":2,"need":"one","group":1,"by":9,"rules":["PSN-1","PSN-2"]}` + "\n"))
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
