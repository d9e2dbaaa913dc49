package loop

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"hcacosim/cocosim"
	"hcacosim/model/endpoint"
	"hcacosim/model/ib"
	"hcacosim/model/link"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// What a link can be: slower or faster, and further, times in ns are no longer exact.
const (
	leastGbps, mostGbps = 1e-3, 1e5
	mostNs              = uint64(time.Second)
	mostPauseNs         = uint64(time.Hour)
)

// Pair is a closed loop of two adapters with traffic both ways: two models, or one or two whose responder, requester or
// both are RTL.
type Pair struct {
	Traffic Traffic
	Link    link.Config
	Profile roce.Profile
	Window  uint32 // packets outstanding
	Timeout uint8  // code of the transport timer; 0: one that suits the link
	LimitNs uint64
	Behind  uint64 // ns before it leaves, in which an end may decide a packet, beside the line's time; 0: 5 us
	Lapse   uint64 // a device of RTL that only waits for its timers runs one cycle of so many; 0 or 1: all
	// Rogue spoils what end B sends, if not nil.
	Rogue *Rogue
	// Responders, where they are not nil, make the responses of an end: devices with the ports of hca_rx.
	Responders [2]cocosim.Device
	// Requesters likewise make the requests: devices with the ports of hca_tx. An end that has both is RTL but for its
	// memory.
	Requesters [2]cocosim.Device
	// Wholes are both in one: devices with the ports of hca_top.
	Wholes [2]cocosim.Device
	// Capture, if set, is given what each end saw.
	Capture [2]Seen
	// Pace is that of requests that a device makes, and what CNPs do to it; nil: none.
	Pace *Pace
	// UntilWrong stops at the first thing that is wrong; Outcome.First says what.
	UntilWrong bool
	from       starts // where connections begin; nil: where startPSN says
}

// Names are the names of the ends.
var Names = [2]string{"A", "B"}

const (
	firstQP       = 0x11
	baseVA        = 0x10000000
	baseKey       = 0x100 // a key's place in the table of an adapter is what stands above its lowest byte
	lowKey        = 0x5A
	rnrTimer      = 1 // 10 us
	maxReads      = 4
	shownFindings = 3
	startStep     = 0x10_1357 // start PSNs lie anywhere, some near the wrap
)

// Outcome is what came of a pair.
type Outcome struct {
	Result  *Result     `json:"result"`
	Seconds float64     `json:"seconds"` // of the link's time
	Ends    [2]Side     `json:"ends"`
	Wrong   []string    `json:"wrong,omitempty"` // what the hosts found
	Wrongs  uint64      `json:"wrongs"`
	Dead    uint64      `json:"dead"`            // of those, queue pairs in error: a rogue may do that
	Rogue   string      `json:"rogue,omitempty"` // in what A did not end as it must with such a peer
	Goodput float64     `json:"goodput_gbps"`    // of both directions
	Judged  [2]Judgment `json:"judged"`
	// Worn says that retries ran out and that the link explains it; nothing else is wrong.
	Worn  string `json:"worn,omitempty"`
	First *First `json:"first,omitempty"` // with UntilWrong
	rogue bool
}

// Side is what an end counted.
type Side struct {
	Stats
	Dead    int               `json:"qps_failed"`   // that had a WQE which ended otherwise than well
	InError int               `json:"qps_in_error"` // both of whose halves are in that state
	Harmed  bool              `json:"-"`            // the link does harm
	Frames  uint64            `json:"frames"`
	Marks   uint64            `json:"marks,omitempty"` // packets of congestion that it was to give a CNP for
	CNPs    uint64            `json:"cnps,omitempty"`  // that reached it
	Again   map[string]uint64 `json:"retries"`         // by the rule that asked for them
	Dropped map[string]uint64 `json:"dropped"`         // by the rule that let them fall
	// Causes are the retries as the judge finds them, by the rule behind each.
	Causes   map[string]uint64 `json:"causes"`
	Recovery Recovery          `json:"recovery"`
	// HeldNs is how long a frame waited at most until a device with a port of its own had taken it.
	HeldNs uint64 `json:"held_ns,omitempty"`
	// PassedNs is for how long its clock was slower than time: see Pair.Lapse.
	PassedNs uint64 `json:"passed_ns,omitempty"`
	// Crossed are responses that came within a tick before the transport timer's time was over, or two behind it.
	Crossed map[string]uint64 `json:"crossed"`
}

