// Package field says what an engineer would say about a capture: what is in trouble and why, how long things take, and
// what the counters of the NICs should read. It counts; what is a violation is decided by cocosim/flow.
package field

import (
	"encoding/binary"
	"net/netip"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/roce/onwire"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// Bounds of what is kept.
const (
	maxConns  = 1 << 17
	idleAfter = 1 << 18 // packets without one of its own after which a direction makes room for another
	maxHosts  = 1 << 12
	maxPairs  = 1 << 14
)

// Options say what is known of a capture.
type Options struct {
	// Own is the address of the end at which the capture was taken; the zero Addr for the wire.
	Own netip.Addr
	// PMTUBytes is the path MTU if it is known, else 0.
	PMTUBytes uint32
	// Scan is what a first look at the capture told; nil without one.
	Scan *flow.Scan
	// Names gives hosts other names than their addresses: "A" and "B" of a sidecar.
	Names map[netip.Addr]string
	// StartPSN tells the first PSN of the requests from a host to a queue pair, where it is known; nil: nowhere.
	StartPSN func(src, dst netip.Addr, qpn uint32) (start uint32, known bool)
	// TimeoutNS gives the least that a host's transport timer may take, where it is known.
	TimeoutNS map[netip.Addr]int64
}

type addr = [16]byte

// connKey is one direction in which requests run.
type connKey struct {
	src, dst addr
	qpn, sqp uint32
	service  ib.Transport
}

// Conn is what was seen of one direction of a connection: requests from Src to the queue pair QPN at Dst, and the
// responses to them.
type Conn struct {
	Src, Dst netip.Addr
	QPN      uint32 // of the responder
	PeerQPN  uint32 // of the requester; 0: not known
	Service  ib.Transport

	FirstNS, LastNS         int64
	FirstPacket, LastPacket uint64

	Requests, Responses uint64
	Again               uint64               // requests that were sent before
	Copies              uint64               // requests that the way doubled
	Cause               [numCauses]ResendSum // of Again
	Acks, SequenceNAKs  uint64               //
	RNRs, FatalNAKs     uint64               //
	Fatal               ib.Syndrome          // the first of them
	FatalPacket         uint64               //
	RNRCode             uint8                // the last
	ZeroCredits         uint64               // ACKs that bring no credits
	Ahead               uint64               // requests that came before one that was missing
	Bytes               uint64               // payload that was sent for the first time
	CE, CNPs            uint64               // requests and responses with ECN "congestion experienced"; CNPs to QPN
	Verbs               [verbs]uint32        // messages that were begun for the first time
	PMTUBytes           uint32               // the longest payload of a First or Middle
	Middles             uint64               //
	MaxReads            int32                // outstanding at a time
	MaxWindow           int32                // packets outstanding at a time
	AtWindow            uint64               // how often that many were
	Unanswered          uint64               // requests with AckReq, READs and atomics since the last response
	UnansweredNS        int64                // since when
	Strays              uint64               // requests with a PSN where none can be outstanding
	Renewed             uint64               // times that the queue pairs were connected anew

	at      uint32 // in the table
	key     connKey
	Holes   holes
	back    *Back  // the direction in which the responses run
	pmtu    uint32 // by a First or Middle of this connection; 0: none was seen
	started bool
	top     psn.PSN // the highest PSN of a request
	last    psn.PSN // of the last request
	first   psn.PSN
	una     psn.PSN // behind the highest that was acknowledged
	acked   bool
	isRead  bool // top is the end of a READ whose length in packets is not sure
	reach   int32
	reads   int32
	readEnd [8]psn.PSN
	lastNS  int64 // of the last request
	cause   cause

	far                  psn.PSN // of the last stray
	farAt                uint64  // its number in Requests
	expected             psn.PSN // in the order of arrival
	inGap                bool
	gapNS                int64
	dead                 bool // a fatal NAK
	nak, rnr             pending
	implied              bool
	sends                uint64 // SENDs that were sent whole, for the first time
	takes                uint64 // messages that used a receive WQE, in the order of arrival
	sendsDone, takesDone uint64 // of them acknowledged
	cnpNS                int64
	copies               [4]uint32
	copied               uint8
	hosts                *hostPair
	from, at2            *Host
	seq                  uint64 // of Observer, when it was used last
	newer, older         *Conn
}

const verbs = int(ib.VerbFlush) + 1

// pending is a NAK that nothing was sent again for yet.
type pending struct {
	psn    psn.PSN
	timeNS int64
	bound  int64
	is     bool
}

// cause is why a request was sent again.
type cause uint8

// The causes.
const (
	Unexplained cause = iota
	SequenceNAK
	Timeout
	RNRNAK
	ImpliedNAK
	numCauses
)

// ResendSum counts packets that were sent again for one cause, and how often that began.
type ResendSum struct{ Packets, Times uint64 }

// Observer takes the packets of one capture in order. Its memory has a bound.
type Observer struct {
	opt   Options
	own   addr
	atEnd bool

	conns          map[connKey]*Conn
	lastConn       *Conn
	newest, oldest *Conn
	backs          map[connKey]*Back
	lastBack       *Back
	Unmatched      uint64 // responses of which cannot be told what they answer
	Rest           uint64 // packets of more directions than are kept: counted only
	seq            uint64 // packets of directions
	nextAt         uint32
	hosts          map[addr]*Host
	lastHosts      [4]*Host // that were found last, by their last byte
	pairs          map[[2]addr]*hostPair
	times          stamps
	asked          askers

	Frames, RoCE       uint64
	BadICRC, Malformed uint64
	Short              uint64 // of Malformed: they end before their length fields say
	FirstNS, LastNS    int64
	PFC                [8]PFC // by priority
	PFCFrames          uint64
	Latency            [numLatencies]Quantiles

	pkt  roce.Packet
	now  int64
	num  uint64
	sent bool

	speaks bool // the end sent a frame, whatever it is like
}

// PFC counts pause frames of one priority.
type PFC struct{ Pauses, Resumes uint64 }

// New makes an observer for one capture.
func New(opt Options) *Observer {
	o := &Observer{opt: opt, conns: map[connKey]*Conn{}, backs: map[connKey]*Back{}, hosts: map[addr]*Host{},
		pairs: map[[2]addr]*hostPair{}}
	if opt.Own.IsValid() {
		o.own, o.atEnd = opt.Own.As16(), true
	}
	return o
}

// Take takes the next packet, what was found about its ICRC, and the verdict on it.
func (o *Observer) Take(f *capture.Frame, w *wire.Packet, icrc wire.ICRCStatus, v *flow.Verdict) {
	o.Frames++
	if o.FirstNS == 0 {
		o.FirstNS = f.TimeNS
	}
	o.LastNS, o.now, o.num = f.TimeNS, f.TimeNS, f.Number
	if w.Encap == wire.EncapNone || w.Encap == wire.EncapRaw {
		o.pause(f)
		return
	}
	o.RoCE++
	src, dst, id, hasID, ce := network(w)
	o.sent = o.atEnd && src == o.own
	o.speaks = o.speaks || o.sent
	if icrc == wire.ICRCBad && v.Class == flow.Malformed {
		o.Malformed++
		o.Short++
		return
	}
	if icrc == wire.ICRCBad {
		o.BadICRC++
		if h := o.receiver(dst); h != nil {
			h.BadICRC++
		}
		return
	}
	if w.Undecided() || !onwire.Take(w, &o.pkt) {
		if w.Bad.Reason != wire.WellFormed && !w.Undecided() {
			o.Malformed++
		}
		return
	}
	if v.Class == flow.NotTaken {
		o.host(src)
		if h := o.host(dst); h != nil {
			h.NotTaken++
			if v.OfAnotherPartition() {
				h.OtherPartition++
			}
		}
		return
	}
	o.taken(w, src, dst, ident{id, hasID}, ce, v)
}

type ident struct {
	id  uint16
	has bool
}

// taken counts a packet that reached where it was sent to, as far as can be seen.
func (o *Observer) taken(w *wire.Packet, src, dst addr, id ident, ce bool, v *flow.Verdict) {
	from, to := o.sender(src), o.receiver(dst)
	if from != nil {
		from.Sent++
	}
	if to != nil {
		to.Received++
		if ce {
			to.Marked++
		}
	}
	k := connKey{src: src, dst: dst, qpn: w.BTH().DestQP(), service: w.Op.Transport}
	if k.service == ib.UD {
		k.sqp = o.pkt.SrcQP
	}
	o.seq++
	if w.Op.Response {
		if d := o.backOf(&k); d != nil {
			d.from, d.at2 = from, to
			o.response(d, ce)
			return
		}
		o.unpaired(&k)
		o.Rest++
		return
	}
	c := o.conn(&k)
	if c == nil {
		o.Rest++
		return
	}
	c.from, c.at2 = from, to
	if c.hosts == nil {
		c.hosts = o.pairOf(src, dst)
	}
	if ce {
		c.CE++
	}
	if k.service == ib.CNP {
		o.congestion(c)
		return
	}
	o.request(c, w, id, v)
}

// network is what the headers before the BTH say.
func network(w *wire.Packet) (src, dst addr, id uint16, hasID, ce bool) {
	switch {
	case w.IPv4() != nil:
		h := w.IPv4()
		src[10], src[11], dst[10], dst[11] = 0xFF, 0xFF, 0xFF, 0xFF
		copy(src[12:], h.Src())
		copy(dst[12:], h.Dst())
		return src, dst, h.ID(), true, h.TOS()&3 == 3
	case w.IPv6() != nil:
		h := w.IPv6()
		return addr(h.Src()), addr(h.Dst()), 0, false, h.TClass()&3 == 3
	case w.GRH() != nil:
		h := w.GRH()
		return addr(h.Src()), addr(h.Dst()), 0, false, h.TClass()&3 == 3
	case w.LRH() != nil:
		binary.BigEndian.PutUint16(src[14:], w.LRH().SLID())
		binary.BigEndian.PutUint16(dst[14:], w.LRH().DLID())
	}
	return src, dst, 0, false, false
}

const typeMACControl = 0x8808

// pause counts a priority flow control frame (IEEE 802.1Qbb): opcode 0101h, a bit for each priority, eight times.
func (o *Observer) pause(f *capture.Frame) {
	b := f.Data
	if f.Link != wire.LinkEthernet || len(b) < 34 || binary.BigEndian.Uint16(b[12:]) != typeMACControl ||
		binary.BigEndian.Uint16(b[14:]) != 0x0101 {
		return
	}
	o.PFCFrames++
	for p := range o.PFC {
		switch {
		case b[17]>>p&1 == 0:
		case binary.BigEndian.Uint16(b[18+2*p:]) == 0:
			o.PFC[p].Resumes++
		default:
			o.PFC[p].Pauses++
		}
	}
}

// conn finds a direction of requests, a new one if there was none; nil where there is no room.
func (o *Observer) conn(k *connKey) *Conn {
	if o.lastConn != nil && o.lastConn.key == *k {
		return o.lastConn.seen(o)
	}
	c := o.conns[*k]
	if c == nil {
		if len(o.conns) < maxConns {
			c = new(Conn)
		} else if c = o.giveUp(); c == nil {
			return nil
		}
		o.nextAt++
		*c = Conn{at: o.nextAt, key: *k, Src: netip.AddrFrom16(k.src).Unmap(), Dst: netip.AddrFrom16(k.dst).Unmap(),
			QPN:     k.qpn,
			PeerQPN: k.sqp, Service: k.service, FirstNS: o.now, FirstPacket: o.num}
		o.conns[*k] = c
		o.link(c)
	} else if c != o.newest {
		o.unlink(c)
		o.link(c)
	}
	o.lastConn = c
	return c.seen(o)
}

func (c *Conn) seen(o *Observer) *Conn {
	c.LastNS, c.LastPacket, c.seq = o.now, o.num, o.seq
	return c
}

// giveUp makes room: the direction that was used longest ago goes, if that is long ago. Giving up one that is in use
// would follow nobody.
func (o *Observer) giveUp() *Conn {
	c := o.oldest
	if o.seq-c.seq < idleAfter {
		return nil
	}
	o.unlink(c)
	delete(o.conns, c.key)
	if c.hosts != nil && c.hosts.only == c {
		c.hosts.only = nil
	}
	if c.back != nil {
		delete(o.backs, c.back.key)
		o.lastBack = nil
	}
	return c
}

// Back is the direction in which responses run.
type Back struct {
	key       connKey
	to        *Conn // whose requests they answer; nil: not known
	from, at2 *Host
	PMTUBytes uint32
	Middles   uint32
	Marked    uint64 // by ECN
}

// backOf finds a direction of responses; nil where there is no room for a new one.
func (o *Observer) backOf(k *connKey) *Back {
	if o.lastBack != nil && o.lastBack.key == *k {
		return o.lastBack
	}
	d := o.backs[*k]
	if d == nil {
		if len(o.backs) >= maxConns {
			return nil
		}
		d = &Back{key: *k}
		o.backs[*k] = d
	}
	o.lastBack = d
	return d
}

// hostPair is what one host sends another.
type hostPair struct {
	only *Conn // the direction in which requests run; nil if there is none, or more than one
	many bool
	// unpaired: there was a response to requests of the pair that may be of more than one direction, so that of none can
	// be said that it had no answer.
	unpaired bool
}

func (o *Observer) pairOf(src, dst addr) *hostPair {
	t := o.pairs[[2]addr{src, dst}]
	if t == nil && len(o.pairs) < maxPairs {
		t = new(hostPair)
		o.pairs[[2]addr{src, dst}] = t
	}
	return t
}

// unpaired notes a response, in the direction k, of which cannot be told what it answers.
func (o *Observer) unpaired(k *connKey) {
	if t := o.pairOf(k.dst, k.src); t != nil {
		t.unpaired = true
	}
}

// asks notes that requests run in a direction.
func (t *hostPair) asks(c *Conn) {
	switch {
	case t == nil || t.only == c:
	case t.only == nil && !t.many:
		t.only = c
	default:
		t.only, t.many = nil, true
	}
}

// each calls f with every direction that had requests or CNPs.
func (o *Observer) each(f func(c *Conn)) {
	for c := o.oldest; c != nil; c = c.newer {
		if c.Requests+c.CNPs > 0 {
			f(c)
		}
	}
}
