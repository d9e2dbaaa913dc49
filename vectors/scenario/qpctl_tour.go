package scenario

import "hcacosim/model/hca"

// One of four episodes of qp-ctl begins with a tour: every register is written and read, every command finds a QP in
// every state, and every field of an operation is all ones. Chance leaves some of these out: CLOSE of another number.

// qpcTourQPN is the QP of the tours. Another that has its place is in its way until it is freed.
const qpcTourQPN = 0xABCFFF

func (s *qpcSoftware) tour() {
	busy := s.busy
	s.busy = 0
	for _, at := range qpcAddresses {
		s.store(at, uint32(s.r.Uint64()), "tour: write")
		s.read(at, "tour: read")
	}
	s.freed() // of the tour before
	for word := range qpcWords {
		s.store(0x100+4*word, ^uint32(0), "tour: configuration")
	}
	if s.r.OneIn(2) { // a queue of its own
		s.store(0x100+4*10, 0x00FFFFFF, "tour: configuration")
	}
	for word := range 8 {
		s.store(0x020+4*word, ^uint32(0), "tour: ARG")
	}
	for c := hca.QPCommandKeySet; c <= hca.QPCommandPeriod; c++ {
		s.command(qpcTourQPN, c)
	}
	s.command(qpcTourQPN, hca.QPCommandRate)
	s.tourOfStates()
	s.busy = busy
}

// tourOfStates takes the QP from RESET through its states and back, and in each sends what it refuses, and what is for
// another number in its place.
func (s *qpcSoftware) tourOfStates() {
	const qpn, other, second = qpcTourQPN, qpcTourQPN ^ 1<<20, qpcTourQPN - 1
	for _, c := range [...]hca.QPCommand{hca.QPCommandRTR, hca.QPCommandError, hca.QPCommandClose, hca.QPCommandFree,
		hca.QPCommandInit, hca.QPCommandInit} {
		s.command(qpn, c)
	}
	for _, c := range [...]hca.QPCommand{hca.QPCommandRTR, hca.QPCommandError, hca.QPCommandClose} {
		s.command(other, c)
	}
	for _, c := range [...]hca.QPCommand{hca.QPCommandSQD, hca.QPCommandRTR, hca.QPCommandSQD, hca.QPCommandRTS,
		hca.QPCommandRTS, hca.QPCommandSQD, hca.QPCommandSQD} {
		s.command(qpn, c)
	}
	s.command(other, hca.QPCommandRTS)
	s.command(qpn, hca.QPCommandRTS)
	s.command(other, hca.QPCommandSQD)
	for _, c := range [...]hca.QPCommand{hca.QPCommandSQE, hca.QPCommandSQE, hca.QPCommandSQD, hca.QPCommandRTS,
		hca.QPCommandSQD, hca.QPCommandSQE} {
		s.command(qpn, c)
	}
	s.command(other, hca.QPCommandRTS)
	for _, c := range [...]hca.QPCommand{hca.QPCommandRTR, hca.QPCommandError, hca.QPCommandError, hca.QPCommandRTS,
		hca.QPCommandClose, hca.QPCommandClose, hca.QPCommandFree} {
		s.command(qpn, c)
	}
	s.command(other, hca.QPCommandFree)
	s.command(second, hca.QPCommandInit)
	s.command(second, hca.QPCommandClose) // one at a time
	s.freed()
}

// tourOfWords takes a UD QP, and one of any service, whose words are all random to where it sends, and from there to
// ERROR: the first one by SQD.
func (s *qpcSoftware) tourOfWords() {
	busy := s.busy
	s.busy = 0
	for i, service := range [...]uint32{2, uint32(s.r.Below(4))} {
		s.freed() // of the tour before
		for word := range qpcWords {
			data := uint32(s.r.Uint64())
			if word == 0 {
				data = data&^(3<<24) | service<<24
			}
			s.store(0x100+4*word, data, "tour: random configuration")
		}
		for _, c := range [...]hca.QPCommand{hca.QPCommandInit, hca.QPCommandRTR, hca.QPCommandRTS} {
			s.command(qpcTourQPN, c)
		}
		if i == 0 {
			s.command(qpcTourQPN, hca.QPCommandSQD)
		}
		s.command(qpcTourQPN, hca.QPCommandError)
	}
	s.freed()
	s.busy = busy
}

