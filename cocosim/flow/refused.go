package flow

import (
	"fmt"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// refusals are the requests to an endpoint that did not reach its queue pair, the newest last.
type refusals struct {
	list [32]refused
	n    uint64
}

type refused struct {
	psn    psn.PSN
	src    addr
	number uint64
	rule   roce.Rule
	text   string
}

// refuse notes a packet that came and may not be taken.
func (c *Checker) refuse(f *vectors.Frame, w *wire.Packet, rule roce.Rule, text string) {
	if bth := w.BTH(); bth != nil {
		c.refused.list[c.refused.n%uint64(len(c.refused.list))] = refused{bth.PSN(), c.src, f.Number, rule, text}
		c.refused.n++
	}
}

// blame finds the request that a response answers although it may not have been taken: the first with a PSN from what
// the device had to expect to what it answers.
func (c *Checker) blame(h *half, p *roce.Packet) (x refused, found bool) {
	low, best := h.m.resp.EPSN(), int32(1<<24)
	came := false // what it answers
	consider := func(n psn.PSN, y refused) {
		at := n.From(p.PSN)
		if ack := p.Answer() == roce.AckAnswer; at > 0 || !ack && at != 0 || n.Before(low) && at != 0 {
			return
		}
		if d := n.From(low); d < best {
			x, found, best = y, true, d
		}
	}
	h.m.step.kept(func(a *arrival) bool {
		came = came || a.pkt.PSN == p.PSN
		if r := &a.refusal; r.Rule != "" && a.pkt.PSN.From(low) >= 0 {
			text := r.Text + "; " + r.Due()
			consider(a.pkt.PSN, refused{a.pkt.PSN, h.src, a.number, r.Rule, text})
		}
		return true
	})
	if found && came && x.rule != "RSP-2" {
		return x, true
	}
	gap, gapFound := x, found
	x, found, best = refused{}, false, 1<<24
	for i := range min(c.refused.n, uint64(len(c.refused.list))) {
		y := &c.refused.list[i]
		came = came || y.psn == p.PSN
		consider(y.psn, *y)
	}
	if found && came {
		return x, true
	}
	return gap, gapFound && came
}

// wrongly says of a response that it answers what may not be answered.
func wrongly(x *refused) string { return fmt.Sprintf("answers packet %d, %s", x.number, x.text) }

// awayText says in words, to follow "packet N,", why a packet did not reach its queue pair.
func (c *Checker) awayText(w *wire.Packet, rule roce.Rule) string {
	bth := w.BTH()
	switch {
	case rule == "ADM-1":
		return fmt.Sprintf("which is for %v; it must be dropped", c.dst)
	case rule == "ADM-4":
		return fmt.Sprintf("which is from %v, not the peer; it must be dropped", c.src)
	case bth == nil:
		return "which is malformed; it must be dropped"
	case rule == "ADM-2":
		if bth.TVer() != 0 {
			return fmt.Sprintf("whose TVer is %d; it must be dropped", bth.TVer())
		}
		return "which is malformed (" + w.Bad.String() + "); it must be dropped"
	case rule == "ADM-3" && w.Op == nil:
		return fmt.Sprintf("whose opcode %02Xh is unknown; it must be dropped", uint8(bth.Opcode()))
	case rule == "ADM-3" && ib.Lookup(bth.Opcode()).Transport != c.door.qp.Service && c.door.known:
		return fmt.Sprintf("whose opcode %02Xh is of another service; it must be dropped", uint8(bth.Opcode()))
	case rule == "ADM-3":
		return fmt.Sprintf("which is for QP %06Xh or came in a state that does not receive; it must be dropped", bth.DestQP())
	case rule == "ADM-5":
		return fmt.Sprintf("whose P_Key is %04Xh; it must be dropped", bth.PKey())
	}
	return "whose ICRC is wrong; it must be dropped"
}
