package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/loop"
)

// A closed loop with every harm agrees, its numbers are there as JSON, and what each end saw `cosim check` calls clean.
func TestLink(t *testing.T) {
	out := filepath.Join(t.TempDir(), "seen")
	code, text, errs := cosim("link", "--count", "6000", "--qps", "2", "--loss", "2", "--dup", "1", "--reorder", "1",
		"--corrupt", "0.5", "--pcap", out, "--json")
	require.Zero(t, code, text+errs)
	var o loop.Outcome
	require.NoError(t, json.Unmarshal([]byte(text), &o))
	require.NotZero(t, o.Ends[0].Messages)
	require.NotZero(t, o.Result.Lost[0]+o.Result.Lost[1])
	for name, own := range map[string]string{"a": "10.1.0.1", "b": "10.1.0.2"} {
		code, text, errs = cosim("check", "--complete", "--at", own, out+"."+name+".pcap")
		require.Zero(t, code, text+errs)
		require.Contains(t, text, "no violation in ")
	}
}

// RTL answers requests in the place of the model, at both ends: the same holds.
func TestLinkToRTL(t *testing.T) {
	needTools(t, "verilator")
	out := filepath.Join(t.TempDir(), "seen")
	code, text, errs := cosim("link", "--flavour", "debug", "--a", "hca_rx", "--b", "hca_rx", "--count", "6000", "--qps",
		"3", "--loss", "1", "--dup", "1", "--reorder", "1", "--corrupt", "1", "--pcap", out, "--json")
	require.Zero(t, code, text+errs)
	var o loop.Outcome
	require.NoError(t, json.Unmarshal([]byte(text), &o))
	require.NotZero(t, o.Ends[0].Received)
	code, text, errs = cosim("check", "--complete", "--at", "10.1.0.1", out+".a.pcap")
	require.Zero(t, code, text+errs)
}

// RTL makes the requests, at both ends: the same holds.
func TestLinkFromRTL(t *testing.T) {
	needTools(t, "verilator")
	out := filepath.Join(t.TempDir(), "seen")
	code, text, errs := cosim("link", "--flavour", "debug", "--a", "hca_tx", "--b", "hca_tx", "--count", "6000", "--qps",
		"3", "--loss", "1", "--dup", "1", "--reorder", "1", "--corrupt", "1", "--pcap", out, "--json")
	require.Zero(t, code, text+errs)
	var o loop.Outcome
	require.NoError(t, json.Unmarshal([]byte(text), &o))
	require.NotZero(t, o.Ends[0].Messages)
	require.NotEmpty(t, o.Ends[0].Causes)
	require.NotZero(t, o.Ends[0].Recovery.Count)
	code, text, errs = cosim("check", "--complete", "--at", "10.1.0.1", out+".a.pcap")
	require.Zero(t, code, text+errs)
}

// RTL answers and asks, at both ends: the same holds.
func TestLinkOfRTL(t *testing.T) {
	needTools(t, "verilator")
	out := filepath.Join(t.TempDir(), "seen")
	code, text, errs := cosim("link", "--flavour", "debug", "--a", "hca_rx+hca_tx", "--b", "hca_rx+hca_tx", "--count",
		"6000", "--qps", "3", "--loss", "1", "--dup", "1", "--reorder", "1", "--corrupt", "1", "--pcap", out, "--json")
	require.Zero(t, code, text+errs)
	var o loop.Outcome
	require.NoError(t, json.Unmarshal([]byte(text), &o))
	require.NotZero(t, o.Ends[0].Messages)
	require.NotZero(t, o.Ends[0].Received)
	require.NotEmpty(t, o.Ends[0].Again)
	// A packet leaves more than 1 us behind its decision, since memory gives its payload meanwhile: less than what check
	// lets pass where nobody says otherwise.
	code, text, errs = cosim("check", "--complete", "--at", "10.1.0.1", out+".a.pcap")
	require.Zero(t, code, text+errs)
}

// Congestion on the link, and queue pairs that rest: RTL keeps the pace that CNPs leave it, and gives those that it
// owes.
func TestLinkMarks(t *testing.T) {
	needTools(t, "verilator")
	for _, end := range []string{"hca_tx", "hca_top"} {
		code, text, errs := cosim("link", "--flavour", "debug", "--a", end, "--count", "800", "--qps", "6", "--mark", "4",
			"--dup", "1", "--depth", "6", "--pause", "10us", "--json")
		require.Zero(t, code, text+errs)
		var o loop.Outcome
		require.NoError(t, json.Unmarshal([]byte(text), &o))
		for i := range o.Ends {
			require.NotZero(t, o.Ends[i].Marks)
			require.NotZero(t, o.Ends[i].CNPs)
		}
	}
}

