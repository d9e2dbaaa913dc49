package flow_test

import (
	"math/rand/v2"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// readMiddle reports whether a frame is a response in the middle of a READ.
func readMiddle(f *vectors.Frame) bool {
	var w wire.Packet
	wire.Decode(f.Link, f.Data, &w)
	return w.Op != nil && ib.Operation(w.BTH().Opcode()) == ib.ReadResponseMid // of RC, whose code is 0
}

// sourceOf is the address that a frame is from, "" where it has none.
func sourceOf(f *vectors.Frame) string {
	var w wire.Packet
	wire.Decode(f.Link, f.Data, &w)
	switch {
	case w.IPv4() != nil:
		return string(w.IPv4().Src())
	case w.IPv6() != nil:
		return string(w.IPv6().Src())
	}
	return ""
}

// bursts leaves up to three runs of 2 to 20 frames out: a capture buffer that was full.
func bursts(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
	out := slices.Clone(list)
	for range 1 + rng.IntN(3) {
		if n := 2 + rng.IntN(19); len(out) > n {
			i := rng.IntN(len(out) - n)
			out = slices.Delete(out, i, i+n)
		}
	}
	return out
}

// oneWay leaves out what one of the hosts sent, all of it or a tenth: a mirror of one direction.
func oneWay(percent int) func(*rand.Rand, []vectors.Frame) []vectors.Frame {
	return func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		from := sourceOf(&list[rng.IntN(len(list))])
		return slices.DeleteFunc(slices.Clone(list), func(f vectors.Frame) bool {
			return sourceOf(&f) == from && rng.IntN(100) < percent
		})
	}
}

// offset gives what one host sent stamps that are late or early by up to some time: a clock for each direction.
// The file is in the order of the stamps, as two mirrors that were merged.
func offset(mostNS int64) func(*rand.Rand, []vectors.Frame) []vectors.Frame {
	return func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		from, by := sourceOf(&list[rng.IntN(len(list))]), rng.Int64N(2*mostNS)-mostNS
		out := slices.Clone(list)
		for i := range out {
			if sourceOf(&out[i]) == from {
				out[i].TimeNS += by
			}
		}
		slices.SortStableFunc(out, func(a, b vectors.Frame) int { return int(a.TimeNS - b.TimeNS) })
		return out
	}
}

// midRead begins with a response in the middle of a READ, or else anywhere.
func midRead(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
	var at []int
	for i := range list {
		if readMiddle(&list[i]) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return slices.Clone(list[rng.IntN(len(list)):])
	}
	return slices.Clone(list[at[rng.IntN(len(at))]:])
}

// twice has the capture a second time behind itself, ten seconds later: two files that were concatenated, and a host
// that does the same again.
func twice(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
	return append(slices.Clone(list), later(list, 10_000_000_000)...)
}

// swapped has the second part before the first: two files of a ring that were concatenated in the wrong order.
func swapped(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
	i := rng.IntN(len(list))
	return append(slices.Clone(list[i:]), list[:i]...)
}

// snappedSome cuts frames to a length anywhere from behind the Ethernet header on.
func snappedSome(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
	return snapped(14+rng.IntN(200))(rng, list)
}

// bothThen does two things to a capture.
func bothThen(a, b func(*rand.Rand, []vectors.Frame) []vectors.Frame) func(*rand.Rand,
	[]vectors.Frame) []vectors.Frame {
	return func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		if list = a(rng, list); len(list) == 0 {
			return list
		}
		return b(rng, list)
	}
}

var moreImperfections = []imperfection{
	{"bursts missing", bursts, 3},
	{"one way missing", oneWay(100), 2},
	{"one way, 10 % missing", oneWay(10), 2},
	{"one way stamped up to 50 us off", offset(50_000), 2},
	{"begun within a READ", midRead, 2},
	{"begun within a READ, 1 % missing", bothThen(midRead, missing(1)), 1},
	{"the same again behind it", twice, 1},
	{"its second part before its first", swapped, 2},
	{"cut to any length", snappedSome, 2},
	{"cut to any length, 2 % missing", bothThen(missing(2), snappedSome), 1},
}
