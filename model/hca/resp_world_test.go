package hca

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// respWorld holds the stage beside roce.Responder, which acts on the same decisions: records, look-ups and answers must
// agree.
type respWorld struct {
	*respBench
	r        *rand.Rand
	set      RespQuery
	cfg      roce.ResponderConfig
	resp     roce.Responder
	posted   []uint32 // receive WQEs
	window   bool     // the key that a peer may invalidate is valid
	owed     int      // responses that wait in resp
	fresh    int      // READs and atomics among what is owed, not counting duplicates
	huge     bool     // one of them is too long to be answered here
	message  roce.Packet
	offset   uint32 // bytes of the open message
	open     bool
	executed []roce.Packet
	seen     map[roce.RespReason]int
}

const (
	keyAll, keyShort, keyNone, keyWindow = 1, 2, 3, 7

	allVA, allBytes = 0x10000, 1 << 33
	shortBytes      = 1 << 20

	remote = roce.RemoteRead | roce.RemoteWrite | roce.RemoteAtomic | roce.FlushGlobal | roce.FlushPersistent
)

// allowed is what the regions of the world allow.
func allowed(key uint32, va, length uint64) bool {
	switch key {
	case keyAll:
		return va >= allVA && va+length <= allVA+allBytes
	case keyShort:
		return va+length <= shortBytes
	}
	return false
}

// start sets both up anew.
func (w *respWorld) start() {
	r := w.r
	w.set = RespQuery{
		PSN: psn.New([]uint32{0, 0x7FFFFF, 0xFFFFFD, r.Uint32()}[r.IntN(4)]), Service: RespService([]uint8{0, 0, 0, 0, 1,
			2}[r.IntN(6)]),
		PMTU: uint8(1 + r.IntN(5)), MaxReads: uint8([]int{0, 1, 3, 16}[r.IntN(4)]), Enabled: 7, RNRTimer: uint8(r.IntN(32)),
		Profile: RespProfile(r.IntN(256)), QPN: uint32(r.IntN(64)), FlushEnabled: 3,
	}
	if r.IntN(4) == 0 {
		w.set.Enabled, w.set.FlushEnabled = uint8(r.IntN(8)), uint8(r.IntN(4))
	}
	w.cfg = w.set.config()
	w.cfg.QKey, w.cfg.Profile.AckPerRequest, w.cfg.Profile.NoCredits = 5, true, true
	w.cfg.Regions = [roce.MaxRegions]roce.Region{
		{RKey: keyAll, VA: allVA, Len: allBytes, Access: remote}, {RKey: keyShort, Len: shortBytes, Access: remote},
		{RKey: keyNone, Len: allBytes}, {RKey: keyWindow, Len: 8, Window: true}}
	w.resp = roce.NewResponder(&w.cfg)
	w.posted, w.executed = w.posted[:0], w.executed[:0]
	w.window, w.owed, w.fresh, w.huge, w.open = true, 0, 0, false, false
	w.ready(w.set)
}

func (w *respWorld) pmtu() uint32 { return w.cfg.PMTUBytes }

// drain sends every response that is owed, and tells the stage that READs and atomics were answered.
func (w *respWorld) drain() {
	if w.huge {
		w.start()
		return
	}
	var out roce.Batch
	for w.resp.Next(&out) {
		out = out[:0]
	}
	for ; w.fresh > 0; w.fresh-- {
		w.put(RespQuery{Op: RespFreed, QPN: w.set.QPN})
	}
	w.owed = 0
}

// draw makes a request that fits, or one that does not.
func (w *respWorld) draw() roce.Packet {
	r := w.r
	if len(w.executed) > 0 && r.IntN(8) == 0 { // a duplicate
		p := w.executed[r.IntN(len(w.executed))]
		p.AckReq = r.IntN(2) == 0
		return p
	}
	p := roce.Packet{PSN: w.resp.EPSN(), AckReq: r.IntN(2) == 0, SE: r.IntN(2) == 0, QKey: 5, RKey: keyAll,
		VA: allVA + 8*uint64(r.IntN(1<<20))}
	op := w.drawOperation(&p)
	p.Op = ib.Join(w.cfg.Service, op)
	w.drawLength(&p, op)
	if r.IntN(6) == 0 {
		w.damage(&p)
	}
	if r.IntN(8) == 0 {
		p.PSN = p.PSN.Add([]int32{1, 2, 5, psn.Half - 1, -psn.Half}[r.IntN(5)])
	}
	return p
}

