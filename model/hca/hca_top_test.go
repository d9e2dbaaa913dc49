package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// topDesk is hca_top, and who drives it.
type topDesk struct {
	t     *testing.T
	stage sim.Stage
	cycle uint64
}

func (d *topDesk) put(port sim.Port, data []byte) []sim.Record {
	d.cycle += 1000
	return d.stage.Advance(d.cycle, []sim.Record{{Start: d.cycle, End: d.cycle, Port: port, Data: data}}, nil)
}

func (d *topDesk) write(at uint16, data uint32) []sim.Record {
	require.Empty(d.t, d.put(topW, (&AxilWrite{Data: data, Strobe: 15}).Append(nil)), "half a write does nothing")
	out := d.put(topAW, AppendAxilAddress(nil, at))
	require.Equal(d.t, topB, out[0].Port)
	require.Zero(d.t, out[0].Data[0])
	return out[1:]
}

func (d *topDesk) read(at uint16) uint32 {
	out := d.put(topAR, AppendAxilAddress(nil, at))
	require.Len(d.t, out, 1)
	require.Equal(d.t, topR, out[0].Port)
	data, resp := ParseAxilRead(out[0].Data)
	require.Equal(d.t, QPCtlOkay, resp)
	return data
}

// topSetUp takes QP 11h to RTR: own address 10.0.0.2, peer 10.0.0.9, key 155h of 4096 bytes from 1000h on.
var topSetUp = [...]struct {
	at   uint16
	data uint32
}{
	{0x030, 0x0A000002}, // ARG4, ARG5: ::FFFF:10.0.0.2
	{0x034, 0xFFFF},
	{0x008, 8}, // ADDRESS
	{0x024, 0xFFFF},
	{0x008, 9}, // P_KEY, entry 0
	{0x020, 0x155},
	{0x024, 7 | 3<<24}, // PD 7, WRITE, READ
	{0x028, 0x1000},
	{0x02C, 0},
	{0x030, 0x1000}, // length
	{0x034, 0},
	{0x038, 0x9000},
	{0x03C, 0},
	{0x008, 6}, // KEY_SET
	{0x00C, 0x11},
	{0x100, 0x22},
	{0x104, 100 | 4<<24 | 1<<29}, // four READs
	{0x108, 3 << 29},
	{0x110, 0x0A000009},
	{0x114, 0xFFFF},
	{0x12C, 7},
	{0x008, 1},
	{0x008, 2},
}

// TestHcaTopByHand takes a QP up by registers, sends it a WRITE, a frame for no QP and one that is damaged, reads what
// was counted, and takes it down again (docs/blocks/hca_top.md, Events).
func TestHcaTopByHand(t *testing.T) {
	d := &topDesk{t: t, stage: hcaTopSpec.New(sim.Settings{})}
	for _, w := range topSetUp {
		d.write(w.at, w.data)
	}
	require.Equal(t, uint32(2|0x11<<8), d.read(0x13C), "in RTR")

	s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, Opcode: ib.Join(ib.RC, ib.WriteOnly), HopLimit: 64, PKey: 0xFFFF,
		DestQP: 0x11, PSN: 100, AckReq: true, VA: 0x1010, RKey: 0x155, DMALen: 8, IPFrag: 0x4000,
		Src: wire.FromIPv4(10, 0, 0, 9), Dst: wire.FromIPv4(10, 0, 0, 2)}
	frame := s.Append(nil, make([]byte, 8))
	ports := map[sim.Port]int{}
	for _, r := range d.put(topFrames, frame) {
		ports[r.Port]++
	}
	require.Equal(t, map[sim.Port]int{topWrites: 1, topData: 1, topAnswers: 1}, ports)
	stray := s
	stray.DestQP = 0x12
	require.Empty(t, d.put(topFrames, stray.Append(nil, make([]byte, 8))))
	frame[len(frame)-1] ^= 1
	require.Empty(t, d.put(topFrames, frame))
	counted := map[int]uint32{}
	for n := range 64 {
		if c := d.read(uint16(0x800 + 8*n)); c > 0 {
			counted[n] = c
		}
	}
	require.Equal(t, map[int]uint32{4: 1, 21: 1}, counted, "BAD_ICRC of the gate, NO_QP")
	require.Zero(t, d.read(0x010), "nothing is under way")

	s.PSN, s.Opcode = 101, ib.Join(ib.RC, ib.ReadRequest)
	d.takeDown(frame, s.Append(nil, nil))
}