// Good reports whether all was done, once each, and nobody broke a rule; with a rogue, whether A ended as it must.
func (o *Outcome) Good() bool { return o.Verdict() == Agreed }

// addressOf is the MAC and IPv4 address of an end.
func addressOf(end int) (mac [6]byte, address wire.GID) {
	return [6]byte{2, 0, 0, 0, 0, byte(0x0A + end)}, wire.FromIPv4(10, 1, 0, byte(1+end))
}

// Run runs the pair.
func (p *Pair) Run(ctx context.Context) (*Outcome, error) {
	bad := &Findings{}
	var ends [2]Adapter
	var hosts [2]*host
	var judging [2]*judges
	cfg := Config{Link: p.Link, LimitNs: p.LimitNs}
	for i := range 2 {
		e, err := p.end(ctx, i)
		if err != nil {
			return nil, err
		}
		ends[i], hosts[i] = e, newHost(&p.Traffic, Names[i], e, uint64(i), bad)
		if judging[i], err = p.judges(i); err != nil {
			return nil, err
		}
		cfg.Ends[i], cfg.Hosts[i], cfg.Seen[i] = e, hosts[i], both(judging[i].See, p.Capture[i])
		cfg.Lost[i] = judging[i].lose
		judging[i].paced = p.pacedEnd(i, bad)
	}
	first := p.untilWrong(&cfg, judging, bad)
	p.connect(ends, hosts)
	if p.Rogue != nil {
		if err := p.misbehave(ctx, &cfg, ends[1].(*endpoint.Endpoint), hosts[1]); err != nil {
			return nil, err
		}
	}
	res := Run(ctx, &cfg)
	if err := failed(ends); err != nil {
		return &Outcome{Result: res, First: first.ended(err)}, err
	}
	if res.Stuck == "" && (p.Rogue == nil || p.Rogue.honest()) {
		for i := range 2 {
			hosts[i].finish(hosts[1-i])
			judging[i].paced.finish(res.Ns, func(qpn uint32) bool { return hosts[0].ended(qpn) || hosts[1].ended(qpn) })
		}
	}
	if p.Rogue != nil {
		hosts[0].foreign()
		hosts[0].refused(judging[0].watch, func(k int) psn.PSN { return p.startPSN(0, k) })
	}
	o := p.outcome(res, ends, hosts, judging, bad)
	o.First = first.of(o)
	return o, nil
}

// failed is what a device ended with that is part of an end.
func failed(ends [2]Adapter) error {
	for _, e := range ends {
		if err := Failure(e); err != nil {
			return err
		}
	}
	return nil
}

// misbehave puts the rogue in the place of end B.
func (p *Pair) misbehave(ctx context.Context, cfg *Config, peer *endpoint.Endpoint, h *host) (err error) {
	r := p.Rogue.around(p, peer)
	cfg.Ends[1] = r
	if p.Rogue.honest() {
		r.past, err = p.ghosts(ctx, p.Rogue.starts)
		cfg.Seen[1] = r.own(cfg.Seen[1])
		return err
	}
	h.bad = &Findings{} // what it finds is nobody's concern
	cfg.Hosts[1] = unheard{h}
	return nil
}

// end makes an end.
func (p *Pair) end(ctx context.Context, i int) (Adapter, error) {
	return NewAdapter(ctx, p.config(i), Halves{Responder: p.Responders[i], Requester: p.Requesters[i], Whole: p.Wholes[i],
		Gbps: p.Link.Gbps, Lapse: p.Lapse, Pace: p.Pace})
}

// unheard is a host whose end nobody waits for.
type unheard struct{ Host }

// Done is true: what becomes of its messages is nobody's concern.
func (unheard) Done() bool { return true }