func (w *respWorld) drawOperation(p *roce.Packet) ib.Operation {
	r := w.r
	if w.cfg.Service == ib.UD {
		return ib.SendOnly + ib.Operation(r.IntN(2))
	}
	if !w.open {
		ops := []ib.Operation{ib.SendFirst, ib.SendOnly, ib.SendOnlyImm, ib.WriteFirst, ib.WriteOnly, ib.WriteOnlyImm,
			ib.ReadRequest, ib.ReadRequest, ib.CmpSwap, ib.FetchAdd, ib.AtomicWrite, ib.Flush, ib.SendOnlyInv}
		if w.cfg.Service == ib.UC {
			ops = ops[:6]
		}
		return ops[r.IntN(len(ops))]
	}
	first := ib.Operation(w.message.Op & 0x1F)
	if first == ib.SendFirst {
		return []ib.Operation{ib.SendMiddle, ib.SendLast, ib.SendLastImm}[r.IntN(3)]
	}
	if w.message.DMALen-w.offset > w.pmtu() {
		return ib.WriteMiddle
	}
	return []ib.Operation{ib.WriteLast, ib.WriteLastImm}[r.IntN(2)]
}

func (w *respWorld) drawLength(p *roce.Packet, op ib.Operation) {
	r := w.r
	n := uint32(1 + r.IntN(int(w.pmtu())))
	switch op {
	case ib.SendFirst, ib.SendMiddle, ib.WriteMiddle:
		p.Len = w.pmtu()
	case ib.SendLast, ib.SendLastImm:
		p.Len = n
	case ib.WriteLast, ib.WriteLastImm:
		p.Len = w.message.DMALen - w.offset
	case ib.WriteFirst:
		p.Len, p.DMALen = w.pmtu(), w.pmtu()*uint32(1+r.IntN(3))+n
		if r.IntN(4) == 0 { // a later packet of it leaves the region
			p.RKey, p.VA = keyShort, uint64(shortBytes-w.pmtu()*uint32(r.IntN(3)))
		}
	case ib.AtomicWrite:
		p.Len, p.DMALen = 8, 8
	case ib.ReadRequest:
		p.DMALen = []uint32{0, 1, w.pmtu(), w.pmtu() + 1, uint32(r.IntN(70 * int(w.pmtu()))), ib.MaxMessage}[r.IntN(6)]
	case ib.Flush:
		p.FETH = uint8(1+r.IntN(3)) | uint8(r.IntN(2))<<4
	case ib.CmpSwap, ib.FetchAdd:
	default: // Only
		p.Len = n * uint32(r.IntN(2))
		p.DMALen = p.Len
	}
	if op == ib.SendOnlyInv || op == ib.SendLastInv {
		p.RKey = keyWindow
	}
}

// damage breaks one thing, which does not have to matter.
func (w *respWorld) damage(p *roce.Packet) {
	r := w.r
	switch r.IntN(11) {
	case 10:
		p.FETH = uint8(r.IntN(64))
	case 0:
		p.QKey = 6
	case 1:
		p.PSN = p.PSN.Add([]int32{-1, -2, -5, 1 - psn.Half, -psn.Half}[r.IntN(5)])
	case 2:
		p.Op = ib.Opcode(r.IntN(256))
	case 3:
		p.Op = ib.Join(w.cfg.Service, ib.Operation(r.IntN(32)))
	case 4:
		p.RKey = keyNone
	case 5:
		p.VA += uint64(1 + r.IntN(7))
	case 6:
		p.Len = []uint32{p.Len + 1, max(p.Len, 1) - 1, 0, w.pmtu(), w.pmtu() + 1}[r.IntN(5)]
	case 7:
		p.DMALen = ib.MaxMessage + uint32(r.IntN(2))
	case 8:
		p.DMALen += uint32(r.IntN(3)) - 1
	case 9:
		p.Pad = uint8(1 + r.IntN(3))
	}
}

