package ladder

import (
	"fmt"
	"strings"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/roce/onwire"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// Capture draws the packets of a capture as cosim check judges them.
type Capture struct {
	Diagram
	began   bool
	firstNS int64
	top     map[string]psn.PSN // behind the last PSN of each flow
	pkt     roce.Packet
}

// NewCapture makes an empty ladder for a capture.
func NewCapture(name string) *Capture {
	return &Capture{Diagram: Diagram{Name: name, Unit: "ns", Lanes: [3]string{"requester", "link", "responder"}},
		top: map[string]psn.PSN{}}
}

// mostFlows bounds how many flows have their losses told.
const mostFlows = 1 << 16

// Take takes the next packet, its verdict and the name of its flow; what is neither RoCE nor IB is left out.
func (c *Capture) Take(f *capture.Frame, w *wire.Packet, icrc wire.ICRCStatus, v *flow.Verdict, name string) {
	if !c.began {
		c.began, c.firstNS = true, f.TimeNS
	}
	if w.Encap == wire.EncapNone || w.BTH() == nil {
		return
	}
	e := Event{Number: f.Number, At: f.TimeNS - c.firstNS, Flow: name, PSN: w.BTH().PSN(), HasPSN: true,
		Op: opName(w.BTH().Opcode()), Text: v.Text}
	if a := w.AETH(); a != nil {
		e.Syndrome = fmt.Sprintf("%s, MSN %d", a.Syndrome(), a.MSN())
	}
	request := true
	if onwire.Take(w, &c.pkt) {
		request = c.pkt.Op.Shape().Request
		e.Back = !request
	}
	e.Kind = kindOf(w, icrc, v, request)
	if e.Kind == Again {
		_, e.Cause, _ = strings.Cut(v.Comment(), ": ")
		e.Text = ""
	}
	if v.Class == flow.Broken {
		e.Text = string(v.Rule) + ": " + v.Text
	}
	if v.Class == flow.OutOfSequence {
		c.lost(e, w)
	}
	if top, known := c.top[name]; known && e.Kind == Request && w.BTH().PSN().Before(top) {
		e.Kind, e.Cause = Again, "sent again, or late"
	}
	c.follow(name, w)
	c.Add(e)
}

// kindOf is what a packet is, the worst first.
func kindOf(w *wire.Packet, icrc wire.ICRCStatus, v *flow.Verdict, request bool) Kind {
	switch {
	case v.Class == flow.Broken:
		return Broken
	case icrc == wire.ICRCBad || v.Class == flow.BadICRC || v.Class == flow.Malformed:
		return Damaged
	case v.Class == flow.Again:
		return Again
	case v.Class == flow.Duplicate:
		return Duplicate
	}
	if a := w.AETH(); a != nil {
		switch a.Syndrome().Kind() {
		case ib.KindNAK:
			return NAK
		case ib.KindRNR:
			return RNR
		}
	}
	switch {
	case !request:
		return Response
	case v.Class == flow.Other:
		return Other
	}
	return Request
}

// lost tells of the PSNs in front of a packet that came out of sequence.
func (c *Capture) lost(e Event, w *wire.Packet) {
	top, known := c.top[e.Flow]
	if !known || !w.BTH().PSN().After(top) {
		return
	}
	n := w.BTH().PSN().Diff(top)
	e.Kind, e.PSN, e.Op, e.Syndrome = Lost, top, "", ""
	e.Text = fmt.Sprintf("%d PSNs from %06x on did not come before this", n, uint32(top))
	c.Add(e)
}

// follow keeps what the next PSN of a flow should be.
func (c *Capture) follow(name string, w *wire.Packet) {
	next := w.BTH().PSN().Add(1)
	if top, known := c.top[name]; (!known || next.After(top)) && len(c.top) < mostFlows {
		c.top[name] = next
	}
}

// opName is an opcode in capitals and without the name of its transport, as engineers write it: SEND_FIRST.
func opName(op ib.Opcode) string {
	info := ib.Lookup(op)
	if info == nil || info.Name == "" {
		return fmt.Sprintf("opcode %02Xh", uint8(op))
	}
	return strings.ReplaceAll(strings.ToUpper(strings.TrimPrefix(info.Name, "RC ")), " ", "_")
}
