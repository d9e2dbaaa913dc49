package falconflow

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/vectors/capture"
)

// judged judges frames at an end, with everything known, or on the wire where own is "".
func judged(t testing.TB, list []capture.Frame, own string) *Report {
	opt := Options{Keys: keys(t)}
	if own != "" {
		opt.Own, opt.Complete = netip.MustParseAddr(own), true
	}
	c := NewChecker(opt)
	for i, f := range list {
		c.Take(uint64(i+1), f.Link, f.Data, f.OrigLen)
	}
	return c.Finish()
}

// Nothing is wrong in the conversation of testdata/make.py, wherever it is seen.
func TestTalk(t *testing.T) {
	for _, own := range []string{"", "10.0.0.1", "10.0.0.2"} {
		r := judged(t, frames(t, "talk"), own)
		require.EqualValues(t, 19, r.Read)
		require.Empty(t, r.Findings, own)
	}
}

// What is made wrong in the conversation: the packet, the rule, and whether the packet shows it by itself.
var wrongTalks = []struct {
	what   string
	packet uint64
	rule   string
	alone  bool
}{
	{"BACK of data that was never sent", 5, "FAL-D2", false},
	{"EACK with a request base that was never sent", 9, "FAL-D2", false},
	{"a base that goes back", 16, "FAL-D2", false},
	{"EACK that names data that was never sent", 9, "FAL-D4", false},
	{"EACK that names requests that were never sent", 9, "FAL-D4", false},
	{"EACK whose base is acknowledged", 9, "FAL-D2", true},
	{"EACK where a BACK was due", 9, "FAL-D7", true},
	{"BACK with OWN set", 5, "FAL-D7", true},
	{"NACK of what was never sent", 14, "FAL-D9", false},
	{"PSN beyond the window", 8, "FAL-D11", false},
	{"PSN skipped", 8, "FAL-D10", false},
	{"sent again, and acknowledged before", 10, "FAL-D15", false},
	{"sent again with another payload", 10, "FAL-D20", false},
	{"sent again with another RSN", 10, "FAL-D20", false},
	{"Pull Data that nobody pulled", 11, "FAL-T1", false},
	{"Pull Data twice for one RSN", 18, "FAL-T1", false},
	{"two Pull Requests with one RSN", 17, "FAL-T1", false},
}

// Each is found with its packet and rule first: certain at the end that did it if nothing is missing, or where the
// packet shows it; possible on the wire; and nothing certain at the other end.
func TestWrongTalk(t *testing.T) {
	all := frames(t, "talkwrong")
	require.Len(t, all, 19*len(wrongTalks))
	var page strings.Builder
	page.WriteString("# `cosim check` on wrong Falcon packets\n\nA conversation of 19 " +
		"packets, made wrong in one field each " +
		"by an encoder that shares no code with the decoder\n" +
		"(`go test ./cocosim/falconflow -run WrongTalk`). At the end that " +
		"did wrong with `--complete`, without it, and on the wire.\n\n" +
		"| wrong | rule | at its end, complete | at its end | " +
		"wire |\n" +
		"|---|---|---|---|---|\n")
	for i, x := range wrongTalks {
		list := all[19*i : 19*i+19]
		var p Packet
		d := New(Options{Keys: keys(t)})
		d.Decode(list[x.packet-1].Link, list[x.packet-1].Data, list[x.packet-1].OrigLen, &p)
		fmt.Fprintf(&page, "| %s | %s |", x.what, x.rule)
		for _, at := range []string{"own", "incomplete", "wire"} {
			own := ""
			if at == "own" {
				own = p.Src.String()
			}
			r := judged(t, list, own)
			require.NotEmpty(t, r.Findings, "%s, %s", x.what, at)
			f := r.Findings[0]
			require.Equal(t, fmt.Sprint(x.packet, " ", x.rule), fmt.Sprint(f.Packet, " ", f.Rule), "%s: %s", x.what, f.Text)
			require.Equal(t, at == "own" || x.alone, f.Certain, "%s, %s", x.what, at)
			fmt.Fprintf(&page, " %s |", map[bool]string{true: "certain", false: "possible"}[f.Certain])
		}
		page.WriteString("\n")
		if i == len(wrongTalks)-1 {
			list = list[:x.packet] // what comes answers an RSN that was not asked for then
		}
		if !x.alone {
			require.Zero(t, judged(t, list, p.Dst.String()).Certain, "%s, at the other end", x.what)
		}
	}
	path := filepath.Join("..", "..", "docs", "generated", "check-falcon.md")
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(page.String()), 0o666))
	}
	was, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(was), page.String(), "UPDATE=1 writes it")
}

// Captures that miss packets, begin late, have them twice or in another order give nothing certain.
func TestImperfectTalk(t *testing.T) {
	list, rng := frames(t, "talk"), rand.New(rand.NewPCG(14, 1))
	for round := range 2000 {
		bad := slices.Clone(list)
		switch round % 5 {
		case 0:
			i := rng.IntN(len(bad))
			bad = slices.Delete(bad, i, i+1)
		case 1:
			bad = bad[rng.IntN(len(bad)):]
		case 2:
			bad = slices.DeleteFunc(bad, func(capture.Frame) bool { return rng.IntN(5) == 0 })
		case 3:
			i := rng.IntN(len(bad))
			bad = slices.Insert(bad, i, bad[rng.IntN(len(bad))])
		case 4:
			rng.Shuffle(len(bad), func(i, j int) { bad[i], bad[j] = bad[j], bad[i] })
		}
		require.Zero(t, judged(t, bad, "").Certain)
	}
}

// Where several connections run between two hosts, nobody is blamed across them.
func TestSeveralConnectionsUnpaired(t *testing.T) {
	list := frames(t, "talk")
	more := frames(t, "good") // another CID between the same hosts
	r := judged(t, append(list, more[:3]...), "10.0.0.1")
	require.Zero(t, r.Certain)
	require.NotZero(t, r.Unpaired)
}