// query is what the look-ups ahead of the stage make of a packet.
func (w *respWorld) query(p *roce.Packet) RespQuery {
	q := RespQuery{QPN: w.set.QPN, FlushPLT: p.FETH & 15, FlushSel: p.FETH >> 4, PSN: p.PSN, Opcode: p.Op,
		Payload: uint16(p.Len), DMALength: p.DMALen, Pad: p.Pad,
		VALow: uint8(p.VA & 7), AckReq: p.AckReq, Solicited: p.SE, Credits: ib.CreditsUnlimited, QKeyOK: p.QKey == 5,
		WQEPresent: len(w.posted) > 0}
	if q.WQEPresent {
		q.WQEBytes = w.posted[0]
	}
	switch op := ib.Operation(p.Op & 0x1F); op {
	case ib.WriteFirst, ib.WriteOnly, ib.WriteOnlyImm:
		q.AccessOK = allowed(p.RKey, p.VA, uint64(p.Len))
	case ib.WriteMiddle, ib.WriteLast, ib.WriteLastImm:
		q.AccessOK = allowed(w.message.RKey, w.message.VA+uint64(w.offset), uint64(p.Len))
	case ib.ReadRequest:
		q.AccessOK = allowed(p.RKey, p.VA, uint64(p.DMALen))
	case ib.Flush: // of a whole region or of a range
		q.AccessOK = q.FlushSel == 1 && (p.RKey == keyAll || p.RKey == keyShort) ||
			q.FlushSel != 1 && (p.DMALen == 0 || allowed(p.RKey, p.VA, uint64(p.DMALen)))
	case ib.SendLastInv, ib.SendOnlyInv:
		q.AccessOK = p.RKey == keyWindow && w.window
	default:
		q.AccessOK = allowed(p.RKey, p.VA, 8)
	}
	return q
}

// step puts one request to both and compares what they say.
func (w *respWorld) step() {
	p := w.draw()
	shape := p.Op.Shape()
	if w.r.IntN(6) == 0 || p.PSN != w.resp.EPSN() && shape.Verb == roce.Read || w.owed > 90 {
		before := w.cfg
		w.drain() // also: the answer to a duplicate READ would cut a later one short
		if before != w.cfg {
			return
		}
	}
	for len(w.posted) < 3 && w.r.IntN(3) > 0 {
		n := []uint32{0, 100, 300, 1 << 30, 1 << 30, 1 << 30}[w.r.IntN(6)]
		w.posted = append(w.posted, n)
		w.resp.PostReceive(roce.Receive{Len: n})
	}
	got := w.put(w.query(&p))

	isOld := w.set.Service == RespRC && p.PSN != w.resp.EPSN()
	var out roce.Batch
	w.resp.Step(&p, &out)
	var drop roce.Rule
	complete, toError := false, false
	for _, e := range out {
		switch e.Kind {
		case roce.Drop:
			drop = e.Why
		case roce.Complete:
			complete = complete || e.Status == roce.Success
		case roce.EnterError:
			toError = true
		case roce.AtomicMemory:
			w.resp.Result(e.Slot, 1)
		}
	}
	require.Equal(w.t, w.resp.EPSN(), got.After, "%s %+v %+v", drop, p, got)
	require.Equal(w.t, w.resp.MSN(), got.MSN, "%+v %+v", p, got)
	require.Equal(w.t, []bool{complete, complete && p.SE, toError}, []bool{got.Complete, got.Solicited, got.ToError},
		"%+v %+v", p, got)
	switch {
	case drop != "":
		require.Equal(w.t, drop, got.Why.Rule(w.cfg.Service), "%+v %+v", p, got)
		require.NotEqual(w.t, roce.RespExecute, got.Verdict)
	case isOld:
		require.Contains(w.t, []roce.RespReason{roce.RespDupRead, roce.RespDupAtomic}, got.Why, "%+v %+v", p, got)
		require.Equal(w.t, roce.RespDuplicate, got.Verdict)
	default:
		require.Equal(w.t, []any{roce.RespGood, roce.RespExecute}, []any{got.Why, got.Verdict}, "%+v %+v", p, got)
	}
	w.seen[got.Why]++
	w.compareAnswer(&p, got)
	w.follow(&p, shape, got)
}

