package roce_test

import (
	"fmt"
	"hash/maphash"
	"unsafe"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// plan is a world to be explored: what is posted, and what the link may do to it.
type plan struct {
	small                      bool // explored also to find faults
	long                       bool // explored only with -explore
	service                    ib.Transport
	name                       string
	bits                       int
	start                      uint32 // first PSN, in packets
	work                       []roce.Work
	window                     uint32
	inFlight                   int
	lose, double, delay, early int  // how often: early is a timeout that nothing called for
	immortal                   bool // packets may arrive however late
	lateReceive                bool // receive WQEs are posted at any time
	spec                       roce.Profile
}

// flight is a packet on the link, with what its bytes were.
type flight struct {
	used    bool
	answer  bool // goes to the requester
	late    bool // keeps no order any more
	age     uint8
	number  int32 // PSN without wrap
	packet  roce.Packet
	id      uint64 // message that the payload is of
	off     uint32
	address uint64
}

// world is both machines, the link between them and what has happened. It is compared by its bytes.
type world struct {
	q     roce.Requester
	r     roce.Responder
	link  [4]flight
	clock uint8 // order of sending

	lost, doubled, delayed, early uint8
	posted                        uint8 // receive WQEs
	high, expected                int32 // of q and r, without wrap

	bytesAt   uint32 // of the message that is being delivered
	received  uint8  // receive completions
	executed  uint8  // messages that changed something at the responder
	bound     uint8  // local work done
	atomics   uint8  // executed
	counter   uint64
	returned  uint32 // bytes of the READ that is being returned
	completed uint8
	nakAt     int32 // PSN of the last sequence NAK; -1: PSN = ePSN has come since
	whole     uint8 // UC: the messages that arrived, a bit each
	filling   uint8 // UC: the message that bytesAt counts in
}

const everything = roce.RemoteRead | roce.RemoteWrite | roce.RemoteAtomic | roce.FlushGlobal | roce.FlushPersistent

const counterVA, readVA = 1 << 20, 1 << 16

// explorer walks the states of a plan.
type explorer struct {
	plan    plan
	qcfg    roce.RequesterConfig
	rcfg    roce.ResponderConfig
	out     roce.Batch
	seen    map[[2]uint64]bool // true: the all-delivering continuation is known to complete
	good    map[[2]uint64]struct{}
	seeds   [2]maphash.Seed
	edges   int
	deepest int
	closed  bool
	stuck   world
	wrong   string // the first violation
	trail   []string
}

func newExplorer(p plan) *explorer {
	width := roce.WidthOf(p.bits)
	start := psn.New(p.start * uint32(width))
	x := &explorer{plan: p, seen: map[[2]uint64]bool{}, good: map[[2]uint64]struct{}{}, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	x.qcfg = roce.RequesterConfig{Service: p.service, Profile: p.spec, Width: width, PMTUBytes: 256, StartPSN: start, MaxReads: 2,
		Timeout: 1, RetryCount: 7, RNRRetry: 7, Window: p.window}
	x.rcfg = roce.ResponderConfig{Service: p.service, Profile: p.spec, Width: width, PMTUBytes: 256, StartPSN: start, MaxReads: 2,
		Access:  everything,
		Regions: [roce.MaxRegions]roce.Region{{RKey: 7, Len: 1 << 30, Access: everything}}}
	return x
}

// begin is the state with everything posted and nothing sent.
func (x *explorer) begin() *world {
	w := &world{q: roce.NewRequester(&x.qcfg), r: roce.NewResponder(&x.rcfg), nakAt: -1}
	for _, work := range x.plan.work {
		w.q.Post(work, &x.out)
	}
	if !x.plan.lateReceive {
		for w.posted < x.receives() {
			x.postReceive(w)
		}
	}
	return w
}

func (x *explorer) receives() (n uint8) {
	for _, k := range x.plan.work {
		if k.Verb == roce.Send {
			n++
		}
	}
	return n
}

func (x *explorer) postReceive(w *world) {
	w.posted++
	w.r.PostReceive(roce.Receive{ID: uint64(w.posted), Len: 4096})
}

func (x *explorer) key(w *world) (k [2]uint64) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(w)), unsafe.Sizeof(*w))
	k[0], k[1] = maphash.Bytes(x.seeds[0], b), maphash.Bytes(x.seeds[1], b)
	return k
}

// done tells that all messages have ended and nothing is on the way.
func (x *explorer) done(w *world) bool {
	return int(w.completed) == len(x.plan.work) && (x.plan.service == ib.RC || w.flying() == 0)
}

func (x *explorer) fail(format string, args ...any) {
	if x.wrong == "" {
		x.wrong = fmt.Sprintf(format, args...)
	}
}

func (w *world) flying() (n int) {
	for i := range w.link {
		if w.link[i].used {
			n++
		}
	}
	return n
}

