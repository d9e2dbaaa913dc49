package flow_test

import (
	"slices"

	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// eachWrong makes captures wrong, some of each kind that is named, each at a packet that the end with an address sent.
func eachWrong(list []vectors.Frame, own string, names []string, most int, each func(kind string, packet int, wrong []vectors.Frame)) {
	for _, k := range kinds {
		if names != nil && !slices.Contains(names, k.name) {
			continue
		}
		for i, made := 0, 0; i < len(list) && made < most; i++ {
			var w wire.Packet
			wire.Decode(list[i].Link, list[i].Data, &w)
			if w.Op == nil || w.ICRC() != wire.ICRCGood || !sentBy(&w, own) || k.own(list, i, &w) != "" {
				continue
			}
			if wrong, ok := k.change(list, i, &w); ok {
				made++
				each(k.name, i, wrong)
			}
		}
	}
}
