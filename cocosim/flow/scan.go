package flow

import (
	"errors"
	"io"
	"net/netip"

	"hcacosim/model/ib"
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
	macs               map[addr]*macVote
	pmtus              map[key]uint32
	hosts              map[[2]addr]uint32
	mixed              map[[2]addr]bool // more than one PMTU between the hosts
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
	return &Scan{macs: map[addr]*macVote{}, pmtus: map[key]uint32{}, hosts: map[[2]addr]uint32{},
		mixed: map[[2]addr]bool{}}
}

func (s *Scan) take(f *vectors.Frame, w *wire.Packet) {
	wire.DecodeCut(f.Link, f.Data, f.OrigLen, w)
	if w.Op == nil || w.Bad.Reason != wire.WellFormed && !cutBehindHeaders(w) {
		return
	}
	switch w.ICRC() {
	case wire.ICRCGood, wire.ICRCUndecided:
		s.look(w)
	case wire.ICRCBad: // who sent what is mostly right all the same
		if h := w.IPv4(); h == nil || h.ChecksumGood() {
			s.ends(w)
		}
	}
}

func (s *Scan) look(w *wire.Packet) {
	src, dst := s.ends(w)
	n := payloadBytes(w)
	switch {
	case w.Op.Length == ib.WholePMTU && ib.ValidPMTU(int(n)):
	default:
		return
	}
	k := key{src: src, dst: dst, qpn: w.BTH().DestQP(), service: w.Op.Transport}
	if w.Op.Response {
		// The queue pair that asks is known, the one that answers is not: only the hosts can be told.
		s.sees([2]addr{dst, src}, n)
		return
	}
	if len(s.pmtus) < maxScanned {
		s.pmtus[k] = n
		s.sees([2]addr{src, dst}, n)
	}
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

// macVote finds the MAC that most frames of an address have: a flipped MAC leaves the ICRC good.
type macVote struct {
	mac   [6]byte
	ahead int
}

func (v *macVote) add(mac [6]byte) {
	switch {
	case v.mac == mac:
		v.ahead++
	case v.ahead == 0:
		v.mac, v.ahead = mac, 1
	default:
		v.ahead--
	}
}

func (s *Scan) vote(a addr) *macVote {
	v := s.macs[a]
	if v == nil {
		v = new(macVote)
		s.macs[a] = v
	}
	return v
}

func (s *Scan) macOf(a addr) ([6]byte, bool) {
	if v := s.macs[a]; v != nil && v.ahead > 0 {
		return v.mac, true
	}
	return [6]byte{}, false
}

// pmtu is what was seen on the half, or else between its hosts; else the largest, which takes every message for one
// packet. sure: nothing else was seen there.
func (s *Scan) pmtu(k *key) (n uint32, sure bool) {
	n, sure = s.pmtus[*k]
	for _, hosts := range [][2]addr{{k.src, k.dst}, {k.dst, k.src}} {
		if seen, ok := s.hosts[hosts]; ok && n == 0 {
			n, sure = seen, !s.mixed[hosts]
		}
	}
	if n == 0 {
		n = ib.MaxPMTU
	}
	return n, sure
}

// sees notes a PMTU between two hosts; different ones are told.
func (s *Scan) sees(hosts [2]addr, n uint32) {
	before, ok := s.hosts[hosts]
	if ok && before != n {
		s.mixed[hosts] = true
	}
	if ok || len(s.hosts) < maxScanned {
		s.hosts[hosts] = max(n, before)
	}
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