func (w *world) launch(f flight) {
	w.clock++
	f.used, f.age = true, w.clock
	for i := range w.link {
		if !w.link[i].used {
			w.link[i] = f
			return
		}
	}
	panic("link is full")
}

// settle renumbers the packets in flight by their order, so that equal states are equal bytes, and takes away those whose
// PSN could be taken for another: the bound on a packet's lifetime.
func (x *explorer) settle(w *world) {
	half := int32(1) << (x.plan.bits - 1)
	for i := range w.link {
		f := &w.link[i]
		ahead := max(w.expected, w.high-half/2) // UC: ePSN may stand still while the requester goes on
		if x.plan.service == ib.RC {
			ahead = w.expected
		}
		if f.answer {
			ahead = w.high - 1 // half the PSNs may wait for their answers (PSN-5)
		}
		if f.used && !x.plan.immortal && ahead-f.number >= half {
			*f = flight{}
		}
	}
	// Insertion sort by age, empty places last.
	for i := 1; i < len(w.link); i++ {
		for j := i; j > 0 && w.link[j].used && (!w.link[j-1].used || w.link[j-1].age > w.link[j].age); j-- {
			w.link[j], w.link[j-1] = w.link[j-1], w.link[j]
		}
	}
	w.clock = 0
	for i := range w.link {
		if w.link[i].used {
			w.clock++
			w.link[i].age = w.clock
		}
	}
}

// The actions. Each returns false where it is not possible.

func (x *explorer) send(w *world) bool {
	if !w.q.Ready() || w.flying() >= x.plan.inFlight {
		return false
	}
	x.out = x.out[:0]
	_, _, before := w.q.PSNs()
	w.q.Next(&x.out)
	_, _, high := w.q.PSNs()
	w.high += int32(x.between(high, before))
	if open := x.openPackets(w); open > x.plan.window && x.plan.service == ib.RC {
		x.fail("PSN-5: %d packets unacknowledged", open)
	}
	e := &x.out[0]
	if e.Kind == roce.BindWindow {
		if w.bound++; w.bound != uint8(e.LKey) {
			x.fail("REQ-11: local work %d was done as number %d", e.LKey, w.bound)
		}
		w.q.Done(true, &x.out)
		x.requesterDid(w, nil)
		return true
	}
	w.launch(flight{number: w.high - int32(x.between(high, e.Packet.PSN)), packet: e.Packet, id: e.ID, off: e.Off})
	if x.plan.service == ib.UC {
		x.requesterDid(w, nil)
	}
	return true
}

func (x *explorer) openPackets(w *world) uint32 {
	una, _, high := w.q.PSNs()
	return x.between(high, una)
}

func (x *explorer) between(p, q psn.PSN) uint32 {
	return uint32(psn.New(uint32(p)-uint32(q))) / uint32(x.qcfg.Width)
}

func (x *explorer) respond(w *world) bool {
	if w.flying() >= x.plan.inFlight {
		return false
	}
	x.out = x.out[:0]
	if w.r.Owes() {
		w.r.Drained()
	}
	if !w.r.Next(&x.out) {
		return false
	}
	e := &x.out[0]
	number := w.expected - int32(x.between(w.r.EPSN(), e.Packet.PSN))
	if e.Packet.Syndrome == ib.NAKSequence {
		// In the two profiles a gap may rightly be NAKed anew while the first NAK still waits to leave, which cannot be told from here.
		anew := !x.rcfg.Profile.DupKeepsNAK || x.rcfg.Profile.NakWhileRNR && x.plan.lateReceive
		if w.nakAt == number && !anew {
			x.fail("RSP-2: a second sequence NAK for PSN %d", number)
		}
		w.nakAt = number
	}
	w.launch(flight{answer: true, number: number, packet: e.Packet, address: e.VA})
	return true
}

// deliver takes packet i off the link, unless it is to stay for a second time, and gives it to its machine.
func (x *explorer) deliver(w *world, i int) {
	f := w.link[i]
	w.link[i] = flight{}
	x.out = x.out[:0]
	if f.answer {
		w.q.Step(&f.packet, &x.out)
		x.requesterDid(w, &f)
		return
	}
	if f.packet.PSN == w.r.EPSN() {
		w.nakAt = -1
	}
	before := w.r.EPSN()
	w.r.Step(&f.packet, &x.out)
	if x.plan.service == ib.UC {
		x.unreliableDid(w, &f)
		return
	}
	w.expected += int32(x.between(w.r.EPSN(), before))
	x.responderDid(w, &f)
}

