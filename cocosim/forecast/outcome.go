package forecast

import (
	"cmp"
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/hca/timed"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Outcome is how much a workload came to. Its interval reaches from the first beat of the first frame to the last beat
// of whatever left last.
type Outcome struct {
	Clocks  uint64 `json:"clocks"`
	Frames  int    `json:"frames"`  // accepted
	Passed  int    `json:"passed"`  // good and well formed
	Placed  int    `json:"placed"`  // packets whose payload was written
	Asked   int    `json:"asked"`   // READs and atomics that were done
	Answers int    `json:"answers"` // frames that left: ACKs, NAKs, responses
	Refused int    `json:"refused"` // requests that were not executed: none, if all is well
	// FrameBytes are those of all frames that came, PayloadBytes those of writes, ReadBytes those of READ responses, Beats
	// those of s_axis, AnswerBeats those of m_axis.
	FrameBytes   uint64 `json:"frame_bytes"`
	PayloadBytes uint64 `json:"payload_bytes"`
	ReadBytes    uint64 `json:"read_bytes"`
	Beats        uint64 `json:"beats"`
	AnswerBeats  uint64 `json:"answer_beats"`

	PacketsPerSecond float64 `json:"packets_per_second"`
	WireGbps         float64 `json:"wire_gbps"`
	GoodputGbps      float64 `json:"goodput_gbps"`   // payload that was written, and that READ responses have
	BitsPerClock     float64 `json:"bits_per_clock"` // of frames, while they came
	// BeatsPerClock are those of s_axis while frames came; 1 is full.
	BeatsPerClock float64 `json:"beats_per_clock"`
	// AnswerBeatsPerClock are those of m_axis, from the first of the first answer to the last of the last.
	AnswerBeatsPerClock float64 `json:"answer_beats_per_clock"`

	Turns []TurnRound `json:"turn_round"`
}

// TurnRound is how long the ACKs of a kind of message took: from the last beat of the message to the last beat of the
// ACK, or of the last response, in clocks. Messages that ask for none, and ACKs of a message's other packets, do not
// count.
type TurnRound struct {
	Mix    Mix    `json:"mix"`
	Count  int    `json:"count"`
	Least  uint64 `json:"least"`
	Median uint64 `json:"median"`
	P99    uint64 `json:"p99"`
	Max    uint64 `json:"max"`
	all    []uint64
}

// Measure says how much a run of a workload came to.
func Measure(w *Workload, t *Traffic, c *Crossed) *Outcome {
	o := &Outcome{Frames: len(c[timed.Frames]), Answers: len(c[timed.Answers]), Placed: len(c[timed.Writes])}
	if o.Frames == 0 {
		return o
	}
	var last uint64
	for port := range c {
		if n := len(c[port]); n > 0 {
			last = max(last, c[port][n-1].End)
		}
	}
	o.Clocks = last - c[timed.Frames][0].Start + 1
	beat := w.DataWidth / 8
	for i := range c[timed.Frames] {
		n := len(t.Inputs[timed.Frames][i].Data)
		o.FrameBytes += uint64(n)
		o.Beats += uint64((n + beat - 1) / beat)
	}
	for i := range c[timed.Writes] {
		o.PayloadBytes += uint64(written(&c[timed.Writes][i]))
	}
	o.answers(w, c, uint64(beat))
	for i := range c[timed.Gate] {
		if hca.GateWhy(c[timed.Gate][i].Data[0]&7) == hca.GatePassed {
			o.Passed++
		}
	}
	for i := range c[timed.Records] {
		if b := c[timed.Records][i].Data; hca.PacketClass(b[6]&7) == hca.ClassRequest && (b[6]>>7|b[7]<<1)&7 != 0 {
			o.Refused++
		}
	}
	seconds := float64(o.Clocks) / (w.ClockMHz * 1e6)
	o.PacketsPerSecond = float64(o.Frames) / seconds
	o.WireGbps = float64(o.FrameBytes) * 8 / seconds / 1e9
	o.GoodputGbps = float64(o.PayloadBytes+o.ReadBytes) * 8 / seconds / 1e9
	in := c[timed.Frames]
	clocks := float64(in[len(in)-1].End - in[0].Start + 1)
	o.BitsPerClock = float64(o.FrameBytes) * 8 / clocks
	o.BeatsPerClock = float64(o.Beats) / clocks
	o.turnRounds(w, t, c)
	return o
}

// answers measures what left at m_axis: payload of READ responses among it.
func (o *Outcome) answers(w *Workload, c *Crossed, beat uint64) {
	o.Asked = len(c[timed.Ends])
	out := c[timed.Answers]
	if len(out) == 0 {
		return
	}
	var p wire.Packet
	for i := range out {
		o.AnswerBeats += (uint64(len(out[i].Data)) + beat - 1) / beat
		if o.Asked > 0 {
			wire.Decode(encaps[w.Encap].Link(), out[i].Data, &p)
			o.ReadBytes += uint64(len(p.Payload))
		}
	}
	o.AnswerBeatsPerClock = float64(o.AnswerBeats) / float64(out[len(out)-1].End-out[0].Start+1)
}

// written is how many bytes a write has.
func written(r *sim.Record) uint16 {
	w := hca.ParseDMAWrite(r.Data)
	return w.Bytes
}

// turnRounds pairs answers with the frames that ask for them, in their order: each of these is answered, since a
// workload has nothing that a QP refuses.
func (o *Outcome) turnRounds(w *Workload, t *Traffic, c *Crossed) {
	o.Turns = make([]TurnRound, len(w.Mix))
	for i := range o.Turns {
		o.Turns[i].Mix = w.Mix[i]
	}
	k := 0
	for i := range c[timed.Frames] {
		m := &t.Meant[i]
		if k += m.Answers; m.Answers == 0 || k > len(c[timed.Answers]) {
			continue
		}
		if turn := &o.Turns[m.Mix]; m.Ends {
			turn.all = append(turn.all, c[timed.Answers][k-1].End-c[timed.Frames][i].End)
		}
	}
	for i := range o.Turns {
		t := &o.Turns[i]
		slices.Sort(t.all)
		if t.Count = len(t.all); t.Count > 0 {
			t.Least, t.Median, t.P99, t.Max = t.all[0], t.all[t.Count/2], t.all[t.Count*99/100], t.all[t.Count-1]
		}
	}
}

// Wait is a part of the model that had something to move and could not.
type Wait struct {
	Part   string `json:"part"`
	Clocks uint64 `json:"clocks"`
}

// Waited are the parts that waited, the longest first.
func Waited(waits [timed.NumParts]uint64) (all []Wait) {
	for i, n := range waits {
		if n > 0 {
			all = append(all, Wait{timed.PartName(i), n})
		}
	}
	slices.SortStableFunc(all, func(a, b Wait) int { return cmp.Compare(b.Clocks, a.Clocks) })
	return all
}
