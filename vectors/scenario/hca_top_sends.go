package scenario

import (
	"cmp"
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// An episode of hca-top-sends is one of hca-tx whose QPs are set up by registers, whose answers come as frames, and
// whose peers send requests too: both sides of the device give frames at once.
const (
	hcaTopSendsLength = 2800
	hcaTopSendsBeats  = 56_000 // in place of hcaTxAllBeats, and of one step
	hcaTopSendsStep   = 9_000
	hcaTopSendsBytes  = 2   // times those of hca-tx
	hcaTopSendsSetUp  = 130 // records that set a QP up at most
	hcaTopSendsRest   = 900 // clocks for the receive side to come to rest
	hcaTopSendsFrame  = 30  // and for a frame
	hcaTopSendsStored = 16  // WRITEs of some bytes of an episode: their tags are numbers
	hcaTopReadLate    = 60  // clocks that memory takes at most to give for a READ
	hcaTopBeside      = 3   // posts in the clocks in which time passes
	hcaTopSendsReads  = 8   // of a step: as many as can be under way, so memory may answer them in any order
)

// Ports of hca_top that its transmit side has.
const (
	hcaTopPost     sim.Port = 18
	hcaTopTime     sim.Port = 19
	hcaTopGathered sim.Port = 21
	hcaTopWritten  sim.Port = 24
)

// Addresses in hca-top-sends: of the port, and of all peers, over IPv4 and else.
var (
	hcaTopOwn  = [...]wire.GID{wire.FromIPv4(10, 0, 0, 2), {0: 0xFD, 15: 2}}
	hcaTopPeer = [...]wire.GID{wire.FromIPv4(10, 0, 0, 9), {0: 0xFD, 15: 9}}
)

// The key of what peers read and write, and the protection domain that all QPs are of.
const (
	hcaTopKey    = 0x155
	hcaTopVA     = 0x10000
	hcaTopRegion = 0x10000
	hcaTopDomain = 7
)

// makeHcaTopSends makes what software does with registers and posts, and what peers answer and ask.
func makeHcaTopSends(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaTopSendsLength, func(r *Rand, e *Episode) {
		h := hcaTxHost{g: g, r: r, e: e, loss: [...]int{0, 12, 5, 3}[g.pick(r, topLoss)], length: hcaTopSendsLength,
			top: &hcaTopSender{}, jam: 1 + r.Below(2)*r.Below(hcaTopSendsJamFirst),
			model: hca.NewHcaTxBlocks(sim.Settings{"NumQps": 32, "Reads": 2})}
		h.memory.placed.first = int(e.Number) * hcaTxWrites % hca.DMATags
		h.top.h = &h
		h.top.common()
		h.setUp()
		for h.step = 1; h.step < hcaTxSteps; h.step++ {
			h.begin()
			if used := h.used(); used >= 1 {
				break
			} else if used > 3./4 || h.step >= hcaTxSteps-hcaTxCalm {
				h.top.serve()
				if !h.calm() {
					break
				}
			} else if !h.top.anew() {
				h.top.serve()
				h.live()
			}
		}
		h.rest()
		h.top.last()
		h.fill()
		h.top.fill()
	})
	c.Link = wire.LinkEthernet
}

// hcaTopSender is the software of a device that sends, and the requesters of its peers.
type hcaTopSender struct {
	h      *hcaTxHost
	moves  []hcaTopMove // of this step
	writes int          // to registers, in this step
	frames int          // in, in this step
	bytes  int          // in and out, beside those of hca-tx
	pieces int          // that READs of this episode ask for
	stored int          // WRITEs of some bytes in this episode
	beside uint32       // a QP whose peer writes in the clock in which memory tells of a response; 0: none
	spoils bool         // memory fails that write
	later  uint64       // clocks that frames and posts come later than the rest of the step
	set    hcaTopSet
	ways   map[uint32]hcaTopWay
	due    map[uint32]psn.PSN // of requests to a QP
	asked  map[uint32]bool    // a frame for it comes in this step
}

