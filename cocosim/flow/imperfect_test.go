package flow_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/vectors"
)

// imperfection does to a capture what the machine that takes it may do. Nothing on the way changes.
type imperfection struct {
	name string
	do   func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame
	runs int // how often it is done to a capture: the accidents are random
}

// missing leaves each frame out with a chance in a hundred.
func missing(percent int) func(*rand.Rand, []vectors.Frame) []vectors.Frame {
	return func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		return slices.DeleteFunc(slices.Clone(list), func(vectors.Frame) bool { return rng.IntN(100) < percent })
	}
}

// snapped cuts frames to a length.
func snapped(snap int) func(*rand.Rand, []vectors.Frame) []vectors.Frame {
	return func(_ *rand.Rand, list []vectors.Frame) []vectors.Frame {
		out := slices.Clone(list)
		for i := range out {
			out[i].Data = out[i].Data[:min(snap, len(out[i].Data))]
		}
		return out
	}
}

// stamped gives a tenth of the frames a stamp that is late by up to some time. sorted: the file is in the order of the
// stamps; else no stamp is below the one before.
func stamped(lateNS int64, sorted bool) func(*rand.Rand, []vectors.Frame) []vectors.Frame {
	return func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		out := slices.Clone(list)
		for i := range out {
			if rng.IntN(10) == 0 {
				out[i].TimeNS += rng.Int64N(lateNS)
			}
			if !sorted && i > 0 {
				out[i].TimeNS = max(out[i].TimeNS, out[i-1].TimeNS)
			}
		}
		slices.SortStableFunc(out, func(a, b vectors.Frame) int { return int(a.TimeNS - b.TimeNS) })
		return out
	}
}

var imperfections = []imperfection{
	{"one frame missing", func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		i := rng.IntN(len(list))
		return slices.Delete(slices.Clone(list), i, i+1)
	}, 6},
	{"1 % missing", missing(1), 3},
	{"2 % missing", missing(2), 3},
	{"10 % missing", missing(10), 4},
	{"begun a third late", func(_ *rand.Rand, list []vectors.Frame) []vectors.Frame {
		return slices.Clone(list[len(list)/3:])
	}, 1},
	{"begun late anywhere", func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		return slices.Clone(list[rng.IntN(len(list)):])
	}, 3},
	{"ended early", func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		return slices.Clone(list[:len(list)-rng.IntN(len(list))])
	}, 3},
	{"every frame twice", func(_ *rand.Rand, list []vectors.Frame) (out []vectors.Frame) {
		for _, f := range list {
			out = append(out, f, f)
		}
		return out
	}, 1},
	{"every frame twice, and 2 % missing", func(rng *rand.Rand, list []vectors.Frame) (out []vectors.Frame) {
		for _, f := range missing(2)(rng, list) {
			out = append(out, f, f)
		}
		return out
	}, 1},
	{"some frames twice", func(rng *rand.Rand, list []vectors.Frame) (out []vectors.Frame) {
		for _, f := range list {
			if out = append(out, f); rng.IntN(10) == 0 {
				out = append(out, f)
			}
		}
		return out
	}, 2},
	{"cut to 64 bytes", snapped(64), 1},
	{"cut to 100 bytes", snapped(100), 1},
	{"cut to 300 bytes", snapped(300), 1},
	{"stamped late by up to 1 ms", stamped(1_000_000, false), 2},
	{"stamped late, filed late", stamped(1_000_000, true), 2},
	{"stamped late by up to 50 us, filed late", stamped(50_000, true), 2},
	{"neighbours exchanged", func(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
		out := slices.Clone(list)
		for i := 1; i < len(out); i++ {
			if rng.IntN(20) == 0 && out[i].TimeNS-out[i-1].TimeNS < 1_000_000 {
				out[i].TimeNS, out[i-1].TimeNS = out[i-1].TimeNS, out[i].TimeNS
				out[i], out[i-1] = out[i-1], out[i]
			}
		}
		return out
	}, 2},
}

// allImperfections are the accidents of one frame and those of whole captures.
func allImperfections() []imperfection {
	return slices.Concat(imperfections, moreImperfections, fieldImperfections)
}

// vantage is a place that a capture is judged from.
type vantage struct {
	name string
	opt  flow.Options
}

// vantages of a capture: its own end with its sidecar, its own end by the address, and the wire.
func vantages(t testing.TB, path string, profile roce.Profile) []vantage {
	known := options(t, path, profile, false)
	wire := options(t, path, profile, true)
	address := wire
	address.At = known.Sidecar.A.IP
	if known.At == "B" {
		address.At = known.Sidecar.B.IP
	}
	return []vantage{{known.At + ", sidecar", known}, {known.At + ", address", address}, {"wire", wire}}
}

// rescanned is an option with the first look of the frames themselves, as a file of them would have.
func rescanned(t testing.TB, opt flow.Options, list []vectors.Frame) flow.Options {
	if opt.Scan == nil {
		return opt
	}
	opt.Scan = flow.ScanFrames(list)
	return opt
}

