package roce

// Access is a set of permissions of remote peers, numbered as verbs numbers them.
type Access uint16

const (
	LocalWrite   Access = 1
	RemoteWrite  Access = 2
	RemoteRead   Access = 4
	RemoteAtomic Access = 8
	WindowBind   Access = 16     // of a region: windows may be bound to it
	OnDemand     Access = 1 << 6 // of a region: a page may have to be fetched before it is used (RSP-9)
	FlushGlobal  Access = 1 << 8
	// FlushPersistent and FlushGlobal are the permissions for the bits of PLT (RSP-16).
	FlushPersistent Access = 1 << 9
)

// Region is memory that an R_Key opens: a memory region or a bound window.
type Region struct {
	RKey   uint32
	VA     uint64
	Len    uint64
	Access Access
	LKey   uint32 // of a region: what a bind names it by
	PD     uint32 // protection domain: QPs of another one may not use it (RSP-1)
	Window bool   // a window: its key can be invalidated by the peer
}

// MaxRegions is how many keys a responder knows.
const MaxRegions = 4

// regions is the table of keys. A zero Len is no entry.
type regions [MaxRegions]Region

// allows reports whether length bytes at va may be used with the key in a protection domain.
func (t *regions) allows(rkey, pd uint32, va, length uint64, need Access) bool {
	r := t.find(rkey, pd)
	return r != nil && r.Opens(pd, need) && r.Covers(va, length)
}

// Opens reports whether a QP of a protection domain may use the region for all that need says (RSP-1).
func (r *Region) Opens(pd uint32, need Access) bool { return r.PD == pd && r.Access&need == need }

// Covers reports whether length bytes at va lie in the region (RSP-1). The sum is made so that it cannot wrap.
func (r *Region) Covers(va, length uint64) bool {
	return va >= r.VA && length <= r.Len && va-r.VA <= r.Len-length
}

// opens reports whether a key may be used at all.
func (t *regions) opens(rkey, pd uint32, need Access) bool {
	r := t.find(rkey, pd)
	return r != nil && r.Opens(pd, need)
}

// find returns what a key opens in a protection domain, nil if it is nothing.
func (t *regions) find(rkey, pd uint32) *Region {
	for i := range t {
		if r := &t[i]; r.Len != 0 && r.RKey == rkey {
			if r.PD != pd {
				return nil
			}
			return r
		}
	}
	return nil
}

// bind makes a window over part of the region that a local key names in the window's protection domain. A window that
// its peer may write to needs a region that may be written. Its key opens nothing else from then on; a window of no
// bytes opens nothing at all.
func (t *regions) bind(w Region, lkey uint32) bool {
	parent, place := -1, -1
	for i := range t {
		switch r := &t[i]; {
		case r.Len == 0:
			if place < 0 {
				place = i
			}
		case r.RKey == w.RKey && r.Window:
			place = i
		case r.RKey == w.RKey:
			return false
		}
		if r := &t[i]; r.Len != 0 && !r.Window && r.LKey == lkey && r.PD == w.PD {
			parent = i
		}
	}
	if parent < 0 || !t[parent].holds(&w) {
		return false
	}
	w.Window = true
	switch {
	case w.Len == 0:
		t.invalidate(w.RKey, w.PD)
	case place < 0:
		return false
	default:
		t[place] = w
	}
	return true
}

// holds reports whether a window may be bound to the region.
func (r *Region) holds(w *Region) bool {
	need := WindowBind
	if w.Access&(RemoteWrite|RemoteAtomic) != 0 {
		need |= LocalWrite
	}
	return r.Access&need == need && w.VA >= r.VA && w.Len <= r.Len && w.VA-r.VA <= r.Len-w.Len
}

// invalidate removes a window's key.
func (t *regions) invalidate(rkey, pd uint32) bool {
	for i := range t {
		if t[i].Len != 0 && t[i].Window && t[i].RKey == rkey && t[i].PD == pd {
			t[i] = Region{}
			return true
		}
	}
	return false
}