// hcaTopMove is a record that comes in this step.
type hcaTopMove struct {
	port sim.Port
	at   uint64
	user int // -1: what the frame calls for
	data []byte
	why  string
	late uint64 // so many clocks later than its place among the others
}

// hcaTopSet is what a QP's blocks are set with: registers do it together.
type hcaTopSet struct {
	check   hca.ReqRecord
	control hca.RetryRecord
	packets hca.TxRecord
	turns   hca.SchedRecord
	way     hca.FrameWay
}

// hcaTopWay is where the frames of a QP's peer come from.
type hcaTopWay struct {
	encap wire.Encap
	live  bool // it takes requests
}

// len is how many records the episode has so far.
func (h *hcaTxHost) len() int {
	if h.top == nil {
		return h.e.Len()
	}
	return h.e.Len() + len(h.top.moves)
}

// put adds a record for hca_tx; where it is part of hca_top, what leads to it.
func (h *hcaTxHost) put(port sim.Port, data []byte, why string) {
	if h.top == nil {
		h.e.Add(port, h.time()+uint64(h.behind), h.numbered(port, data), why)
		return
	}
	switch port {
	case hca.HcaTxResponses:
		h.top.response(hca.ParseHcaTxResponse(data), why)
	case hca.HcaTxPayload: // the response's frame has it
	case hca.HcaTxCNPs:
		h.top.cnp(uint32(data[0])|uint32(data[1])<<8|uint32(data[2])<<16, why)
	default:
		h.top.operate(hca.HcaTxTargetOf(data), hca.HcaTxRecordOf(data), why)
	}
}

// gathered adds what memory gives for a payload.
func (h *hcaTxHost) gathered(at uint64, user uint32, data []byte, why string) {
	if h.top == nil {
		h.e.AddUser(hca.HcaTxGathered, at, user, data, why)
		return
	}
	h.top.add(hcaTopMove{hcaTopGathered, at, int(user), slices.Clone(data), why, 0})
}

// written adds what memory says of a write.
func (h *hcaTxHost) written(at uint64, data []byte, why string) {
	if h.top == nil {
		h.e.Add(hca.HcaTxAcks, at, data, why)
		return
	}
	h.top.add(hcaTopMove{hcaTopWritten, at, -1, slices.Clone(data), why, 0})
}

func (s *hcaTopSender) add(m hcaTopMove) { s.moves = append(s.moves, m) }

// flush ends a step: its records come in the order of their times. It returns how many beats they take.
func (s *hcaTopSender) flush() (beats int) {
	slices.SortStableFunc(s.moves, func(a, b hcaTopMove) int { return cmp.Compare(a.at-a.late, b.at-b.late) })
	for _, m := range s.moves {
		if m.user < 0 {
			s.h.e.Add(m.port, m.at, m.data, m.why)
		} else {
			s.h.e.AddUser(m.port, m.at, uint32(m.user), m.data, m.why)
		}
	}
	beats = hcaTopSendsRest + s.writes*hcaTopClocks + s.frames*hcaTopSendsFrame + s.h.g.pace.Beats(s.bytes, 2*s.frames)
	s.moves, s.writes, s.frames, s.bytes = s.moves[:0], 0, 0, 0
	clear(s.asked)
	return beats
}

// write writes a register.
func (s *hcaTopSender) write(address uint16, data uint32, why string) {
	w, at := hca.AxilWrite{Data: data, Strobe: 15}, s.h.time()+uint64(s.writes)*(hcaTopClocks/2)
	s.add(hcaTopMove{hcaTopAW, at, -1, hca.AppendAxilAddress(nil, address), why, 0})
	s.add(hcaTopMove{hcaTopW, at + uint64(s.h.r.Below(3)), -1, w.Append(nil), why, 0})
	s.writes++
}

