package live

import (
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"hcacosim/cocosim"
	"hcacosim/cocosim/field"
	"hcacosim/cocosim/loop"
	"hcacosim/model/endpoint"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// session is one at work. Only its own goroutine touches it; one more reads frames, and one writes them.
type session struct {
	file    *File
	profile roce.Profile
	memory  []endpoint.Memory
	near    *neighbours
	judge   *judge
	log     func(format string, args ...any)
	began   time.Time

	halves  loop.Halves
	end     loop.Adapter // nil: the peer's MAC is not known yet
	broken  error        // why there is none
	workers []*worker
	byQPN   map[uint32]*worker
	ours    [][]byte // answers and questions of neighbour discovery that wait to leave
	report  Report
	wasNs   uint64 // the latest frame came or left then
	lossy   *rand.Rand
	packet  wire.Packet // scratch
	askNs   uint64      // when the peer is asked again
}

// askEveryNs is how long an answer to what a MAC is is waited for.
const askEveryNs = 500e6

func newSession(cfg *Config) (*session, error) {
	f := cfg.File
	s := &session{file: f, near: newNeighbours(f), log: cfg.Log, began: time.Now(), byQPN: map[uint32]*worker{}}
	if s.log == nil {
		s.log = func(string, ...any) {}
	}
	if f.Profile != "" {
		var err error
		if s.profile, err = field.Profile(f.Profile); err != nil {
			return nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
		}
	}
	for i := range f.Regions {
		m, err := f.fill(&f.Regions[i])
		if err != nil {
			return nil, err
		}
		s.memory = append(s.memory, m)
	}
	for i := range f.QPs {
		w := newWorker(&f.QPs[i])
		s.workers = append(s.workers, w)
		s.byQPN[w.qp.Number] = w
	}
	var err error
	s.lossy = rand.New(rand.NewPCG(f.Loss.Seed, 1))
	s.halves = cfg.Halves
	s.judge, err = newJudge(cfg, s.profile, s.began)
	return s, err
}

// fill makes a region's memory.
func (f *File) fill(r *Region) (endpoint.Memory, error) {
	m := endpoint.Memory{VA: r.Address, Bytes: make([]byte, r.Bytes)}
	for i := range m.Bytes {
		m.Bytes[i] = r.Pattern
	}
	if r.Fill == "" {
		return m, nil
	}
	text, err := os.ReadFile(f.beside(r.Fill))
	if err == nil && uint64(len(text)) > r.Bytes {
		err = errors.New("it has grown beyond the region")
	}
	if err != nil {
		return m, cocosim.Errorf(cocosim.BadInput, "cannot fill memory from %s: %v", f.beside(r.Fill), cocosim.Cause(err))
	}
	copy(m.Bytes, text)
	return m, nil
}

// save writes what regions hold at the end.
func (s *session) save() error {
	for i := range s.file.Regions {
		r := &s.file.Regions[i]
		if r.Save == "" {
			continue
		}
		if err := os.WriteFile(s.file.beside(r.Save), s.memory[i].Bytes, 0o644); err != nil {
			return cocosim.Errorf(cocosim.BadInput, "cannot save memory to %s: %v", s.file.beside(r.Save), cocosim.Cause(err))
		}
	}
	return nil
}

// limit ends a session at its limit.
func (s *session) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.file.End.LimitS == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, seconds(s.file.End.LimitS))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (s *session) now() uint64 { return uint64(time.Since(s.began)) }

// arrived is a frame, or why there is none any more.
type arrived struct {
	frame []byte
	err   error
}

