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
	opt := Options{}
	if own != "" {
		opt.Own, opt.Complete = netip.MustParseAddr(own), true
	}
	return judgedBy(t, list, opt)
}

// judgedBy judges frames with the keys of make.py.
func judgedBy(t testing.TB, list []capture.Frame, opt Options) *Report {
	opt.Keys = keys(t)
	c := NewChecker(opt)
	for i, f := range list {
		c.Take(uint64(i+1), f.TimeNS, f.Link, f.Data, f.OrigLen)
	}
	return c.Finish()
}

// Nothing is wrong in the conversations of testdata/make.py, wherever they are seen; that at the receiver has gaps
// which its sender would not have.
func TestTalk(t *testing.T) {
	for name, ends := range map[string][]string{"talk": {"", "10.0.0.1", "10.0.0.2"},
		"sender": {"", "10.0.0.1", "10.0.0.2"},
		"full":   {"", "10.0.0.1", "10.0.0.2"}, "receiver": {"10.0.0.2"}} {
		list := frames(t, name)
		for _, own := range ends {
			r := judged(t, list, own)
			require.EqualValues(t, len(list), r.Read)
			require.Zero(t, r.Certain, "%s at %s: %v", name, own, r.Findings)
			require.Empty(t, findingsOf(t, list, r, "10.0.0.1", name == "receiver"), "%s at %s", name, own)
		}
	}
}

// findingsOf are the findings in packets that an address did not send, or in all.
func findingsOf(t *testing.T, list []capture.Frame, r *Report, not string, some bool) (left []Finding) {
	for _, f := range r.Findings {
		if !some || sentBy(t, &list[f.Packet-1]) != netip.MustParseAddr(not) {
			left = append(left, f)
		}
	}
	return left
}

// sentBy is the source of a frame.
func sentBy(t *testing.T, f *capture.Frame) netip.Addr {
	var p Packet
	New(Options{Keys: keys(t)}).Decode(f.Link, f.Data, f.OrigLen, &p)
	return p.Src
}

// wrong is what is made wrong in a conversation: the packet in which it shows, and the rule.
type wrong struct {
	what   string
	packet int
	rule   string
	how    how
}

// how tells what a capture at the end that did wrong shows, if it misses nothing.
type how uint8

const (
	seen  how = iota // for certain
	alone            // for certain, as any other capture does: the packet shows it by itself
	maybe            // an option of the device may allow it, or what came before was lost behind the capture point
)

// wrongTalks are what is wrong, by conversation, in the order of the lists in make.py.
var wrongTalks = []struct {
	name    string
	packets int
	all     []wrong
}{{"talk", 19, wrongTalk}, {"receiver", 29, wrongAtReceiver}, {"sender", 18, wrongAtSender}, {"full", 132, wrongFull}}

var wrongTalk = []wrong{
	{"BACK of data that was never sent", 5, "FAL-D2", seen},
	{"EACK with a request base that was never sent", 9, "FAL-D2", seen},
	{"a base that goes back", 16, "FAL-D2", seen},
	{"EACK that names data that was never sent", 9, "FAL-D4", seen},
	{"EACK that names requests that were never sent", 9, "FAL-D4", seen},
	{"EACK whose base is acknowledged", 9, "FAL-D2", alone},
	{"EACK where a BACK would do", 9, "FAL-D7", maybe},
	{"BACK with OWN set", 5, "FAL-D7", alone},
	{"NACK of what was never sent", 14, "FAL-D9", seen},
	{"PSN beyond the window", 8, "FAL-D11", seen},
	{"PSN skipped", 8, "FAL-D10", seen},
	{"sent again, and acknowledged by a base before", 10, "FAL-D15", maybe},
	{"sent again with another payload", 10, "FAL-D20", seen},
	{"sent again with another RSN", 10, "FAL-D20", seen},
	{"Pull Data that nobody pulled", 11, "FAL-T1", seen},
	{"Pull Data twice for one RSN", 18, "FAL-T1", seen},
	{"two Pull Requests with one RSN", 17, "FAL-T1", seen},
}