// command writes ARG0 and on, and a command.
func (s *hcaTopSender) command(c hca.QPCommand, why string, arguments ...uint32) {
	for i, a := range arguments {
		s.write(0x020+4*uint16(i), a, why)
	}
	s.write(0x008, uint32(c), why)
}

// common sets what all QPs share.
func (s *hcaTopSender) common() {
	s.ways, s.due, s.asked = map[uint32]hcaTopWay{}, map[uint32]psn.PSN{}, map[uint32]bool{}
	for i, own := range hcaTopOwn {
		a := addressWords(own)
		s.command(hca.QPCommandAddress, "own address", uint32(i), 0, 0, 0, a[0], a[1], a[2], a[3])
	}
	s.command(hca.QPCommandPKey, "P_Key", 3, 0xFFFF)
	s.command(hca.QPCommandPeriod, "period", 0)
	base := s.h.r.Uint64() &^ (hcaTopRegion - 1)
	s.command(hca.QPCommandKeySet, "key", hcaTopKey, hcaTopDomain|31<<24, hcaTopVA, 0, hcaTopRegion, 0, uint32(base),
		uint32(base>>32))
}

// operate does by registers, posts or time what hca_tx is told by an operation.
func (s *hcaTopSender) operate(to hca.HcaTxTarget, record []byte, why string) {
	switch to {
	case hca.ToCheck:
		s.set.check = hca.ParseReqRecord(record)
	case hca.ToRetry:
		s.set.control = hca.ParseRetryRecord(record)
	case hca.ToSendQueues:
		s.queue(hca.ParseSQRecord(record), why)
	case hca.ToPackets:
		s.packets(hca.ParseTxRecord(record), why)
	case hca.ToTurns:
		s.set.turns = hca.ParseSchedRecord(record)
	case hca.ToTime:
		s.add(hcaTopMove{hcaTopTime, s.h.time(), -1, slices.Clone(record[:4]), why, 0})
	case hca.ToFrames:
		switch q := hca.HcaTxWayOf(record); q.Op {
		case hca.FrameSet:
			s.set.way = q.Way
		case hca.FrameOwn:
			m := q.Way.MAC
			s.command(hca.QPCommandMAC, why, uint32(m[2])<<24|uint32(m[3])<<16|uint32(m[4])<<8|uint32(m[5]),
				uint32(m[0])<<8|uint32(m[1]))
		}
	case hca.ToPace:
		q := hca.ParseRateQuery(record)
		if q.Op == hca.RateLaw {
			s.command(hca.QPCommandRate, why, q.Period, q.Forget, uint32(q.Cut)|uint32(q.Raise)<<8|uint32(q.Pace)<<16)
			return
		}
		s.begin(q.QPN, q.Pace)
	}
}

// queue posts, or tells that local work is done, or has a QP of UC or UD in error.
func (s *hcaTopSender) queue(q hca.SQRecord, why string) {
	switch q.Op {
	case hca.SQPost, hca.SQLocalDone:
		p := hca.HcaTopPostOf(&q)
		s.add(hcaTopMove{hcaTopPost, s.h.time() + s.later, -1, p.Append(nil), why, 0})
	case hca.SQVerdict:
		s.write(0x00C, q.QPN, "write: SELECT")
		if s.h.r.OneIn(2) {
			s.command(hca.QPCommandSQE, "command: SQE")
		} else {
			s.command(hca.QPCommandError, "command: ERROR")
		}
		s.ways[q.QPN] = hcaTopWay{encap: s.ways[q.QPN].encap}
	}
}

// packets configures, drains or resumes a QP.
func (s *hcaTopSender) packets(q hca.TxRecord, why string) {
	switch q.Op {
	case hca.TxConfigure:
		s.set.packets = q
	case hca.TxDrain:
		s.write(0x00C, q.QPN, "write: SELECT")
		s.command(hca.QPCommandSQD, why)
	case hca.TxResume:
		s.write(0x00C, q.QPN, "write: SELECT")
		s.command(hca.QPCommandRTS, why)
	}
}

