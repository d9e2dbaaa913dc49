package cover

import (
	"fmt"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// The sheet of who leaves first: tx_arbiter.
func init() { declarations["tx_arbiter"] = declareArbiter }

// declareArbiter: whose frame follows whose, how many inputs waited meanwhile, how long the frames are. The k-th output
// does not answer the k-th input, so the sheet follows both.
func declareArbiter(o *Observer, s sim.Settings) {
	o.paired = hca.TxInputs + 1 // none
	from := numbers(hca.TxInputs)
	follows := o.cross("rule: input x input of the frame before", func(_ []int, b *Bin) {
		b.Rules = []string{"RSP-13"}
	}, from, from)
	waiting := o.cross("input x other inputs that had a frame when it had left", nil, from, numbers(hca.TxInputs))
	links := o.cross("input x link", nil, from, Axis{"Ethernet", "InfiniBand"})
	beat := int(s.Get("DataWidth", 512)) / 8
	last := o.cross(fmt.Sprintf("bytes in the last beat of %d", beat), nil, numbers(beat))
	lengths := o.cross("beats of a frame", nil, howMany[1:])
	bits := hca.TxUserBits(s)
	var queues [hca.TxInputs][]uint64
	before := -1
	o.restart = append(o.restart, func() { queues, before = [hca.TxInputs][]uint64{}, -1 })
	o.asks = func(in *sim.Record) bool {
		queues[in.Port] = append(queues[in.Port], in.End)
		o.hit(last, (len(in.Data)-1)%beat)
		o.hit(lengths, manyOf(uint8(min((len(in.Data)+beat-1)/beat, 255)))-1)
		return false
	}
	o.other = func(out *sim.Record) {
		input := int(out.User >> bits)
		o.hit(links, input, int(out.User&1))
		if before >= 0 {
			o.hit(follows, input, before)
		}
		before = input
		if len(queues[input]) > 0 {
			queues[input] = queues[input][1:]
		}
		others := 0
		for i, q := range queues {
			others += bit(i != input && len(q) > 0 && q[0] < out.End)
		}
		o.hit(waiting, input, others)
	}
}