// config makes an end with one QP for each connection.
func (p *Pair) config(end int) endpoint.Config {
	cfg := endpoint.Config{}
	cfg.MAC, cfg.Address = addressOf(end)
	cfg.PKeys[0] = roce.DefaultPKey
	mac, address := addressOf(1 - end)
	for k := range p.Traffic.QPs {
		va := baseVA + uint64(k)*0x100000
		cfg.Memory = append(cfg.Memory, endpoint.Memory{VA: va, Bytes: make([]byte, spanBytes)})
		q := endpoint.QP{Number: firstQP + uint32(k), PeerNumber: firstQP + uint32(k), PeerMAC: mac, PeerAddress: address}
		q.Requester = roce.RequesterConfig{Service: ib.RC, Profile: p.Profile, PMTUBytes: p.Traffic.PMTU,
			StartPSN: p.startPSN(end, k), MaxReads: maxReads, Timeout: p.timeout(), RetryCount: retryCount, RNRRetry: 7,
			Window: p.Window}
		if p.Rogue != nil {
			q.Requester.RNRRetry, q.Requester.RetryCount = 3, 6 // 7 may be without end (RetryForever7)
		}
		q.Responder = roce.ResponderConfig{Service: ib.RC, Profile: p.Profile, PMTUBytes: p.Traffic.PMTU,
			StartPSN: p.startPSN(1-end, k), MaxReads: maxReads, RNRTimer: rnrTimer,
			Access: roce.RemoteWrite | roce.RemoteRead | roce.RemoteAtomic}
		q.Responder.Regions[0] = roce.Region{RKey: keyOf(k), VA: va, Len: spanBytes, Access: q.Responder.Access}
		cfg.QPs = append(cfg.QPs, q)
	}
	return cfg
}

// keyOf is the R_Key of a connection's memory.
func keyOf(k int) uint32 { return baseKey*uint32(k+1) + lowKey }

func startPSN(end, k int) psn.PSN { return psn.New(uint32(0xFFFF00 + k*startStep + end*0x345678)) }

// startPSN is where an end of a connection begins.
func (p *Pair) startPSN(end, k int) psn.PSN {
	if p.from != nil {
		return p.from(end, k)
	}
	return startPSN(end, k)
}

// timeout is the code of the transport timer: the first step that is four times the longest round trip, and at which,
// where requests have a pace, a window leaves at the slowest one (TMR-2).
func (p *Pair) timeout() (code uint8) {
	if p.Timeout != 0 {
		return p.Timeout
	}
	least := 4 * p.roundTripNs()
	if p.Pace != nil {
		least = max(least, p.roundTripNs()+p.Pace.windowNs(p.Window, p.Traffic.PMTU))
	}
	for code = 1; code < 31 && 4096<<code < least; {
		code++
	}
	return code
}

// roundTripNs is the longest: with a full window of every queue pair, and what the link holds up.
func (p *Pair) roundTripNs() uint64 {
	window := float64(p.Window) * float64(p.Traffic.QPs) * float64(p.Traffic.PMTU) * 8 / p.Link.Gbps
	return 2*(p.Link.DelayNs+p.Link.HoldNs) + uint64(window)
}

// connect draws the streams of every connection, and fills the memories.
func (p *Pair) connect(ends [2]Adapter, hosts [2]*host) {
	for k := range p.Traffic.QPs {
		va, rkey := baseVA+uint64(k)*0x100000, keyOf(k)
		for i := range 2 {
			mine := func() *stream { return p.stream(uint64(2*k+i), va, rkey) }
			theirs := func() *stream { return p.stream(uint64(2*k+1-i), va, rkey) }
			hosts[i].add(firstQP+uint32(k), mine(), theirs())
			theirs().initial(ends[i].At(va, spanBytes))
		}
	}
}

// stream is one direction of a connection. A READ is no longer than the window: one that is never goes out, so whoever
// sets a window gives it room for the longest (PSN-5).
func (p *Pair) stream(key, base uint64, rkey uint32) *stream {
	s := newStream(&p.Traffic, key, base, rkey)
	s.longest = uint32(min(readBytes, uint64(p.Window)*uint64(p.Traffic.PMTU)))
	return s
}

func both(a, b Seen) Seen {
	if b == nil {
		return a
	}
	return func(nowNs uint64, frame []byte, sent bool) { a(nowNs, frame, sent); b(nowNs, frame, sent) }
}

func (p *Pair) outcome(res *Result, ends [2]Adapter, hosts [2]*host, judging [2]*judges,
	bad *Findings) *Outcome {
	o := &Outcome{Result: res, Seconds: float64(res.Ns) / 1e9, Wrong: bad.List, Wrongs: bad.Count,
		Dead: bad.Dead}
	for i := range 2 {
		n := ends[i].Count()
		o.Ends[i] = Side{Stats: hosts[i].stats, Frames: n.Sent, Again: named(n.Retries, ""),
			Dropped: named(n.Dropped, "not RoCE"), Dead: hosts[i].failed(), InError: hosts[i].inError(), Harmed: p.Link.Harms()}
		w := judging[i].watch
		o.Ends[i].Causes, o.Ends[i].Crossed, o.Ends[i].Recovery = named(w.causes, "no cause seen"), w.crossed, w.recovery()
		o.Ends[i].Marks, o.Ends[i].CNPs = judging[i].paced.counts()
		if h, ok := ends[i].(Hearer); ok {
			o.Ends[i].HeldNs = h.HeldNs()
		}
		if h, ok := ends[i].(interface{ PassedNs() uint64 }); ok {
			o.Ends[i].PassedNs = h.PassedNs()
		}
		o.Judged[i] = judging[i].Finish(shownFindings)
		o.Goodput += float64(8*hosts[i].stats.Bytes) / float64(max(1, res.Ns))
	}
	if p.Rogue != nil {
		o.rogue, o.Rogue = true, p.Rogue.Judge(o, &p.Profile)
	} else {
		o.Worn = o.wornBy(&p.Link, ib.TimeoutNs(p.timeout()), p.roundTripNs())
	}
	return o
}

