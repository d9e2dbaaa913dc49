// Package field says what an engineer would say about a capture: what is in trouble and why, how long things take, and what the counters
// of the NICs should read. It counts; what is a violation is decided by cocosim/flow.
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
	maxConns = 1 << 17
	maxHosts = 1 << 12
	maxPairs = 1 << 14
)

// Options say what is known of a capture.
type Options struct {
	// Own is the address of the end at which the capture was taken; the zero Addr for the wire.
	Own netip.Addr
	// PMTUBytes is the path MTU if it is known, else 0.
	PMTUBytes uint32
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

// Conn is what was seen of one direction of a connection: requests from Src to the queue pair QPN at Dst, and the responses to them.
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
	Verbs               [verbs]uint64        // messages that were begun for the first time
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
	pair    *Conn // the direction in which the responses run
	to      *Conn // whose requests the responses in this direction answer
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
	copies               [8]uint32
	copied               uint8
	hosts                *hostPair
	from, at2            *Host
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
	GivenUp        uint64 // directions that made room for others
	nextAt         uint32
	hosts          map[addr]*Host
	pairs          map[[2]addr]*hostPair
	times          stamps
	asked          askers

	Frames, RoCE       uint64
	BadICRC, Malformed uint64
	FirstNS, LastNS    int64
	PFC                [8]PFC // by priority
	PFCFrames          uint64
	Latency            [numLatencies]Quantiles

	pkt  roce.Packet
	now  int64
	num  uint64
	sent bool
}

// PFC counts pause frames of one priority.
type PFC struct{ Pauses, Resumes uint64 }

// New makes an observer for one capture.
func New(opt Options) *Observer {
	o := &Observer{opt: opt, conns: map[connKey]*Conn{}, hosts: map[addr]*Host{}, pairs: map[[2]addr]*hostPair{}}
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
	c := o.conn(&k)
	c.from, c.at2 = from, to
	if c.hosts == nil {
		c.hosts = o.pairOf(src, dst)
	}
	if ce {
		c.CE++
	}
	switch {
	case k.service == ib.CNP:
		o.congestion(c)
	case w.Op.Response:
		o.response(c)
	default:
		o.request(c, w, id, v)
	}
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

// conn finds a direction, a new one if there was none.
func (o *Observer) conn(k *connKey) *Conn {
	if o.lastConn != nil && o.lastConn.key == *k {
		return o.lastConn.seen(o)
	}
	c := o.conns[*k]
	if c == nil {
		if len(o.conns) < maxConns {
			c = &Conn{at: o.nextAt}
			o.nextAt++
		} else {
			c = o.giveUp()
		}
		*c = Conn{at: c.at, key: *k, Src: netip.AddrFrom16(k.src).Unmap(), Dst: netip.AddrFrom16(k.dst).Unmap(), QPN: k.qpn,
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
	c.LastNS, c.LastPacket = o.now, o.num
	return c
}

func (o *Observer) link(c *Conn) {
	c.older, c.newer = o.newest, nil
	if o.newest != nil {
		o.newest.newer = c
	} else {
		o.oldest = c
	}
	o.newest = c
}

func (o *Observer) unlink(c *Conn) {
	if c.newer != nil {
		c.newer.older = c.older
	} else {
		o.newest = c.older
	}
	if c.older != nil {
		c.older.newer = c.newer
	} else {
		o.oldest = c.newer
	}
}

// giveUp makes room: the direction that was used longest ago goes.
func (o *Observer) giveUp() *Conn {
	c := o.oldest
	o.unlink(c)
	delete(o.conns, c.key)
	if c.hosts != nil && c.hosts.only == c {
		c.hosts.only = nil
	}
	for _, other := range []*Conn{c.pair, c.to} {
		if other != nil {
			other.pair, other.to = nil, nil
		}
	}
	o.GivenUp++
	return c
}

// hostPair is what one host sends another.
type hostPair struct {
	only *Conn // the direction in which requests run; nil if there is none, or more than one
	many bool
}

func (o *Observer) pairOf(src, dst addr) *hostPair {
	t := o.pairs[[2]addr{src, dst}]
	if t == nil && len(o.pairs) < maxPairs {
		t = new(hostPair)
		o.pairs[[2]addr{src, dst}] = t
	}
	return t
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

// LastFlow names the direction of the packet that was taken last, and its queue pair.
func (o *Observer) LastFlow() (name string, qpn uint32) {
	if o.lastConn == nil || o.lastConn.LastPacket != o.num {
		return "", 0
	}
	return o.FlowName(o.lastConn) + " " + o.lastConn.Src.String() + " " + o.lastConn.Dst.String(), o.lastConn.QPN
}

// Seen reports whether a packet was from or to an address.
func (o *Observer) Seen(a netip.Addr) bool {
	return o.hosts[a.As16()] != nil
}

// SomeHosts names a few addresses that packets were from or to.
func (o *Observer) SomeHosts() string {
	text := ""
	for i, h := range sortedHosts(o.hosts) {
		if i == 4 {
			return text + ", ..."
		}
		if i > 0 {
			text += ", "
		}
		text += h.IP.String()
	}
	return text
}
