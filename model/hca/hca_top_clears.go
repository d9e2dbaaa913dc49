package hca

import "hcacosim/model/sim"

// topClears are clears of rx_dma that FREE asks for (docs/blocks/hca_top.md, The judge). A device answers one when it
// likes: before frames that came sooner and still wait for memory, or behind some that come later. Only what tells of
// frames of its own QP has its place, in front of it.
type topClears struct {
	asked map[uint32]int // by QP: neither the model nor the device has answered
	early map[uint32]int // the device has
}

func newTopClears() topClears {
	return topClears{asked: map[uint32]int{}, early: map[uint32]int{}}
}

// ask takes note of a clear.
func (c *topClears) ask(qpn uint32) { c.asked[qpn]++ }

// owes reports whether a record that the model gives at m_cqe is still to come.
func (c *topClears) owes(data []byte) bool {
	told := ParseDMARecord(data)
	if !told.Cleared {
		return true
	}
	if c.early[told.QPN] > 0 {
		c.early[told.QPN]--
		return false
	}
	c.asked[told.QPN]--
	return true
}

// answers reports whether a record of the device answers a clear before the model does, and before how many records of
// its QP that are owed.
func (c *topClears) answers(r *sim.Record, owed []hcaTopOwed) (early bool, before int) {
	told := ParseDMARecord(r.Data)
	if !told.Cleared || c.asked[told.QPN] == 0 {
		return false, 0
	}
	for i := range owed {
		if other := ParseDMARecord(owed[i].data); other.QPN == told.QPN {
			if other.Cleared { // the model has answered one
				return false, 0
			}
			before++
		}
	}
	c.asked[told.QPN]--
	c.early[told.QPN]++
	return true, before
}

// behind reports whether a record of the device comes behind the answer to the clear of its QP, and tells of before.
func (c *topClears) behind(r *sim.Record) bool {
	told := ParseDMARecord(r.Data)
	return !told.Cleared && c.early[told.QPN] > 0
}
