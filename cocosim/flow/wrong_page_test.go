package flow_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
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
// device did next. That is the next request, or the next response, of the same end, and at least two packets behind are
// looked at; what is missing is named by the packet that it answers too.
func named(list, wrong []vectors.Frame, r *flow.Report, at int, own string) bool {
	if len(r.Violations) == 0 {
		return false
	}
	x := r.Violations[0]
	next := uint64(at) + 3
	var was wire.Packet
	wire.Decode(list[at].Link, list[at].Data, &was)
	for i := at + 1; i < len(wrong); i++ {
		var w wire.Packet
		wire.Decode(wrong[i].Link, wrong[i].Data, &w)
		if w.Op != nil && sentBy(&w, own) && isResponse(&w) == isResponse(&was) {
			next = max(next, uint64(i+1))
			break
		}
	}
	if x.Packet > uint64(at) && x.Packet <= next {
		return true
	}
	var missing uint64
	if i := strings.Index(x.Text, "(request in packet "); i >= 0 {
		_, _ = fmt.Sscanf(x.Text[i:], "(request in packet %d)", &missing)
	}
	return missing > 0 && missing <= uint64(at) && answers(list, at, int(missing-1))
}

// answers reports whether packet i has the PSN that packet q asks for, or names it as missing.
func answers(list []vectors.Frame, i, q int) bool {
	var w, o wire.Packet
	wire.Decode(list[i].Link, list[i].Data, &w)
	wire.Decode(list[q].Link, list[q].Data, &o)
	return isResponse(&w) && isRequest(&o) && (psnDiff(&w, &o) == 0 || isNAK(&w) && psnDiff(&w, &o) < 0)
}

// wrongRow is what became of a kind.
type wrongRow struct {
	seen        [3]seenAs
	found       int // with the sidecar
	named, both int // of those, the first finding names the packet; and the rule
	wrongly     map[string]int
	unseen      map[string]int // why the wire shows nothing
}

func newWrongRow() *wrongRow { return &wrongRow{wrongly: map[string]int{}, unseen: map[string]int{}} }

// note counts what became of a wrong packet at one place; the first is the end with its sidecar.
func (x *wrongRow) note(place int, r *flow.Report, kind string, packet bool) {
	x.seen[place].add(r)
	if place > 0 || len(r.Violations) == 0 {
		return
	}
	x.found++
	if packet {
		x.named++
	}
	switch rule := rightly(r, kind); {
	case packet && rule:
		x.both++
	case rule:
		x.wrongly["another packet"]++
	default:
		x.wrongly[string(r.Violations[0].Rule)]++
	}
}

// Every kind of wrong packet at every place, with and without a sidecar, and without --complete: the table in
// docs/generated/check-wrong.md. With a sidecar at its own end the first finding names the packet and the rule.
func TestWrongByPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: every kind at every place takes half a minute")
	}
	table, all := map[string]*wrongRow{}, newWrongRow()
	for _, parent := range someParents() {
		for _, side := range []string{"a", "b"} {
			path := capturePath(t, parent+"."+side)
			at, list := vantages(t, path, roce.Rxe), frames(t, path)
			own := at[1].opt.At
			eachWrong(list, own, nil, 2, func(kind string, packet int, wrong []vectors.Frame) {
				if table[kind] == nil {
					table[kind] = newWrongRow()
				}
				wrong = numbered(slices.Clone(wrong))
				for i, v := range at {
					r := judge(t, wrong, rescanned(t, v.opt, wrong))
					right := i == 0 && named(list, wrong, r, packet, own)
					table[kind].note(i, r, kind, right)
					all.note(i, r, kind, right)
					if i == 2 && r.Certain+r.Possible == 0 {
						table[kind].unseen[whyOnWire(list, packet, kind)]++
					}
				}
			})
		}
	}
	if 100*all.both < 99*all.found {
		t.Errorf("packet and rule: %d of %d", all.both, all.found)
	}
	if *imperfect {
		compareGenerated(t, "check-wrong.md", wrongPage(table, all)+freePage(t))
	}
}

