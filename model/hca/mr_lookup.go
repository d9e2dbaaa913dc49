package hca

import (
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// MRLookupLatencyCycles is how many cycles after it went in a record is answered.
const MRLookupLatencyCycles = 4

// MROp is what a record on s_rec of mr_lookup is.
type MROp uint8

// A look-up, and the operations on keys.
const (
	MRCheck MROp = iota
	MRSet
	MRRemove
	MRInvalidate
)

// Operations of a memory with a code.
const (
	MRInject MROp = 6
	MRCounts MROp = 7
)

// mrContextBits are the data bits of the word of a key.
const mrContextBits = 256

// MRWhy is why a key may not be used, or an operation is not done.
type MRWhy uint8

// The reasons, in their order.
const (
	MRGood MRWhy = iota
	MRNoKey
	MRDomain
	MRPermission
	MRBounds
	MRNoWindow
	MRNoSuch // operation, or a region of no bytes
	MRTaken  // the key's index, by another key
)

// MRQuery is a record on s_rec of mr_lookup. docs/blocks/mr_lookup.md says which op uses what.
type MRQuery struct {
	Op     MROp
	RKey   uint32
	PD     uint32
	VA     uint64
	Length uint64
	Need   uint8
	Whole  bool
	Window bool
	Base   uint64
}

// MRQueryBytes is the size of a record on s_rec of mr_lookup.
const MRQueryBytes = 33

func (q *MRQuery) layout(l *sim.Layout) {
	sim.Field(l, &q.Op, 3)
	sim.Field(l, &q.RKey, 32)
	sim.Field(l, &q.PD, 24)
	l.Wide(&q.VA)
	l.Wide(&q.Length)
	sim.Field(l, &q.Need, 5)
	l.Flag(&q.Whole)
	l.Flag(&q.Window)
	l.Wide(&q.Base)
}

var mrQueryForm = sim.FormOf((*MRQuery).layout)

// Append appends the record as it goes over the port.
func (q *MRQuery) Append(b []byte) []byte {
	return mrQueryForm.Append(b, q)
}

// ParseMRQuery reads a record of MRQueryBytes.
func ParseMRQuery(b []byte) MRQuery { return mrQueryForm.Parse(b) }

// access is need as verbs number it.
func (q *MRQuery) access() roce.Access {
	return roce.Access(q.Need&7)*roce.RemoteWrite | roce.Access(q.Need>>3)*roce.FlushGlobal
}

// MRResult is a record on m_rec of mr_lookup.
type MRResult struct {
	Address uint64
	RKey    uint32
	Op      MROp
	OK      bool
	Why     MRWhy
}

func (r *MRResult) layout(l *sim.Layout) {
	l.Wide(&r.Address)
	sim.Field(l, &r.RKey, 32)
	sim.Field(l, &r.Op, 3)
	l.Flag(&r.OK)
	sim.Field(l, &r.Why, 3)
}

var mrResultForm = sim.FormOf((*MRResult).layout)

var mrLookupSpec = sim.StageSpec{
	Name:    "mr_lookup",
	Summary: "says whether a peer may use an R_Key for what it asks, and where that is",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 258},
		{Name: "m_rec", Kind: sim.Fields, Bits: 103},
	},
	New: func(s sim.Settings) sim.Stage {
		return &mrLookup{pass: pass{latencyCycles: MRLookupLatencyCycles},
			keys: Keys{numKeys: uint32(s.Get("NumQps", 4096)), ecc: eccOf(s, mrContextBits)}}
	},
}

// mrLookup is the stage of docs/blocks/mr_lookup.md.
type mrLookup struct {
	pass
	keys    Keys
	records []byte // of one Advance; its outputs share it until the next
}

func (s *mrLookup) Reset() {
	s.pass.Reset()
	s.keys.reset()
}

func (s *mrLookup) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.records = s.records[:0]
	for i := range in {
		q := ParseMRQuery(in[i].Data)
		r := s.keys.Step(&q)
		at := len(s.records)
		s.records = mrResultForm.Append(s.records, &r)
		out = s.through(out, &in[i], s.records[at:len(s.records):len(s.records)], 0)
	}
	return out
}

// Keys is what mr_lookup knows: a region for each index of a key.
type Keys struct {
	numKeys uint32
	regions byIndex[keyedRegion]
	ecc     *eccMemory // nil without
}

func (k *Keys) reset() {
	k.regions.reset()
	k.ecc.reset()
}

// keyedRegion is a region with where its first byte is for the bus.
type keyedRegion struct {
	roce.Region
	base uint64
}

// Step makes one record of one.
func (k *Keys) Step(q *MRQuery) (r MRResult) {
	r.RKey, r.Op = q.RKey, q.Op
	index := q.RKey >> 8 % k.numKeys
	if k.ecc != nil {
		if q.Op == MRInject || q.Op == MRCounts {
			return k.maintain(q, index)
		}
		if k.ecc.lost(index) {
			k.regions.delete(index)
		}
	}
	has := k.regions.get(index)
	ours := has != nil && has.RKey == q.RKey
	switch q.Op {
	case MRCheck:
		if r.Why = has.check(q, ours); r.Why == MRGood {
			r.Address = has.base + q.VA - has.VA
		}
	case MRSet:
		r.Why = k.set(q, index, has != nil && !ours)
	case MRRemove, MRInvalidate:
		if r.Why = has.removable(q, ours); r.Why == MRGood {
			k.regions.delete(index)
		}
	default:
		r.Why = MRNoSuch
	}
	r.OK = r.Why == MRGood
	return r
}

// maintain orders an injection (ECC-4), or tells the counts (ECC-5).
func (k *Keys) maintain(q *MRQuery, index uint32) MRResult {
	r := MRResult{RKey: q.RKey, Op: q.Op, OK: true}
	switch m := k.ecc; {
	case q.Op == MRCounts:
		r.Address = uint64(m.corrected) | uint64(m.failed)<<16 | uint64(m.lastCorrected)<<32 | uint64(m.lastFailed)<<48
	case !m.inject(index, int(q.VA&0xFFFF), int(q.VA>>16&0xFFFF)):
		r.OK, r.Why = false, MRNoSuch
	}
	return r
}

func (r *keyedRegion) check(q *MRQuery, ours bool) MRWhy {
	switch {
	case !ours:
		return MRNoKey
	case r.PD != q.PD:
		return MRDomain
	case !r.Opens(q.PD, q.access()):
		return MRPermission
	case !q.Whole && !r.Covers(q.VA, q.Length):
		return MRBounds
	case q.Window && !r.Window:
		return MRNoWindow
	}
	return MRGood
}

func (k *Keys) set(q *MRQuery, index uint32, taken bool) MRWhy {
	switch {
	case q.Length == 0:
		return MRNoSuch
	case taken:
		return MRTaken
	}
	k.regions.set(index, keyedRegion{roce.Region{RKey: q.RKey, VA: q.VA, Len: q.Length, Access: q.access(), PD: q.PD,
		Window: q.Window}, q.Base})
	return MRGood
}

// removable: the host may take any key away, the peer a window's of its protection domain.
func (r *keyedRegion) removable(q *MRQuery, ours bool) MRWhy {
	switch {
	case !ours:
		return MRNoKey
	case q.Op == MRRemove:
		return MRGood
	case r.PD != q.PD:
		return MRDomain
	case !r.Window:
		return MRNoWindow
	}
	return MRGood
}

// ParseMRResult reads a record on m_rec of mr_lookup.
func ParseMRResult(b []byte) MRResult { return mrResultForm.Parse(b) }
