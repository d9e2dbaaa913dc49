package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/flow"
	"hcacosim/docs"
)

// selection is what of a report is shown. Everything is judged, and the exit code is of everything.
type selection struct {
	show       int
	flow       string
	qp         uint32
	hasQP      bool
	rule       string
	from, to   uint64 // packets
	after, til time.Duration
}

// newSelection takes the flags.
func newSelection(c *cli.Context) (s selection, err error) {
	s = selection{show: c.Int("show"), flow: c.String("flow"), rule: strings.ToUpper(c.String("only")), to: ^uint64(0),
		til: 1<<63 - 1}
	if text := c.String("qp"); text != "" {
		n, ok := qpn(text)
		if !ok {
			return s, cocosim.Errorf(cocosim.BadInput, "--qp %s: not a queue pair number (63, 0x3f or 3fh)", text)
		}
		s.qp, s.hasQP = n, true
	}
	if s.rule != "" && !knownRule(s.rule) {
		return s, cocosim.Errorf(cocosim.BadInput, "--only %s: no such rule (cosim explain lists them)", s.rule)
	}
	for _, x := range []struct {
		flag   string
		packet *uint64
		span   *time.Duration
	}{{"from", &s.from, &s.after}, {"to", &s.to, &s.til}} {
		text := c.String(x.flag)
		if text == "" {
			continue
		}
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			*x.packet = n
		} else if d, err := time.ParseDuration(text); err == nil && d >= 0 {
			*x.span = d
		} else {
			return s, cocosim.Errorf(cocosim.BadInput, "--%s %s: neither a packet number nor a time after the first packet "+
				"(1.5s)", x.flag, text)
		}
	}
	return s, s.sane(c)
}

// sane says what is wrong with numbers that can be read.
func (s *selection) sane(c *cli.Context) error {
	switch {
	case s.show < 0:
		return cocosim.Errorf(cocosim.BadInput, "--show %d: a number of findings that is not negative", s.show)
	case s.from > s.to || s.after > s.til:
		return cocosim.Errorf(cocosim.BadInput, "--from %s --to %s: nothing lies between", c.String("from"), c.String("to"))
	}
	return nil
}

// knownRule reports whether a finding can have a rule.
func knownRule(id string) bool {
	_, known := rulesOf(docs.Rules).text[id]
	return known || id == "SIDECAR" || id == "FORM"
}

// qpn reads a queue pair number: decimal, 0x.., or hexadecimal with an h behind.
func qpn(text string) (uint32, bool) {
	if hex, is := strings.CutSuffix(strings.ToLower(text), "h"); is {
		text = "0x" + hex
	}
	n, err := strconv.ParseUint(text, 0, 24)
	return uint32(n), err == nil
}

func (s *selection) takesPacket(n uint64) bool { return s.from <= n && n <= s.to }

// flowsOf are the flows that are shown, those in most trouble first.
func (s *selection) flowsOf(all []flow.Flow) []flow.Flow {
	list := slices.DeleteFunc(slices.Clone(all), func(f flow.Flow) bool { return !s.takesFlow(&f) })
	slices.SortStableFunc(list, func(a, b flow.Flow) int { return cmp.Compare(trouble(&b), trouble(&a)) })
	return list
}

func (s *selection) takesFlow(f *flow.Flow) bool {
	if s.hasQP && f.QPN != s.qp && f.PeerQPN != s.qp {
		return false
	}
	return strings.Contains(end(f.IP, f.QPN)+" "+end(f.PeerIP, f.PeerQPN)+" "+f.Service+" "+f.Side, s.flow)
}

// narrow leaves what is selected in the lists that the JSON has. limited: --show says how many findings.
func (s *selection) narrow(t *tally, limited bool) {
	before := len(t.Violation) + len(t.Possible)
	t.Violation, t.Possible, t.Odd = s.findings(t, t.Violation), s.findings(t, t.Possible), s.findings(t, t.Odd)
	t.Flows = slices.DeleteFunc(t.Flows, func(f flow.Flow) bool { return !s.takesFlow(&f) })
	left := s.show
	shorten := func(n int) int {
		if !limited {
			return n
		}
		n = min(n, left)
		left -= n
		return n
	}
	t.Violation = t.Violation[:shorten(len(t.Violation))]
	t.Possible = t.Possible[:shorten(len(t.Possible))]
	t.Left = before - len(t.Violation) - len(t.Possible)
}

// trouble orders flows: packets that were sent again, and what NAKs and losses there were.
func trouble(f *flow.Flow) uint64 { return f.Retransmissions.Total() + f.NAKs + 4*f.RNRs + f.Losses }

// findings are those that are shown.
func (s *selection) findings(t *tally, all []flow.Finding) []flow.Finding {
	return slices.DeleteFunc(slices.Clone(all), func(x flow.Finding) bool {
		at, known := t.marks[x.Packet]
		at.flow = cmp.Or(x.Flow, at.flow)
		switch {
		case !s.takesPacket(x.Packet), s.rule != "" && string(x.Rule) != s.rule:
			return true
		case known && (time.Duration(at.afterNS) < s.after || time.Duration(at.afterNS) > s.til):
			return true
		case s.flow != "" && !strings.Contains(at.flow, s.flow):
			return true
		}
		return s.hasQP && at.qpn != s.qp
	})
}

// totalFlow sums flows up.
func totalFlow(list []flow.Flow) (sum flow.Flow) {
	for i := range list {
		f, x := &list[i], &list[i].Retransmissions
		sum.Packets += f.Packets
		sum.Losses += f.Losses
		sum.NAKs += f.NAKs
		sum.RNRs += f.RNRs
		sum.ResponsesSent += f.ResponsesSent
		sum.ResponsesPredicted += f.ResponsesPredicted
		r := &sum.Retransmissions
		r.NAK, r.Timeout, r.RNR = r.NAK+x.NAK, r.Timeout+x.Timeout, r.RNR+x.RNR
		r.Implied, r.Unexplained = r.Implied+x.Implied, r.Unexplained+x.Unexplained
	}
	return sum
}

func flowRow(w io.Writer, responder, from, credit, rate string, f *flow.Flow) {
	x := &f.Retransmissions
	fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%d\t%d\t\n", responder, from, f.Service,
		f.Packets, rate,
		f.Losses, x.Total(), x.NAK, x.Timeout, x.RNR, x.Implied, x.Unexplained, f.NAKs, f.RNRs, credit, f.ResponsesSent,
		f.ResponsesPredicted)
}