var wrongAtReceiver = []wrong{
	{"a base that passes what never came", 5, "FAL-D2", seen},
	{"EACK that names what never came", 4, "FAL-D4", seen},
	{"EACK that lost a received bit", 5, "FAL-D2", seen},
	{"EACK that lost an acknowledged bit", 6, "FAL-D2", seen},
	{"BACK where an EACK was due", 6, "FAL-D7", seen},
	{"a base that stays at what is acknowledged", 8, "FAL-D2", seen},
	{"OWN, and nothing came beyond the window", 11, "FAL-D5", seen},
	{"OWN in a second EACK", 16, "FAL-D5", seen},
	{"Pull Data received, and not acknowledged", 27, "FAL-D4", seen},
	{"NACK of what its own base acknowledges", 18, "FAL-D9", alone},
	{"RNR NACK of a Pull Request", 18, "FAL-D9", alone},
	{"NACK of what never came", 18, "FAL-D9", seen},
	{"NACK for resources twice, of one packet", 19, "FAL-D9", seen},
	{"acknowledged, and refused for resources before", 19, "FAL-D3", seen},
	{"acknowledged behind a CIE, without a Resync", 22, "FAL-T15", seen},
	{"RNR NACK of Pull Data", 27, "FAL-D9", seen},
	{"Pull Data that does not acknowledge its Pull Request", 13, "FAL-D2", seen},
	{"Pull Data longer than was asked for", 13, "FAL-T11", seen},
	{"Pull Data shorter than was asked for", 13, "FAL-T11", maybe},
}

var wrongAtSender = []wrong{
	{"sent again, and acknowledged by an EACK before", 13, "FAL-D15", maybe},
	{"sent again before the time of an RNR NACK", 8, "FAL-D21", maybe},
	{"sent again at once, and nothing called for it", 2, "FAL-D20", maybe},
	{"Resync with a code that no NACK had", 10, "FAL-D22", seen},
	{"the packet again behind its Resync", 11, "FAL-D22", seen},
	{"a second Resync with another code", 11, "FAL-D22", seen},
	{"Resync of another packet type", 10, "FAL-D22", seen},
	{"Resync of what was not sent, and another of it", 8, "FAL-D22", seen},
	{"Push Data with an RSN that goes back", 17, "FAL-T10", seen},
	{"Push Data with the RSN of a Pull Request", 16, "FAL-T1", seen},
	{"RSN skipped, and the one behind it twice", 16, "FAL-T1", seen},
	{"two Push Data with one RSN", 17, "FAL-T1", seen},
}

var wrongFull = []wrong{
	{"129 packets without an ACK", 130, "FAL-D11", seen},
	{"sent again a window behind what left", 131, "FAL-D15", seen},
}

// Each is found with its packet and rule first at the end that did it: for certain if nothing is missing, unless `how`
// says otherwise. Elsewhere it is possible, or not seen; and nothing is certain at the other end.
func TestWrongTalk(t *testing.T) {
	var page strings.Builder
	page.WriteString("# `cosim check` on wrong Falcon packets\n\nFour conversations, made wrong in one packet each by " +
		"an encoder that shares no code with the decoder\n(`go test ./cocosim/falconflow -run WrongTalk`). At the end that " +
		"did wrong with `--complete`, without it, and on the wire;\n\"-\": the packet is not found there.\n\n" +
		"| wrong | rule | at its end, complete | at its end | wire |\n|---|---|---|---|---|\n")
	kinds := 0
	for _, talk := range wrongTalks {
		all := frames(t, talk.name+"wrong")
		require.Len(t, all, talk.packets*len(talk.all))
		for i := range talk.all {
			wrongIsFound(t, &page, all[talk.packets*i:talk.packets*(i+1)], &talk.all[i])
			kinds++
		}
	}
	require.GreaterOrEqual(t, kinds, 50)
	path := filepath.Join("..", "..", "docs", "generated", "check-falcon.md")
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(page.String()), 0o666))
	}
	was, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(was), page.String(), "UPDATE=1 writes it")
}

