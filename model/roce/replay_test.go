package roce_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// vector is a record that a check takes and the answer that the explorer's machine gives it.
type vector struct {
	in, want []byte
	ends     [][]byte // what leaves by a second port
}

// edge is what an action of a world puts to a check: no record, one, or one and a close behind it. from and to are
// states as far as the check knows them.
type edge struct {
	from, to uint32
	vectors  []vector
}

// replay is what a world becomes for a check: the states that it can tell apart, and every edge once.
type replay struct {
	names   map[any]uint32   // the states
	first   map[uint32]setup // those that a connection begins in
	edges   map[string]edge  // by their text
	out     [][]edge         // by state, in a fixed order
	moves   int              // of machines: the edges before a check's view makes one of many
	unknown int              // moves that a check cannot know of: a request that was not kept, or lost for room
}

// setup is what brings a QP there from reset.
type setup [][]byte

func newReplay() *replay {
	return &replay{names: map[any]uint32{}, first: map[uint32]setup{}, edges: map[string]edge{}}
}

func (p *replay) state(key any) uint32 {
	id, was := p.names[key]
	if !was {
		id = uint32(len(p.names))
		p.names[key] = id
	}
	return id
}

// add takes an edge; one that the check cannot tell from another has to lead to the same.
func (p *replay) add(t *testing.T, e edge) {
	p.moves++
	if len(e.vectors) == 0 {
		require.Equal(t, e.from, e.to, "what a check knows of changes without a record")
		return
	}
	var key strings.Builder
	fmt.Fprintf(&key, "%08x", e.from)
	for _, v := range e.vectors {
		fmt.Fprintf(&key, " %x", v.in)
	}
	if old, was := p.edges[key.String()]; was {
		require.Equal(t, old, e, "the same record to the same state")
		return
	}
	p.edges[key.String()] = e
}

// sort lays the edges out by state, those that stay first.
func (p *replay) sort() {
	p.out = make([][]edge, len(p.names))
	keys := make([]string, 0, len(p.edges))
	for k := range p.edges {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		e := p.edges[k]
		p.out[e.from] = append(p.out[e.from], e)
	}
	for _, list := range p.out {
		slices.SortStableFunc(list, func(a, b edge) int { return cmp.Compare(moves(a), moves(b)) })
	}
}

func moves(e edge) int {
	if e.from == e.to {
		return 0
	}
	return 1
}

