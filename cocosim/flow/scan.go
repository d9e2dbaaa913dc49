package flow

import (
	"cmp"
	"errors"
	"io"
	"net/netip"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
)

// scanFrames is how many frames the first look takes; maxScanned how many directions it remembers.
const (
	scanFrames = 1 << 16
	maxScanned = 1 << 14
)

// Scan is what a first look at a capture tells.
type Scan struct {
	hasFirst           bool
	firstSrc, firstDst addr // of the first request
	macs               map[addr]*vote[[6]byte]
	sights             map[key][]*sight
	asked              map[askedKey]*sight // READs; nil where several directions have the PSN
	scanned            int                 // sights
	hosts              map[[2]addr]uint32  // the longest First or Middle between two hosts
	partitions         partitions
	lives              lives
	talks              map[[2]addr]*talked // by who sends and who receives
	grain              stampGrain
}

// sight is what was seen of one direction of one connection.
type sight struct {
	fromNS, lastNS int64
	top            psn.PSN
	reach          int32 // of the longest READ, in packets
	pmtu           vote[uint32]
	longest        uint32 // of the other payloads
}

type askedKey struct {
	requester, responder addr
	psn                  psn.PSN
}

// ScanCapture looks at the first frames of a file.
func ScanCapture(path string) (*Scan, error) {
	in, err := capture.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return ScanReader(in)
}

// ScanReader is ScanCapture of what is open already.
func ScanReader(in capture.Source) (*Scan, error) {
	s := newScan()
	var w wire.Packet
	for range scanFrames {
		f, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s, nil // the real reading will say so
		}
		s.take(&f, &w)
	}
	return s, nil
}

// ScanFrames looks at frames in memory as ScanCapture looks at those of a file.
func ScanFrames(list []vectors.Frame) *Scan {
	s := newScan()
	var w wire.Packet
	for i := range list[:min(len(list), scanFrames)] {
		s.take(&list[i], &w)
	}
	return s
}

func newScan() *Scan {
	return &Scan{macs: map[addr]*vote[[6]byte]{}, sights: map[key][]*sight{}, asked: map[askedKey]*sight{},
		hosts: map[[2]addr]uint32{}, partitions: partitions{}, talks: map[[2]addr]*talked{},
		lives: lives{of: map[[2]addr][]*life{}, begun: map[birth]begun{}}}
}

func (s *Scan) take(f *vectors.Frame, w *wire.Packet) {
	s.grain.take(f.TimeNS)
	wire.DecodeCut(f.Link, f.Data, f.OrigLen, w)
	if w.Op == nil || w.Bad.Reason != wire.WellFormed && !cutBehindHeaders(w) {
		return
	}
	switch w.ICRC() {
	case wire.ICRCGood, wire.ICRCUndecided:
		s.look(w, f.TimeNS)
	case wire.ICRCBad: // who sent what is mostly right all the same
		if h := w.IPv4(); h == nil || h.ChecksumGood() {
			s.ends(w)
		}
	}
}

func (s *Scan) look(w *wire.Packet, timeNS int64) {
	src, dst := s.ends(w)
	s.partitions.note(src, dst, w.BTH().PKey())
	s.hear(w, src, dst, timeNS)
	hosts, x := [2]addr{src, dst}, (*sight)(nil)
	if w.Op.Response { // the queue pair that asks is known; the one that answers, by the PSN
		hosts = [2]addr{dst, src}
		at := askedKey{dst, src, w.BTH().PSN()}
		x = s.asked[at]
		delete(s.asked, at)
	} else if x = s.sightOf(key{src: src, dst: dst, qpn: w.BTH().DestQP(), service: w.Op.Transport}, timeNS, w); x == nil {
		return
	}
	n := payloadBytes(w)
	whole := w.Op.Length == ib.WholePMTU && ib.ValidPMTU(int(n))
	if whole {
		s.hosts[hosts] = max(n, s.hosts[hosts])
	}
	switch {
	case x == nil:
	case whole:
		x.pmtu.add(n)
	default:
		x.longest = max(x.longest, n)
	}
}

