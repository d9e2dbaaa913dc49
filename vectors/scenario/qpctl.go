package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

const (
	qpcLength = 400
	qpcBegin  = 5000 // a large memory is made zero first
	qpcCycles = 4200 // of an episode: some 300 accesses, and the end
	qpcAxil   = 2    // times as long where a write is two records
	qpcWords  = 15   // of configuration
)

// Ports of qp_ctl.
const (
	qpcBus sim.Port = iota
	qpcEvents
)

// Ports of qp_ctl_axil.
const (
	axilEvents sim.Port = iota
	axilAW
	axilW
	axilAR
)

// qpcNext are the commands that lead a QP through its life; what it finds when it is sent again does not matter.
var qpcNext = [...]hca.QPCommand{hca.QPCommandInit, hca.QPCommandRTR, hca.QPCommandRTS, hca.QPCommandSQD,
	hca.QPCommandSQE, hca.QPCommandRTS, hca.QPCommandError, hca.QPCommandClose, hca.QPCommandFree, hca.QPCommandFree,
	hca.QPCommandFree}

// qpcOfArguments are the commands that look at ARG, and at no QP.
var qpcOfArguments = [...]hca.QPCommand{hca.QPCommandKeySet, hca.QPCommandKeyRemove, hca.QPCommandAddress,
	hca.QPCommandPKey, hca.QPCommandMAC, hca.QPCommandPeriod, hca.QPCommandPost, hca.QPCommandRate}

// qpcStay is the first episode whose QPs may stay: of a small device they take all indices, for ever.
const qpcStay = 40

// qpcHalf is half of the packets that the device with the fewest bits counts, qpcMost are as many as may be under way.
const (
	qpcHalf = 32
	qpcMost = 2*qpcHalf - 1
)

// qpcClosed is how many of them there are up to CLOSE.
const qpcClosed = 8

// qpcPlace has the QPs of one episode in four in the place of number FFFFFFh, where there are four places.
var qpcPlace = [4]uint32{3: 3}

// qpcAddresses are registers, and what lies beside them.
var qpcAddresses = [...]int{0x000, 0x004, 0x008, 0x00C, 0x010, 0x014, 0x01C, 0x020, 0x024, 0x03C, 0x040, 0x0FC, 0x100,
	0x104,
	0x108, 0x10C, 0x110, 0x11C, 0x120, 0x124, 0x128, 0x12C, 0x130, 0x134, 0x138, 0x13C, 0x140, 0x180, 0x200, 0x3FC,
	0x400, 0x7FC,
	0x800, 0x804, 0x9F8, 0x9FC, 0xA00, 0xC00, 0xE00, 0xFFC}

// makeQPCtl makes what software does to registers, and what goes on behind them meanwhile.
func makeQPCtl(g *Generator, index uint64, _ *Rand, c *Case) { qpcEpisode(g, index, c, false) }

// makeQPCtlAxil makes the same on the channels of AXI4-Lite.
func makeQPCtlAxil(g *Generator, index uint64, _ *Rand, c *Case) { qpcEpisode(g, index, c, true) }

func qpcEpisode(g *Generator, index uint64, c *Case, axil bool) {
	longer := 1
	if axil {
		longer = qpcAxil
	}
	c.episode(g, index, longer*qpcLength, func(r *Rand, e *Episode) {
		s := qpcSoftware{r: r, e: e, axil: axil, at: qpcBegins(e.Number, longer), length: longer * qpcLength,
			busy: [...]int{1, 1, 1, 2, 3, 8}[r.Below(6)],
			at0:  map[uint32]int{}}
		for range 1 + r.Below(4) {
			s.qps = append(s.qps, drawQPN(r)|qpcPlace[e.Number%4])
			if r.OneIn(3) {
				s.qps = append(s.qps, near(r, s.qps[0], 24))
			}
		}
		s.rest = 1
		for _, qpn := range s.qps {
			s.ends(qpn)
		}
		s.ends(qpcTourQPN)
		s.ends(qpcTourQPN - 1)
		if e.Number == 0 {
			s.first()
		}
		if axil {
			s.half()
		}
		switch e.Number % 4 {
		case 0:
			s.tour()
		case 2:
			s.tourOfWords()
		case 1:
			s.tourOfRefusals()
		}
		for s.room() > 0 {
			s.step()
		}
		s.end()
	})
}

// qpcSoftware is who has the registers, and the packets that come meanwhile.
type qpcSoftware struct {
	r    *Rand
	e    *Episode
	at   uint64
	axil bool // gives channels of AXI4-Lite, not s_bus
	busy int  // of sixteen cycles, twice so many have an event
	qps  []uint32
	at0  map[uint32]int // how far the life of a QP has come

	underWay int
	length   int      // of the episode
	rest     int      // records that the end takes
	left     []uint32 // whom the end frees
}