// The device answers and asks, set up by its registers: the same holds. With 16 queue pairs it hears of ACKs
// behind requests of others, and frames do not pile up in front of it.
func TestLinkOfTop(t *testing.T) {
	needTools(t, "verilator")
	out := filepath.Join(t.TempDir(), "seen")
	code, text, errs := cosim("link", "--flavour", "debug", "--a", "hca_top", "--count", "1000", "--qps", "16", "--seed",
		"102", "--loss", "2", "--dup", "2", "--reorder", "2", "--pcap", out, "--json")
	require.Zero(t, code, text+errs)
	var o loop.Outcome
	require.NoError(t, json.Unmarshal([]byte(text), &o))
	require.NotZero(t, o.Ends[0].Messages)
	require.NotZero(t, o.Ends[0].Received)
	require.NotZero(t, o.Ends[0].HeldNs)
	require.Less(t, o.Ends[0].HeldNs, uint64(5000), "a frame waits in front of the device")
	code, text, errs = cosim("check", "--complete", "--at", "10.1.0.1", out+".a.pcap")
	require.Zero(t, code, text+errs)
}

// How a loop can end, and what it is told wrong, each with its exit code.
func TestLinkEnds(t *testing.T) {
	for _, c := range []struct {
		exit cocosim.Exit
		text string
		args []string
	}{
		{cocosim.Agreed, "AGREED", []string{"--count", "500"}},
		{cocosim.Agreed, "retry exceeded", []string{"--count", "500", "--b", "rogue:silent"}},
		{cocosim.Mismatch, "was --count too small?", []string{"--count", "2", "--b", "rogue:reset"}},
		{cocosim.Agreed, "AGREED", []string{"--count", "1000", "--b", "rogue:ghosts"}},
		{cocosim.Inconclusive, "the limit of 1 us is reached", []string{"--limit", "1us"}},
		{cocosim.Inconclusive, "INCONCLUSIVE", []string{"--limit", "60us", "--b", "rogue:wrong-psn"}},
		{cocosim.Inconclusive, "INCONCLUSIVE", []string{"--limit", "60us", "--b", "rogue:silent"}},
		{cocosim.Inconclusive, "INCONCLUSIVE", []string{"--limit", "60us", "--b", "rogue:wrong-msn"}},
		{cocosim.Inconclusive, "7 retries can run out", []string{"--limit", "2ms", "--loss", "40", "--qps", "4"}},
		{cocosim.BadInput, "there are [bad-icrc", []string{"--b", "rogue:?"}},
		{cocosim.Agreed, "AGREED", []string{"--count", "500", "--window", "4"}}, // a READ has room in it
		{cocosim.Agreed, "CNPs", []string{"--count", "500", "--mark", "5"}},
		{cocosim.Agreed, "AGREED", []string{"--count", "500", "--depth", "2", "--pause", "20us", "--loss", "3"}},
		{cocosim.BadInput, "hca_tx has room for 480", []string{"--b", "hca_tx", "--qps", "481"}},
		{cocosim.BadInput, "--a hca_tx --profile", []string{"--a", "hca_rx+hca_tx", "--profile", "rxe"}},
		{cocosim.BadInput, "hca_rx+hca_tx", []string{"--a", "hca_tx+hca_rx"}},
		{cocosim.BadInput, "as profile spec has it", []string{"--a", "hca_tx", "--profile", "rxe"}},
		{cocosim.BadInput, "hca_top has room", []string{"--a", "hca_top", "--qps", "4001"}},
		{cocosim.BadInput, "loss: a share of 60 %, where 0 to 50 can be", []string{"--loss", "60"}},
		{cocosim.BadInput, "late: a share of NaN %", []string{"--late", "NaN"}},
		{cocosim.BadInput, "so 17 at least", []string{"--profile", "qib", "--window", "16"}},
		{cocosim.Agreed, "AGREED", []string{"--count", "500", "--profile", "qib", "--window", "17"}},
		{cocosim.BadInput, "delay and hold: 0 to 1s", []string{"--hold", "-1us"}},
		{cocosim.BadInput, "a pause: 0 to 1h0m0s", []string{"--pause", "-1us"}},
		{cocosim.BadInput, "a limit of the link's time below 0", []string{"--limit", "-1us"}},
		{cocosim.Agreed, "AGREED", []string{"--count", "500", "--limit", "0"}}, // none
		{cocosim.BadInput, "--behind -5s: a time that is not negative", []string{"--behind", "-5s"}},
		{cocosim.BadInput, "a link of NaN Gb/s: 0.001 to 100000", []string{"--gbps", "NaN"}},
		{cocosim.Inconclusive, "7 retries can run out", []string{"--count", "2000", "--loss", "30"}},
		{cocosim.BadInput, "known for spec and qib", []string{"--b", "rogue:silent", "--profile", "rxe"}},
		{cocosim.BadInput, "--faults FILE says which", []string{"--fault", "loop-wait-for-ever"}},
		{cocosim.BadInput, "path MTU 1000", []string{"--pmtu", "1000"}},
		{cocosim.BadInput, "--count 0: no packet is sent", []string{"--count", "0"}},
		{cocosim.BadInput, "--lapse 0", []string{"--lapse", "0", "--count", "10"}},
		{cocosim.BadInput, `no build flavour "nosuch" (there are [`, []string{"--flavour", "nosuch", "--count", "10"}},
		{cocosim.BadInput, `unexpected argument "hca_rx"`, []string{"--count", "10", "hca_rx"}},
		{cocosim.BadInput, "--page is of --cells or --faults", []string{"--count", "10", "--page", "x"}},
		{cocosim.BadInput, "--pcap", []string{"--count", "500", "--pcap", filepath.Join(t.TempDir(), "no", "folder")}},
	} {
		code, out, errs := cosim(append([]string{"link"}, c.args...)...)
		require.Equal(t, c.exit, code, "%v: %s%s", c.args, out, errs)
		require.Contains(t, out+errs, c.text)
	}
}