// ways are the edges that lead to each state first, breadth first from the connections' beginnings.
func (p *replay) ways() (way []*edge, begins []uint32) {
	way = make([]*edge, len(p.out))
	begins = make([]uint32, len(p.out))
	seen := make([]bool, len(p.out))
	var queue []uint32
	for id := range uint32(len(p.out)) {
		if _, is := p.first[id]; is {
			seen[id], begins[id], queue = true, id, append(queue, id)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for i := range p.out[queue[0]] {
			if e := &p.out[queue[0]][i]; !seen[e.to] {
				seen[e.to], way[e.to], begins[e.to], queue = true, e, begins[e.from], append(queue, e.to)
			}
		}
	}
	return way, begins
}

// tour appends records that take every edge, from reset on as often as it needs; expected answers where the machine
// says them, nil for those of a set-up. It returns how many edges it took.
func (p *replay) tour(records *[]vector) (taken int) {
	p.sort()
	way, begins := p.ways()
	at := make([]int, len(p.out)) // edges taken of each
	play := func(e *edge) { *records = append(*records, e.vectors...) }
	for id := range uint32(len(p.out)) {
		for at[id] < len(p.out[id]) {
			if way[id] == nil && p.first[id] == nil {
				break // a state that no record leads to
			}
			p.goTo(id, way, begins, records)
			for now := id; at[now] < len(p.out[now]); {
				e := &p.out[now][at[now]]
				at[now]++
				taken++
				play(e)
				now = e.to
			}
		}
	}
	return taken
}

// goTo brings the QP into a state from reset.
func (p *replay) goTo(id uint32, way []*edge, begins []uint32, records *[]vector) {
	for _, in := range p.first[begins[id]] {
		*records = append(*records, vector{in: in})
	}
	var path []*edge
	for e := way[id]; e != nil; e = way[e.from] {
		path = append(path, e)
	}
	for _, e := range slices.Backward(path) {
		*records = append(*records, e.vectors...)
	}
}

const replayQPN = 1

// build is how a block is built for worlds with PSNs of so many bits.
func build(dut string, bits int) session.Spec {
	spec := session.Spec{Dut: dut, Flavour: verilated.Quick, Params: map[string]int{"NumQps": 4}}
	switch dut {
	case "retry_ctl": // it counts no PSNs, and is built as TestBlocksAgree has it
		spec.Flavour = verilated.Debug
	case "sq_retire", "tx_packetizer":
		spec.Params["PsnWidth"] = bits
	default:
		spec.Params["HCA_PSN_BITS"] = bits
	}
	return spec
}

// onRTL gives records to a block, and holds its answers against the golden stage and, where the explorer's machine has
// said one, against that.
func onRTL(t *testing.T, spec session.Spec, device string, records []vector) error {
	spec.Device = device
	var h heard
	offers := make([]sim.Offer, len(records))
	for i := range records {
		offers[i].Data = records[i].in
		h.ends = append(h.ends, records[i].ends...)
	}
	err := played(t, spec, offers, func(r *sim.Record) { h.hear(records, r) })
	switch {
	case h.wrong != "":
		return fmt.Errorf("%s", h.wrong)
	case err != nil:
		return err
	case h.n != len(records):
		return fmt.Errorf("%d answers to %d records", h.n, len(records))
	case len(h.ends) != 0:
		return fmt.Errorf("%d records of the second port are missing", len(h.ends))
	}
	return nil
}

// heard is what a block has said, as far as it was right.
type heard struct {
	n     int
	ends  [][]byte // that the second port has still to give
	wrong string
}

func (h *heard) hear(records []vector, r *sim.Record) {
	switch {
	case h.wrong != "":
	case r.Port == 2 && len(h.ends) == 0:
		h.wrong = fmt.Sprintf("near record %d: %x, the explorer's machine nothing", h.n, r.Data)
	case r.Port == 2:
		if !bytes.Equal(h.ends[0], r.Data) {
			h.wrong = fmt.Sprintf("near record %d: %x, the explorer's machine %x", h.n, r.Data, h.ends[0])
		}
		h.ends = h.ends[1:]
	case r.Port == 1:
		if h.n < len(records) && records[h.n].want != nil && !bytes.Equal(records[h.n].want, r.Data) {
			h.wrong = fmt.Sprintf("record %d: %x gives %x, the explorer's machine %x", h.n, records[h.n].in, r.Data,
				records[h.n].want)
		}
		h.n++
	}
}

// played gives offers to a device and reports how it differs from the golden stage.
func played(t *testing.T, spec session.Spec, offers []sim.Offer, tap func(*sim.Record)) error {
	if _, err := exec.LookPath("verilator"); err != nil && spec.Device == session.RTL {
		t.Skip("skipped: ", err)
	}
	rep, err := session.Run(context.Background(), spec, session.Options{Records: offers, Tap: tap})
	switch {
	case err != nil:
		return err
	case rep.Exit() != cocosim.Agreed:
		return fmt.Errorf("%s: %s, %d mismatches, %v", spec.Dut, rep.Verdict(), rep.Result.Mismatched, rep.Err)
	}
	return nil
}

// responderReplay adds what resp_psn_check sees of the responders of a world.
func (x *explorer) responderReplay(t *testing.T, p *replay) {
	for _, start := range slices.Sorted(maps.Keys(x.rcfgs)) {
		cfg := x.rcfgs[start]
		r := new(roce.Responder)
		*r = roce.NewResponder(cfg)
		p.first[p.state(respKey(r))] = respSetup(cfg)
	}
	for _, k := range inOrder(x.r.memo) {
		x.r.load(k.id)
		r := new(roce.Responder)
		*r = *x.r.machine
		x.r.load(x.r.memo[k].id)
		x.responderEdge(t, p, k, r, x.r.machine)
	}
}

// inOrder are the moves of a table's machines, always in the same order.
func inOrder(memo map[move]outcome) []move {
	return slices.SortedFunc(maps.Keys(memo), func(a, b move) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.in, b.in), cmp.Compare(a.arg, b.arg))
	})
}

// respView is what resp_psn_check knows of a responder, and what of it shows in error.
type respView struct {
	cfg      *roce.ResponderConfig
	state    roce.ResponderState
	ePSN     psn.PSN
	msn      uint32
	inFlight uint8
}

func respKey(r *roce.Responder) any {
	v := respView{r.Config(), r.ResponderState, r.EPSN(), r.MSN(), r.InFlight()}
	if r.State == roce.Error {
		v.state = roce.ResponderState{State: roce.Error}
	}
	return v
}

