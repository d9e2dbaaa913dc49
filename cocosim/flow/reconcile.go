package flow

import (
	"fmt"

	"hcacosim/model/ib"
)

// Reconcile holds a sidecar against the first look. Where both ends agree on another value from the first packet on,
// and the one takes what the other sends, the sidecar is wrong and not they. It returns the sidecar with the values
// that the packets have, and what was wrong; the one that was given where nothing was.
func Reconcile(given *Sidecar, look *Scan) (s *Sidecar, why []string) {
	if given == nil || look == nil {
		return given, nil
	}
	r := reconciler{Sidecar: *given}
	a, b := given.A.addr(), given.B.addr()
	r.to[0], r.to[1] = look.talks[[2]addr{a, b}], look.talks[[2]addr{b, a}]
	r.services()
	for i := range r.to {
		if r.ofOne(i) {
			r.numbers(i)
		}
		if _, to, _, _ := r.ends(i); r.ofOne(i) && r.to[i].qpn.of == to.QPN {
			r.starts(i)
		} else {
			r.to[i] = nil // of other connections, too
		}
	}
	r.pmtus()
	if len(r.why) == 0 {
		return given, nil
	}
	return &r.Sidecar, r.why
}

// Sidecar is what the capture is judged by: the one that was given, or as the packets show it to be; nil without one.
func (c *Checker) Sidecar() *Sidecar { return c.opt.Sidecar }

// reconciler is a sidecar that is held against the packets from A to B and those from B to A.
type reconciler struct {
	Sidecar
	to  [2]*talked
	why []string
}

// ofOne reports whether all packets of a way are for one queue pair of the sidecar's service.
func (r *reconciler) ofOne(way int) bool {
	x := r.to[way]
	return x != nil && x.service.of == services[r.QPType] && !x.service.mixed && !x.qpn.mixed
}

func (r *reconciler) doubt(format string, args ...any) {
	r.why = append(r.why, fmt.Sprintf(format, args...))
}

// ends are the requester and the responder of a way, with their names.
func (r *reconciler) ends(way int) (from, to *End, a, b string) {
	if way == 1 {
		return &r.B, &r.A, "B", "A"
	}
	return &r.A, &r.B, "A", "B"
}

// services: all packets of both ends are of another service.
func (r *reconciler) services() {
	var of unanimous[ib.Transport]
	var packets, taken uint64
	for _, x := range r.to {
		if x == nil || x.packets == 0 {
			continue
		}
		of.add(x.service.of)
		of.mixed = of.mixed || x.service.mixed
		packets, taken = packets+x.packets, taken+x.taken
	}
	if packets < surePackets || !of.isNot(services[r.QPType]) || of.of == ib.RC && taken == 0 {
		return
	}
	for name, service := range services {
		if service == of.of {
			r.doubt("qp_type is %s, and all packets between A and B are of %s", r.QPType, name)
			r.QPType = name
		}
	}
}

// numbers: all packets of a way are for one other queue pair, which takes them.
func (r *reconciler) numbers(way int) {
	x := r.to[way]
	from, to, a, b := r.ends(way)
	if x.packets < 2 || !r.takes(way) {
		return
	}
	q := x.qpn.of
	if from.DestQPN != 0 && from.DestQPN != q {
		r.doubt("%s.dest_qpn is %06Xh, and all packets from %s to %s are for %06Xh, which takes them", a, from.DestQPN, a,
			b, q)
		from.DestQPN = q
	}
	if to.QPN != q {
		r.doubt("%s.qpn is %06Xh, and all packets from %s to %s are for %06Xh, which takes them", b, to.QPN, a, b, q)
		to.QPN = q
	}
}

// takes reports whether what a way is for takes it: it answers, or its requester goes on with the answers and sends
// nothing again. Nobody answers in UC and UD.
func (r *reconciler) takes(way int) bool {
	x, y := r.to[way], r.to[1-way]
	switch {
	case x.service.of == ib.UC:
		return x.requests >= surePackets
	case x.requests > 0:
		return x.taken > 0 && !x.refused
	}
	return y != nil && y.taken > 1 && y.ended > 1 && !y.again && !y.refused
}

// starts: the requests of a way begin elsewhere, and the responder takes them from there on.
func (r *reconciler) starts(way int) {
	x := r.to[way]
	from, to, a, b := r.ends(way)
	if x.service.of != ib.RC || !x.begun() {
		return
	}
	first := uint32(x.first)
	if from.SQPSN != first {
		r.doubt("%s.sq_psn is %06Xh, and the requests of %s begin with %06Xh, which %s takes", a, from.SQPSN, a, first, b)
		from.SQPSN = first
	}
	if to.RQPSN != first {
		r.doubt("%s.rq_psn is %06Xh, and the requests of %s begin with %06Xh, which %s takes", b, to.RQPSN, a, first, b)
		to.RQPSN = first
	}
}

// pmtus: packets are filled to another PMTU, either way; or messages beyond it are all sent whole, and nobody knows how
// long a packet may be.
func (r *reconciler) pmtus() {
	if r.QPType == "UD" {
		return
	}
	n, first := [2]uint32{r.to[0].agreed(), r.to[1].agreed()}, r.PathMTU
	for way, is := range n {
		_, _, a, b := r.ends(way)
		other := n[1-way]
		switch {
		case is != 0 && is != r.PathMTU && (other == 0 || other == is):
			r.doubt("path_mtu is %d, and the First and Middle packets of what %s asks of %s have %d bytes, which are taken",
				r.PathMTU, a, b, is)
			r.PathMTU = is
		case r.PathMTU == first && r.to[way].wholly(r.PathMTU) && other == 0:
			r.doubt("path_mtu is %d, and longer messages of what %s asks of %s are sent whole and taken", r.PathMTU, a, b)
			r.PathMTU, r.unsurePMTU = ib.MaxPMTU, true
		}
	}
}
