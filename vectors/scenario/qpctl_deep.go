package scenario

import "hcacosim/model/hca"

const (
	// qpcDeepPackets are under way at once when a QP closes: its number has bit 13.
	qpcDeepPackets = 8300
	qpcDeepLength  = 2*qpcDeepPackets + 400
	qpcDeepCycles  = 3 * qpcDeepLength // of an episode
)

// makeQPCtlDeep makes thousands of packets that are under way when a QP closes, and as many events of one reason. FREE
// is tried where so many packets are left that the low bits of their number are 0, and so are those of what is counted
// when the counter is read.
func makeQPCtlDeep(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, qpcDeepLength, func(r *Rand, e *Episode) {
		s := qpcDeep{qpcSoftware: qpcSoftware{r: r, e: e, at: qpcBegin + e.Number*qpcDeepCycles, length: qpcDeepLength},
			qpn: drawQPN(r), reason: uint8(r.Below(64))}
		s.put(0x00C, s.qpn, "write: SELECT")
		s.put(0x008, uint32(hca.QPCommandInit), "command: INIT")
		for range qpcDeepPackets {
			s.pass(hca.QPCtlEvent{Enters: true})
		}
		s.put(0x008, uint32(hca.QPCommandClose), "command: CLOSE, thousands under way")
		s.add(hca.QPCtlEvent{Closed: true}, "event: closed, thousands under way")
		for s.underWay > 0 {
			if s.underWay&(s.underWay-1) == 0 || s.underWay&255 == 0 && r.OneIn(3) {
				s.free("command: FREE, a round number under way")
			}
			s.pass(hca.QPCtlEvent{Leaves: true})
		}
		s.free("command: FREE, none under way")
		for s.e.Len() < qpcDeepLength {
			s.look(0x804+8*int(s.reason), "read: COUNTER_HIGH, to the end")
		}
	})
}

// qpcDeep is software that waits for each access, and packets each of which is counted.
type qpcDeep struct {
	qpcSoftware
	qpn     uint32
	reason  uint8
	counted uint32
}

// pass has a packet enter or leave, and counts it; the counter is read where a bit above the seventh has just come.
func (s *qpcDeep) pass(v hca.QPCtlEvent) {
	v.Counts, v.Reason = true, s.reason
	s.add(v, "event, of thousands")
	if v.Enters {
		s.underWay++
	} else {
		s.underWay--
	}
	if s.counted++; s.counted&(s.counted-1) == 0 && s.counted >= 128 {
		s.look(0x800+8*int(s.reason), "read: COUNTER_LOW, a power of two")
		s.look(0x804+8*int(s.reason), "read: COUNTER_HIGH")
	}
}

// add gives an event. Half of the clocks stay free, so that idle ones do not make it late.
func (s *qpcDeep) add(v hca.QPCtlEvent, why string) {
	var b [hca.QPCtlEventBytes]byte
	s.at += 2
	s.e.Add(qpcEvents, s.at, v.Append(b[:0]), why)
}

// put writes and waits until it is done, as look does.
func (s *qpcDeep) put(address uint16, data uint32, why string) {
	s.at += 40
	s.give(&hca.QPCtlAccess{Write: true, Address: address, Data: data, Strobe: 15}, why)
	s.at += 40
}

func (s *qpcDeep) look(address int, why string) {
	s.at += 12
	s.give(&hca.QPCtlAccess{Address: uint16(address)}, why)
	s.at += 12
}

// free tries FREE, and looks at what became of it.
func (s *qpcDeep) free(why string) {
	s.put(0x008, uint32(hca.QPCommandFree), why)
	s.look(0x004, "read: STATUS")
	s.look(0x010, "read: FLOW")
}