// whyOnWire is the reason why a wrong packet does not show on the wire.
func whyOnWire(list []vectors.Frame, at int, name string) string {
	var w wire.Packet
	wire.Decode(list[at].Link, list[at].Data, &w)
	k := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
	if why := k.wire(list, at, &w); why != "" {
		return why
	}
	return "missed"
}

// wrongPage is the table of kinds by place.
func wrongPage(table map[string]*wrongRow, all *wrongRow) string {
	var page strings.Builder
	fmt.Fprintf(&page, "# `cosim check` on wrong packets, by place\n\n%d kinds of wrong packet, up to two of each in %d "+
		"captures of Linux Soft-RoCE, without `--complete`\n(`go test ./cocosim/flow -run WrongByPlace`). Each cell: "+
		"captures with a certain finding, with a possible one at most, with nothing. Where an end has\nno sidecar nobody "+
		"told its keys, memory, receive WQEs and timers, nor that the count of messages began at 0: "+
		"[check.md](../check.md#what-it-finds-and-where-it-cannot).\nWrong acceptance: "+
		"[check-accepted.md](check-accepted.md).\n\nAt its own end with its sidecar the first finding names the packet in "+
		"%s, and the packet and a rule that it breaks in %s.\n\n"+
		"| wrong | rules | at its end, sidecar | at its end, address | wire | first finding names packet; and rule | others "+
		"name | nothing on the wire, because |\n|---|---|---|---|---|---|---|---|\n", len(table), 2*len(parents),
		shareOf(all.named, all.found), shareOf(all.both, all.found))
	for _, k := range kinds {
		if x := table[k.name]; x != nil {
			fmt.Fprintf(&page, "| %s | %s | %s | %s | %s | %d; %d of %d | %s | %s |\n", k.name, due[k.name], x.seen[0].text(),
				x.seen[1].text(), x.seen[2].text(), x.named, x.both, x.found, counted(x.wrongly), counted(x.unseen))
		}
	}
	fmt.Fprintf(&page, "| all | | %s | %s | %s | %d; %d of %d | | |\n", all.seen[0].text(), all.seen[1].text(),
		all.seen[2].text(), all.named, all.both, all.found)
	return page.String()
}

func shareOf(n, of int) string {
	return fmt.Sprintf("%d of %d (%.1f %%)", n, of, 100*float64(n)/float64(max(of, 1)))
}

// counted lists texts with how often each was.
func counted(m map[string]int) string {
	var list []string
	for _, text := range slices.Sorted(maps.Keys(m)) {
		list = append(list, fmt.Sprintf("%d: %s", m[text], text))
	}
	return strings.Join(list, "; ")
}

// freePage is the table of what no rule forbids. Nowhere is it called wrong.
func freePage(t *testing.T) string {
	var page strings.Builder
	page.WriteString("\n## What can be seen nowhere\n\nNo rule forbids it. Captures with a finding, at any place, of " +
		"how many.\n\n| changed | findings | because |\n|---|---|---|\n")
	for _, x := range freeKinds {
		found, made := 0, 0
		for _, parent := range parents {
			for _, side := range []string{"a", "b"} {
				f, m := freeCapture(t, capturePath(t, parent+"."+side), x.name, x.change)
				found, made = found+f, made+m
			}
		}
		fmt.Fprintf(&page, "| %s | %d of %d | %s |\n", x.name, found, made, x.why)
	}
	return page.String()
}

// freeCapture makes the change to the first two packets of an end that can have it, and counts findings.
func freeCapture(t *testing.T, path, name string, do change) (found, made int) {
	at, list := vantages(t, path, roce.Rxe), frames(t, path)
	packets := 0
	for i := 0; i < len(list) && packets < 2; i++ {
		var w wire.Packet
		wire.Decode(list[i].Link, list[i].Data, &w)
		if w.Op == nil || w.ICRC() != wire.ICRCGood || !sentBy(&w, at[1].opt.At) {
			continue
		}
		changed, ok := do(list, i, &w)
		if !ok {
			continue
		}
		packets++
		for _, v := range at {
			r := judge(t, numbered(slices.Clone(changed)), v.opt)
			if made++; r.Certain+r.Possible > 0 {
				found++
				t.Errorf("%s, %s at %s: %v", name, path, v.name, r.Violations)
			}
		}
	}
	return found, made
}
