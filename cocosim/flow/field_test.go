package flow_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// rewritten changes a copy of each frame that is picked; its headers below the BTH stay right if they were.
func rewritten(list []vectors.Frame, is func(f *vectors.Frame) bool, do func(w *wire.Packet)) []vectors.Frame {
	out := slices.Clone(list)
	for i := range out {
		var w wire.Packet
		wire.Decode(out[i].Link, out[i].Data, &w)
		if w.IPv4() == nil && w.IPv6() == nil || !is(&out[i]) {
			continue
		}
		good, sum := w.ICRC() == wire.ICRCGood, w.IPv4() != nil && w.IPv4().ChecksumGood()
		out[i].Data = slices.Clone(out[i].Data)
		wire.Decode(out[i].Link, out[i].Data, &w)
		do(&w)
		if sum {
			fixChecksum(out[i].Data[w.Net:])
		}
		if good {
			wire.PutICRC(out[i].Data, &w.Location)
		}
	}
	return out
}

func everyFrame(*vectors.Frame) bool { return true }

// fromOne picks what one of the hosts sent.
func fromOne(rng *rand.Rand, list []vectors.Frame) func(f *vectors.Frame) bool {
	from := sourceOf(&list[rng.IntN(len(list))])
	return func(f *vectors.Frame) bool { return sourceOf(f) == from }
}

// identifications gives every IPv4 frame another identification.
func identifications(do func(old uint16) uint16) func(*rand.Rand, []vectors.Frame) []vectors.Frame {
	return func(_ *rand.Rand, list []vectors.Frame) []vectors.Frame {
		return rewritten(list, everyFrame, func(w *wire.Packet) {
			if ip := w.IPv4(); ip != nil {
				binary.BigEndian.PutUint16(ip[4:], do(ip.ID()))
			}
		})
	}
}

// unnumbered has 0 for every IPv4 identification: a device that numbers nothing.
var unnumbered = identifications(func(uint16) uint16 { return 0 })

// inOrder sorts a file by its stamps.
func inOrder(list []vectors.Frame) []vectors.Frame {
	slices.SortStableFunc(list, func(a, b vectors.Frame) int { return int(a.TimeNS - b.TimeNS) })
	return list
}

// stamps gives every frame that is picked another stamp; the file is in their order.
func stamps(is func(f *vectors.Frame) bool, list []vectors.Frame, do func(first, old int64) int64) []vectors.Frame {
	out := slices.Clone(list)
	for i := range out {
		if is(&out[i]) {
			out[i].TimeNS = do(list[0].TimeNS, list[i].TimeNS)
		}
	}
	return inOrder(out)
}

// copiedLate has every frame a second time, up to 300 us behind: two capture points on the way, merged.
func copiedLate(routed bool) func(*rand.Rand, []vectors.Frame) []vectors.Frame {
	return func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		late := rng.Int64N(300_000)
		second := later(list, late)
		if routed {
			second = routedOne(everyFrame, second)
		}
		return inOrder(slices.Concat(list, second))
	}
}

// routedOne is what a router makes of frames: hop limit, DSCP and ECN mark.
func routedOne(is func(f *vectors.Frame) bool, list []vectors.Frame) []vectors.Frame {
	return rewritten(list, is, func(w *wire.Packet) {
		if w.IPv4() != nil {
			w.Frame[w.Net+8]--
			w.Frame[w.Net+1] = 0x6B
			return
		}
		w.Frame[w.Net+7]--
		w.Frame[w.Net+1] |= 0x30
	})
}

// resent leaves out what was sent again, with what came just before and behind it.
func resent(rng *rand.Rand, list []vectors.Frame) (out []vectors.Frame) {
	away := make([]bool, len(list))
	for i := range list {
		var w wire.Packet
		wire.Decode(list[i].Link, list[i].Data, &w)
		if isRequest(&w) && rng.IntN(3) == 0 && sentBefore(list, i, &w) > 0 {
			for k := max(0, i-rng.IntN(3)); k < min(len(list), i+1+rng.IntN(3)); k++ {
				away[k] = true
			}
		}
	}
	for i, f := range list {
		if !away[i] {
			out = append(out, f)
		}
	}
	return out
}

// snappedFrom cuts frames from somewhere on: the snap length was changed while the capture ran.
func snappedFrom(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
	at := rng.IntN(len(list))
	return slices.Concat(list[:at], snapped(80+rng.IntN(100))(rng, list[at:]))
}

