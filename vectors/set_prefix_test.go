package vectors_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/cover"
	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
	"hcacosim/vectors/scenario"
)

// timed are the stages of which a set ends with what its device still owes: docs/vectors.md names them.
var timed = map[string]bool{"retx_timer": true, "tx_arbiter": true, "read_engine": true, "hca_tx": true,
	"hca_top": true}

// lastStep counts the lines of bins.jsonl that each step of a set came to.
type lastStep struct {
	*cover.Follower
	lines int
}

func (l *lastStep) Exercised() []vectors.Exercise {
	all := l.Follower.Exercised()
	l.lines = len(all)
	return all
}

// prefixSet is a set, and what of it is still owed when the last beat of its last input is in.
type prefixSet struct {
	dir    string
	files  map[string]vectors.FileInfo
	owed   []sim.Record
	bins   int // lines of bins.jsonl
	frames int // of owed, on packet ports
}

func setOfCount(t *testing.T, stage sim.StageSpec, seed, count uint64) (p prefixSet) {
	t.Helper()
	s, by := scenario.Default(stage.Name), &lastStep{}
	o := vectors.SetOptions{ReadmemhBits: 64}
	if !vectors.IsView(stage.Name) {
		by.Follower = cover.NewFollower(&stage, nil)
		o.Bins = by
	}
	set, err := vectors.GenerateSet(filepath.Join(t.TempDir(), "set"), s, stage, seed, count, o)
	require.NoError(t, err, stage.Name)
	source, err := vectors.NewGenerated(s, stage, seed, count)
	require.NoError(t, err)
	p.dir, p.files, p.bins = set.Dir, set.Files, by.lines
	require.NoError(t, vectors.Predict(source, stage, nil, func(in *sim.Offer, out []sim.Record) {
		for i := range out {
			if r := out[i]; in == nil {
				r.Data = bytes.Clone(r.Data)
				p.owed = append(p.owed, r)
			}
		}
	}))
	for _, r := range p.owed {
		if stage.Ports[r.Port].Kind == sim.Axis {
			p.frames++
		}
	}
	return p
}

// words is how many words of 64 bits are owed on a port.
func (p *prefixSet) words(port *sim.PortSpec, at sim.Port) (n int) {
	for _, r := range p.owed {
		switch {
		case r.Port != at:
		case port.Kind == sim.Axis:
			n += max(1, (len(r.Data)+7)/8)
		default:
			n++
		}
	}
	return n
}

// owing is how many lines at the end of a file tell of what is owed; none of the stimulus do.
func (p *prefixSet) owing(stage *sim.StageSpec, file string) int {
	switch file {
	case "records.jsonl":
		return len(p.owed)
	case "bins.jsonl":
		return p.bins
	}
	for i := range stage.Ports {
		if s := &stage.Ports[i]; !s.Input && file == s.Name+".memh" {
			return p.words(s, sim.Port(i))
		}
	}
	return 0
}

func (p *prefixSet) read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	require.NoError(t, err)
	return b
}

// packets are those of a capture but for the last few, as text.
func packets(t *testing.T, path string, but int) (all []string) {
	t.Helper()
	r, err := capture.Open(path)
	require.NoError(t, err)
	defer r.Close()
	for {
		f, err := r.Next()
		if err == io.EOF {
			return all[:len(all)-but]
		}
		require.NoError(t, err)
		all = append(all, f.Port+" "+string(f.Comment)+" "+string(f.Data))
	}
}

// withoutLast is a text without its last lines.
func withoutLast(b []byte, lines int) []byte {
	for range lines {
		b = b[:bytes.LastIndexByte(bytes.TrimSuffix(b, []byte("\n")), '\n')+1]
	}
	return b
}

// requirePrefix holds a set against a larger one and tells whether all of it is the larger one's start.
func requirePrefix(t *testing.T, stage *sim.StageSpec, short, long *prefixSet) (whole bool) {
	t.Helper()
	whole = true
	for name := range short.files {
		a, b := short.read(t, name), long.read(t, name)
		whole = whole && bytes.HasPrefix(b, a)
		switch {
		case !timed[stage.Name]:
		case name == "expect.pcapng":
			of := packets(t, filepath.Join(short.dir, name), short.frames)
			more := packets(t, filepath.Join(long.dir, name), 0)
			require.True(t, slices.Equal(of, more[:len(of)]), "%s: %s", stage.Name, name)
			continue
		default:
			a = withoutLast(a, short.owing(stage, name))
		}
		require.True(t, bytes.HasPrefix(b, a), "%s: %s", stage.Name, name)
	}
	return whole
}

// TestShorterSetIsAPrefixOfEveryStage: a smaller count gives the start of the larger set, byte for byte; of a stage of
// time without what is owed behind the last input, of all others to the end.
func TestShorterSetIsAPrefixOfEveryStage(t *testing.T) {
	differ := map[string]bool{}
	for _, stage := range vectors.Stages() {
		for _, seed := range []uint64{21, 33} { // of 33 read_engine owes something
			short, long := setOfCount(t, stage, seed, 299), setOfCount(t, stage, seed, 700)
			if !requirePrefix(t, &stage, &short, &long) {
				differ[stage.Name] = true
			}
		}
	}
	for _, name := range []string{"retx_timer", "tx_arbiter", "read_engine", "hca_tx"} {
		require.True(t, differ[name], "%s owes nothing: the exception is none", name)
	}
}