// takeDown closes and frees the QP, which a READ that waits for memory puts off; the frame, good again, comes in
// between.
func (d *topDesk) takeDown(frame, read []byte) {
	t := d.t
	require.Empty(t, d.write(0x008, 5), "FREE of a QP that is not closing")
	require.Equal(t, uint32(1), d.read(0x004))
	require.Empty(t, d.put(topFrames, read), "it waits for the WRITE before it")
	require.Empty(t, d.write(0x008, 4))
	require.Equal(t, uint32(1<<16), d.read(0x010), "closing; the READ has not ended")
	require.Empty(t, d.write(0x008, 5))
	require.Equal(t, uint32(3), d.read(0x004), "busy")
	asked := d.put(topAcks, (&DMAAck{}).Append(nil))
	require.Len(t, asked, 1)
	require.Equal(t, topReads, asked[0].Port)
	require.Equal(t, uint32(1<<16), d.read(0x010), "nor has it now")
	answer := d.put(topReadData, make([]byte, 0x10+8))
	require.Len(t, answer, 2)
	require.Equal(t, []sim.Port{topAnswers, topEnds}, []sim.Port{answer[0].Port, answer[1].Port})
	require.Equal(t, uint32(3<<16), d.read(0x010), "closing, drained")
	frame[len(frame)-1] ^= 1
	require.Empty(t, d.put(topFrames, frame), "no answer of a QP that is closed")
	require.Equal(t, uint32(2), d.read(0x800+8*21))
	out := d.write(0x008, 5)
	require.Len(t, out, 1, "the clear is answered behind the last write")
	told := ParseDMARecord(out[0].Data)
	require.True(t, out[0].Port == topCompletions && told.QPN == 0x11 && !told.Complete && !told.Failed)
	require.Zero(t, d.read(0x004))
	require.Zero(t, d.read(0x13C), "RESET")
}

// TestTopJudgeHoldsCompletionsBehindWrites: a completion that leaves before address or data of a write that it tells of
// is one too soon (DMA-1).
func TestTopJudgeHoldsCompletionsBehindWrites(t *testing.T) {
	write, data, told := []byte{1}, []byte{2}, []byte{3}
	for _, c := range []struct {
		order []sim.Port
		early bool
	}{
		{[]sim.Port{topWrites, topData, topCompletions}, false},
		{[]sim.Port{topWrites, topCompletions, topData}, true},
		{[]sim.Port{topData, topCompletions, topWrites}, true},
	} {
		var j hcaTopJudge
		j.owes[topWrites] = []hcaTopOwed{{data: write}}
		j.owes[topData] = []hcaTopOwed{{data: data}}
		j.owes[topCompletions] = []hcaTopOwed{{data: told, behind: 1}}
		for _, port := range c.order {
			v := j.exact(&sim.Record{Port: port, Data: j.owes[port][0].data})
			if c.early && port == topCompletions {
				require.Equal(t, sim.Rule("DMA-1"), v.Rule)
				continue
			}
			require.True(t, v.Allowed(), "%+v: %v", c, v.Verdict)
		}
	}
}

// TestTopJudgeKnowsSidebands: each of the 12 bits beside a frame counts, wherever what is owed has it set or clear.
func TestTopJudgeKnowsSidebands(t *testing.T) {
	for _, user := range []uint32{0, 0x521, 0xFFF} {
		for bit := -1; bit < 12; bit++ {
			j, gave, want := hcaTopJudge{}, user, sim.Rule("")
			if bit >= 0 {
				gave, want = user^1<<bit, "USER"
			}
			j.owes[topAnswers] = []hcaTopOwed{{data: []byte{1}, user: user}}
			require.Equal(t, want, j.exact(&sim.Record{Port: topAnswers, User: gave, Data: []byte{1}}).Rule, "%03Xh", gave)
		}
	}
}

