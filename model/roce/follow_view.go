package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// PSNs returns what the follower holds for the oldest unacknowledged PSN and the high-water mark (PSN-7).
func (f *RequesterFollower) PSNs() (una, high psn.PSN) { return f.q.s.Una, f.q.s.High }

// State is the state that the device's QP must be in.
func (f *RequesterFollower) State() QPState { return f.q.State }

// Armed returns when the transport timer started last, and when the last RNR NAK came; 0 is never.
func (f *RequesterFollower) Armed() (transportNS, rnrNS int64) { return f.timerNS, f.rnrNS }

// Waiting reports whether the device waits for its RNR timer.
func (f *RequesterFollower) Waiting() bool { return f.q.s.Waiting }

// EPSN is the PSN that the device expects next.
func (f *ResponderFollower) EPSN() psn.PSN { return f.r.ePSN }

// MSN is the number of messages that the device must have completed, modulo 2^24.
func (f *ResponderFollower) MSN() uint32 { return f.r.msn }

// AckedMSN is the number of messages that the device's responses have told of.
func (f *ResponderFollower) AckedMSN() uint32 { return f.ackedMSN }

// LeastNs is what the transport timer with a code may take at least, and what an RNR NAK with a code asks for.
func (f *Profile) LeastNs(timeoutCode, rnrCode uint8) (transport, rnr uint64) {
	return f.timeoutTicks(timeoutCode) * ib.TickNs, f.rnrTicks(rnrCode) * ib.TickNs
}

// State is the state that the device's QP must be in.
func (f *ResponderFollower) State() QPState { return f.r.State }

// Lost tells that the request with PSN p and what followed never reached the device, although Received was told so: the
// device said with a sequence NAK that it misses p.
func (f *ResponderFollower) Lost(p psn.PSN) {
	state := f.r.State
	f.fallBack(&Packet{PSN: p, Syndrome: ib.NAKSequence, MSN: f.r.msn})
	f.r.State, f.r.nakSent = state, true
	f.r.replies.push(reply{kind: nakReply, psn: p, syndrome: ib.NAKSequence, msn: f.r.msn})
	f.mayRepeat()
}

// Restart makes f the follower that FollowRequester returns, in the same memory.
func (f *RequesterFollower) Restart(cfg RequesterConfig) {
	if cfg.MaxReads == 0 {
		cfg.MaxReads = 255
	}
	*f = RequesterFollower{cfg: cfg, seen: cfg.StartPSN, run: cfg.StartPSN, out: f.out[:0], timer: newRunningOut(&cfg)}
	f.cfg.Profile.TimerRunsOut = false // the machine's timer is the one that counts from a request; the other is f.timer
	f.q = NewRequester(&f.cfg)
}
