package flow_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// A clock that is set back within a gap.
func TestClockIsSetBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 91))
	made, wrong := 0, 0
	rules := map[string]int{}
	for _, path := range captureFiles(t) {
		list := frames(t, path)
		if len(list) < 2 {
			continue
		}
		for _, profile := range []roce.Profile{roce.Spec, roce.Rxe} {
			for vi, v := range vantages(t, path, profile) {
				if broken[name(path)] == profile.Name || judge(t, list, v.opt).Certain > 0 {
					continue
				}
				for range 12 {
					at := 1 + rng.IntN(len(list)-1)
					gap := list[at].TimeNS - list[at-1].TimeNS
					if gap < 2 {
						continue
					}
					by := 1 + rng.Int64N(gap)
					made++
					if r := judge(t, setClock(list, at, -by), v.opt); r.Certain > 0 {
						wrong++
						rules[string(r.Violations[0].Rule)+" "+v.name]++
						_ = vi
						if rules[string(r.Violations[0].Rule)+" "+v.name] < 4 {
							t.Errorf("%s, %s, %s %d ns back at frame %d: %v", name(path), profile.Name, v.name, by, at+1, r.Violations[:1])
						}
					}
				}
			}
		}
	}
	t.Log(made, wrong, rules)
}

func TestIPv6Exchanged(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 92))
	made, wrong := 0, 0
	ex := imperfections[slices.IndexFunc(imperfections, func(x imperfection) bool { return x.name == "neighbours exchanged" })]
	rules := map[string]int{}
	for _, nm := range []string{"rc_v6_loss5.a", "rc_v6_loss5.b", "rc_v6_corrupt3.a", "rc_v6_corrupt3.b"} {
		path := capturePath(t, nm)
		list := frames(t, path)
		for _, profile := range []roce.Profile{roce.Spec, roce.Rxe} {
			for _, v := range vantages(t, path, profile) {
				if judge(t, list, v.opt).Certain > 0 {
					t.Log("not clean", nm, profile.Name, v.name)
					continue
				}
				for range 500 {
					bad := numbered(ex.do(rng, list))
					made++
					if r := judge(t, bad, rescanned(t, v.opt, bad)); r.Certain > 0 {
						wrong++
						k := nm + " " + profile.Name + " " + v.name + " " + string(r.Violations[0].Rule)
						if rules[k]++; rules[k] < 3 {
							t.Errorf("%s %+v", k, r.Violations[:min(2, len(r.Violations))])
						}
					}
				}
			}
		}
	}
	t.Log(made, wrong, rules)
}

// unnumbered has 0 for every IPv4 identification: a device that numbers nothing.
func unnumbered(list []vectors.Frame) []vectors.Frame {
	out := slices.Clone(list)
	for i := range out {
		var w wire.Packet
		wire.Decode(out[i].Link, out[i].Data, &w)
		if w.IPv4() == nil {
			continue
		}
		bad := w.ICRC() != wire.ICRCGood
		out[i].Data = slices.Clone(out[i].Data)
		wire.Decode(out[i].Link, out[i].Data, &w)
		good := w.IPv4().ChecksumGood()
		binary.BigEndian.PutUint16(w.IPv4()[4:], 0)
		if good {
			fixChecksum(out[i].Data[w.Net:])
		}
		if !bad {
			wire.PutICRC(out[i].Data, &w.Location)
		}
	}
	return out
}