// begin has a QP begin anew, whatever it was before: all of it is known.
func (s *hcaTopSender) begin(qpn uint32, pace uint16) {
	t, r := &s.set, s.h.r
	s.write(0x00C, qpn, "write: SELECT")
	s.command(hca.QPCommandClose, "command: CLOSE")
	for range hcaTopWaits {
		s.write(0x03C, uint32(r.Uint64()), "write: ARG7, while the QP is removed")
	}
	s.command(hca.QPCommandFree, "command: FREE")
	family := 1
	if t.way.Encap == wire.EncapRoCEv2IPv4 {
		family = 0
	}
	s.ways[qpn] = hcaTopWay{encap: [...]wire.Encap{wire.EncapRoCEv2IPv4, wire.EncapRoCEv2IPv6}[family], live: true}
	s.due[qpn] = drawPSN(r)
	peer, own, m := addressWords(hcaTopPeer[family]), addressWords(hcaTopOwn[family]), t.way.MAC
	c, w := &t.check, &t.way
	if t.packets.Service != hca.TxRC { // nobody answers, and neither is asked
		*c, t.control = hca.ReqRecord{PSN: t.packets.Una}, hca.RetryRecord{}
	}
	bit := func(is bool, at int) uint32 {
		if is {
			return 1 << at
		}
		return 0
	}
	words := [...]uint32{w.PeerQPN | uint32(t.packets.Service)<<24 | 3<<27,
		uint32(s.due[qpn]) | 16<<24 | uint32(t.packets.PMTU)<<29, 7<<29 | 1<<24, uint32(w.HopLimit) << 16,
		peer[0], peer[1], peer[2], peer[3],
		uint32(m[2])<<24 | uint32(m[3])<<16 | uint32(m[4])<<8 | uint32(m[5]), uint32(m[0])<<8 | uint32(m[1]),
		qpn, hcaTopDomain,
		uint32(t.packets.Una) | uint32(t.control.Code)<<24 | uint32(t.control.RetryCnt)<<29,
		t.packets.Window | uint32(t.control.RNRRetry)<<24 | uint32(t.packets.MaxReads)<<27,
		uint32(c.Profile) | bit(t.packets.WholeRead, 6) | bit(t.packets.Restart, 7) | uint32(t.turns.Weight)<<8 |
			uint32(pace)<<16}
	for i := range words {
		s.write(0x100+4*uint16(i), words[i], "write: configuration")
	}
	s.command(hca.QPCommandInit, "command: INIT")
	s.command(hca.QPCommandRTR, "command: RTR")
	s.command(hca.QPCommandRTS, "command: RTS", uint32(w.PKey)|uint32(w.UDPSrcPort)<<16,
		uint32(w.Encap)|uint32(w.Tags)<<3|uint32(w.TClass)<<8|uint32(w.SL&15)<<16, w.VLAN[0], w.VLAN[1],
		own[0], own[1], own[2], own[3])
}

// anew is a step in which QPs that have come to an end begin anew, and nothing else happens: no frame is under way when
// a QP is freed.
func (s *hcaTopSender) anew() (did bool) {
	h, r := s.h, s.h.r
	for i := range h.peers {
		p := &h.peers[i]
		state := h.model.State(p.qpn)
		ended := !state.Open && !p.silent() || state.Failed
		if (ended && r.OneIn(3) || r.OneIn(150)) && h.len()+hcaTopSendsSetUp+hcaTxReserve < h.length {
			p.setUp()
			did = true
		}
	}
	return did
}