// compareAnswer holds the answer against the response behind all that were owed before.
func (w *respWorld) compareAnswer(p *roce.Packet, got RespResult) {
	rest := w.resp
	var out roce.Batch
	for range w.owed {
		require.True(w.t, rest.Next(&out))
	}
	out = out[:0]
	if !rest.Next(&out) {
		// A machine keeps as many READs and atomics as were agreed on. What it has forgotten it does not answer.
		if got.Why == roce.RespDupRead || got.Why == roce.RespDupAtomic {
			require.False(w.t, w.keeps(p), "%+v %+v", p, got)
			w.start() // and what it does not answer changes nothing; the stage cannot know
			return
		}
		require.Equal(w.t, roce.RespNoAnswer, got.Answer, "%+v %+v", p, got)
		return
	}
	want := out[len(out)-1].Packet
	answer := roce.RespAck
	switch op := ib.Operation(want.Op & 0x1F); {
	case op == ib.AtomicAck:
		answer = roce.RespAtomicAck
	case op != ib.Ack && ib.Operation(p.Op&0x1F) != ib.ReadRequest:
		answer = roce.RespEmptyRead
	case op != ib.Ack:
		answer = roce.RespReadResponses
	case want.Syndrome.Kind() != ib.KindAck:
		answer = roce.RespNak
	}
	require.Equal(w.t, []any{answer, want.PSN, want.Syndrome, want.MSN}, []any{got.Answer, got.PSN, got.Syndrome, got.MSN},
		"%+v %+v", p, got)
	w.owed++
	if answer == roce.RespReadResponses {
		w.owed += int(psn.OfRead(p.DMALen, w.pmtu())) - 1
		w.huge = w.huge || p.DMALen > 1<<20
	}
}

// keeps reports whether p is one of the last requests that the machine keeps, unchanged.
func (w *respWorld) keeps(p *roce.Packet) bool {
	kept := 0
	for i := len(w.executed) - 1; i >= 0 && kept < int(w.set.MaxReads); i-- {
		e := w.executed[i]
		if e.Op.Shape().Verb.Replayed() {
			kept++
			e.AckReq = p.AckReq
			if e == *p {
				return true
			}
		}
	}
	return false
}

// follow keeps what the next request builds on.
func (w *respWorld) follow(p *roce.Packet, shape *ib.Shape, got RespResult) {
	switch {
	case got.Complete:
		w.posted = w.posted[1:]
	case got.ToError:
		w.open = false
	}
	if w.set.Service == RespUC && got.Verdict != roce.RespExecute && got.Why != roce.RespNotReady &&
		got.Why != roce.RespBadOpcode {
		w.open = false
	}
	if got.Verdict != roce.RespExecute || w.set.Service == RespUD {
		return
	}
	w.executed = append(w.executed, *p)
	switch {
	case shape.Verb.Replayed():
		w.fresh++
	case shape.First:
		w.message, w.offset, w.open = *p, p.Len, !shape.Last
	default:
		w.offset += p.Len
		w.open = !shape.Last
	}
	if shape.Inv {
		w.window = false
	}
}

// TestRespPSNCheckIsTheResponder: on random requests the stage and the machine of model/roce say the same.
func TestRespPSNCheckIsTheResponder(t *testing.T) {
	w := respWorld{respBench: newRespBench(t), seen: map[roce.RespReason]int{}}
	const lives = 2000
	for seed := range uint64(lives) {
		w.r = rand.New(rand.NewPCG(seed, 1))
		w.start()
		for range 60 {
			w.step()
			if (w.resp.State == roce.Error || w.set.Service != RespRC) && w.r.IntN(4) == 0 {
				w.start()
			}
		}
	}
	t.Log(w.seen)
	for why := roce.RespGood; why <= roce.RespDupAtomic; why++ {
		// the machine knows one QP, and no trouble of its own
		if !slices.Contains([]roce.RespReason{roce.RespNoQP, roce.RespOwnError}, why) {
			require.Greater(t, w.seen[why], 50, "why %d", why)
		}
	}
}
