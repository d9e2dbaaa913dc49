package cover

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// The sheet of qp_ctl_axil.
func init() { declarations["qp_ctl_axil"] = declareAxil }

// axilSeen are records of the channels whose access was not counted. Addresses of writes are the observer's own.
type axilSeen struct {
	writes, reads []sim.Record
	readEnds      []uint64 // when reads were accepted, since the last write
}

func (a *axilSeen) take(in *sim.Record, list []sim.Record) []sim.Record {
	c := *in
	c.Data = append([]byte(nil), in.Data...)
	return append(list, c)
}

// declareAxil counts registers as qp_ctl does, and how the halves of a write came.
func declareAxil(o *Observer, _ sim.Settings) {
	ports := axilPorts(o.spec)
	count := o.registers()
	halves := o.cross("halves of a write x reads between them", func(at []int, b *Bin) {
		b.Rules = []string{"RSP-15"}
		if at[0] == 1 && at[1] > 0 {
			b.Illegal = "there is nothing between"
		}
	}, Axis{"address first", "together", "data first"}, Axis{"none", "1", "more"})
	var seen axilSeen
	o.restart = append(o.restart, func() { seen = axilSeen{} })
	o.asks = func(in *sim.Record) bool {
		switch in.Port {
		case ports["s_aw"]:
			return true
		case ports["s_w"]:
			seen.writes = seen.take(in, seen.writes)
		case ports["s_ar"]:
			seen.reads, seen.readEnds = seen.take(in, seen.reads), append(seen.readEnds, in.End)
		}
		return false
	}
	o.pair = func(in, out *sim.Record) {
		if len(seen.writes) == 0 {
			return
		}
		w := seen.writes[0]
		seen.writes = seen.writes[1:]
		data := hca.ParseAxilWrite(w.Data)
		count(&hca.QPCtlAccess{Write: true, Address: hca.ParseAxilAddress(in.Data), Data: data.Data, Strobe: data.Strobe},
			&hca.QPCtlAnswer{Write: true, Resp: hca.QPCtlResp(out.Data[0] & 3)})
		first, last := min(in.End, w.End), max(in.End, w.End)
		between := 0
		for _, end := range seen.readEnds {
			if end > first && end < last {
				between++
			}
		}
		seen.readEnds = seen.readEnds[:0]
		o.hit(halves, 1+bit(in.End > w.End)-bit(in.End < w.End), min(between, 2))
	}
	o.other = func(out *sim.Record) {
		if out.Port != ports["m_r"] || len(seen.reads) == 0 {
			return
		}
		a := hca.QPCtlAccess{Address: hca.ParseAxilAddress(seen.reads[0].Data)}
		seen.reads = seen.reads[1:]
		data, resp := hca.ParseAxilRead(out.Data)
		count(&a, &hca.QPCtlAnswer{Data: data, Resp: resp})
	}
}

// axilPorts are the ports of a device by name.
func axilPorts(spec *sim.StageSpec) map[string]sim.Port {
	ports := map[string]sim.Port{}
	for i, p := range spec.Ports {
		ports[p.Name] = sim.Port(i)
	}
	return ports
}
