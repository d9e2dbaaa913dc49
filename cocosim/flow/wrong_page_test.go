package flow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/vectors"
)

// seenAs counts what became of wrong captures at one place.
type seenAs struct{ certain, possible, nothing int }

func (s *seenAs) add(r *flow.Report) {
	switch {
	case r.Certain > 0:
		s.certain++
	case r.Possible > 0:
		s.possible++
	default:
		s.nothing++
	}
}

func (s *seenAs) text() string { return fmt.Sprintf("%d, %d, %d", s.certain, s.possible, s.nothing) }

// named reports whether the first finding is about the packet that was made wrong: what it was taken for, or what the
// device did next, lies up to two packets behind it.
func named(r *flow.Report, at int) bool {
	return len(r.Violations) > 0 && r.Violations[0].Packet > uint64(at) && r.Violations[0].Packet <= uint64(at)+3
}

// Every kind of wrong packet at every place, with and without a sidecar, and without --complete: the table in
// docs/generated/check-wrong.md. With a sidecar at its own end the first finding names the packet.
func TestWrongByPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	type row struct {
		seen  [3]seenAs
		named int
	}
	table, list := map[string]*row{}, []string{}
	all, found := row{}, 0
	for _, parent := range parents {
		for _, side := range []string{"a", "b"} {
			path := capturePath(t, parent+"."+side)
			at := vantages(t, path, roce.Rxe)
			own := at[1].opt.At
			eachWrong(frames(t, path), own, nil, 2, func(kind string, packet int, wrong []vectors.Frame) {
				if table[kind] == nil {
					table[kind], list = new(row), append(list, kind)
				}
				wrong = numbered(slices.Clone(wrong))
				for i, v := range at {
					r := judge(t, wrong, v.opt)
					table[kind].seen[i].add(r)
					all.seen[i].add(r)
					if i == 0 && len(r.Violations) > 0 {
						found++
						if named(r, packet) {
							table[kind].named++
							all.named++
						}
					}
				}
			})
		}
	}
	var page strings.Builder
	fmt.Fprintf(&page, "# `cosim check` on wrong packets, by place\n\n%d kinds of wrong packet, up to two of each in %d "+
		"captures of "+
		"Linux Soft-RoCE, without `--complete`\n(`go test ./cocosim/flow -run WrongByPlace`). Each cell: captures with a "+
		"certain finding, with a possible one at most, with nothing. Why nothing\ncan be seen at a place stands in "+
		"[check.md](../check.md#what-it-finds-and-where-it-cannot); wrong acceptance in "+
		"[check-accepted.md](check-accepted.md).\n\n"+
		"| wrong | at its end, sidecar | at its end, address | wire | first finding "+
		"names the packet (sidecar) |\n|---|---|---|---|---|\n", len(list), 2*len(parents))
	for _, k := range kinds {
		if x := table[k.name]; x != nil {
			fmt.Fprintf(&page, "| %s | %s | %s | %s | %d |\n", k.name, x.seen[0].text(), x.seen[1].text(), x.seen[2].text(),
				x.named)
		}
	}
	fmt.Fprintf(&page, "| all | %s | %s | %s | %d of %d |\n", all.seen[0].text(), all.seen[1].text(), all.seen[2].text(),
		all.named, found)
	compareGenerated(t, "check-wrong.md", page.String())
}
