package field

import "hcacosim/model/psn"

// stamps remembers when requests were sent, the last few of each direction: a table of fixed size in which a new one
// takes the place of an old one.
type stamps struct{ list []stamp }

const stampBits = 16

// stamp is one request.
type stamp struct {
	conn   uint32
	psn    psn.PSN
	timeNS int64
	again  bool // sent more than once: which one was answered cannot be told
	valid  bool
	asks   bool   // for an answer
	send   bool   // a SEND
	sends  uint32 // SENDs that were sent whole by then
	takes  uint32 // receive WQEs used by then
}

func (t *stamps) slot(conn uint32, p psn.PSN) *stamp {
	if t.list == nil {
		t.list = make([]stamp, 1<<stampBits)
	}
	h := (uint64(conn)<<24 | uint64(p)) * 0x9E3779B97F4A7C15
	return &t.list[h>>(64-stampBits)]
}

// find returns what is remembered of a request, nil if nothing is.
func (t *stamps) find(conn uint32, p psn.PSN) *stamp {
	if s := t.slot(conn, p); s.valid && s.conn == conn && s.psn == p {
		return s
	}
	return nil
}

func (t *stamps) put(s stamp) { *t.slot(s.conn, s.psn) = s }

// askers remembers which direction last asked under a PSN, so that a response finds the direction that it answers.
type askers struct{ list []asker }

type asker struct {
	src, dst addr
	psn      psn.PSN
	conn     *Conn
	mixed    bool // two directions did
}

const askerBits = 12

func (t *askers) slot(src, dst addr, p psn.PSN) *asker {
	if t.list == nil {
		t.list = make([]asker, 1<<askerBits)
	}
	h := uint64(p)
	for _, b := range [...]addr{src, dst} {
		for i := 8; i < 16; i++ {
			h = h*31 + uint64(b[i])
		}
	}
	h *= 0x9E3779B97F4A7C15
	return &t.list[h>>(64-askerBits)]
}

func (t *askers) note(c *Conn, p psn.PSN) {
	s := t.slot(c.key.src, c.key.dst, p)
	if s.conn != nil && s.src == c.key.src && s.dst == c.key.dst && s.psn == p && s.conn != c {
		s.mixed = true
		return
	}
	*s = asker{c.key.src, c.key.dst, p, c, false}
}

func (t *askers) find(src, dst addr, p psn.PSN) *Conn {
	s := t.slot(src, dst, p)
	if s.conn == nil || s.mixed || s.src != src || s.dst != dst || s.psn != p || s.conn.key.src != src ||
		s.conn.key.dst != dst {
		return nil
	}
	return s.conn
}
