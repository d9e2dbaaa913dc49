package cover

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// The sheet of hca_top.
func init() { declarations["hca_top"] = declareTop }

// declareTop counts registers as qp_ctl_axil does, and completions.
func declareTop(o *Observer, settings sim.Settings) {
	declareAxil(o, settings)
	ports := axilPorts(o.spec)
	completions := o.cross("completion: what x status", func(at []int, b *Bin) {
		b.Rules = []string{"DMA-5"}
		if at[0] != 1 && at[1] > 0 {
			b.Illegal = "only a completion has a status"
		}
	}, Axis{"cleared", "completion", "failed"}, Axis{"0", "6", "10"})
	responses := o.other
	o.other = func(out *sim.Record) {
		if out.Port != ports["m_cqe"] {
			responses(out)
			return
		}
		told := hca.ParseDMARecord(out.Data)
		status := map[uint8]int{6: 1, 10: 2}[uint8(told.Status)]
		switch {
		case told.Complete:
			o.hit(completions, 1, status)
		case told.Failed:
			o.hit(completions, 2, 0)
		default:
			o.hit(completions, 0, 0)
		}
	}
}
