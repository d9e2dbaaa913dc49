package flow

import (
	"fmt"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/vectors"
)

// Bug is a known bug of a device that a capture shows. It is no violation in the device's own profile.
type Bug struct {
	Packet uint64 `json:"packet"`
	Name   string `json:"name"`
	Field  string `json:"field"` // of roce.Profile; docs/deviations.md
	Text   string `json:"text"`
}

const maxBugs = 20

func (c *Checker) bug(f *vectors.Frame, name, field, text string) {
	for i := range c.bugs {
		if c.bugs[i].Name == name {
			return
		}
	}
	if len(c.bugs) < maxBugs {
		c.bugs = append(c.bugs, Bug{f.Number, name, field, text})
	}
}

// responderBug names what the device does wrong with a request in its own profile.
func (c *Checker) responderBug(f *vectors.Frame, m *machines, before roce.QPState) {
	if !c.atEnd || m.predict == nil {
		return
	}
	failed := before != roce.Error && m.predict.machine.State == roce.Error
	switch {
	case c.opt.Profile.BadInvalidateAcked && failed && c.pkt.Op.Shape().Inv:
		c.bug(f, "bad invalidate acknowledged", "BadInvalidateAcked",
			"a SEND with invalidate and a bad key is acknowledged; the QP is in error and silent from here on")
	case c.opt.Profile.UCDropsRestart && ib.Lookup(c.pkt.Op).Transport == ib.UC && m.predict.wedged:
		c.bug(f, "UC responder wedged", "UCDropsRestart",
			"a UC WRITE lost its middle: every First or Only from here on is dropped")
	}
}

// requesterBug names what the device makes of a response that no rule lets a responder send.
func (c *Checker) requesterBug(f *vectors.Frame, m *machines, before roce.QPState, class Class) {
	if !c.atEnd {
		return
	}
	failed := before != roce.Error && m.req.State() == roce.Error
	switch {
	case c.opt.Profile.BadResponseFatal && failed && !c.pkt.Answer().NAK(): // NAKs end the QP, or use up the retries
		c.bug(f, "bad response completes with success", "BadResponseFatal",
			"a malformed response ends the WQE with success; the QP is in error from here on")
	case c.opt.Profile.FutureAckCompletes && class == Ghost:
		c.bug(f, "response to what was never sent taken", "FutureAckCompletes",
			"a response beyond what was sent ends everything that waits for no response of its own")
	}
}

// completionBug looks at how the sidecar says that the endpoint's operations ended: the packets do not show which
// response the kernel found malformed among stale and doubled ones.
func (c *Checker) completionBug() {
	s := c.opt.Sidecar
	if s == nil || !c.atEnd || !c.opt.Profile.BadResponseFatal || s.end(c.side).FinalState != "ERR" {
		return
	}
	for k, op := range s.Ops {
		if op.Side == c.side && op.Status != nil && *op.Status == 0 && op.DataOK != nil && *op.DataOK == 0 {
			c.bug(&vectors.Frame{}, "bad response completes with success", "BadResponseFatal",
				fmt.Sprintf("operation %d, %s, ended with success and wrong data, and the QP in error (by the sidecar)", k, op.Op))
			return
		}
	}
}
