package ladder

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/flow"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/report"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// TestPacked: what is packed is what was added, in its columns, and lists that say nothing are left out.
func TestPacked(t *testing.T) {
	var d Diagram
	d.Add(Event{Number: 3, At: 100, Flow: "a", Op: "SEND", PSN: psn.New(7), HasPSN: true})
	d.Add(Event{Number: 5, At: 90, Flow: "b", Kind: NAK, Back: true, Op: "ACK", Text: "text"})
	p := d.Packed()
	require.Equal(t, []int64{3, 2}, p.Number)
	require.Equal(t, []int64{100, -10}, p.At)
	require.Equal(t, []int{7, -1}, p.PSN)
	require.Equal(t, "01", p.Back)
	require.Equal(t, []string{"", "a", "b"}, p.Flows)
	require.Equal(t, []string{"", "SEND", "ACK", "text"}, p.Texts)
	require.Equal(t, []int{0, 3}, p.Text)
	require.Nil(t, p.Cause)
	require.Equal(t, "NAK", p.Kinds[p.Kind[1]])
}

// TestManyTexts: texts have a bound, and an event beyond it is still an event.
func TestManyTexts(t *testing.T) {
	var d Diagram
	for i := range 5000 {
		d.Add(Event{Text: strings.Repeat("x", 1+i%mostWord) + strings.Repeat("y", i/mostWord)})
	}
	require.Equal(t, 5000, d.Len())
	require.LessOrEqual(t, len(strings.Join(d.Packed().Texts, "")), mostText)
}

// TestLadderOfACapture: the packets of a real capture with losses are in the ladder as the checker judged them.
func TestLadderOfACapture(t *testing.T) {
	r, err := capture.Open("../../vectors/known/rc_v6_loss5.a.pcap")
	require.NoError(t, err)
	defer r.Close()
	checker, err := flow.New(flow.Options{Profile: roce.Rxe})
	require.NoError(t, err)
	c := NewCapture("test")
	var w wire.Packet
	packets, again, naks, broken := 0, 0, 0, 0
	for {
		f, err := r.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		wire.DecodeCut(f.Link, f.Data, f.OrigLen, &w)
		icrc := w.ICRC()
		v := checker.Take(&f, &w, icrc)
		if w.BTH() != nil {
			packets++
		}
		switch v.Class {
		case flow.Again:
			again++
		case flow.Broken:
			broken++
		}
		if a := w.AETH(); a != nil && v.Class != flow.Duplicate && v.Class != flow.Broken &&
			strings.Contains(a.Syndrome().String(), "NAK") {
			naks++
		}
		c.Take(&f, &w, icrc, &v, "flow")
	}
	count := map[Kind]int{}
	for _, k := range c.Packed().Kind {
		count[Kind(k)]++
	}
	require.Equal(t, packets, c.Len()-count[Lost])
	require.Positive(t, again)
	require.GreaterOrEqual(t, count[Again], again)
	require.Equal(t, naks, count[NAK]+count[RNR])
	require.Equal(t, broken, count[Broken])
}

// TestLadderOfARun: the wrong answer stands beside the expected one, the one that did not come is there too, and so are
// the records in front.
func TestLadderOfARun(t *testing.T) {
	bits := func(n int) manifest.Width { return manifest.Width{Bits: n} }
	m := &manifest.Manifest{Ports: []manifest.Port{{Name: "in", Layout: []manifest.Field{{Name: "psn", Width: bits(24)},
		{Name: "qpn", Width: bits(8)}}}, {Name: "out", Layout: []manifest.Field{{Name: "epsn_after", Width: bits(24)},
		{Name: "syndrome", Width: bits(8)}}}}}
	got := &sim.Record{Port: 1, Seq: 0, Cause: 0, Start: 9, End: 9, Data: []byte{5, 0, 0, 0x60}}
	want := &sim.Record{Port: 1, Seq: 0, Data: []byte{6, 0, 0, 0x1f}}
	rep := &report.Report{Dut: "d", Manifest: m, Ports: []sim.PortSpec{{Name: "in", Input: true, Kind: sim.Fields},
		{Name: "out", Kind: sim.Fields}}, User: func(string, uint32) string { return "" },
		Result: &cocosim.Result{Violations: []*cocosim.Violation{
			{Verdict: sim.Verdict{Rule: "DATA", Text: "wrong"}, Port: "out", Cycle: 9, Got: got, Want: want},
			{Verdict: sim.Verdict{Rule: "MISSING", Text: "owed"}, Port: "out", Cycle: 20, Want: want}}}}
	d := Run(rep, []sim.Record{{Port: 0, Start: 4, End: 4, Data: []byte{5, 0, 0, 2}}, *got})
	p := d.Packed()
	require.Equal(t, []int{int(Request), int(Broken), int(Broken)}, p.Kind)
	require.Equal(t, []int{5, 5, 6}, p.PSN)
	require.Equal(t, "011", p.Back)
	require.Equal(t, "QP 2", p.Flows[p.Flow[1]], "the flow of what it answers")
	require.Contains(t, p.Texts[p.Want[1]], "000006")
	require.Contains(t, p.Texts[p.Text[1]], "syndrome: want 1fh, got 60h")
	require.Contains(t, p.Texts[p.Text[2]], "nothing came: owed")
	require.Equal(t, []int64{4, 5, 11}, p.At)
}