// tally counts captures, those with certain findings and those with possible ones.
type tally struct{ made, certain, possible int }

// imperfect runs whole tables, for minutes; without it every eighteenth capture is taken.
var (
	imperfect = flag.Bool("imperfect", false, "the whole tables of imperfect captures")
	seeds     = flag.Int("seeds", 1, "with -imperfect: how many seeds; the tables are those of seed 1")
	onlyKind  = flag.String("only", "", "of imperfect captures those whose kind contains this")
	firstSeed = flag.Int("first", 1, "with -imperfect: the first seed; above 1 no table is compared")
)

// On clean traffic an imperfect capture gives no certain finding, at any place, in any profile: the table in
// docs/generated/check-imperfect.md.
func TestImperfectCaptures(t *testing.T) {
	files := captureFiles(t)
	if !*imperfect {
		for n := 0; n < len(files); n += 18 {
			imperfectCapture(t, n, files[n], rand.New(rand.NewPCG(13, uint64(n))), map[string]*tally{})
		}
		return
	}
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		tallies := map[string]*tally{}
		rng := rand.New(rand.NewPCG(13, uint64(seed)))
		for n, path := range files {
			imperfectCapture(t, n, path, rng, tallies)
		}
		if seed == 1 {
			compareGenerated(t, "check-imperfect.md", imperfectPage([]string{"A, sidecar", "A, address", "B, sidecar",
				"B, address", "wire"}, tallies))
		}
	}
}

// broken names captures in which a device breaks a profile though the whole capture may excuse it: rxe sends again for
// ever where retry_cnt is 7 (docs/deviations.md), and the stamps of its wedged queue pair leave a doubt; it leaves out
// a NAK that comes while a retry is under way (NAKMayWait), and one pause behind that may be the clock's.
var broken = map[string][]string{"err_sendinv_bad.a": {"spec"}, "rc_send_corrupt10.a": {"spec", "qib"}}

// imperfectCapture does everything to one capture, in all profiles in which it is clean.
func imperfectCapture(t *testing.T, n int, path string, rng *rand.Rand, tallies map[string]*tally) {
	list := frames(t, path)
	if len(list) == 0 {
		return
	}
	for k, profile := range []roce.Profile{roce.Spec, roce.Rxe, roce.Qib} {
		if k == 2 && n%4 != 0 {
			continue // for time's sake
		}
		if slices.Contains(broken[name(path)], profile.Name) {
			continue
		}
		for _, v := range vantages(t, path, profile) {
			if judge(t, list, v.opt).Certain > 0 {
				continue // the traffic is not clean in this profile
			}
			for i, x := range allImperfections() {
				if few := i >= len(imperfections)+len(moreImperfections); few && !*imperfect && n%27 != 0 {
					continue // for time's sake
				}
				if !strings.Contains(x.name, *onlyKind) {
					continue
				}
				for range x.runs {
					bad := numbered(slices.Clone(x.do(rng, list)))
					r := judge(t, bad, rescanned(t, v.opt, bad))
					tallies[x.name+"|"+v.name] = tallies[x.name+"|"+v.name].add(r)
					if r.Certain > 0 {
						t.Errorf("%s, %s, %s, %s: %v", name(path), profile.Name, v.name, x.name, r.Violations[:min(2, len(r.Violations))])
					}
				}
			}
		}
	}
}

// add counts a capture.
func (s *tally) add(r *flow.Report) *tally {
	if s == nil {
		s = new(tally)
	}
	s.made++
	if r.Certain > 0 {
		s.certain++
	}
	if r.Possible > 0 {
		s.possible++
	}
	return s
}

// imperfectPage is the table of imperfect captures.
func imperfectPage(places []string, tallies map[string]*tally) string {
	var page strings.Builder
	page.WriteString("# `cosim check` on imperfect captures\n\nClean traffic of Linux Soft-RoCE, and what a capture may " +
		"do to it " +
		"(`make check-tables`), in the\nprofiles spec, rxe and qib where the whole capture is clean in it. " +
		"Each cell: captures with a certain finding, with a possible one, of how many.\n\n| capture |")
	for _, p := range places {
		fmt.Fprintf(&page, " %s |", p)
	}
	page.WriteString("\n|" + strings.Repeat("---|", len(places)+1) + "\n")
	for _, x := range allImperfections() {
		fmt.Fprintf(&page, "| %s |", x.name)
		for _, p := range places {
			s := tallies[x.name+"|"+p]
			if s == nil {
				s = new(tally)
			}
			fmt.Fprintf(&page, " %d, %d of %d |", s.certain, s.possible, s.made)
		}
		page.WriteString("\n")
	}
	return page.String()
}

// compareGenerated holds a page of docs/generated against what it was generated from.
func compareGenerated(t *testing.T, file, page string) {
	path := filepath.Join("..", "..", "docs", "generated", file)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(page), 0o666))
		return
	}
	was, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(was), page)
}