// sightOf is that of the connection that a request is of; a new one where another may begin: behind a pause, or far
// away. nil: there are too many.
func (s *Scan) sightOf(k key, timeNS int64, w *wire.Packet) *sight {
	list, now := s.sights[k], w.BTH().PSN()
	var x *sight
	if n := len(list); n > 0 {
		x = list[n-1]
	}
	if x == nil || timeNS-x.lastNS > endNs || !now.Within(x.top, x.reach+farPSNs) {
		if s.scanned++; s.scanned > maxScanned {
			return nil
		}
		x = &sight{fromNS: timeNS, top: now}
		s.sights[k] = append(list, x)
	}
	x.lastNS = timeNS
	if now.After(x.top) {
		x.top = now
	}
	if w.RETH() != nil && w.Op.Opcode.Shape().Verb == roce.Read {
		x.reach = max(x.reach, int32(min(w.RETH().DMALen()/ib.MinPMTU, psn.Half)))
		at, read := askedKey{k.src, k.dst, now}, x
		if other, asked := s.asked[at]; asked && !slices.Contains(s.sights[k], other) {
			read = nil
		}
		if len(s.asked) < maxScanned {
			s.asked[at] = read
		}
	}
	return x
}

// sightAt is what was seen of a direction's connection at a time; nil: nothing.
func (s *Scan) sightAt(k *key, timeNS int64) *sight {
	if s == nil {
		return nil
	}
	list := s.sights[*k]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].fromNS <= timeNS {
			return list[i]
		}
	}
	return nil
}

// PMTU is that of a connection, told by a First or Middle of its own, in the direction of requests to a queue pair; 0:
// it is not known.
func (s *Scan) PMTU(src, dst [16]byte, qpn uint32, service ib.Transport, timeNS int64) uint32 {
	if x := s.sightAt(&key{src: src, dst: dst, qpn: qpn, service: service}, timeNS); x != nil {
		return x.pmtu.of
	}
	return 0
}

// between is the largest PMTU that was seen between two hosts; else the largest that there is, which takes every
// message for one packet.
func (s *Scan) between(a, b addr) uint32 {
	if s == nil {
		return ib.MaxPMTU
	}
	return cmp.Or(s.hosts[[2]addr{a, b}], s.hosts[[2]addr{b, a}], ib.MaxPMTU)
}

// ends notes who sent the first request, and the MACs of both ends.
func (s *Scan) ends(w *wire.Packet) (src, dst addr) {
	src, dst = addresses(w)
	if !s.hasFirst && !w.Op.Response {
		s.hasFirst, s.firstSrc, s.firstDst = true, src, dst
	}
	if e := w.Ethernet(); e != nil && len(s.macs) < maxScanned {
		s.vote(src).add([6]byte(e.Src()))
		s.vote(dst).add([6]byte(e.Dst()))
	}
	return src, dst
}

// vote finds the value that most have: a flipped MAC leaves the ICRC good.
type vote[T comparable] struct {
	of    T
	ahead int
}

func (v *vote[T]) add(x T) {
	switch {
	case v.of == x:
		v.ahead++
	case v.ahead == 0:
		v.of, v.ahead = x, 1
	default:
		v.ahead--
	}
}

func (s *Scan) vote(a addr) *vote[[6]byte] {
	v := s.macs[a]
	if v == nil {
		v = new(vote[[6]byte])
		s.macs[a] = v
	}
	return v
}

func (s *Scan) macOf(a addr) ([6]byte, bool) {
	if v := s.macs[a]; v != nil && v.ahead > 0 {
		return v.of, true
	}
	return [6]byte{}, false
}

// FirstHost is who sent the first request that was seen, or who it was for; the zero Addr if there was none.
func (s *Scan) FirstHost(receiver bool) netip.Addr {
	switch {
	case !s.hasFirst:
		return netip.Addr{}
	case receiver:
		return netip.AddrFrom16(s.firstDst).Unmap()
	}
	return netip.AddrFrom16(s.firstSrc).Unmap()
}
