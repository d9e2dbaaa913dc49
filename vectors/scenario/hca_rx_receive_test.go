package scenario

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// hcaRxReceives are how often 20,000 records of hca-rx-receive have, at least, packets that fill a receive WQE or not
// quite, and datagrams.
var hcaRxReceives = map[string]int{
	"filled": 150, "First or Middle filled": 15, "Last filled": 50, "Only filled": 50, "datagram filled": 20,
	"all but a byte": 40, "datagram, all but a byte": 8, "too long": 45, "datagram too long": 20,
	"datagram": 350, "datagram taken": 140, "datagram taken, shared queue": 45, "datagram with immediate": 60,
	"another Q_Key": 45, "Q_Key bits": 22, "marked datagram": 45, "no WQE for a datagram": 100,
	"a message of more than 64 KiB": 100, "the QP is removed": 15,
	"to a QP that has failed": 5,
}

// TestHcaRxReceive: receive WQEs are filled by every kind of packet, or all but a byte, and datagrams come of every
// kind (RSP-1, RSP-4).
func TestHcaRxReceive(t *testing.T) {
	s, err := Lookup("hca-rx-receive")
	require.NoError(t, err)
	spec := hcaRxStage(t)
	stage := spec.New(sim.Settings{})
	c := hcaRxFilled{rooms: map[uint32]uint32{}, seen: map[string]int{}, keys: map[int]bool{}}
	each(t, s, 1, 20_000, func(i uint64, one *Case) {
		in := sim.Record{Start: one.NotBefore, End: one.NotBefore, Seq: i, Port: one.Port, User: uint32(one.Link),
			Data: one.Frame}
		if one.HasUser {
			in.User = one.User
		}
		c.seen[string(one.Why)]++
		if one.Port == 1 {
			c.operation(one.Frame)
		}
		for _, out := range stage.Advance(one.NotBefore, []sim.Record{in}, nil) {
			if spec.Ports[out.Port].Name == "m_rec" && one.Port == 0 {
				c.frame(one, out.Data)
			}
		}
	})
	c.seen["Q_Key bits"] = len(c.keys)
	t.Log(c.seen)
	for what, least := range hcaRxReceives {
		require.GreaterOrEqual(t, c.seen[what], least, what)
	}
}

type hcaRxFilled struct {
	rooms  map[uint32]uint32 // bytes of a receive WQE, by its number
	seen   map[string]int
	keys   map[int]bool // bits of Q_Keys that were wrong
	qkeys  [64]uint32
	shared [64]bool
}

// operation takes note of what software posts and sets.
func (c *hcaRxFilled) operation(data []byte) {
	var target hca.HcaRxTarget
	l := sim.ReadLayout(data)
	sim.Field(&l, &target, 4)
	switch target {
	case hca.ToReceiveQueues:
		var op hca.RQOp
		var qpn, queue, room, wqe uint32
		var shared, complete bool
		sim.Field(&l, &op, 3)
		sim.Field(&l, &qpn, 24)
		sim.Field(&l, &queue, 24)
		l.Flag(&shared)
		l.Flag(&complete)
		sim.Field(&l, &room, 32)
		if sim.Field(&l, &wqe, 32); op == hca.RQPost {
			c.rooms[wqe] = room
		}
	case hca.ToClassify:
		q := hca.ParseClassifyQuery(shifted(data))
		if q.Op == hca.ClassifySet && q.DestQP < 64 {
			c.qkeys[q.DestQP], c.shared[q.DestQP] = q.QKey, q.Shared
		}
	}
}

// shifted is a record behind the four bits of its target.
func shifted(data []byte) []byte {
	all := make([]byte, len(data)+8)
	for i := range data {
		all[i] = data[i] >> 4
		if i+1 < len(data) {
			all[i] |= data[i+1] << 4
		}
	}
	return all
}

// frame counts what became of a frame, by its record.
func (c *hcaRxFilled) frame(one *Case, d []byte) {
	var p wire.Packet
	wire.Decode(one.Link, one.Frame, &p)
	if p.Op == nil || d[6]&7 != 1 {
		return
	}
	executed, why := d[6]>>7|d[7]&3 == 0, d[7]>>2&31
	word := func(at int) uint32 { // of four bytes from the middle of one on
		return uint32(d[at])>>4 | uint32(d[at+1])<<4 | uint32(d[at+2])<<12 | uint32(d[at+3])<<20 | uint32(d[at+4])<<28
	}
	shape, kind := p.Op.Opcode.Shape(), ""
	qpn := uint32(d[0]) | uint32(d[1])<<8 | uint32(d[2])<<16
	if shape.Verb != ib.VerbSend {
		return
	}
	if op := p.Op.Opcode; op == ib.Join(ib.UD, ib.SendOnly) || op == ib.Join(ib.UD, ib.SendOnlyImm) {
		kind = "datagram"
		c.datagram(&p, d, qpn, executed, why)
	}
	room, known := c.rooms[word(20)]
	switch used := word(16) + uint32(len(p.Payload)); {
	case executed && known && used == room:
		c.seen["filled"]++
		switch {
		case kind != "":
			c.seen["datagram filled"]++
		case shape.First && shape.Last:
			c.seen["Only filled"]++
		case shape.First:
			c.seen["First or Middle filled"]++
		case shape.Last:
			c.seen["Last filled"]++
		default:
			c.seen["First or Middle filled"]++
		}
	case executed && known && used+1 == room:
		c.seen[map[string]string{"": "all but a byte", "datagram": "datagram, all but a byte"}[kind]]++
	case !executed && why == 14:
		c.seen[map[string]string{"": "too long", "datagram": "datagram too long"}[kind]]++
	}
}

func (c *hcaRxFilled) datagram(p *wire.Packet, d []byte, qpn uint32, executed bool, why uint8) {
	c.seen["datagram"]++
	c.seen[fmt.Sprintf("datagram, why %d", why)]++
	tclass := uint8(0)
	switch p.Encap {
	case wire.EncapRoCEv2IPv4:
		tclass = p.IPv4().TOS()
	case wire.EncapRoCEv2IPv6:
		tclass = p.IPv6().TClass()
	}
	if tclass&3 == 3 {
		c.seen["marked datagram"]++
	}
	switch wrong := p.DETH().QKey() ^ c.qkeys[qpn%64]; {
	case why == 9:
		c.seen["no WQE for a datagram"]++
	case why == 16:
		c.seen["another Q_Key"]++
		c.keys[bits.TrailingZeros32(wrong)] = true
	}
	if executed {
		c.seen["datagram taken"]++
		if qpn < 64 && c.shared[qpn] {
			c.seen["datagram taken, shared queue"]++
		}
		if p.Op.Opcode == ib.Join(ib.UD, ib.SendOnlyImm) {
			c.seen["datagram with immediate"]++
		}
	}
}
