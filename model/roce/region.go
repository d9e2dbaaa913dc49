package roce

// Access is a set of permissions of remote peers, numbered as verbs numbers them.
type Access uint8

const (
	RemoteWrite  Access = 2
	RemoteRead   Access = 4
	RemoteAtomic Access = 8
)

// Region is memory that an R_Key opens: a memory region or a bound window.
type Region struct {
	RKey   uint32
	VA     uint64
	Len    uint64
	Access Access
	Window bool // a window: its key can be invalidated by the peer
}

// MaxRegions is how many keys a responder knows.
const MaxRegions = 4

// regions is the table of keys. A zero Len is no entry.
type regions [MaxRegions]Region

// allows tells whether length bytes at va may be used with the key. The sum is made so that it cannot wrap.
func (t *regions) allows(rkey uint32, va, length uint64, need Access) bool {
	for i := range t {
		r := &t[i]
		if r.Len != 0 && r.RKey == rkey {
			return r.Access&need == need && va >= r.VA && length <= r.Len && va-r.VA <= r.Len-length
		}
	}
	return false
}

// invalidate removes a window's key.
func (t *regions) invalidate(rkey uint32) bool {
	for i := range t {
		if t[i].Len != 0 && t[i].Window && t[i].RKey == rkey {
			t[i] = Region{}
			return true
		}
	}
	return false
}