// unreliableDid: whatever the link did, a message arrives whole or not at all, and no message twice that the link did not double. The
// receive WQE of a message that broke is filled again from its start (RSP-3).
func (x *explorer) unreliableDid(w *world, f *flight) {
	for i := range x.out {
		switch e := &x.out[i]; e.Kind {
		case roce.Deliver, roce.WriteMemory:
			if f.off == 0 {
				w.bytesAt, w.filling = 0, uint8(f.id)
			}
			if uint8(f.id) != w.filling || f.off != w.bytesAt || e.Kind == roce.Deliver && (e.Off != f.off || e.ID != uint64(w.received)+1) {
				x.fail("RSP-3: message %d from byte %d was put behind %d bytes of message %d", f.id, f.off, w.bytesAt, w.filling)
			}
			if w.bytesAt += e.Len; e.Kind == roce.WriteMemory && w.bytesAt == x.plan.work[f.id-1].Len {
				x.arrivedWhole(w, f)
			}
		case roce.Complete:
			if w.received++; e.ID != uint64(w.received) || e.Len != x.plan.work[f.id-1].Len {
				x.fail("RSP-3: receive %d ended with %d bytes of message %d", e.ID, e.Len, f.id)
			}
			x.arrivedWhole(w, f)
		case roce.EnterError:
			x.fail("the responder went to error: %s", e.Why)
		}
	}
}

func (x *explorer) arrivedWhole(w *world, f *flight) {
	if bit := uint8(1) << f.id; w.whole&bit != 0 {
		x.fail("RSP-3: message %d arrived twice", f.id)
	} else {
		w.whole |= bit
	}
}

// responderDid holds what was executed against what was asked for: everything once, and in order.
func (x *explorer) responderDid(w *world, f *flight) {
	for i := range x.out {
		switch e := &x.out[i]; e.Kind {
		case roce.Deliver:
			if e.ID != x.receiveOf(f.id) || e.Off != f.off || e.Off != w.bytesAt || w.received+1 != uint8(e.ID) {
				x.fail("message %d from byte %d was put to receive %d from byte %d, after %d bytes and %d messages", f.id, f.off, e.ID, e.Off, w.bytesAt, w.received)
			}
			w.bytesAt += e.Len
		case roce.WriteMemory:
			k := &x.plan.work[f.id-1]
			if e.VA != k.VA+uint64(f.off) || f.off != w.bytesAt {
				x.fail("WRITE %d from byte %d went to byte %d, after %d bytes", f.id, f.off, e.VA-k.VA, w.bytesAt)
			}
			if w.bytesAt += e.Len; w.bytesAt == k.Len {
				w.bytesAt = 0
				x.executedOnce(w, f)
			}
		case roce.FlushMemory:
			x.executedOnce(w, f)
		case roce.Complete:
			if e.Status != roce.Success || w.bytesAt != e.Len || e.ID != x.receiveOf(f.id) {
				x.fail("receive %d ended with %v after %d bytes", e.ID, e.Status, w.bytesAt)
			}
			w.bytesAt = 0
			w.received++
			x.executedOnce(w, f)
		case roce.AtomicMemory:
			w.r.Result(e.Slot, w.counter)
			w.counter += e.Packet.SwapAdd
			x.executedOnce(w, f)
			if w.atomics++; uint64(w.atomics) != x.atomicsUpTo(f.id) {
				x.fail("RSP-8: an atomic was executed twice or early")
			}
		case roce.EnterError:
			x.fail("the responder went to error: %s", e.Why)
		}
	}
}

// receiveOf is the receive WQE that a SEND takes.
func (x *explorer) receiveOf(id uint64) (n uint64) {
	for _, k := range x.plan.work[:id] {
		if k.Verb == roce.Send {
			n++
		}
	}
	return n
}

// executedOnce: of the messages that change something, all before this one were executed, and this one was not.
func (x *explorer) executedOnce(w *world, f *flight) {
	w.executed++
	n := uint8(0)
	for _, k := range x.plan.work[:f.id] {
		if k.Verb != roce.Read && !k.Verb.Local() && (k.Verb != roce.Write || k.Len > 0) {
			n++
		}
	}
	if w.executed != n {
		x.fail("RSP-5: message %d was executed as number %d, it is number %d", f.id, w.executed, n)
	}
}

func (x *explorer) atomicsUpTo(id uint64) (n uint64) {
	for _, k := range x.plan.work[:id] {
		if k.Verb.Atomic() {
			n++
		}
	}
	return n
}

