package compare

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// gbn is RoCE's reliable connection: go-back-N, by the machines that judge devices.
type gbn struct {
	req      roce.RequesterConfig
	resp     roce.ResponderConfig
	q        roce.Requester
	r        roce.Responder
	out      roce.Batch
	timers   [2]uint64 // by roce.Timer: when it runs out; 0 is off
	requests []roce.Packet
	replies  []roce.Packet
	done     []uint64
	failed   string
	highest  uint32 // packets ever sent, by distance from the start
}

const gbnKey = 7

// NewGoBackN makes a connection of go-back-N. rttNs sets the transport timer: the first of its steps that is four times
// as long.
func NewGoBackN(w Workload, rttNs uint64) Connection {
	c := &gbn{}
	timeout := uint8(1)
	for 4096<<timeout < 4*rttNs {
		timeout++
	}
	c.req = roce.RequesterConfig{Service: ib.RC, PMTUBytes: w.PMTU, MaxReads: 1, Timeout: timeout, RetryCount: 7,
		RNRRetry: 7, Window: uint32(w.Window)}
	c.resp = roce.ResponderConfig{Service: ib.RC, PMTUBytes: w.PMTU, MaxReads: 1, Access: roce.RemoteWrite,
		Regions: [roce.MaxRegions]roce.Region{{RKey: gbnKey, Len: 1 << 32, Access: roce.RemoteWrite}}}
	c.q, c.r = roce.NewRequester(&c.req), roce.NewResponder(&c.resp)
	return c
}

func (c *gbn) Post(id uint64, bytes uint32) {
	c.out = c.out[:0]
	if !c.q.Post(roce.Work{ID: id, Verb: ib.VerbWrite, Signaled: true, Len: bytes, RKey: gbnKey}, &c.out) {
		c.failed = "the send queue is full"
	}
	c.act(0)
}

func (c *gbn) Next(end int, nowNs uint64) (p Packet, ok bool) {
	c.out = c.out[:0]
	if end == 1 {
		if len(c.replies) == 0 {
			for c.r.Next(&c.out) {
			}
			c.act(nowNs)
		}
		if len(c.replies) == 0 {
			return p, false
		}
		p = Packet{Bytes: overheadBytes + 4, Body: c.replies[0]}
		c.replies = c.replies[1:]
		return p, true
	}
	if !c.q.Next(&c.out) {
		return p, false
	}
	c.act(nowNs)
	if len(c.requests) == 0 {
		return p, false
	}
	body := c.requests[0]
	c.requests = c.requests[1:]
	p = Packet{Bytes: overheadBytes + int(body.Len), Body: body, Data: true}
	if at := uint32(body.PSN.From(c.req.StartPSN)); at >= c.highest { // a workload stays under 2^23 packets
		c.highest, p.New = at+1, int(body.Len)
	} else {
		p.Again = int(body.Len)
	}
	return p, true
}

func (c *gbn) Receive(end int, p *Packet, nowNs uint64) {
	body := p.Body.(roce.Packet)
	c.out = c.out[:0]
	if end == 1 {
		c.r.Step(&body, &c.out)
	} else {
		c.q.Step(&body, &c.out)
	}
	c.act(nowNs)
}

func (c *gbn) Timer() (atNs uint64) {
	for _, t := range c.timers {
		if t > 0 && (atNs == 0 || t < atNs) {
			atNs = t
		}
	}
	return atNs
}

func (c *gbn) Expire(nowNs uint64) {
	for i, t := range c.timers {
		if t > 0 && t <= nowNs {
			c.timers[i] = 0
			c.out = c.out[:0]
			c.q.Expire(roce.Timer(i), &c.out)
			c.act(nowNs)
		}
	}
}

// act does what the machines asked for.
func (c *gbn) act(nowNs uint64) {
	for i := range c.out {
		switch e := &c.out[i]; e.Kind {
		case roce.SendRequest:
			c.requests = append(c.requests, e.Packet)
		case roce.SendResponse:
			c.replies = append(c.replies, e.Packet)
		case roce.Arm:
			c.timers[e.Timer] = nowNs + e.Ticks*ib.TickNs
		case roce.Disarm:
			c.timers[e.Timer] = 0
		case roce.Complete:
			c.done = append(c.done, e.ID)
		case roce.EnterError:
			c.failed = string(e.Why)
		}
	}
	c.out = c.out[:0]
}

func (c *gbn) Completed() []uint64 {
	d := c.done
	c.done = nil
	return d
}

func (c *gbn) Failed() string { return c.failed }