// ends has the end free a QP.
func (s *qpcSoftware) ends(qpn uint32) {
	s.left = append(s.left, qpn)
	if s.rest += 10; s.axil { // a write is two records
		s.rest += 5
	}
}

// first writes a word of a QP while memories are made zero: it waits until they are.
func (s *qpcSoftware) first() {
	busy, word := s.busy, 0x100+4*s.r.Below(qpcWords)
	s.busy, s.at = 0, 0
	s.store(0x00C, s.qps[0], "first: SELECT")
	s.store(word, uint32(s.r.Uint64()), "first: configuration")
	s.read(word, "first: configuration")
	s.busy, s.at = busy, qpcBegin
}

// room is how many records the episode has room for, if all that is under way leaves in it, and QPs too.
func (s *qpcSoftware) room() int { return s.length - s.e.Len() - s.underWay - s.rest }

// leave has a packet leave by itself.
func (s *qpcSoftware) leave() {
	var b [hca.QPCtlEventBytes]byte
	v := hca.QPCtlEvent{Leaves: true}
	s.at += 2
	s.e.Add(s.events(), s.at, v.Append(b[:0]), "event: leaves")
	s.underWay--
}

// enters has a packet enter by itself.
func (s *qpcSoftware) enters() {
	var b [hca.QPCtlEventBytes]byte
	v := hca.QPCtlEvent{Enters: true}
	s.at++
	s.e.Add(s.events(), s.at, v.Append(b[:0]), "event: enters")
	s.underWay++
}

// end has all packets leave and frees the QPs, so that those of the next episode find their indices free; now and then
// it frees only the one that is closing, of which there is one at a time.
func (s *qpcSoftware) end() {
	for s.underWay > 0 {
		s.leave()
	}
	write := func(address uint16, data uint32, why string) {
		s.at += 12
		s.give(&hca.QPCtlAccess{Write: true, Address: address, Data: data, Strobe: 15}, why)
	}
	closed := func() {
		var b [hca.QPCtlEventBytes]byte
		v := hca.QPCtlEvent{Closed: true}
		s.e.Add(s.events(), s.at, v.Append(b[:0]), "event: closed")
	}
	stay := s.e.Number >= qpcStay && s.r.OneIn(4)
	s.rest, s.at = 0, s.at+150
	closed()
	for _, qpn := range s.left {
		write(0x00C, qpn, "write: SELECT")
		write(0x008, uint32(hca.QPCommandFree), "command: FREE, at the end")
	}
	for _, qpn := range s.left {
		if stay {
			break
		}
		s.enters() // what had entered at *closed* is any number
		s.leave()
		write(0x00C, qpn, "write: SELECT")
		write(0x008, uint32(hca.QPCommandClose), "command: CLOSE, at the end")
		if s.r.OneIn(2) { // it counts from the fifth clock behind CLOSE on
			closes := s.at
			s.at = closes + uint64(s.r.Between(3, 6))
			closed()
			s.at = closes + 6
			s.give(&hca.QPCtlAccess{Address: 0x010}, "read: FLOW")
		}
		s.at += 40
		closed()
		write(0x008, uint32(hca.QPCommandFree), "command: FREE, at the end")
	}
	for s.room() > 0 {
		s.at += 12
		s.give(&hca.QPCtlAccess{Address: [...]uint16{0x004, 0x010, 0x13C}[s.r.Below(3)]}, "read: what is left")
	}
}

// access gives an access, and behind it the events of the cycles until the next.
func (s *qpcSoftware) access(a hca.QPCtlAccess, why string) {
	if s.room() <= 0 {
		return
	}
	a.Address |= uint16(s.r.Below(4))
	s.give(&a, why)
	gap := [...]int{1, 6, 7, 8, 8, 9, 12, 30}[s.r.Below(8)]
	for n := range gap {
		if s.r.Below(16) < 2*s.busy && s.room() > 1 && n < 12 {
			s.event(s.at + uint64(n))
		}
	}
	s.at += uint64(gap)
}

