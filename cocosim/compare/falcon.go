package compare

import (
	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
)

// falconPair is Falcon's packet delivery in mode spec: Push Data over the data window of an ordered connection.
// Congestion control is off: fcwnd is the window. The ULP at the receiver acknowledges in order, as soon as what lies
// before has come.
type falconPair struct {
	txCfg   falcon.TransmitterConfig
	rxCfg   falcon.ReceiverConfig
	tx      *falcon.Transmitter
	rx      falcon.Receiver
	pmtu    uint32
	lengths []uint32 // payload by PSN
	ends    []uint64 // packets up to the end of each message
	sent    uint64   // packets, new ones
	done    uint64   // messages
	replies []falcon.Ack
	ids     []uint64
	failed  string

	came    falcon.Bitmap // received and not acknowledged by the ULP, bit 0 the next that it takes
	next    falcon.PSN    // of the ULP at the receiver
	result  falcon.TxResult
	arrived falcon.RxResult
}

// Falcon's constants of a run. The percentage, the timeout and the threshold are the defaults of its reference
// simulator.
const (
	falconAckPercent   = 10
	falconAckTimeoutNs = 8000
	falconOOOThreshold = 3
	falconRetransmits  = 15

	// falconOverheadBytes is what Push Data has beside its payload: Ethernet with preamble and gap, IPv4, UDP, PSP header,
	// Falcon header, ICV.
	falconOverheadBytes = 8 + 14 + 4 + 12 + 20 + 8 + 16 + 28 + 16
	falconBackBytes     = falconOverheadBytes - 28 + 32
	falconEackBytes     = falconOverheadBytes - 28 + 72
)

// NewFalcon makes a connection of Falcon. Its retransmission timer is twice what news of a packet takes at most: two
// round trips and what an ACK may wait at the receiver. For what lies behind a gap is acknowledged no sooner than the
// gap is filled, and would be sent again for nothing by a shorter one.
func NewFalcon(w Workload, rttNs uint64) Connection {
	c := &falconPair{pmtu: w.PMTU}
	window := uint8(min(w.Window, falcon.DataPSNs))
	c.txCfg = falcon.TransmitterConfig{Mode: &mode.Spec, DataWindow: window, Fcwnd: uint32(window) * falcon.CwndOne,
		Ncwnd:        uint16(window),
		OOOThreshold: falconOOOThreshold, MaxRetransmits: falconRetransmits, AckReqFcwnd: 2 * falcon.CwndOne,
		AckReqPercent: falconAckPercent, RTONs: int64(2 * (2*rttNs + falconAckTimeoutNs))}
	c.rxCfg = falcon.ReceiverConfig{Mode: &mode.Spec, AckTimeoutNs: falconAckTimeoutNs}
	c.tx, c.rx = falcon.NewTransmitter(&c.txCfg), falcon.NewReceiver(&c.rxCfg)
	return c
}

func (c *falconPair) Post(_ uint64, bytes uint32) {
	c.lengths = packets(c.lengths, bytes, c.pmtu)
	c.ends = append(c.ends, uint64(len(c.lengths)))
}

func (c *falconPair) Next(end int, nowNs uint64) (p Packet, ok bool) {
	if end == 1 {
		return c.nextAck()
	}
	now := int64(nowNs)
	s, gate := c.tx.Resend(now)
	if gate == falcon.Nothing && c.sent < uint64(len(c.lengths)) {
		if s, gate = c.tx.Send(falcon.PushData, uint32(c.sent), now); gate == falcon.Open {
			c.sent++
		}
	}
	if gate != falcon.Open {
		return p, false
	}
	if s.Kind == falcon.Resync {
		c.failed = "a packet's retransmissions are exhausted"
	}
	s.T1 = stamp(nowNs)
	length := int(c.lengths[s.PSN])
	p = Packet{Bytes: falconOverheadBytes + length, Body: s.Packet, Data: true}
	if s.Retransmission {
		p.Again = length
	} else {
		p.New = length
	}
	return p, true
}

func (c *falconPair) nextAck() (p Packet, ok bool) {
	if len(c.replies) == 0 {
		return p, false
	}
	p = Packet{Bytes: falconBackBytes, Body: c.replies[0]}
	if c.replies[0].EACK {
		p.Bytes = falconEackBytes
	}
	c.replies = c.replies[1:]
	return p, true
}

func (c *falconPair) Receive(end int, p *Packet, nowNs uint64) {
	if end == 0 {
		a := p.Body.(falcon.Ack)
		c.tx.Ack(&a, falcon.Times{T1Ns: unstamp(a.T1), T2Ns: unstamp(a.T2)}, int64(nowNs), &c.result)
		return
	}
	body := p.Body.(falcon.Packet)
	c.rx.Receive(&body, falcon.Facts{T2: stamp(nowNs)}, int64(nowNs), &c.arrived)
	c.reply()
	if c.arrived.Arrival != falcon.Received {
		return
	}
	c.came.Set(body.PSN.From(c.next))
	for c.came.Has(0) {
		c.rx.Acknowledge(c.next, int64(nowNs), &c.arrived)
		c.reply()
		c.came.Shift(1)
		c.next = c.next.Add(1)
	}
}

// reply puts the ACK that the receiver made on its way.
func (c *falconPair) reply() {
	if c.arrived.HasAck {
		c.replies = append(c.replies, c.arrived.Ack)
	}
}

func (c *falconPair) Timer() uint64 {
	at := c.tx.NextTimerNs()
	if ns, runs := c.rx.TimerNs(); runs {
		at = min(at, ns)
	}
	if at > maxRunNs {
		return 0
	}
	return uint64(max(at, 1))
}

func (c *falconPair) Expire(nowNs uint64) {
	c.rx.Expire(int64(nowNs), &c.arrived)
	c.reply()
	if c.tx.NextTimerNs() <= int64(nowNs) {
		c.tx.Expire(int64(nowNs), &c.result)
	}
	if c.result.Fatal {
		c.failed = "a packet's retransmissions are exhausted twice"
	}
}

func (c *falconPair) Completed() []uint64 {
	c.ids = c.ids[:0]
	acked := uint64(c.tx.Window(falcon.Data).Base) // a workload stays under 2^23 packets
	for ; c.done < uint64(len(c.ends)) && c.ends[c.done] <= acked; c.done++ {
		c.ids = append(c.ids, c.done)
	}
	return c.ids
}

func (c *falconPair) Failed() string { return c.failed }

// stampNs is a unit of Falcon's timestamps.
const stampNs = 131.072

func stamp(nowNs uint64) uint32 { return uint32(float64(nowNs) / stampNs) }

func unstamp(t uint32) int64 { return int64(float64(t) * stampNs) }
