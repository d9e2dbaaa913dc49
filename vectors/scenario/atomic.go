package scenario

import (
	"cmp"
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// An episode of atomic-engine has a fixed number of atomics, a multiple of their tags, so that each knows its own, and
// of those that write nothing.
const (
	atomicCommands = 2 * hca.AtomicTags
	atomicSilent   = 40 // a comparison failed, or memory could not be read
	atomicLength   = 3*atomicCommands - atomicSilent
	// atomicCrowdEach is how many episodes have one in which all places are taken.
	atomicCrowdEach = 8
	atomicCycles    = 16_000 // within which nearly all are through; answers to those that are not come early
)

// Ports of atomic_engine that the scenario gives records to.
const (
	atomicPortCommand sim.Port = 0
	atomicPortRead    sim.Port = 2
	atomicPortWrite   sim.Port = 4
)

// makeAtomicEngine makes atomics of a few QPs on a few addresses, and what memory answers: by a memory of its own, of
// which some bytes are wrong now and then. Answers stand before the atomics that they are for, and have their time: so
// the run may be cut anywhere. One that comes before it was asked for waits in the block.
func makeAtomicEngine(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, atomicLength, func(r *Rand, e *Episode) {
		const per = 1 << 20
		h := atomicHost{r: r, e: e, slow: float64(g.pace.Cycles(per)) / per,
			late: [...]int{0, 0, 3, 12, 60, 300}[r.Below(6)], jitter: [...]int{1, 1, 8, 40, 300}[r.Below(5)],
			errors: [...]int{0, 0, 40, 8}[r.Below(4)], gap: [...]int{1, 1, 1, 4, 30}[r.Below(5)],
			early: r.OneIn(3), memory: map[uint64]uint64{}, left: atomicCommands, silent: atomicSilent}
		for range [...]int{1, 2, 8, 40}[r.Below(4)] {
			q := drawQPN(r)
			if len(h.qps) > 0 && r.OneIn(2) { // one bit beside another
				q = near(r, h.qps[r.Below(len(h.qps))], 24)
			}
			h.qps = append(h.qps, q)
		}
		h.addresses([...]int{1, 2, 8, 40}[r.Below(4)])
		if h.early { // answers run ahead of the atomics, as far as tags reach, and wait in the block
			h.gap = max(h.gap, 4)
		}
		if h.crowd = e.Number%atomicCrowdEach == atomicCrowdEach-1; h.crowd {
			h.crowded()
		}
		switch n := min(len(h.qps), len(h.words)); { // the fewer, the more are one behind the other
		case n < 8:
			h.late, h.jitter = min(h.late, 12), min(h.jitter, 8)
		case n == 8:
			h.late, h.jitter = min(h.late, 60), min(h.jitter, 40)
		}
		h.begins = 64 + e.Number*g.pace.Cycles(atomicCycles)
		h.now = float64(h.begins)
		h.free = [3]float64{h.now, h.now, h.now}
		for h.left > 0 {
			h.group()
		}
	})
}

// atomicHost gives atomics to a device, and has its memory. Clocks are those of a device that nothing holds back, times
// slow.
type atomicHost struct {
	r     *Rand
	e     *Episode
	qps   []uint32
	words []uint64

	slow                      float64
	late, jitter, errors, gap int
	early                     bool              // every answer is there before it is asked for
	crowd                     bool              // as many as there may be wait for memory at once
	memory                    map[uint64]uint64 // by address / 8, as the atomics leave it
	begins                    uint64            // the first clock of the episode
	now                       float64
	free                      [3]float64  // when the atomics so far have begun, decided and been retired
	ends                      []atomicEnd // those that are not over
	left, silent              int         // of the episode
	psn                       psn.PSN
}

// atomicEnd is when an atomic will be retired.
type atomicEnd struct {
	qpn  uint32
	word uint64
	at   float64
}

// atomicDue is what memory will answer.
type atomicDue struct {
	hca.AtomicAnswer
	at  float64
	why string
}

// addresses draws places: far apart, side by side, and near each other.
func (h *atomicHost) addresses(n int) {
	for range n {
		a := h.r.Uint64() &^ 7
		if len(h.words) > 0 && h.r.OneIn(2) {
			a = near(h.r, h.words[h.r.Below(len(h.words))]>>3, 61) << 3
		}
		if h.r.OneIn(16) {
			a = ^uint64(7)
		}
		h.words = append(h.words, a)
	}
}

// crowded has no two atomics under way be of one QP or of one address, and memory later than all that there may be.
func (h *atomicHost) crowded() {
	h.late, h.jitter, h.errors, h.gap, h.early = 600, 1, 0, 1, false
	h.qps, h.words = h.qps[:0], h.words[:0]
	for _, qpn := range star(h.r, 24, 2*hca.AtomicTags) {
		h.qps = append(h.qps, uint32(qpn))
	}
	for _, word := range star(h.r, 61, 2*hca.AtomicTags) {
		h.words = append(h.words, word<<3)
	}
}

