package flow

import (
	"fmt"
	"strings"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/vectors"
)

const otherEnd = "the frames are as many as the sidecar counts at the other end"

// atOtherEnd reports whether the frames are as many as the sidecar counts at the other end, and not at this.
func (c *Checker) atOtherEnd() bool {
	s, e := c.opt.Sidecar, &c.ev
	if s == nil || c.side == "" {
		return false
	}
	here, there := s.Stats.A, s.Stats.B
	if c.side == "B" {
		here, there = there, here
	}
	if here == nil || there == nil || e.sent+e.received == 0 {
		return false
	}
	return there.Rx == e.sent && there.Tx == e.received && (here.Tx != e.sent || here.Rx != e.received)
}

// moreThanCame reports whether the capture has more frames for the end than the sidecar counts: it was taken before
// some were lost.
func (c *Checker) moreThanCame() bool {
	s := c.opt.Sidecar
	if s == nil || c.side == "" {
		return false
	}
	here := s.Stats.A
	if c.side == "B" {
		here = s.Stats.B
	}
	return here != nil && c.ev.received > here.Rx
}

// doubts says why the capture may have been taken elsewhere than at the end that it is judged at.
func (c *Checker) doubts() (why []string) {
	if !c.atEnd || !c.started {
		return nil
	}
	if c.ev.last == nil && c.cutAt != 0 { // of those that were cut nothing was read
		return nil
	}
	if c.ev.last == nil {
		return []string{fmt.Sprintf("no packet is from or to %v: is --at right?", c.own)}
	}
	if c.atOtherEnd() {
		why = append(why, fmt.Sprintf("%s than %v: is --at right?", otherEnd, c.own))
	}
	if n := c.damaged; n > 0 && 2*n < c.ev.sent {
		why = append(why, fmt.Sprintf("%d frames of %v have a bad ICRC, as if damaged on the way: is --at right?", n, c.own))
	}
	wrong := c.violations.total
	for i := range c.violations.list {
		wrong += c.violations.list[i].Folded
	}
	if n := c.tallied.judged; n > 0 && wrong >= 3 && 4*wrong > n {
		why = append(why, fmt.Sprintf("%d of %d packets do not fit what %v sent and received: is --at right, or was the "+
			"capture taken at the other end "+
			"or between the two (--at wire)?", min(wrong, n), n, c.own))
	}
	if n := c.refusedWhole(); n > 0 && len(why) == 0 {
		why = append(why, fmt.Sprintf("%v refuses %d times what came here whole, as if it was lost or changed behind the "+
			"capture: is --at right?", c.own, n))
	}
	if n := c.skippedAndAsked(); n > 0 && len(why) == 0 {
		why = append(why, fmt.Sprintf("%v leaves out %d times what it sends when it is asked for, as if it was lost before "+
			"the capture: is --at right?", c.own, n))
	}
	return why
}

// refusedWhole counts NAKs of the endpoint to requests that were good.
func (c *Checker) refusedWhole() (n int) {
	for i := range c.violations.list {
		x := &c.violations.list[i]
		if strings.HasSuffix(x.Text, "and nothing is missing") || strings.HasSuffix(x.Text, "which was good") &&
			!strings.HasPrefix(x.Text, "RNR") {
			n++
		}
	}
	return n
}

// asksForSkipped notes a sequence NAK that asks for what a finding says was left out.
func (c *Checker) asksForSkipped(t *step) {
	if c.pkt.Answer() == roce.SequenceAnswer && t.skippedAt != 0 && t.skipFault >= 0 &&
		t.skipFault < len(c.violations.list) && (c.pkt.PSN == t.skipped[0] || c.pkt.PSN == t.skipped[1]) {
		c.violations.list[t.skipFault].basis.asked = true
	}
}

// skippedAndAsked counts PSNs that the endpoint left out, and a sequence NAK asked for.
func (c *Checker) skippedAndAsked() (n int) {
	for i := range c.violations.list {
		if x := &c.violations.list[i]; x.Rule == "PSN-4" && x.basis.asked {
			n++
		}
	}
	return n
}

// connectionServices are those that a queue pair has one of for its life.
var connectionServices = [...]ib.Transport{ib.RC, ib.UC, ib.UD}

// another looks whether a queue pair that a first packet is for has had packets of another service just before: it
// has one only.
func (c *Checker) another(f *vectors.Frame, h *half) (Verdict, bool) {
	if c.described(h) || h.qpn <= gsiQP {
		return Verdict{}, false
	}
	for _, service := range connectionServices {
		k := h.key
		if k.service, k.sqp = service, 0; service == h.service {
			continue
		}
		o := c.table.halves[k]
		if o == nil || o.requests+o.responses < 2 || f.TimeNS-o.lastNS > endNs {
			continue
		}
		return c.broken(f, false, "OPC-1", fmt.Sprintf("%s to QP %06Xh, which is of %s", ib.Lookup(c.pkt.Op).Name, h.qpn,
			serviceName(service))), true
	}
	return Verdict{}, false
}
