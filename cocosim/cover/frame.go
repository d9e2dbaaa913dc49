package cover

import (
	"fmt"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// The sheet of tx_frame.
func init() { declarations["tx_frame"] = declareFrame }

// Ports of tx_frame.
const (
	framePackets sim.Port = iota
	frameMemory
	framePieces
	frameRecords
)

var frameOps = Axis{"packet", "set", "own", "3", "4", "5", "6", "7"}

var frameWhys = Axis{"sent or done", "no way", "no encapsulation", "no such", "gather list", "memory error",
	"failed before"}

var frameWays = Axis{"RoCEv1", "IPv4", "IPv6", "IB local", "IB global"}

// frameSheet is what the sheet knows of a device: the ways that were set, and which pieces memory has given.
type frameSheet struct {
	o     *Observer
	beat  int
	ways  map[uint32]hca.FrameWay
	asked map[uint8]hca.ReadPiece // under way
	tag   uint8                   // of the piece that memory gave last
	named map[ib.Opcode]int

	whys, opcodes, tags, payloads, lanes, heads, pieces, answers, orders *Group
}

func declareFrame(o *Observer, s sim.Settings) {
	d := &frameSheet{o: o, beat: int(s.Get("DataWidth", 512)) / 8, named: map[ib.Opcode]int{}}
	o.paired = frameRecords
	d.forget()
	o.restart = append(o.restart, d.forget)
	d.declare()
	o.asks = func(in *sim.Record) bool {
		if in.Port == frameMemory {
			d.answer(in)
		}
		return in.Port == framePackets
	}
	o.pair = func(in, out *sim.Record) {
		q := hca.ParseFrameRecord(in.Data)
		d.record(&q, hca.FrameWhy(number(out.Data, 51, 53)))
	}
	o.other = func(out *sim.Record) {
		if out.Port == framePieces {
			p := hca.ParseReadPiece(out.Data)
			d.asked[p.Tag] = p
			d.o.hit(d.pieces, bit(p.Address%hca.ReadPieceBytes != 0), bit(p.Address%hca.ReadPieceBytes+uint64(p.Bytes) <
				hca.ReadPieceBytes))
		}
	}
}

func (d *frameSheet) forget() { d.ways, d.asked = map[uint32]hca.FrameWay{}, map[uint8]hca.ReadPiece{} }

func (d *frameSheet) declare() {
	allowed := [][]int{{0, 1, 2, 3, 4, 5, 6}, {0}, {0}, {3}, {3}, {3}, {3}, {3}}
	d.whys = d.o.mayBe(frameOps, frameWhys, allowed, func(op, why int) []string {
		switch {
		case op == 0 && why == int(hca.FrameMemory):
			return []string{"DMA-7"}
		case op == 0 && why == int(hca.FrameNoSuch):
			return []string{"OPC-1"}
		}
		return nil
	})
	names := Axis{}
	for i, op := range txOpcodes {
		d.named[op] = i
		names = append(names, ib.Lookup(op).Name)
	}
	d.opcodes = d.o.cross("rule: opcode that leaves x way", func(at []int, b *Bin) {
		b.Rules = []string{"OPC-1", "OPC-2", "END-1"}
	}, names, frameWays)
	d.tags = d.o.cross("way x tags", nil, frameWays[:3], Axis{"0", "1", "2"})
	d.payloads = d.o.cross("rule: payload that leaves x pad", func(at []int, b *Bin) {
		switch b.Rules = []string{"LEN-1"}; {
		case at[0] == 0 && at[1] > 0:
			b.Illegal = "no payload, no pad"
		case at[0] == 3 && at[1] > 0:
			b.Illegal = "a multiple of 4"
		}
	}, Axis{"0", "1 to 255", "256 to 4095", "4096"}, numbers(4))
	d.lanes = d.o.cross(fmt.Sprintf("byte of a beat of %d that a payload begins at in memory", d.beat), nil,
		numbers(d.beat))
	d.heads = d.o.cross("rule: a READ goes on x its address turns over", func(at []int, b *Bin) {
		if b.Rules = []string{"REQ-7"}; at[0] == 0 && at[1] == 1 {
			b.Illegal = "the whole READ begins where it begins"
		}
	}, noYes, noYes)
	d.pieces = d.o.cross("a piece begins inside a piece's place x ends inside it", nil, noYes, noYes)
	d.answers = d.o.cross("rule: what memory gives", func(_ []int, b *Bin) { b.Rules = []string{"DMA-7"} },
		Axis{"good", "more than asked", "less", "error"})
	d.orders = d.o.cross("its tag behind the one before", nil, Axis{"the next", "before it", "further"})
}

// answer counts what memory gives for a piece that was asked for.
func (d *frameSheet) answer(in *sim.Record) {
	tag := uint8(in.User % hca.ReadPieces)
	p, asked := d.asked[tag]
	if !asked {
		return
	}
	delete(d.asked, tag)
	end := int(p.Address%hca.ReadLineBytes) + int(p.Bytes)
	kind := 0
	switch {
	case in.User&hca.ReadPieces != 0:
		kind = 3
	case len(in.Data) < end:
		kind = 2
	case len(in.Data) > end:
		kind = 1
	}
	d.o.hit(d.answers, kind)
	order := 2
	switch behind := (tag - d.tag) % hca.ReadPieces; {
	case behind == 1:
		order = 0
	case behind >= hca.ReadPieces/2:
		order = 1
	}
	d.tag = tag
	d.o.hit(d.orders, order)
}

func (d *frameSheet) record(q *hca.FrameRecord, why hca.FrameWhy) {
	d.o.hit(d.whys, int(q.Op), int(why))
	switch {
	case q.Op == hca.FrameSet:
		d.ways[q.QPN] = q.Way
		return
	case q.Op != hca.FramePacket || why != hca.FrameGood:
		return
	}
	w := d.ways[q.QPN]
	way := int(w.Encap) - int(wire.EncapRoCEv1)
	op, known := d.named[q.Opcode]
	if !known || way < 0 || way >= len(frameWays) {
		return // the check says so
	}
	d.o.hit(d.opcodes, op, way)
	if way < 3 {
		d.o.hit(d.tags, way, int(min(w.Tags, 2)))
	}
	n := q.Payload()
	size := 0
	switch {
	case n == hca.FrameLongest:
		size = 3
	case n >= hca.ReadPieceBytes:
		size = 2
	case n > 0:
		size = 1
	}
	d.o.hit(d.payloads, size, -n&3)
	if n > 0 {
		d.o.hit(d.lanes, int((q.Address+uint64(q.Offset))%uint64(d.beat)))
	}
	if q.Opcode.Shape().Verb == ib.VerbRead {
		d.o.hit(d.heads, bit(q.Offset > 0), bit(q.VA+uint64(q.Offset) < q.VA))
	}
}