// group adds some atomics, before them what memory answers, by port in the order of its times.
func (h *atomicHost) group() {
	r := h.r
	const most = hca.AtomicTags
	var commandsRoom [most]hca.AtomicCommand // that they need no other memory
	var timesRoom [most]uint64
	var readsRoom, acksRoom [most]atomicDue
	commands, times, reads, acks := commandsRoom[:0], timesRoom[:0], readsRoom[:0], acksRoom[:0]
	n := min(h.left, 1+r.Below(most))
	if h.e.Len() == 0 { // few cases do something too
		n = min(n, 2)
	} else if h.crowd {
		n = min(h.left, most)
	}
	for ; n > 0; n-- {
		c := h.command()
		at := uint64(0) // as soon as those before it are through
		if !r.OneIn(4) {
			at = uint64(h.now)
		}
		h.now += float64(r.Below(h.gap)) * h.slow
		times = append(times, at)
		read, ack := h.answer(&c)
		reads = append(reads, read)
		if ack.why != "" {
			acks = append(acks, ack)
		}
		commands = append(commands, c)
	}
	for _, due := range inTime(reads) {
		h.e.scratch = due.AppendRead(h.e.scratch[:0])
		h.e.Add(atomicPortRead, h.notBefore(due), h.e.scratch, due.why)
	}
	for _, due := range inTime(acks) {
		h.e.scratch = due.AppendWritten(h.e.scratch[:0])
		h.e.Add(atomicPortWrite, h.notBefore(due), h.e.scratch, due.why)
	}
	for i := range commands {
		why := "compare and swap"
		if commands[i].Add {
			why = "fetch and add"
		}
		h.e.scratch = commands[i].Append(h.e.scratch[:0])
		h.e.Add(atomicPortCommand, times[i], h.e.scratch, why)
	}
}

// notBefore is the clock from which memory offers an answer. One that is early does not come before its episode: a
// port at which nothing is taken for the time of an episode is taken for hung.
func (h *atomicHost) notBefore(due atomicDue) uint64 {
	if h.early {
		return h.begins
	}
	return uint64(due.at)
}

func inTime(all []atomicDue) []atomicDue {
	slices.SortStableFunc(all, func(a, b atomicDue) int { return cmp.Compare(a.at, b.at) })
	return all
}

// command draws an atomic. What is left of the episode must have as many as shall write nothing.
func (h *atomicHost) command() hca.AtomicCommand {
	r := h.r
	if h.psn = h.psn.Add(1); r.OneIn(20) {
		h.psn = drawPSN(r)
	}
	which := [2]int{r.Below(len(h.qps)), r.Below(len(h.words))}
	if h.crowd {
		which = [2]int{h.left % len(h.qps), h.left % len(h.words)}
	}
	address := h.words[which[1]]
	if r.OneIn(16) { // no responder gives this one
		address += uint64(r.Below(8))
	}
	return hca.AtomicCommand{QPN: h.qps[which[0]], PSN: h.psn, Address: address,
		Atomic: roce.Atomic{Add: r.OneIn(2), Compare: r.Uint64(), SwapAdd: h.operand()}}
}

// operand draws a number: any, a small one, one that carries through all bits, one bit.
func (h *atomicHost) operand() uint64 {
	r := h.r
	switch r.Below(5) {
	case 0:
		return uint64(r.Below(3))
	case 1:
		return -uint64(r.Below(3))
	case 2:
		return 1 << r.Below(64)
	}
	return r.Uint64()
}

// answer makes a command one that writes or one that does not, and draws what memory answers to it, and when.
func (h *atomicHost) answer(c *hca.AtomicCommand) (read, ack atomicDue) {
	r := h.r
	word := c.Address >> 3
	begin := max(h.now, h.free[0]+h.slow)
	later := h.ends[:0] // those before now hold nothing up any more
	for _, e := range h.ends {
		if e.at > h.now {
			later = append(later, e)
		}
		if e.qpn == c.QPN || e.word == word {
			begin = max(begin, e.at)
		}
	}
	old, known := h.memory[word]
	if !known || r.OneIn(12) { // the host wrote it
		old = h.operand()
	}
	tag := uint8(atomicCommands-h.left) % hca.AtomicTags
	read = atomicDue{hca.AtomicAnswer{Tag: tag, Data: old}, begin + h.latency(), "memory gives"}
	decided := max(read.at+2*h.slow, h.free[1]+h.slow)
	retired := decided + 2*h.slow
	value, why := old, ""
	switch silent := r.Below(h.left) < h.silent; {
	case silent:
		h.silent--
		if c.Add || r.OneIn(4) {
			read.Error, read.why = true, "memory gives: error"
			if r.OneIn(2) { // what comes with it is what memory would have to hold
				c.Compare = old
			}
			break
		}
		if c.Compare = near(r, old, 64); r.OneIn(4) {
			c.Compare = c.SwapAdd
		}
		if c.Compare == old {
			c.Compare++
		}
	default:
		if !c.Add {
			c.Compare = old
		}
		value, _ = c.Value(old)
		why = "memory has written"
		ack = atomicDue{hca.AtomicAnswer{Tag: tag}, decided + 2*h.slow + h.latency(), ""}
		if h.errors > 0 && r.OneIn(h.errors) {
			ack.Error, why = true, "memory has written: error"
		}
		retired = max(retired, ack.at+2*h.slow)
	}
	ack.why, h.memory[word] = why, value
	retired = max(retired, h.free[2]+h.slow)
	h.free = [3]float64{begin, decided, retired}
	h.ends = append(later, atomicEnd{c.QPN, word, retired + h.slow})
	h.left--
	return read, ack
}

// latency is what memory takes, now and then much longer than for others.
func (h *atomicHost) latency() float64 {
	r := h.r
	clocks := 2 + h.late + r.Below(h.jitter)
	if h.crowd {
		return float64(clocks) * h.slow
	}
	if r.OneIn(20) {
		clocks += r.Below(200)
	}
	if r.OneIn(30) {
		clocks = 0 // early, even before it was asked
	}
	return float64(clocks) * h.slow
}