// give gives the access by the device's ports. One half of a write comes up to 12 clocks behind the other, and
// whatever comes meanwhile passes it.
func (s *qpcSoftware) give(a *hca.QPCtlAccess, why string) {
	var b [hca.QPCtlAccessBytes]byte
	switch {
	case !s.axil:
		s.e.Add(qpcBus, s.at, a.Append(b[:0]), why)
	case !a.Write || s.room() == 1: // half a write would make one with the next episode's
		s.e.Add(axilAR, s.at, hca.AppendAxilAddress(b[:0], a.Address), why)
	default:
		address, data := s.at, s.at
		if s.r.OneIn(3) {
			address += uint64(s.r.Below(13))
		} else if s.r.OneIn(2) {
			data += uint64(s.r.Below(13))
		}
		s.e.Add(axilAW, address, hca.AppendAxilAddress(b[:0], a.Address), why)
		w := hca.AxilWrite{Data: a.Data, Strobe: a.Strobe}
		s.e.Add(axilW, data, w.Append(b[:0]), why)
	}
}

// events is the port of events.
func (s *qpcSoftware) events() sim.Port {
	if s.axil {
		return axilEvents
	}
	return qpcEvents
}

// event is a packet that enters or leaves, a QP that was removed, and anything that is counted.
func (s *qpcSoftware) event(cycle uint64) {
	r := s.r
	v := hca.QPCtlEvent{Counts: r.OneIn(2), Reason: uint8(r.Below(64)), Closed: r.OneIn(8)}
	if r.OneIn(3) { // one that counts beyond a thousand
		v.Reason = 0
	} else if r.OneIn(2) {
		v.Reason = uint8(r.Below(3))
	}
	if s.underWay > 0 && r.Below(40) < 10+s.underWay {
		v.Leaves = true
		s.underWay--
	}
	if r.Below(3) > 0 && s.underWay < 40 {
		v.Enters = true
		s.underWay++
	}
	var b [hca.QPCtlEventBytes]byte
	s.e.Add(s.events(), cycle, v.Append(b[:0]), "event")
}

func (s *qpcSoftware) write(address int, data uint32, why string) {
	strobe := uint8(15)
	if s.r.OneIn(10) {
		strobe = uint8(s.r.Below(16))
	}
	s.access(hca.QPCtlAccess{Write: true, Address: uint16(address), Data: data, Strobe: strobe}, why)
}

// read reads; what a write would have is random.
func (s *qpcSoftware) read(address int, why string) {
	s.access(hca.QPCtlAccess{Address: uint16(address), Data: uint32(s.r.Uint64()), Strobe: uint8(s.r.Below(16))}, why)
}

func (s *qpcSoftware) step() {
	r := s.r
	switch r.Below(10) {
	case 0, 1, 2, 3:
		s.live(s.qps[r.Below(len(s.qps))])
	case 4:
		s.write(0x020+4*r.Below(8), uint32(r.Uint64()), "write: ARG")
		if r.OneIn(2) {
			c := qpcOfArguments[r.Below(len(qpcOfArguments))]
			s.write(0x008, uint32(c)|uint32(r.Uint64())&^15, "command: a table, a key or a law")
		}
	case 5:
		n := r.Below(64)
		if r.OneIn(2) {
			n = r.Below(3)
		}
		s.read(0x800+8*n, "read: COUNTER_LOW")
		if r.OneIn(3) { // which changes nothing, with bytes or without
			low := hca.QPCtlAccess{Write: true, Address: uint16(0x800 + 8*r.Below(3)), Data: uint32(r.Uint64()),
				Strobe: uint8(15 * r.Below(2))}
			s.access(low, "write: COUNTER_LOW")
		}
		s.read(0x804+8*n, "read: COUNTER_HIGH")
		for r.OneIn(3) {
			s.read(0x804+8*r.Below(3), "read: COUNTER_HIGH, again or another")
		}
	case 6:
		if r.OneIn(8) {
			s.write(0x13C, uint32(r.Uint64()), "write: QP_STATE")
		}
		s.read([...]int{0x000, 0x004, 0x008, 0x00C, 0x010, 0x13C, 0x100 + 4*r.Below(qpcWords),
			0x020 + 4*r.Below(8)}[r.Below(8)], "read")
	case 7:
		s.write(0x008, uint32(r.Uint64()), "command: any")
		s.read(0x004, "read: STATUS")
	case 8:
		a := hca.QPCtlAccess{Write: true, Address: 0x004, Data: 1 << 8, Strobe: uint8(1 << r.Below(4))}
		if r.OneIn(3) {
			a.Data, a.Strobe = 1<<r.Below(32), 15
		}
		s.access(a, "write: STATUS")
		s.read(0x004, "read: STATUS")
	default:
		at := qpcAddresses[r.Below(len(qpcAddresses))]
		if r.OneIn(2) {
			s.read(at, "read: anywhere")
		} else {
			s.write(at, uint32(r.Uint64()), "write: anywhere")
		}
	}
}