// frame is a frame of a QP's peer.
func (s *hcaTopSender) frame(qpn uint32, spec *wire.Spec, payload []byte, why string) {
	way := s.ways[qpn]
	family := 0
	if way.encap == wire.EncapRoCEv2IPv6 {
		family = 1
	}
	spec.Encap, spec.Src, spec.Dst, spec.HopLimit = way.encap, hcaTopPeer[family], hcaTopOwn[family], 64
	spec.PKey, spec.DestQP, spec.SrcPort = 0xFFFF, qpn, uint16(s.h.r.Uint64())
	f := spec.Append(nil, payload)
	s.add(hcaTopMove{0, s.h.time() + s.later, -1, f, why, 0})
	s.frames, s.bytes, s.asked[qpn] = s.frames+1, s.bytes+len(f), true
}

// response is an answer of a QP's peer.
func (s *hcaTopSender) response(a hca.HcaTxResponse, why string) {
	if _, known := s.ways[a.QPN]; !known {
		return
	}
	s.frame(a.QPN, &wire.Spec{Opcode: a.Opcode, PSN: a.PSN, MSN: a.Number, Syndrome: a.Syndrome,
		Original: a.Original}, s.h.g.payload(s.h.r, int(a.Payload)), why)
}

// cnp is a CNP of a QP's peer.
func (s *hcaTopSender) cnp(qpn uint32, why string) {
	s.frame(qpn, &wire.Spec{Opcode: ib.OpcodeCNP, BECN: true}, make([]byte, ib.CNPBytes), why)
}

// fill has the last QP read as many pieces as are missing, and writes registers to the end of the episode.
func (s *hcaTopSender) fill() {
	for s.pieces < hcaRxFive.pieces {
		for k := 0; k < hcaTopSendsReads && s.pieces < hcaRxFive.pieces; k++ {
			spec := wire.Spec{PSN: s.due[hcaTxFiller], AckReq: true, VA: hcaTopVA, RKey: hcaTopKey}
			s.read(hcaTxFiller, &spec)
		}
		s.h.rest()
	}
	for s.stored < hcaTopSendsStored {
		s.store(hcaTxFiller, &wire.Spec{Opcode: ib.Join(ib.RC, ib.WriteOnly), PSN: s.due[hcaTxFiller], AckReq: true,
			VA: hcaTopVA, RKey: hcaTopKey})
	}
	s.h.rest()
	for s.h.len()+1 < s.h.length {
		s.write(0x03C, uint32(s.h.r.Uint64()), "write: ARG7")
	}
	if s.h.len() < s.h.length {
		s.add(hcaTopMove{hcaTopAR, s.h.time(), -1, hca.AppendAxilAddress(nil, 0), "read: ID", 0})
	}
	s.h.rest()
}

// allBeats and mostBeats are for how many beats an episode and a step have time.
func (h *hcaTxHost) allBeats() int {
	switch {
	case h.most.beats > 0:
		return h.most.beats
	case h.top == nil:
		return hcaTxAllBeats
	}
	return hcaTopSendsBeats
}

// allBytes is for how many bytes an episode has time.
func (h *hcaTxHost) allBytes() int {
	if h.most.bytes > 0 {
		return h.most.bytes
	}
	return hcaTxAllBytes + hcaTxMostOfBytes
}

func (h *hcaTxHost) mostBeats() int {
	if h.top == nil {
		return hcaTxMostOfBeats
	}
	return hcaTopSendsStep
}

// words are those of the memory that is made zero last, by QP: Pace has those of receive queues where there are any.
func (h *hcaTxHost) words() uint64 {
	if h.top == nil {
		return uint64(h.g.pace.Words)
	}
	return uint64(h.g.pace.Words) / hca.HcaRxQueueDepth
}

// postBeside has a QP post in the clocks in which time passes: one that has no timer, so that it is the same for it.
func (h *hcaTxHost) postBeside() {
	if h.top == nil {
		return
	}
	for i := range h.peers {
		p := &h.peers[i]
		if s := h.model.State(p.qpn); p.silent() && p.sends() && !p.drained && !p.ends && p.pace == 0 && s.Posted == 0 {
			p.postBare(hcaTopBeside, "post beside time")
			return
		}
	}
}