// trailed puts an Ethernet trailer behind what one of the hosts sent.
func trailed(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
	is, out := fromOne(rng, list), slices.Clone(list)
	for i := range out {
		if is(&out[i]) {
			out[i].Data = slices.Concat(out[i].Data, make([]byte, 1+rng.IntN(46)))
			out[i].OrigLen = len(out[i].Data)
		}
	}
	return out
}

// tagged puts a VLAN tag into what one of the hosts sent: that of the other was stripped by the NIC.
func tagged(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
	is, out := fromOne(rng, list), slices.Clone(list)
	for i := range out {
		var w wire.Packet
		wire.Decode(out[i].Link, out[i].Data, &w)
		if is(&out[i]) && w.Ethernet() != nil {
			out[i].Data = slices.Insert(slices.Clone(out[i].Data), 12, 0x81, 0, 0x60, 0x07)
			out[i].OrigLen = len(out[i].Data)
		}
	}
	return out
}

// setBack sets the clock back within a gap, by any part of it; setForward by up to a second.
func setBack(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
	if len(list) < 2 {
		return list
	}
	at := 1 + rng.IntN(len(list)-1)
	for range 20 { // in a long gap if there is one
		if n := 1 + rng.IntN(len(list)-1); list[n].TimeNS-list[n-1].TimeNS > list[at].TimeNS-list[at-1].TimeNS {
			at = n
		}
	}
	gap := list[at].TimeNS - list[at-1].TimeNS
	if gap < 2 {
		return list
	}
	return setClock(list, at, -rng.Int64N(gap))
}

func setForward(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
	return setClock(list, rng.IntN(len(list)), rng.Int64N(1_000_000_000))
}

// again has the capture a second time behind itself at once: the queue pairs were destroyed and made anew with the same
// numbers.
func again(afterNS int64) func(*rand.Rand, []vectors.Frame) []vectors.Frame {
	return func(_ *rand.Rand, list []vectors.Frame) []vectors.Frame {
		return append(slices.Clone(list), later(list, list[len(list)-1].TimeNS-list[0].TimeNS+afterNS)...)
	}
}

// exchanged exchanges neighbours.
var exchanged = imperfections[slices.IndexFunc(imperfections, func(x imperfection) bool {
	return x.name == "neighbours exchanged"
})].do

var fieldImperfections = []imperfection{
	{"no identifications", unnumbered, 1},
	{"no identifications, neighbours exchanged", bothThen(unnumbered, exchanged), 3},
	{"no identifications, 2 % missing", bothThen(unnumbered, missing(2)), 2},
	{"no identifications, every frame twice, 2 % missing", bothThen(unnumbered, imperfections[8].do), 1},
	{"identifications at random", func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		return identifications(func(uint16) uint16 { return uint16(rng.Uint32()) })(rng, list)
	}, 1},
	{"identifications in the other byte order, 2 % missing", bothThen(identifications(func(old uint16) uint16 {
		return old<<8 | old>>8
	}), missing(2)), 1},
	{"every frame again up to 300 us later", copiedLate(false), 2},
	{"the same, from behind a router", copiedLate(true), 2},
	{"one way from behind a router", func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		return routedOne(fromOne(rng, list), list)
	}, 1},
	{"resends missing, and what is beside them", resent, 3},
	{"cut from somewhere on", snappedFrom, 2},
	{"one way with a trailer", trailed, 1},
	{"one way with a VLAN tag, 2 % missing", bothThen(tagged, missing(2)), 1},
	{"one way in milliseconds", func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		return stamps(fromOne(rng, list), list, func(_, old int64) int64 { return old - old%1_000_000 })
	}, 2},
	{"in milliseconds", func(_ *rand.Rand, list []vectors.Frame) []vectors.Frame {
		return stamps(everyFrame, list, func(_, old int64) int64 { return old - old%1_000_000 })
	}, 1},
	{"clock a tenth slow", func(_ *rand.Rand, list []vectors.Frame) []vectors.Frame {
		return stamps(everyFrame, list, func(first, old int64) int64 { return first + (old-first)/10*9 })
	}, 1},
	{"clock a tenth fast", func(_ *rand.Rand, list []vectors.Frame) []vectors.Frame {
		return stamps(everyFrame, list, func(first, old int64) int64 { return first + (old-first)/10*11 })
	}, 1},
	{"stamps that wrap", func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		return setClock(list, rng.IntN(len(list)), -1<<32)
	}, 1},
	{"clock set back within a gap", setBack, 3},
	{"clock set forward", setForward, 2},
	{"the same queue pairs again at once", again(1_000), 1},
	{"the same queue pairs again after 0.3 s, 2 % missing", bothThen(again(300_000_000), missing(2)), 1},
}