// What was wrong at either end is, whether the loop was stopped or not; a loop that was stopped tells nothing else.
func TestLinkExitCode(t *testing.T) {
	for _, cut := range []bool{false, true} {
		for name, c := range map[string]struct {
			spoil func(o *loop.Outcome)
			wrong bool
		}{
			"nothing":         {func(*loop.Outcome) {}, false},
			"A breaks a rule": {func(o *loop.Outcome) { o.Judged[0].Certain = 1 }, true},
			"B breaks a rule": {func(o *loop.Outcome) { o.Judged[1].Certain = 1 }, true},
			"A and B, may be": {func(o *loop.Outcome) { o.Judged[0].Possible, o.Judged[1].Possible = 1, 1 }, false},
			"a message":       {func(o *loop.Outcome) { o.Wrongs = 1 }, true},
		} {
			o := &loop.Outcome{Result: &loop.Result{Cut: cut}}
			if cut {
				o.Result.Stuck = "the limit is reached"
			}
			c.spoil(o)
			want := int(cocosim.Agreed)
			switch {
			case c.wrong:
				want = int(cocosim.Mismatch)
			case cut:
				want = int(cocosim.Inconclusive)
			}
			require.Equal(t, want, exitOf(verdictOf(o)), "%s, stopped: %v", name, cut)
		}
	}
}

// Captures that are not there end before anything is built or printed.
func TestMissingCaptures(t *testing.T) {
	for _, args := range [][]string{{"run", "--dut", "hca_rx", "--capture"}, {"check", "--card"}} {
		code, out, errs := cosim(append(args, filepath.Join(t.TempDir(), "none.pcap"))...)
		require.Equal(t, cocosim.BadInput, code)
		require.Empty(t, out)
		require.Contains(t, errs, "no such file")
	}
}

// With a timer as long as the round trip, and few receive WQEs, ACKs, NAKs and RNR NAKs reach the RTL as its timer runs
// out: two causes at once. It ends as it must, and no judge finds anything (TMR-2, TMR-3, TMR-5).
func TestCrossedResponses(t *testing.T) {
	needTools(t, "verilator")
	code, text, errs := cosim("link", "--flavour", "debug", "--a", "hca_tx", "--count", "4000", "--receives", "4",
		"--late", "50", "--timeout", "1", "--delay", "3600ns", "--loss", "2", "--json")
	require.Zero(t, code, text+errs)
	var o loop.Outcome
	require.NoError(t, json.Unmarshal([]byte(text), &o))
	for _, name := range []string{"ACK", "NAK", "RNR NAK", "response"} {
		require.NotZero(t, o.Ends[0].Crossed[name], name)
	}
	for _, cause := range []string{"REQ-4", "TMR-1", "TMR-4"} {
		require.NotZero(t, o.Ends[0].Causes[cause], cause)
	}
}
