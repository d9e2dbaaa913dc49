package shrink

import (
	"slices"
	"strings"

	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// simplify makes the records that are left plain: fewer queue pairs, smaller PSNs, fields of records 0, packets with
// short payloads and few headers. changed reports whether it found anything.
func (s *shrinker) simplify(records []sim.Offer) (_ []sim.Offer, changed bool) {
	m, err := manifest.Find(s.spec.Dut)
	if err != nil {
		return records, false
	}
	stage, ok := stages.Lookup(m.Model)
	if !ok {
		return records, false
	}
	p := plainer{shrinker: s, m: m, records: records}
	p.together()
	for i := range p.records {
		if s.late() {
			break
		}
		if stage.Ports[p.records[i].Port].Kind == sim.Axis {
			p.packet(i)
		} else {
			p.fields(i)
		}
	}
	return p.records, p.changed
}

// plainer makes records plain, one thing after the other.
type plainer struct {
	*shrinker
	m       *manifest.Manifest
	records []sim.Offer
	changed bool
}

// try takes the first of the lists with which the run still fails in the same way; false where there is none.
func (p *plainer) try(lists ...[]sim.Offer) bool {
	lists = slices.DeleteFunc(lists, func(l []sim.Offer) bool { return same(l, p.records) })
	i := p.first(len(lists), func(i int) []sim.Offer { return lists[i] })
	if i < 0 {
		return false
	}
	p.records, p.changed = lists[i], true
	p.tell(p.records)
	return true
}

func alike(a, b sim.Offer) bool {
	return a.User == b.User && a.NotBefore == b.NotBefore && string(a.Data) == string(b.Data)
}

func same(a, b []sim.Offer) bool { return slices.EqualFunc(a, b, alike) }

// is reports whether record i is r already.
func (p *plainer) is(i int, r sim.Offer) bool { return alike(p.records[i], r) }

// with is the records with another record i.
func (p *plainer) with(i int, r sim.Offer) []sim.Offer {
	out := slices.Clone(p.records)
	out[i] = r
	return out
}

// place is a field in the records of a port.
type place struct {
	name     string
	port     sim.Port
	at, bits int
}

// places are the fields of all ports.
func (p *plainer) places() (all []place) {
	for port := range p.m.Ports {
		at := 0
		for _, f := range p.m.Ports[port].Layout {
			all = append(all, place{f.Name, sim.Port(port), at, f.Width.Bits})
			at += f.Width.Bits
		}
	}
	return all
}

// isQP reports whether a field names the queue pair or the connection that a record is about.
func (f place) isQP() bool { return f.name == "qpn" || f.name == "conn" }

// isPSN reports whether a field is a place in the ring of PSNs.
func (f place) isPSN() bool {
	return strings.HasPrefix(f.name, "psn") || f.name == "base" || f.name == "next"
}

// together changes what records share: a PSN means nothing but in relation to the PSNs of its queue pair.
func (p *plainer) together() {
	var qps, psns []place
	for _, f := range p.places() {
		switch {
		case f.isQP():
			qps = append(qps, f)
		case f.isPSN():
			psns = append(psns, f)
		}
	}
	p.try(p.renumbered(qps, func(int) uint64 { return 0 }))
	dense := func(from int) []sim.Offer {
		return p.renumbered(qps, func(nth int) uint64 { return uint64(nth + from) })
	}
	if !same(dense(0), p.records) && !p.try(dense(0)) {
		p.try(dense(1))
	}
	p.try(p.moved(qps, psns))
	for _, f := range p.places() {
		if p.late() {
			return
		}
		p.try(p.changedBy(func(r *sim.Offer) { f.put(r, 0) }))
	}
}

// changedBy is the records with a change to each.
func (p *plainer) changedBy(change func(r *sim.Offer)) []sim.Offer {
	out := slices.Clone(p.records)
	for i := range out {
		out[i].Data = slices.Clone(out[i].Data)
		change(&out[i])
	}
	return out
}

// renumbered gives the queue pairs other numbers, by the order in which they come.
func (p *plainer) renumbered(qps []place, number func(nth int) uint64) []sim.Offer {
	var seen []uint64
	return p.changedBy(func(r *sim.Offer) {
		for _, f := range qps {
			if f.port != r.Port {
				continue
			}
			n := f.get(r)
			if !slices.Contains(seen, n) {
				seen = append(seen, n)
			}
			f.put(r, number(slices.Index(seen, n)))
		}
	})
}

// moved takes the first PSN of each queue pair for 0, and moves its others as far.
func (p *plainer) moved(qps, psns []place) []sim.Offer {
	origin := map[uint64]uint64{}
	return p.changedBy(func(r *sim.Offer) {
		qp := uint64(0)
		for _, f := range qps {
			if f.port == r.Port {
				qp = f.get(r)
			}
		}
		for _, f := range psns {
			if f.port != r.Port {
				continue
			}
			from, known := origin[qp]
			if !known {
				from = f.get(r)
				origin[qp] = from
			}
			f.put(r, f.get(r)-from)
		}
	})
}

// fields makes the fields of a record 0, or else small.
func (p *plainer) fields(i int) {
	for _, f := range p.places() {
		if f.port != p.records[i].Port || p.late() {
			continue
		}
		for _, v := range smaller(f.get(&p.records[i])) {
			r := p.records[i]
			r.Data = slices.Clone(r.Data)
			f.put(&r, v)
			if p.try(p.with(i, r)) {
				break
			}
		}
	}
}

// smaller are the values to try in place of one, the simplest first.
func smaller(v uint64) (all []uint64) {
	for _, s := range []uint64{0, 1, v & 0xFF, v >> 4, v >> 1} {
		if s < v && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	if v < 32 { // a code and no quantity: half of it means nothing
		all = all[:min(1, len(all))]
	}
	return all
}

// get is the value of a field of at most 64 bits; the low 64 of a wider one.
func (f place) get(r *sim.Offer) (v uint64) {
	for b := range min(f.bits, 64) {
		if at := f.at + b; at < 8*len(r.Data) {
			v |= uint64(r.Data[at/8]>>(at%8)&1) << b
		}
	}
	return v
}

// put sets a field, cut to its bits; those beyond 64 become 0.
func (f place) put(r *sim.Offer, v uint64) {
	if f.port != r.Port {
		return
	}
	for b := range f.bits {
		at := f.at + b
		if at >= 8*len(r.Data) {
			return
		}
		r.Data[at/8] &^= 1 << (at % 8)
		if b < 64 {
			r.Data[at/8] |= byte(v>>b&1) << (at % 8)
		}
	}
}

// queuePairs counts the queue pairs that records are about; 0 where they do not say.
func (s *shrinker) queuePairs(records []sim.Offer) int {
	m, err := manifest.Find(s.spec.Dut)
	if err != nil {
		return 0
	}
	seen := map[uint64]bool{}
	for _, f := range (&plainer{m: m}).places() {
		for i := range records {
			if f.isQP() && f.port == records[i].Port {
				seen[f.get(&records[i])] = true
			}
		}
	}
	return len(seen)
}