// tourOfRefusals takes the QP of the tours once through all of its states. In each come all commands that are refused
// there and a word of configuration, in INIT a command for each number that differs in an even or an odd bit. Before
// that the QP is closed from the state whose turn it is, and where it sends another number in its place is told what it
// would do.
func (s *qpcSoftware) tourOfRefusals() {
	const initial, rtr, fails, closes, free = hca.QPCommandInit, hca.QPCommandRTR, hca.QPCommandError,
		hca.QPCommandClose, hca.QPCommandFree
	const rts, sqd, sqe = hca.QPCommandRTS, hca.QPCommandSQD, hca.QPCommandSQE
	busy := s.busy
	s.busy = 0
	s.freed() // of the tour before
	from := [...][]hca.QPCommand{{initial, rtr}, {initial, rtr, rts, sqd}, {initial, rtr, rts, sqe}}
	s.store(0x100, 1<<24, "tour: configuration of UC")
	for _, c := range from[s.e.Number/4%uint64(len(from))] {
		s.command(qpcTourQPN, c)
	}
	s.freed()
	s.store(0x100, 1<<24, "tour: configuration of UC")
	for _, state := range [...][]hca.QPCommand{ // how it is entered, and what it refuses
		{rtr, rtr, fails, closes, free, rts, sqd, sqe},
		{initial, initial, free, rts, sqd, sqe},
		{rtr, initial, rtr, free, sqd, sqe},
		{rts, initial, rtr, free, rts},
		{sqd, initial, rtr, free, sqd},
		{sqe, initial, rtr, free, sqd, sqe},
		{fails, initial, rtr, fails, free, rts, sqd, sqe},
	} {
		s.store(0x00C, qpcTourQPN, "tour: SELECT")
		for i, c := range state {
			s.store(0x008, uint32(c), "tour: command")
			if i > 0 {
				s.read(0x004, "tour: STATUS")
			}
		}
		if state[0] == initial {
			for bit := 2 + s.e.Number/4%2; bit < 24; bit += 2 {
				s.command(qpcTourQPN^1<<bit, fails)
			}
			for range 6 { // bits that are no index of any size
				s.command(qpcTourQPN^uint32(twoBits(s.r, 12))<<12, fails)
			}
		}
		if state[0] != state[1] || state[0] == initial {
			s.store(0x100+4*s.r.Below(qpcWords), uint32(s.r.Uint64()), "tour: configuration, refused")
			s.store(0x004, 1<<8, "tour: STATUS")
		}
		if state[0] == rts || state[0] == sqd || state[0] == sqe {
			for _, c := range [...]hca.QPCommand{fails, closes, sqe} {
				s.command(qpcTourQPN^1<<20, c)
			}
		}
	}
	s.freed()
	s.busy = busy
}

// freed closes the QP of the tours and frees it when it has run empty.
func (s *qpcSoftware) freed() {
	s.command(qpcTourQPN, hca.QPCommandClose)
	s.drain(qpcTourQPN)
}

// command selects a QP, tells it something, and asks what came of it.
func (s *qpcSoftware) command(qpn uint32, c hca.QPCommand) {
	s.store(0x00C, qpn, "tour: SELECT")
	s.store(0x008, uint32(c), "tour: command")
	s.read(0x004, "tour: STATUS")
}

// store writes a whole word.
func (s *qpcSoftware) store(address int, data uint32, why string) {
	s.access(hca.QPCtlAccess{Write: true, Address: uint16(address), Data: data, Strobe: 15}, why)
}