// requesterDid holds completions and returned data against what was posted.
func (x *explorer) requesterDid(w *world, f *flight) {
	for i := range x.out {
		switch e := &x.out[i]; e.Kind {
		case roce.ReadReturned:
			if int(e.ID) != int(w.completed)+1 {
				x.fail("data of message %d while message %d is the oldest", e.ID, w.completed+1)
				continue
			}
			k := x.plan.work[w.completed]
			if k.Verb.Atomic() {
				if want := x.atomicsUpTo(e.ID) - 1; e.Packet.Original != want*k.SwapAdd {
					x.fail("RSP-8: the atomic returned %d", e.Packet.Original)
				}
				w.returned = 8
				continue
			}
			if e.Off != w.returned || f.address != k.VA+uint64(e.Off) {
				x.fail("READ data from byte %d came as byte %d, after %d bytes", f.address-k.VA, e.Off, w.returned)
			}
			w.returned += e.Len
		case roce.Complete:
			w.completed++
			if e.ID != uint64(w.completed) || e.Status != roce.Success {
				x.fail("message %d ended with %v in place of message %d", e.ID, e.Status, w.completed)
				return
			}
			k := x.plan.work[e.ID-1]
			if (k.Verb == roce.Read || k.Verb.Atomic()) && w.returned != k.Len {
				x.fail("REQ-3: message %d ended with %d bytes", e.ID, w.returned)
			}
			if x.plan.service == ib.RC && k.Verb == roce.Send && uint64(w.received) < x.receiveOf(e.ID) {
				x.fail("REQ-1: message %d ended before it was received", e.ID)
			}
			w.returned = 0
		case roce.EnterError:
			x.fail("the requester went to error: %s", e.Why)
		}
	}
}

// head tells that packet i is the next of its direction to arrive in order.
func (w *world) inOrder(i int) bool {
	for j := range i {
		if f := &w.link[j]; f.used && !f.late && f.answer == w.link[i].answer {
			return false
		}
	}
	return true
}

func (x *explorer) timeout(w *world) bool {
	if !w.q.Outstanding() || w.q.Waiting() {
		return false
	}
	quiet := w.flying() == 0 && !w.q.Ready() && !w.r.Owes()
	if !quiet {
		if int(w.early) == x.plan.early {
			return false
		}
		w.early++
	}
	x.out = x.out[:0]
	w.q.Expire(roce.Transport, &x.out)
	x.requesterDid(w, nil)
	return true
}

// step does action n, of actions, and returns false where it is not possible.
func (x *explorer) step(w *world, n int) (ok bool) {
	i := n % 4
	f := &w.link[i]
	switch n / 4 {
	case 0:
		switch i {
		case 0:
			ok = x.send(w)
		case 1:
			ok = x.respond(w)
		case 2:
			ok = x.timeout(w)
		case 3:
			if ok = w.q.Waiting(); ok {
				x.out = x.out[:0]
				w.q.Expire(roce.RNR, &x.out)
			} else if ok = w.posted < x.receives(); ok {
				x.postReceive(w)
			}
		}
	case 1:
		if ok = f.used && (f.late || w.inOrder(i)); ok {
			x.deliver(w, i)
		}
	case 2:
		if ok = f.used && int(w.lost) < x.plan.lose; ok {
			w.lost++
			*f = flight{}
		}
	case 3: // arrives now and a second time whenever
		if ok = f.used && !f.late && w.inOrder(i) && int(w.doubled) < x.plan.double; ok {
			w.doubled++
			again := *f
			x.deliver(w, i)
			again.late = true
			w.launch(again)
		}
	case 4:
		if ok = f.used && !f.late && int(w.delayed) < x.plan.delay; ok {
			w.delayed++
			f.late = true
		}
	}
	if ok {
		x.settle(w)
	}
	return ok
}

const actions = 20

var actionNames = [5]string{"", "deliver", "lose", "double", "delay"}

func nameOf(w *world, n int) string {
	if n < 4 {
		return [4]string{"send", "respond", "timeout", "RNR timer or receive WQE"}[n]
	}
	f := &w.link[n%4]
	return fmt.Sprintf("%s %s PSN %d", actionNames[n/4], ib.Lookup(f.packet.Op).Name, f.number)
}

// friendly is the action that an all-delivering link and an eager pair of machines take next.
func (x *explorer) friendly(w *world) bool {
	for _, n := range [...]int{3, 4, 5, 6, 7, 1, 0, 2} {
		if x.step(w, n) {
			return true
		}
	}
	return false
}

// completes follows the friendly continuation until it ends, or reaches a state that is known to complete.
func (x *explorer) completes(w *world) {
	var chain [][2]uint64
	at := *w
	for steps := 0; !x.done(&at); steps++ {
		k := x.key(&at)
		if _, good := x.good[k]; good || x.seen[k] {
			break
		}
		chain = append(chain, k)
		if steps > 1000 || !x.friendly(&at) {
			x.fail("an all-delivering continuation does not complete")
			x.stuck = at
			return
		}
		if x.wrong != "" {
			return
		}
	}
	for _, k := range chain {
		if _, was := x.seen[k]; was {
			x.seen[k] = true
		} else {
			x.known(k)
		}
	}
}