// drain has the QP that was just closed run empty: it is asked for between the packets that leave.
func (s *qpcSoftware) drain(qpn uint32) {
	r := s.r
	give := func(v hca.QPCtlEvent, why string) {
		if s.room() > 0 {
			var b [hca.QPCtlEventBytes]byte
			s.e.Add(s.events(), s.at, v.Append(b[:0]), why)
		}
	}
	if r.OneIn(3) { // it counts from the fifth clock behind CLOSE on
		s.at += uint64(1 + r.Below(16))
		give(hca.QPCtlEvent{Closed: true}, "event: closed, right behind CLOSE")
		s.at += 6
		s.read(0x010, "read: FLOW")
	}
	s.at += [...]uint64{8, 60, 120}[r.Below(3)] // accesses may be behind: the CLOSE has to be done
	if r.OneIn(4) {
		s.write(0x00C, qpn, "write: SELECT")
		s.write(0x008, uint32(hca.QPCommandFree), "command: FREE, too early")
		s.read(0x004, "read: STATUS")
	}
	if r.OneIn(4) { // as many are under way as half of their range has, and some, or as may be
		most := [...]int{qpcHalf + 8, qpcMost}[r.Below(2)]
		for s.underWay < most && s.room() > most {
			s.enters()
		}
	}
	if r.OneIn(2) && s.room() > 1 && s.underWay < qpcMost {
		give(hca.QPCtlEvent{Enters: true, Closed: true}, "event: closed, as a packet enters")
		s.underWay++
	} else {
		give(hca.QPCtlEvent{Closed: true}, "event: closed")
	}
	busy := s.busy
	s.busy = 0
	if s.underWay < 4 || s.underWay > qpcHalf { // the mark is set, and what came before it or with it has not left
		s.at += 2
		s.read(0x010, "read: FLOW")
	}
	for s.underWay > 0 {
		if s.leave(); s.underWay < 4 || s.underWay == qpcHalf || r.OneIn(2) {
			if s.at += uint64(r.Below(5)); s.axil && s.underWay == 0 { // just before it, as it comes, or behind it
				s.at -= uint64(r.Below(4))
			}
			s.read(0x010, "read: FLOW")
		}
	}
	s.busy = busy
	s.write(0x00C, qpn, "write: SELECT")
	s.write(0x008, uint32(hca.QPCommandFree), "command: FREE")
	s.read(0x004, "read: STATUS")
}

// other sends the next command of a QP to a number that has the same place, and selects the QP again.
func (s *qpcSoftware) other(qpn uint32) {
	another, next := qpn^1<<s.r.Between(12, 23), qpcNext[s.at0[qpn]%len(qpcNext)]
	if qpn&3 == 3 && s.r.OneIn(2) { // its place too, where there are four
		another = 0xFFFFFF
	}
	if next == hca.QPCommandInit { // it may have the place then
		if s.room() < 30 || len(s.left) > 10 {
			return
		}
		s.ends(another)
	}
	s.write(0x00C, another, "write: SELECT, another number in its place")
	s.write(0x008, uint32(next), "command: of another number")
	s.read(0x004, "read: STATUS")
	s.write(0x00C, qpn, "write: SELECT")
}

// live takes a QP a step on: it is selected, now and then configured, and told.
func (s *qpcSoftware) live(qpn uint32) {
	r := s.r
	s.write(0x00C, qpn|uint32(r.Below(256))<<24, "write: SELECT")
	words := r.Below(3)
	if s.at0[qpn]%len(qpcNext) == 0 && r.OneIn(3) {
		words = qpcWords
	}
	for i := range words {
		word := i
		if words < qpcWords {
			word = r.Below(qpcWords)
		}
		s.write(0x100+4*word, uint32(r.Uint64()), "write: configuration")
		if r.OneIn(6) { // which is none of it
			away := 0x100 + 4*word ^ 1<<[...]int{6, 7, 9, 10, 11}[r.Below(5)]
			s.write(away, uint32(r.Uint64()), "write: a bit beside configuration")
			s.read(0x100+4*word, "read: configuration")
		} else if r.OneIn(2) {
			s.read(0x100+4*word, "read: configuration")
		}
	}
	if r.OneIn(5) {
		s.other(qpn)
	}
	s.write(0x008, uint32(qpcNext[s.at0[qpn]%len(qpcNext)])|uint32(r.Uint64())&^31, "command: the next of a QP's life")
	if s.at0[qpn]++; s.at0[qpn]%len(qpcNext) == qpcClosed && r.OneIn(2) {
		s.drain(qpn)
	}
	if r.OneIn(8) { // another order
		s.at0[qpn] += r.Below(4)
	}
	if r.OneIn(2) {
		s.read([...]int{0x004, 0x004, 0x004, 0x010, 0x13C}[r.Below(5)], "read: what came of it")
	}
}
