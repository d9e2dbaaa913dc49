package cover

import (
	"fmt"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// The sheet of rx_dma.
func init() { declarations["rx_dma"] = declareDMA }

// Ports of rx_dma.
const (
	dmaCommands sim.Port = iota
	dmaPayload
	dmaAcks
	_ // writes: paired with the commands that write
	dmaData
	dmaRecords
)

var dmaStatuses = Axis{"success", "flushed", "local error", "memory error", "another"}

func dmaStatus(s uint8) int {
	switch s {
	case 0:
		return 0
	case hca.DMAFlushed:
		return 1
	case hca.DMALocalError:
		return 2
	case hca.DMAMemoryError:
		return 3
	}
	return 4
}

// dmaSheet is what the sheet knows of a device: which writes are answered, and how far each QP has failed.
type dmaSheet struct {
	o       *Observer
	beat    uint64
	bound   uint32 // of the numbers of QPs
	begun   uint64 // writes told to the device, and handed over whole
	handed  uint64
	oldest  uint64          // the first write that is not answered
	answers map[uint64]bool // those beyond it that are
	counts  [hca.DMATags]uint64
	failed  map[uint32]int

	shapes, lanes, ends, order, records *Group
}

func declareDMA(o *Observer, s sim.Settings) {
	d := &dmaSheet{o: o, beat: s.Get("DataWidth", 512) / 8, bound: uint32(s.Get("NumQps", 4096))}
	o.paired = dmaAcks + 1
	d.forget()
	o.restart = append(o.restart, d.forget)
	d.declare()
	o.asks = func(in *sim.Record) bool {
		switch in.Port {
		case dmaCommands:
			c := hca.ParseDMACommand(in.Data)
			return d.command(&c)
		case dmaAcks:
			d.ack(in.Data)
		}
		return false
	}
	o.other = func(out *sim.Record) {
		switch out.Port {
		case dmaData:
			d.handed++
		case dmaRecords:
			r := hca.ParseDMARecord(out.Data)
			d.record(&r)
		}
	}
}

func (d *dmaSheet) forget() {
	d.begun, d.handed, d.oldest, d.counts = 0, 0, 0, [hca.DMATags]uint64{}
	d.answers, d.failed = map[uint64]bool{}, map[uint32]int{}
}

func (d *dmaSheet) declare() {
	beat := int(d.beat)
	d.shapes = d.o.cross("rule: payload x what becomes of it x completes", func(at []int, b *Bin) {
		if at[1] == 0 {
			b.Rules = []string{"DMA-3"}
		}
	}, Axis{"none", "1 byte", "below a beat", "a beat", "more", "4096"}, Axis{"discard", "place"}, Axis{"no", "yes"})
	d.lanes = d.o.cross(fmt.Sprintf("byte of the beat of %d where a write begins x beats more than its frame", beat),
		func(at []int, b *Bin) {
			if at[0] == 0 && at[1] == 1 {
				b.Illegal = "nothing is shifted"
			}
		}, numbers(beat), Axis{"0", "1"})
	d.ends = d.o.cross(fmt.Sprintf("bytes in the last beat of %d of a write, less 1", beat), nil, numbers(beat))
	d.order = d.o.cross("rule: writes older than the acknowledged one and not acknowledged x handed over x error",
		func(at []int, b *Bin) {
			if b.Rules = []string{"DMA-1", "DMA-2", "DMA-4"}; at[2] == 1 {
				b.Rules = []string{"DMA-5"}
			}
		}, Axis{"0", "1", "2 to 7", "8 and more"}, Axis{"not yet", "whole"}, Axis{"good", "error"})
	d.records = d.o.cross("rule: state of the QP x what is told x status", func(at []int, b *Bin) {
		b.Rules = []string{"DMA-2", "DMA-5"}
		completes := at[1]&1 != 0
		switch {
		case at[1] == 4: // cleared
			b.Rules = nil
			if at[2] > 0 {
				b.Ignored = "the status of a clear means nothing"
			}
		case !completes && at[2] > 0:
			b.Ignored = "the status means nothing where nothing completes"
		case completes && at[0] == 1 && at[2] != 3, completes && at[0] == 2 && at[2] != 1:
			b.Illegal = "10 first, then 6"
		case completes && at[1] == 3 && at[0] == 0 && at[2] != 3:
			b.Illegal = "its own write failed"
		case at[1] == 0:
			b.Illegal = "it tells nothing"
		}
	}, Axis{"good", "failing", "failed"}, Axis{"nothing", "complete", "failed", "both", "cleared"}, dmaStatuses)
}

// command notes a record, and reports whether it writes.
func (d *dmaSheet) command(c *hca.DMACommand) bool {
	size := uint64(c.Bytes)
	shape := 4
	switch {
	case size < 2:
		shape = int(size)
	case size < d.beat:
		shape = 2
	case size == d.beat:
		shape = 3
	case size == 4096:
		shape = 5
	}
	if !c.Clear {
		d.o.hit(d.shapes, shape, bit(c.Place), bit(c.Complete))
	}
	if !c.Place || size == 0 {
		return false
	}
	offset := c.Address % d.beat
	d.o.hit(d.lanes, int(offset), int((offset+size-1)/d.beat-(size-1)/d.beat))
	d.o.hit(d.ends, int((offset+size-1)%d.beat))
	d.begun++
	return true
}

// ack notes an acknowledgement: which write it is for, and how many older ones wait.
func (d *dmaSheet) ack(data []byte) {
	tag := data[0]
	write := d.counts[tag]*hca.DMATags + uint64(tag)
	d.counts[tag]++
	older := 0
	for w := d.oldest; w < write; w++ {
		older += bit(!d.answers[w])
	}
	at := min(older, 2)
	if older >= 8 {
		at = 3
	}
	d.o.hit(d.order, at, bit(write < d.handed), int(data[1]&1))
	for d.answers[write] = true; d.answers[d.oldest]; d.oldest++ {
		delete(d.answers, d.oldest)
	}
}

// record notes what is told of a QP, and follows it.
func (d *dmaSheet) record(r *hca.DMARecord) {
	state := d.failed[r.QPN]
	what := bit(r.Complete) + 2*bit(r.Failed)
	if r.Cleared {
		d.o.hit(d.records, state, 4, 0)
		d.failed[r.QPN] = 0
		return
	}
	if r.QPN >= d.bound {
		return
	}
	status := 0
	if r.Complete {
		status = dmaStatus(r.Status)
	}
	d.o.hit(d.records, state, what, status)
	if r.Failed && state == 0 {
		state = 1
	}
	if r.Complete && state == 1 {
		state = 2
	}
	d.failed[r.QPN] = state
}
