package flow_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// eachWrong makes captures wrong, some of each kind that is named, each at a packet that the end with an address sent.
func eachWrong(list []vectors.Frame, own string, names []string, most int, each func(kind string, packet int,
	wrong []vectors.Frame)) {
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

// thinned leaves frames out with a chance in a hundred, but those at two places.
func thinned(rng *rand.Rand, list []vectors.Frame, percent, at int) (out []vectors.Frame) {
	for i, f := range list {
		if i == at || i == at+1 || rng.IntN(100) >= percent {
			out = append(out, f)
		}
	}
	return out
}

// outcome counts what became of illegal changes.
type outcome struct {
	made, certain, possible int
	why                     map[string]int // they are possible only
}

func (o *outcome) add(r *flow.Report) {
	o.made++
	switch {
	case r.Certain > 0:
		o.certain++
	case r.Possible > 0:
		o.possible++
		why := r.Violations[0].Evidence
		if why == "" {
			why = "the end of the capture, or the packet itself, may excuse it"
		}
		o.why[why]++
	}
}

func (o *outcome) text() string {
	return fmt.Sprintf("%d, %d, %d", o.certain, o.possible, o.made-o.certain-o.possible)
}

// How much stays certain when the capture misses other frames: the table in docs/generated/check-thinned.md.
func TestThinned(t *testing.T) {
	most := 1
	if *imperfect {
		most = 6
	}
	rng := rand.New(rand.NewPCG(13, uint64(2+*firstSeed)))
	table := map[string]*[3]outcome{}
	for n, parent := range parents {
		if !*imperfect && n%4 != 0 {
			continue
		}
		for _, side := range []string{"a", "b"} {
			path := capturePath(t, parent+"."+side)
			opt := options(t, path, roce.Rxe, false)
			own := opt.Sidecar.A.IP
			if opt.At == "B" {
				own = opt.Sidecar.B.IP
			}
			eachWrong(frames(t, path), own, nil, most, func(kind string, at int, wrong []vectors.Frame) {
				row := table[kind]
				if row == nil {
					row = &[3]outcome{{why: map[string]int{}}, {why: map[string]int{}}, {why: map[string]int{}}}
					table[kind] = row
				}
				row[0].add(judge(t, numbered(slices.Clone(wrong)), opt))
				row[1].add(judge(t, numbered(thinned(rng, wrong, 1, at)), opt))
				row[2].add(judge(t, numbered(thinned(rng, wrong, 10, at)), opt))
			})
		}
	}
	var sum [3]outcome
	for _, row := range table {
		for i := range row {
			sum[i].made, sum[i].certain, sum[i].possible = sum[i].made+row[i].made, sum[i].certain+row[i].certain,
				sum[i].possible+row[i].possible
		}
	}
	if 100*sum[0].certain < 75*sum[0].made || 100*sum[2].certain < 25*sum[2].made {
		t.Errorf("certain, possible, nothing: whole %s; 1 %% missing %s; 10 %% missing %s", sum[0].text(), sum[1].text(),
			sum[2].text())
	}
	if *imperfect && *firstSeed == 1 {
		compareGenerated(t, "check-thinned.md", thinnedPage(table, &sum))
	}
}

// thinnedPage is the table of illegal changes in captures that miss other frames.
func thinnedPage(table map[string]*[3]outcome, sum *[3]outcome) string {
	var page strings.Builder
	page.WriteString("# `cosim check` on wrong packets in captures that miss others\n\nCaptures of Linux Soft-RoCE in " +
		"which nothing is wrong were made " +
		"wrong, one packet at a time, and then 1 and 10 % of the other frames\nwere left out (`make check-tables`). At the " +
		"end that did wrong, with its " +
		"sidecar and without `--complete`, in profile rxe. Each cell: captures\nwith a certain finding, with a possible " +
		"one, with none. The evidence is what " +
		"[check.md](../check.md) says it is: gapless identifications, or\nthe sidecar's count of frames; with a frame " +
		"missing only the first is left.\n\n" +
		"| wrong | all frames | 1 % missing | 10 % missing | possible only, because |\n|---|---|---|---|---|\n")
	for _, k := range kinds {
		row := table[k.name]
		if row == nil {
			continue
		}
		why := map[string]int{}
		for i := range row {
			for text, n := range row[i].why {
				why[text] += n
			}
		}
		var reasons []string
		for _, text := range slices.Sorted(maps.Keys(why)) {
			reasons = append(reasons, fmt.Sprintf("%d: %s", why[text], text))
		}
		fmt.Fprintf(&page, "| %s | %s | %s | %s | %s |\n", k.name, row[0].text(), row[1].text(), row[2].text(),
			strings.Join(reasons, "; "))
	}
	fmt.Fprintf(&page, "| all | %s | %s | %s | |\n", sum[0].text(), sum[1].text(), sum[2].text())
	return page.String()
}
