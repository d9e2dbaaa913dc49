package hca

import "hcacosim/model/sim"

// TxArbiterLatencyCycles is how many cycles after it went in a beat is offered, if nothing is in its way.
const TxArbiterLatencyCycles = 2

// TxInputs is how many inputs tx_arbiter has at most.
const TxInputs = 4

// txOut is m_axis of tx_arbiter; the ports before it are its inputs, by number.
const txOut sim.Port = TxInputs

// TxUser is what m_axis says of a frame that came with a link.
func TxUser(input sim.Port, link uint32) uint32 { return txUser(input, link, 1) }

// txUser is TxUser where the inputs have a sideband of so many bits in place of the link.
func txUser(input sim.Port, user uint32, bits int) uint32 {
	return uint32(input)<<bits | user&(1<<bits-1)
}

// TxUserBits is how many bits of a sideband the inputs have: the link, or what UserWidth says.
func TxUserBits(s sim.Settings) int { return int(s.Get("UserWidth", 1)) }

// txPorts are the ports of tx_arbiter.
func txPorts(s sim.Settings) (ports []sim.PortSpec) {
	bits := TxUserBits(s)
	for _, name := range [TxInputs]string{"s0_axis", "s1_axis", "s2_axis", "s3_axis"} {
		ports = append(ports, sim.PortSpec{Name: name, Input: true, Kind: sim.Axis, UserBits: bits})
	}
	return append(ports, sim.PortSpec{Name: "m_axis", Kind: sim.Axis, UserBits: bits + 2})
}

var txArbiterSpec = sim.StageSpec{
	Name:    "tx_arbiter",
	Summary: "one stream of frames from several, whole frames, in turn",
	Ports:   txPorts(nil),
	PortsAt: txPorts,
	New: func(s sim.Settings) sim.Stage {
		return &txArbiter{beatBytes: s.Get("DataWidth", 512) / 8, userBits: TxUserBits(s)}
	},
	Checker: func(s sim.Settings) sim.Checker {
		return &txJudge{beatBytes: s.Get("DataWidth", 512) / 8, userBits: TxUserBits(s)}
	},
}

// txArbiter is one order that docs/blocks/tx_arbiter.md allows: in turn among the frames that are there whole.
type txArbiter struct {
	beatBytes uint64
	userBits  int
	waiting   [TxInputs][]sim.Record // that came and have not left, oldest first
	next      int                    // the input that comes first
	seq       uint64
	free      uint64 // the first cycle in which a frame can begin to leave
	spare     [][]byte
	out       []byte // of one Advance; its outputs share it until the next
}

func (s *txArbiter) Reset() {
	*s = txArbiter{beatBytes: s.beatBytes, userBits: s.userBits, spare: s.spare, out: s.out}
}

func (s *txArbiter) Advance(to uint64, in, out []sim.Record) []sim.Record {
	s.out = s.out[:0]
	for i := range in {
		r := in[i]
		out = s.leave(r.End, out)
		r.Data = append(s.memory(), r.Data...)
		s.waiting[r.Port] = append(s.waiting[r.Port], r)
	}
	return s.leave(to, out)
}

// memory is that of a frame that has left, or none.
func (s *txArbiter) memory() (b []byte) {
	if n := len(s.spare); n > 0 {
		b, s.spare = s.spare[n-1][:0], s.spare[:n-1]
	}
	return b
}

// leave has all frames leave that are chosen before a cycle, or in it.
func (s *txArbiter) leave(cycle uint64, out []sim.Record) []sim.Record {
	for {
		chosen, at := -1, ^uint64(0)
		for i := range TxInputs {
			input := (s.next + i) % TxInputs
			if q := s.waiting[input]; len(q) > 0 {
				if c := max(q[0].End+TxArbiterLatencyCycles, s.free); c < at {
					chosen, at = input, c
				}
			}
		}
		if chosen < 0 || at > cycle {
			return out
		}
		r := s.waiting[chosen][0]
		s.waiting[chosen] = append(s.waiting[chosen][:0], s.waiting[chosen][1:]...)
		s.spare = append(s.spare, r.Data)
		start, end := txTimes(&r, at, s.beatBytes)
		s.free, s.next = end+1, (chosen+1)%TxInputs
		from := len(s.out)
		s.out = append(s.out, r.Data...)
		out = append(out, sim.Record{Start: start, End: end, Seq: s.seq, Cause: r.Seq, Key: r.Key, Port: txOut,
			User: txUser(r.Port, r.User, s.userBits), Data: s.out[from:len(s.out):len(s.out)]})
		s.seq++
	}
}

// txTimes are the cycles in which a frame leaves that could not begin before one.
func txTimes(in *sim.Record, free, beatBytes uint64) (start, end uint64) {
	beats := (uint64(len(in.Data)) + beatBytes - 1) / beatBytes
	start = max(in.Start+TxArbiterLatencyCycles, free)
	return start, max(start+beats-1, in.End+TxArbiterLatencyCycles)
}
