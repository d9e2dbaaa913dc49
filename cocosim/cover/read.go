package cover

import (
	"fmt"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// The sheet of read_engine.
func init() { declarations["read_engine"] = declareRead }

// Ports of read_engine.
const (
	readCommands sim.Port = iota
	readData
	readPieces
	readHeaders
	readPayload
	readRecords
)

// readSheet is what the sheet knows of a device: which pieces were asked for, and which of them are there.
type readSheet struct {
	o      *Observer
	beat   uint64
	asked  uint64 // pieces handed over
	oldest uint64 // the first of them that is not answered
	there  map[uint64]bool
	bytes  [hca.ReadPieces]hca.ReadPiece

	fates, counts, lanes, ends, answers, shapes *Group
}

func declareRead(o *Observer, s sim.Settings) {
	d := &readSheet{o: o, beat: s.Get("DataWidth", 512) / 8}
	o.paired = readRecords
	d.forget()
	o.restart = append(o.restart, d.forget)
	d.declare()
	o.asks = func(in *sim.Record) bool {
		if in.Port == readData {
			d.answer(in)
		}
		return in.Port == readCommands
	}
	o.pair = func(in, out *sim.Record) {
		c, r := hca.ParseReadCommand(in.Data), hca.ParseReadRecord(out.Data)
		d.record(&c, &r)
	}
	o.other = func(out *sim.Record) {
		switch out.Port {
		case readPieces:
			p := hca.ParseReadPiece(out.Data)
			d.bytes[p.Tag] = p
			d.asked++
		case readHeaders:
			h := hca.ParseReadHeader(out.Data)
			d.header(&h)
		}
	}
}

func (d *readSheet) forget() { d.asked, d.oldest, d.there = 0, 0, map[uint64]bool{} }

func (d *readSheet) declare() {
	d.fates = d.o.cross("rule: command x what became of it x responses that left", func(at []int, b *Bin) {
		b.Rules = []string{"RSP-7", "RSP-13"}
		switch status := hca.ReadStatus(at[1]); {
		case (at[0] == 2) != (status == hca.ReadCleared), status == hca.ReadCleared && at[2] > 0:
			b.Illegal = "a clear is cleared, and answers nothing"
		case status == hca.ReadDone && at[2] == 0:
			b.Illegal = "a READ has a response"
		case status == hca.ReadError:
			b.Rules = []string{"DMA-7"}
		}
	}, Axis{"READ", "duplicate", "clear"}, Axis{"done", "given up", "error", "cleared"}, Axis{"0", "1", "2 to 7", "more"})
	d.counts = d.o.cross("rule: PMTU x bytes of a READ that is done", func(at []int, b *Bin) {
		if b.Rules = []string{"LEN-1"}; at[0] == 0 && at[1] == 2 {
			b.Ignored = "PMTU is more than a piece"
		}
	}, Axis{"256", "512", "1024", "2048", "4096"}, Axis{"none", "a beat at most", "below PMTU",
		"below PMTU, a piece at most", "PMTU", "one more", "a multiple", "more"})
	d.lanes = d.o.cross(fmt.Sprintf("byte of the beat of %d where a READ begins x beats more of memory than of payload",
		d.beat), func(at []int, b *Bin) {
		if at[0] == 0 && at[1] == 1 {
			b.Illegal = "nothing is shifted"
		}
	}, numbers(int(d.beat)), Axis{"0", "1"})
	d.ends = d.o.cross(fmt.Sprintf("bytes in the last beat of %d of a READ, less 1", d.beat), nil, numbers(int(d.beat)))
	d.answers = d.o.cross("rule: pieces older than what memory gives that are not there x what it gives",
		func(at []int, b *Bin) {
			if at[0] > 0 && at[1] > 0 && at[1] < 3 {
				b.Rules = []string{"DMA-7"}
			}
		}, Axis{"not asked for", "0", "1", "2 to 7", "8 and more"}, Axis{"good", "error", "less", "more"})
	d.shapes = d.o.cross("rule: opcode x bytes", func(at []int, b *Bin) {
		b.Rules = []string{"OPC-1", "OPC-2"}
		switch {
		case at[0] < 2 && at[1] != 2 && at[1] != 5, at[1] == 0 && at[0] != 3:
			b.Illegal = "First and Middle have PMTU, all but Only something"
		case at[0] == 0 && at[1] == 3, at[0] == 1 && at[1] == 3:
			b.Illegal = "no PMTU"
		}
	}, Axis{"First", "Middle", "Last", "Only"}, Axis{"0", "below 256", "a PMTU", "another multiple of 4", "any", "4096"})
}

// answer notes what memory gives: of which piece, as far as it has been seen to be asked for, and how many older ones
// are waited for.
func (d *readSheet) answer(in *sim.Record) {
	tag, what := uint64(in.User%hca.ReadPieces), 0
	number := d.oldest + (tag-d.oldest)%hca.ReadPieces
	p := d.bytes[tag]
	need := int(p.Address%hca.ReadLineBytes) + int(p.Bytes)
	switch {
	case in.User >= hca.ReadPieces:
		what = 1
	case len(in.Data) < need:
		what = 2
	case len(in.Data) > hca.ReadPieceBytes:
		what = 3
	}
	if number >= d.asked || d.there[number] {
		d.o.hit(d.answers, 0, what)
		return
	}
	older := uint64(0)
	for n := d.oldest; n < number; n++ {
		older += uint64(bit(!d.there[n]))
	}
	at := int(min(older, 2))
	if older >= 8 {
		at = 3
	}
	d.o.hit(d.answers, 1+at, what)
	for d.there[number] = true; d.there[d.oldest]; d.oldest++ {
		delete(d.there, d.oldest)
	}
}

// header notes a response.
func (d *readSheet) header(h *hca.ReadHeader) {
	n := h.Bytes
	size := 4
	switch {
	case n == 0:
		size = 0
	case n == 4096:
		size = 5
	case n&(n-1) == 0 && n >= 256:
		size = 2
	case n < 256:
		size = 1
	case n%4 == 0:
		size = 3
	}
	if at := int(h.Opcode) - 0x0D; at >= 0 && at < 4 {
		d.o.hit(d.shapes, at, size)
	}
}

// record notes what became of a command.
func (d *readSheet) record(c *hca.ReadCommand, r *hca.ReadRecord) {
	kind := bit(c.Resumed)
	if c.Clear {
		kind = 2
	}
	left := int(min(r.Count, 2))
	if r.Count > 7 {
		left = 3
	}
	d.o.hit(d.fates, kind, int(r.Status), left)
	if r.Status != hca.ReadDone {
		return
	}
	n, mtu := uint64(c.Bytes), uint64(c.MTU())
	size := 7
	switch {
	case n == 0:
		size = 0
	case n <= d.beat:
		size = 1
	case n <= hca.ReadPieceBytes && n < mtu:
		size = 3
	case n < mtu:
		size = 2
	case n == mtu:
		size = 4
	case n == mtu+1:
		size = 5
	case n%mtu == 0:
		size = 6
	}
	if pmtu := int(c.PMTU); pmtu >= 1 && pmtu <= 5 {
		d.o.hit(d.counts, pmtu-1, size)
	}
	if n > 0 {
		offset := c.Address % d.beat
		d.o.hit(d.lanes, int(offset), int((offset+n-1)/d.beat-(n-1)/d.beat))
		d.o.hit(d.ends, int((n-1)%d.beat))
	}
}

// ignoreRead: bits of what read_engine gives that are never 1.
func ignoreRead(name string) string {
	var at int
	if _, err := fmt.Sscanf(name, "count[%d]", &at); err == nil && at > 6 {
		return "an episode's memory gives too little for so many responses"
	}
	if _, err := fmt.Sscanf(name, "opcode[%d]", &at); err == nil && at > 4 {
		return "READ responses are 0Dh to 10h"
	}
	return ""
}