// TestTopJudgeLetsClearsPassOthers: what FREE cleared, and what tells of frames of other QPs, come in any order; of one
// QP they keep theirs, and so do completions (DMA-2).
func TestTopJudgeLetsClearsPassOthers(t *testing.T) {
	cleared := func(qpn uint32) []byte {
		return (&DMARecord{Cleared: true, DMACompletion: DMACompletion{QPN: qpn}}).Append(nil)
	}
	ended := func(qpn, wqe uint32) []byte {
		return (&DMARecord{Complete: true, DMACompletion: DMACompletion{QPN: qpn, WQE: wqe}}).Append(nil)
	}
	for _, c := range []struct {
		owed   [][]byte
		first  int // of these
		passes bool
	}{
		{[][]byte{ended(1, 5), cleared(2)}, 1, true},
		{[][]byte{cleared(2), ended(1, 5)}, 1, true},
		{[][]byte{ended(1, 5), ended(1, 6), cleared(2)}, 2, true},
		{[][]byte{ended(2, 5), cleared(2)}, 1, false},
		{[][]byte{cleared(2), ended(2, 5)}, 1, false},
		{[][]byte{ended(1, 5), ended(3, 6)}, 1, false},
		{[][]byte{cleared(1), cleared(3)}, 1, false},
		{[][]byte{cleared(2), ended(1, 5), ended(3, 6)}, 2, false},
	} {
		j := hcaTopJudge{clears: newTopClears()}
		for _, data := range c.owed {
			j.owes[topCompletions] = append(j.owes[topCompletions], hcaTopOwed{data: data})
		}
		v := j.exact(&sim.Record{Port: topCompletions, Data: c.owed[c.first]})
		require.Equal(t, c.passes, v.Allowed(), "%+v", c)
	}
}

// TestTopJudgeTakesClearsEarly: FREE is answered before frames that still wait for memory, once, and not before what
// tells of frames of its own QP (DMA-5).
func TestTopJudgeTakesClearsEarly(t *testing.T) {
	cleared := (&DMARecord{Cleared: true, DMACompletion: DMACompletion{QPN: 2}}).Append(nil)
	ended := (&DMARecord{Complete: true, DMACompletion: DMACompletion{QPN: 2, WQE: 5}}).Append(nil)
	early := &sim.Record{Port: topCompletions, Data: cleared}

	j := hcaTopJudge{clears: newTopClears()}
	unasked := j.exact(early)
	require.False(t, unasked.Allowed(), "nobody freed it")
	j.clears.ask(2)
	first, again := j.exact(early), j.exact(early)
	require.True(t, first.Allowed())
	require.False(t, again.Allowed(), "it was answered")
	require.False(t, j.clears.owes(cleared), "the model's comes later, and is no news")
	j.clears.ask(2)
	require.True(t, j.clears.owes(cleared), "of another FREE it is")

	j = hcaTopJudge{clears: newTopClears()}
	j.clears.ask(2)
	j.owes[topCompletions] = []hcaTopOwed{{data: ended}}
	soon := j.exact(early)
	require.Equal(t, sim.Rule("ORDER"), soon.Rule, "a completion of its QP is owed")
	require.Len(t, j.owes[topCompletions], 1, "and still is")

	failed := (&DMARecord{Failed: true, DMACompletion: DMACompletion{QPN: 2}}).Append(nil)
	for _, told := range [][]byte{ended, failed} {
		j = hcaTopJudge{clears: newTopClears()}
		j.clears.ask(2)
		first = j.exact(early)
		require.True(t, first.Allowed())
		j.owes[topCompletions] = []hcaTopOwed{{data: told}}
		late := j.exact(&sim.Record{Port: topCompletions, Data: told})
		require.Equal(t, sim.Rule("ORDER"), late.Rule)
	}
}