// wrongIsFound judges a conversation with one wrong packet in three views, and writes its row.
func wrongIsFound(t *testing.T, page *strings.Builder, list []capture.Frame, x *wrong) {
	src := sentBy(t, &list[x.packet-1])
	other := src.Prev()
	if src.As4()[3] == 1 {
		other = src.Next()
	}
	fmt.Fprintf(page, "| %s | %s |", x.what, x.rule)
	for _, opt := range []Options{{Own: src, Complete: true}, {Own: src}, {}} {
		word := "-"
		for k, f := range findingsOf(t, list, judgedBy(t, list, opt), other.String(), true) {
			if opt.Complete && k == 0 {
				require.Equal(t, fmt.Sprint(x.packet, " ", x.rule), fmt.Sprint(f.Packet, " ", f.Rule), "%s: %s", x.what, f.Text)
			}
			if int(f.Packet) != x.packet || string(f.Rule) != x.rule || word != "-" {
				continue
			}
			word = map[bool]string{true: "certain", false: "possible"}[f.Certain]
			require.Equal(t, opt.Complete && x.how == seen || x.how == alone, f.Certain, "%s: %s", x.what, f.Text)
		}
		require.False(t, opt.Complete && word == "-", x.what)
		fmt.Fprintf(page, " %s |", word)
	}
	page.WriteString("\n")
}

// Who gets a wrong packet is blamed for nothing in it.
func TestWrongTalkAtTheOtherEnd(t *testing.T) {
	for _, talk := range wrongTalks {
		all := frames(t, talk.name+"wrong")
		for i, x := range talk.all {
			list := all[talk.packets*i:][:x.packet]
			src := sentBy(t, &list[x.packet-1])
			other := src.Prev()
			if src.As4()[3] == 1 {
				other = src.Next()
			}
			if talk.name != "receiver" && x.how != alone { // at the sender it would have no gaps
				require.Zero(t, judgedBy(t, list, Options{Own: other, Complete: true}).Certain, x.what)
			}
		}
	}
}

// Captures that miss packets, begin late, have them twice or in another order give nothing certain: on the wire, and at
// either end.
func TestImperfectTalk(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for _, name := range []string{"talk", "receiver", "sender", "full"} {
		list, rounds := frames(t, name), 2000
		if name == "full" {
			rounds = 300
		}
		for round := range rounds {
			bad := imperfect(rng, round, slices.Clone(list))
			own := netip.AddrFrom4([4]byte{10, 0, 0, byte(1 + rng.IntN(2))})
			require.Zero(t, judgedBy(t, bad, Options{Own: own}).Certain)
			require.Zero(t, judged(t, bad, "").Certain)
		}
	}
}

// imperfect does to a capture what its taker did wrong.
func imperfect(rng *rand.Rand, round int, bad []capture.Frame) []capture.Frame {
	switch round % 5 {
	case 0:
		i := rng.IntN(len(bad))
		return slices.Delete(bad, i, i+1)
	case 1:
		return bad[rng.IntN(len(bad)):]
	case 2:
		return slices.DeleteFunc(bad, func(capture.Frame) bool { return rng.IntN(5) == 0 })
	case 3:
		return slices.Insert(bad, rng.IntN(len(bad)), bad[rng.IntN(len(bad))])
	}
	rng.Shuffle(len(bad), func(i, j int) { bad[i], bad[j] = bad[j], bad[i] })
	return bad
}

// Where several connections run between two hosts, nobody is blamed across them.
func TestSeveralConnectionsUnpaired(t *testing.T) {
	list := frames(t, "talk")
	more := frames(t, "good") // another CID between the same hosts
	r := judged(t, append(list, more[:3]...), "10.0.0.1")
	require.Zero(t, r.Certain)
	require.NotZero(t, r.Unpaired)
}
