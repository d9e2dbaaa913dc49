package cover

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// What the sheet of mr_lookup says of where a look-up lies in its region and of how a key comes and goes. It is judged
// by regions that the observer keeps itself.

// keyFate is what became of a key.
type keyFate int

const (
	keyNeverSet keyFate = iota
	keyOpen
	keyRemoved
	keyInvalidated
)

// keyTrack is a key that was set once.
type keyTrack struct {
	hca.MRQuery
	fate keyFate
}

type keyPlaces struct {
	*Observer
	numKeys uint32
	coded   bool // a memory with a code may lose a key
	keys    map[uint32]*keyTrack
	at      map[uint32]uint32 // the open key of an index

	places, edges, gone, again *Group
}

// Places of what a look-up asks for in its region.
const (
	placeWhole = iota
	placeStart
	placeInside
	placeEnd
	placeBefore
	placeBehind
	placeOutside
)

var keyPlaceNames = Axis{"the whole", "from its start", "inside", "to its end", "begins before it", "ends behind it",
	"nothing of it"}

// watchKeys adds the groups; numKeys is how many indices there are, and coded says that a word may be lost.
func watchKeys(o *Observer, numKeys uint32, coded bool) {
	k := keyPlaces{Observer: o, numKeys: numKeys, coded: coded, keys: map[uint32]*keyTrack{}, at: map[uint32]uint32{}}
	k.places = o.cross("rule: check: place in the region x bytes x reason", func(at []int, b *Bin) {
		b.Rules = []string{"RSP-1"}
		good := at[0] < placeBefore
		switch {
		case at[1] == 0 && (at[0] == placeWhole || at[0] == placeOutside):
			b.Ignored = "no byte is neither the whole of a region nor apart from it"
		case good != (at[2] == 0):
			b.Illegal = "another place has this reason"
		}
	}, keyPlaceNames, Axis{"no byte", "bytes"}, Axis{"good", "bounds"})
	k.edges = o.cross("rule: check: region at the edges of the address space x reason", nil,
		Axis{"from 0", "to 2^64", "elsewhere"}, Axis{"good", "bounds"})
	k.gone = o.cross("rule: no such key: what became of it x its index", func(at []int, b *Bin) {
		b.Rules = []string{"RSP-1"}
		if at[0] == int(keyOpen) {
			b.Illegal = "the key is there"
		}
	}, Axis{"never set", "open", "removed", "invalidated"}, Axis{"empty", "another key's"})
	k.again = o.cross("set: a key that is open, again with", nil, Axis{"the same", "another domain",
		"other addresses", "other permissions", "more than one of these"})
	o.restart = append(o.restart, func() { clear(k.keys); clear(k.at) })
	pair := o.pair
	o.pair = func(in, out *sim.Record) {
		pair(in, out)
		q := hca.ParseMRQuery(in.Data)
		k.count(&q, hca.MRWhy(number(out.Data, 100, 102)))
	}
}

func (k *keyPlaces) count(q *hca.MRQuery, why hca.MRWhy) {
	index := q.RKey >> 8 % k.numKeys
	t := k.keys[q.RKey]
	if why == hca.MRNoKey && (q.Op == hca.MRCheck || q.Op == hca.MRInvalidate) {
		fate := keyNeverSet
		switch {
		case t != nil && t.fate == keyOpen && k.coded: // lost: from here on as if removed
			if t.fate = keyRemoved; k.at[index] == q.RKey {
				delete(k.at, index)
			}
			return
		case t != nil:
			fate = t.fate
		}
		_, other := k.at[index]
		k.hit(k.gone, int(fate), bit(other))
	}
	switch {
	case q.Op == hca.MRCheck && t != nil && !q.Whole && (why == hca.MRGood || why == hca.MRBounds):
		k.place(t, q, bit(why == hca.MRBounds))
	case q.Op == hca.MRSet && why == hca.MRGood:
		if t != nil && t.fate == keyOpen {
			k.hit(k.again, keyChange(&t.MRQuery, q))
		}
		k.keys[q.RKey] = &keyTrack{*q, keyOpen}
		k.at[index] = q.RKey
	case why == hca.MRGood && (q.Op == hca.MRRemove || q.Op == hca.MRInvalidate) && t != nil:
		t.fate = keyRemoved
		if q.Op == hca.MRInvalidate {
			t.fate = keyInvalidated
		}
		delete(k.at, index)
	}
}

// place counts where a look-up lies, by distances from the region's start: a region may end at 2^64.
func (k *keyPlaces) place(t *keyTrack, q *hca.MRQuery, reason int) {
	from := q.VA - t.VA // of a look-up that begins before it a number beyond its length
	place := placeOutside
	switch {
	case q.VA < t.VA && (q.Length == 0 || q.VA+q.Length > t.VA || q.VA+q.Length < q.VA):
		place = placeBefore
	case q.VA < t.VA:
	case q.Length > 0 && from >= t.Length:
	case from > t.Length || q.Length > t.Length-from:
		place = placeBehind
	case from == 0 && q.Length == t.Length:
		place = placeWhole
	case from == 0:
		place = placeStart
	case from+q.Length == t.Length:
		place = placeEnd
	default:
		place = placeInside
	}
	k.hit(k.places, place, bit(q.Length > 0), reason)
	edge := 2
	if t.VA == 0 {
		edge = 0
	} else if t.VA+t.Length == 0 {
		edge = 1
	}
	k.hit(k.edges, edge, reason)
}

// keyChange is in what a key is set anew.
func keyChange(was, is *hca.MRQuery) int {
	changed := []int{0}
	if was.PD != is.PD {
		changed = append(changed, 1)
	}
	if was.VA != is.VA || was.Length != is.Length || was.Base != is.Base {
		changed = append(changed, 2)
	}
	if was.Need != is.Need || was.Window != is.Window {
		changed = append(changed, 3)
	}
	if len(changed) > 2 {
		return 4
	}
	return changed[len(changed)-1]
}