func respSetup(cfg *roce.ResponderConfig) setup {
	set := respSet(cfg)
	reset, ready := hca.RespQuery{Op: hca.RespReset, QPN: replayQPN}, hca.RespQuery{Op: hca.RespReady, QPN: replayQPN}
	return setup{reset.Append(nil), set.Append(nil), ready.Append(nil)}
}

// respSet is how resp_psn_check is set.
func respSet(cfg *roce.ResponderConfig) hca.RespQuery {
	service := map[ib.Transport]hca.RespService{ib.RC: hca.RespRC, ib.UC: hca.RespUC}[cfg.Service]
	return hca.RespQuery{Op: hca.RespSet, QPN: replayQPN, PSN: cfg.StartPSN, Service: service, PMTU: 1,
		MaxReads: cfg.MaxReads, Enabled: uint8(cfg.Access / roce.RemoteWrite & 7),
		FlushEnabled: uint8(cfg.Access / roce.FlushGlobal & 3), RNRTimer: cfg.RNRTimer, Profile: respProfile(cfg.Profile)}
}

func respProfile(f roce.Profile) (p hca.RespProfile) {
	for bit, has := range map[hca.RespProfile]bool{hca.RespDupKeepsNAK: f.DupKeepsNAK, hca.RespNakWhileRNR: f.NakWhileRNR,
		hca.RespDupAckByAckReq: f.DupAckByAckReq, hca.RespLengthBeforeRKey: f.LengthBeforeRKey,
		hca.RespTooLongIsRemoteOp: f.TooLongIsRemoteOp, hca.RespRoomUnchecked: f.RoomUnchecked,
		hca.RespStrayPayloadTaken: f.StrayPayloadTaken, hca.RespFlushUnchecked: f.FlushUnchecked} {
		if has {
			p |= bit
		}
	}
	return p
}

// responderEdge is what a move of a responder is to resp_psn_check.
func (x *explorer) responderEdge(t *testing.T, p *replay, k move, before, after *roce.Responder) {
	e := edge{from: p.state(respKey(before)), to: p.state(respKey(after))}
	at := before.ResponderState
	give := func(q hca.RespQuery, r hca.RespResult, then roce.ResponderState) {
		q.QPN, r.QPN, r.Op = replayQPN, replayQPN, q.Op
		r.Before, r.After, r.MSN = at.EPSN(), then.EPSN(), then.MSN()
		e.vectors = append(e.vectors, vector{in: q.Append(nil), want: r.Append(nil)})
		at = then
	}
	switch k.in {
	case inStep:
		packet := &x.packets[k.arg].packet
		f, d, then := before.Judged(packet)
		if before.Full() || !f.Replay {
			p.moves++
			p.unknown++
			return
		}
		give(respQuery(packet, &f), hca.RespResult{Verdict: d.Outcome, Why: d.Why, Answer: d.Answer,
			Syndrome: d.Syndrome, PSN: d.PSN, Behind: d.Behind, First: d.First, Last: d.Last, Complete: d.Complete,
			ToError: d.ToError, Solicited: d.Complete && packet.SE}, then)
	case inSetError:
		then := at
		toError, why := then.Fail()
		give(hca.RespQuery{Op: hca.RespError}, hca.RespResult{Verdict: roce.RespDone, Why: why, ToError: toError}, then)
	}
	for k.in != inSetError && after.InFlight() < at.InFlight() { // answered, or cut short by a duplicate's answer
		then := at
		give(hca.RespQuery{Op: hca.RespFreed}, hca.RespResult{Verdict: roce.RespDone, Why: then.Freed()}, then)
	}
	if after.State != roce.Error {
		require.Equal(t, after.ResponderState, at)
	}
	p.add(t, e)
}

// respQuery is the record of a request, with what was looked up.
func respQuery(k *roce.Packet, f *roce.RespFacts) hca.RespQuery {
	return hca.RespQuery{PSN: k.PSN, Opcode: k.Op, Payload: uint16(k.Len), DMALength: k.DMALen, Pad: k.Pad,
		VALow: uint8(k.VA & 7), AckReq: k.AckReq, Solicited: k.SE, FlushPLT: k.FETH & 15, FlushSel: k.FETH >> 4,
		WQEBytes: f.ReceiveBytes, WQEPresent: f.ReceivePosted, AccessOK: f.AccessOK, QKeyOK: f.QKeyOK, Credits: f.Credits}
}