// named has counts by the names of rules; nameless is what no rule stands for.
func named(counts map[roce.Rule]uint64, nameless string) map[string]uint64 {
	all := map[string]uint64{}
	for _, rule := range slices.Sorted(maps.Keys(counts)) {
		name := string(rule)
		if name == "" {
			name = nameless
		}
		all[name] += counts[rule]
	}
	return all
}

// Check says what no pair can be.
func (p *Pair) Check() error {
	t := &p.Traffic
	switch {
	case t.QPs < 1 || t.QPs > 4096:
		return fmt.Errorf("%d QPs: 1 to 4096", t.QPs)
	case !ib.ValidPMTU(int(t.PMTU)):
		return fmt.Errorf("path MTU %d: 256, 512, 1024, 2048 or 4096", t.PMTU)
	case t.Depth < 1 || t.Depth > roce.MaxSends:
		return fmt.Errorf("%d messages at a time: 1 to %d", t.Depth, roce.MaxSends)
	case t.Receives < 1 || t.Receives > roce.MaxReceives:
		return fmt.Errorf("%d receive WQEs: 1 to %d", t.Receives, roce.MaxReceives)
	case p.Window < 1 || p.Window > psn.Half:
		return fmt.Errorf("a window of %d packets: 1 to %d", p.Window, psn.Half)
	case p.Window <= p.Profile.AckReqAtOffset:
		return fmt.Errorf("a window of %d packets: profile %s asks for ACKs %d packets apart, so %d at least",
			p.Window, p.Profile.Name, p.Profile.AckReqAtOffset, p.Profile.AckReqAtOffset+1)
	case t.WriteBytes > writeBytes:
		return fmt.Errorf("WRITEs of %d bytes: at most %d", t.WriteBytes, writeBytes)
	case p.Timeout > 31:
		return fmt.Errorf("timeout code %d: 0 to 31", p.Timeout)
	case p.Rogue != nil && (p.Profile.AdaptiveTimer || p.Profile.FutureAckCompletes):
		return fmt.Errorf("a peer that misbehaves and profile %s: what must come of it is known for spec and qib",
			p.Profile.Name)
	case !(p.Link.Gbps >= leastGbps && p.Link.Gbps <= mostGbps): // NaN is neither
		return fmt.Errorf("a link of %v Gb/s: %v to %v", p.Link.Gbps, leastGbps, mostGbps)
	case p.Link.DelayNs > mostNs || p.Link.HoldNs > mostNs:
		return fmt.Errorf("delay and hold: 0 to %v", time.Duration(mostNs))
	case t.PauseNs > mostPauseNs:
		return fmt.Errorf("a pause: 0 to %v", time.Duration(mostPauseNs))
	case p.LimitNs > math.MaxInt64:
		return errors.New("a limit of the link's time below 0")
	case p.Lapse > mostLapse:
		return fmt.Errorf("a lapse of %d: 1 to %d", p.Lapse, mostLapse)
	case p.Lapse > 1 && p.Pace != nil:
		return errors.New("a lapse and a pace: the pace of a device is kept by its clock")
	}
	for _, of := range []struct {
		name  string
		share float64
	}{
		{"loss", p.Link.Loss}, {"dup", p.Link.Double}, {"reorder", p.Link.Reorder}, {"corrupt", p.Link.Corrupt},
		{"mark", p.Link.Mark}, {"late", t.Late},
	} {
		if !(of.share >= 0 && of.share <= 0.5) { // NaN is neither
			return fmt.Errorf("%s: a share of %v %%, where 0 to 50 can be", of.name, 100*of.share)
		}
	}
	return nil
}