// read hands on what comes until it ends.
func read(ctx context.Context, p Port, to chan<- arrived) {
	for {
		frame, err := p.Read(nil)
		select {
		case to <- arrived{frame, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// write sends what is handed to it, until that ends or cannot be sent.
func write(p Port, from <-chan []byte, failed chan<- error) {
	defer close(failed)
	for frame := range from {
		if err := p.Write(frame); err != nil {
			failed <- err
			return
		}
	}
}

// run is the session from the first frame to the last.
func (s *session) run(ctx context.Context, p Port) (*Report, error) {
	ctx, stop := context.WithCancel(ctx)
	in, out, failed := make(chan arrived, 64), make(chan []byte), make(chan error, 1)
	go read(ctx, p, in)
	go write(p, out, failed)
	s.askNs = s.now()
	why, err := s.loop(ctx, in, out, failed)
	stop()
	close(out)
	select { // the last frame leaves whole, if the peer reads at all
	case <-failed:
	case <-time.After(time.Second):
	}
	p.Close()
	s.report.Ended = why
	s.finish()
	return &s.report, errors.Join(err, s.lastly())
}

// loop does what comes next until the session is over, and says why it is.
func (s *session) loop(ctx context.Context, in <-chan arrived, out chan<- []byte, failed <-chan error) (string, error) {
	var leaving []byte
	for {
		s.turn(ctx)
		if err := s.failure(); err != nil {
			return "the device failed", err
		}
		if leaving == nil {
			leaving = s.next()
		}
		if s.over(leaving) {
			return "all is done", nil
		}
		if s.hopeless() {
			return "the peer does not answer", cocosim.Errorf(cocosim.Inconclusive,
				"%s does not say what its MAC is", s.file.Peer.Address)
		}
		to := out
		if leaving == nil {
			to = nil
		}
		wake := time.NewTimer(s.sleep())
		select {
		case to <- leaving:
			leaving = nil
		case a := <-in:
			if errors.Is(a.err, io.EOF) {
				return "the peer closed the link", nil
			}
			if a.err != nil {
				return "the link broke", asBroken(a.err)
			}
			s.receive(ctx, a.frame)
		case err := <-failed:
			return s.unheard(ctx, in, err)
		case <-wake.C:
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return "the limit is reached", nil
			}
			return "stopped", nil
		}
		wake.Stop()
	}
}

// unheard takes what still comes from a peer that takes no more frames, until the link says why.
func (s *session) unheard(ctx context.Context, in <-chan arrived, why error) (string, error) {
	grace := time.After(time.Second)
	for {
		select {
		case a := <-in:
			if errors.Is(a.err, io.EOF) {
				return "the peer closed the link", nil
			}
			if a.err != nil {
				return "the link broke", asBroken(a.err)
			}
			s.receive(ctx, a.frame)
		case <-grace:
			return "the peer takes no more frames", asBroken(why)
		}
	}
}

// asBroken makes an error of the link one with the exit code of a broken bridge.
func asBroken(err error) error {
	var e *cocosim.Error
	if errors.As(err, &e) {
		return e
	}
	return &cocosim.Error{Exit: cocosim.BridgeFailed, What: "the link to the peer broke", Err: err}
}

// turn does all that is due.
func (s *session) turn(ctx context.Context) {
	now := s.now()
	if s.end == nil {
		s.resolve(ctx, now)
		return
	}
	s.end.Expire(now)
	for _, c := range s.end.Completions() {
		s.byQPN[c.QPN].completed(s, &c)
	}
	for _, w := range s.workers {
		w.post(s, now)
	}
}

// resolve asks for the peer's MAC, and starts the adapter when it is known.
func (s *session) resolve(ctx context.Context, now uint64) {
	if !s.near.known() {
		if now >= s.askNs {
			s.ours = append(s.ours, s.near.question())
			s.askNs = now + askEveryNs
		}
		return
	}
	end, err := loop.NewAdapter(ctx, s.adapter(), s.halves)
	if err != nil {
		s.broken = err
		return
	}
	s.end = end
	s.log("the peer %s is at %s", s.file.Peer.Address, s.near.peerMAC)
	for _, w := range s.workers {
		w.start(s, now)
	}
}

// failure is why the adapter does not work.
func (s *session) failure() error {
	if s.end == nil {
		return s.broken
	}
	return loop.Failure(s.end)
}

// hopeless reports whether the peer had long enough to say what its MAC is.
func (s *session) hopeless() bool {
	const usual = 60
	ask := s.file.End.AskS
	if ask == 0 {
		ask = usual
	}
	return s.end == nil && time.Since(s.began) > seconds(ask)
}

// next is the frame that leaves next; nil: none.
func (s *session) next() []byte {
	now := s.now()
	var frame []byte
	if len(s.ours) > 0 {
		frame, s.ours = s.ours[0], s.ours[1:]
	} else if s.end != nil {
		var ok bool
		if frame, ok = s.end.Next(now, nil); !ok {
			return nil
		}
	}
	if frame == nil {
		return nil
	}
	s.report.Out++
	s.wasNs = now
	if s.judge.see(now, frame, true); s.judge.Packet().BTH() != nil && s.lost() {
		return s.next()
	}
	return frame
}

// lost reports whether the next RoCE frame falls.
func (s *session) lost() bool {
	lost := s.lossy.Float64()*100 < s.file.Loss.Percent
	if lost {
		s.report.Lost++
	}
	return lost
}

// receive takes a frame.
func (s *session) receive(ctx context.Context, frame []byte) {
	now := s.now()
	s.report.In++
	s.wasNs = now
	wire.Decode(wire.LinkEthernet, frame, &s.packet)
	if s.packet.BTH() != nil && s.lost() {
		return
	}
	s.judge.see(now, frame, false)
	if answer := s.near.take(frame); answer != nil {
		s.ours = append(s.ours, answer)
		s.report.Asked++
		return
	}
	if s.end == nil {
		s.resolve(ctx, now)
	}
	if s.end != nil && s.packet.BTH() != nil { // the rest is a host's chatter
		s.end.Receive(now, frame)
	}
}

// sleep is how long nothing is due if no frame comes.
func (s *session) sleep() time.Duration {
	const long = 100 * time.Millisecond
	until := s.now() + uint64(long)
	if s.end == nil {
		until = min(until, s.askNs)
	} else if at, ok := s.end.NextTimer(); ok {
		until = min(until, at)
	}
	return time.Duration(max(0, int64(until)-int64(s.now())))
}

// over reports whether all that is wanted is done and the link was quiet long enough.
func (s *session) over(leaving []byte) bool {
	if s.file.End.When != whenDone || s.end == nil || leaving != nil {
		return false
	}
	for _, w := range s.workers {
		if posts, receives := w.left(); posts+receives > 0 && !w.dead {
			return false
		}
	}
	return s.now()-s.wasNs >= uint64(seconds(s.file.End.QuietS))
}

// finish makes the report.
func (s *session) finish() {
	r := &s.report
	r.Seconds = time.Since(s.began).Seconds()
	r.Retries, r.Dropped = map[string]uint64{}, map[string]uint64{}
	if s.end != nil {
		n := s.end.Count()
		r.CNPs = n.CNPs
		for _, rule := range slices.Sorted(maps.Keys(n.Retries)) {
			r.Retries[string(rule)] = n.Retries[rule]
		}
		for _, rule := range slices.Sorted(maps.Keys(n.Dropped)) {
			r.Dropped[string(rule)] = n.Dropped[rule]
		}
	}
	for _, w := range s.workers {
		r.QPs = append(r.QPs, w.finish(s))
	}
}

// lastly ends the judge and saves memory.
func (s *session) lastly() (err error) {
	s.report.Judged, err = s.judge.finish()
	return errors.Join(err, s.save())
}
