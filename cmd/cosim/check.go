package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/falconflow"
	"hcacosim/cocosim/field"
	"hcacosim/cocosim/flow"
	"hcacosim/cocosim/ladder"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// tally is what check found in one capture.
type tally struct {
	File      string `json:"file"`
	Packets   uint64 `json:"packets"`   // frames
	RoCE      uint64 `json:"roce"`      // frames that are RoCEv1 or RoCEv2
	IB        uint64 `json:"ib"`        // IB native transport packets
	ICRCBad   uint64 `json:"icrc_bad"`  // of roce and ib
	Malformed uint64 `json:"malformed"` // of roce and ib
	Undecided uint64 `json:"undecided"` // cut by the snap length before an answer
	// Violation lists the certain ones; a bad ICRC of what an endpoint received is none.
	Violation []flow.Finding `json:"violations"`
	Possible  []flow.Finding `json:"possible"`
	// Odd is what an endpoint received that no peer should have sent: not its fault.
	Odd     []flow.Finding  `json:"received_odd"`
	Flows   []flow.Flow     `json:"flows"`
	Bugs    []flow.Bug      `json:"known_bugs,omitempty"`
	Judged  uint64          `json:"judged"`     // packets that were held against the rules
	Not     []string        `json:"not_judged"` // why others were not
	ICRC    []flow.ICRCNote `json:"icrc_by_host,omitempty"`
	Profile string          `json:"profile"`
	Where   string          `json:"where"` // the capture was taken
	// Left counts the findings that the flags did not select.
	Left int `json:"not_selected"`
	// Configuration says what of the sidecar both ends contradict.
	Configuration []string `json:"configuration_in_doubt"`
	Error         string   `json:"error,omitempty"` // why reading stopped early
	Note          string   `json:"note,omitempty"`  // where it stopped, if that is no error
	fieldTally
	// Falcon is what was found in Falcon packets; nil where there were none.
	Falcon *falconflow.Report `json:"falcon,omitempty"`

	report  *flow.Report
	certain uint64 // violations, of RoCE and Falcon
	falcon  *falconflow.Checker
	ladder  *ladder.Capture // nil unless a page is wanted
}

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "judge every packet of captures: what did this NIC do wrong?",
		ArgsUsage: "CAPTURE...",
		Flags: append(command.FalconFlags(),
			&cli.StringFlag{Name: "at", Usage: "where the capture was taken: A or B of the sidecar, an address, or wire " +
				"(default: by the name beside a sidecar, else wire)"},
			&cli.StringFlag{Name: "profile", Usage: "what the device is held to: spec, rxe or qib (default: rxe if the " +
				"sidecar names such devices, else spec)"},
			&cli.StringFlag{Name: "config", Usage: "a sidecar `FILE` for all captures; see docs/check.md"},
			&cli.DurationFlag{Name: "behind", Value: flow.DefaultBehindNs, Usage: "how long before it left a request of the " +
				"endpoint may have been decided; 0: as far back as the one before it"},
			&cli.BoolFlag{Name: "complete", Usage: "the capture misses no frame and has them in order: findings may rest on it"},
			&cli.StringFlag{Name: "annotate", Usage: "write a copy of the capture with a comment on every packet to " +
				"`OUT.pcapng`"},
			&cli.StringFlag{Name: "html", Usage: "draw ladders and PSNs over time in a page, `FILE`, that a browser shows"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object on stdout"},
			&cli.IntFlag{Name: "show", Value: shown, Usage: "list this many findings of each capture"},
			&cli.BoolFlag{Name: "merge", Usage: "take all captures as one, in the order of time: a ring of files, several " +
				"interfaces"},
			&cli.BoolFlag{Name: "ends", Usage: "the two captures are of both ends of the same connections: say what was lost " +
				"between them"},
			&cli.BoolFlag{Name: "live", Usage: "print each finding as it comes (default: for standard input and FIFOs)"},
			&cli.StringSliceFlag{Name: "counters", Usage: "what the NIC's counters should read: rxe or mlx5, or a `FILE` of " +
				"rdma statistic or ethtool -S to compare with; two for before and after"},
			&cli.StringFlag{Name: "flow", Usage: "show only flows and findings of flows whose name has this `TEXT`, such as " +
				"10.1.0.2"},
			&cli.StringFlag{Name: "qp", Usage: "show only those of this queue pair (63, 0x3f or 3fh)"},
			&cli.StringFlag{Name: "from", Usage: "show only findings from this packet number on, or from this time after the " +
				"first packet (1.5s)"},
			&cli.StringFlag{Name: "to", Usage: "show only findings up to this packet number or time"},
			&cli.StringFlag{Name: "only", Usage: "show only findings of this `RULE`"},
			&cli.Uint64Flag{Name: "finding", Usage: "with --out: make a vector set of the finding about this `PACKET`"},
			&cli.StringFlag{Name: "out", Usage: "the vector set goes to `DIR`, its packets also to DIR.pcapng"},
			&cli.StringFlag{Name: "dut", Value: "icrc_check", Usage: "the stage that the vector set is for (see cosim duts)"},
			&cli.BoolFlag{Name: "card", Usage: "print a card of every rule: how often the captures exercise it, whether it " +
				"held, which cannot be seen in captures"},
			&cli.BoolFlag{Name: "learn", Usage: "propose the profile fields that would explain the captures"},
		),
		Action: check,
	}
}

func check(c *cli.Context) error {
	jobs, sel, err := planCheck(c)
	if err != nil {
		return err
	}
	if err := planFinding(c); err != nil {
		return err
	}
	if c.Bool("learn") {
		return learn(c, jobs)
	}
	debug.SetMemoryLimit(memoryLimitBytes)
	w := c.App.Writer
	list := printer{w: w, sel: sel, card: newRuleCard(c)}
	if c.Bool("json") {
		list.w = io.Discard
	}
	var tallies []*tally
	var failed error
	var sum checkSum
	for _, job := range jobs {
		if c.Context.Err() != nil {
			return cocosim.Errorf(cocosim.Inconclusive, "interrupted before %s", job.name)
		}
		list.left = c.Int("show")
		t, err := checkFile(c, job, &list)
		if err != nil {
			t.Error = err.Error()
			fmt.Fprintln(c.App.ErrWriter, "cosim:", err)
			failed = command.Silent(cocosim.ExitOf(err))
		}
		if !t.silent && (err == nil || t.Packets > 0) {
			list.capture(t)
		}
		if err == nil && c.IsSet("finding") {
			if err := exportFinding(c, job, t); err != nil {
				return err
			}
		}
		tallies = append(tallies, t)
		list.card.add(t)
		sum.add(t)
	}
	if err := list.totals(c, tallies); err != nil {
		return err
	}
	way, err := list.way(c, jobs)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		failed = cmp.Or(list.encode(w, tallies, way, c.IsSet("show")), failed)
	}
	return cmp.Or(failed, sum.verdict())
}

// encode writes the JSON object. limited: --show says how many findings.
func (p *printer) encode(w io.Writer, tallies []*tally, way *field.Way, limited bool) error {
	for _, t := range tallies {
		p.sel.narrow(t, limited)
	}
	all := map[string]any{"captures": tallies}
	p.card.join(all)
	if way != nil {
		all["way"] = way
	}
	return json.NewEncoder(w).Encode(all)
}

// totals prints what several captures come to, and the card, and writes the page.
func (p *printer) totals(c *cli.Context, tallies []*tally) error {
	if len(tallies) > 1 {
		p.total(total(tallies))
	}
	if slices.ContainsFunc(tallies, func(t *tally) bool { return t.Error == "" || t.Packets > 0 }) {
		p.card.print(p.w) // else nothing was read
	}
	if err := writeCheckPage(c, tallies); err != nil {
		return cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	return nil
}

// checkSum is what all captures of a call come to: certain findings, and packets that were judged.
type checkSum struct{ certain, judged uint64 }

// add counts a capture, and lets go of its report.
func (s *checkSum) add(t *tally) {
	if t.report != nil {
		s.certain += t.report.Certain
		s.judged += t.report.Judged + t.report.Certain
		t.report = nil
	}
	if t.Falcon != nil {
		s.certain += t.Falcon.Certain
		s.judged += t.Falcon.Judged()
	}
}

// verdict is the error that carries the exit code; nil where every packet agreed.
func (s *checkSum) verdict() error {
	switch {
	case s.certain > 0:
		return command.Silent(cocosim.Mismatch)
	case s.judged == 0:
		return command.Silent(cocosim.Inconclusive)
	}
	return nil
}

// memoryLimitBytes makes the collector work harder before memory reaches what the command promises.
const memoryLimitBytes = 512 << 20

// newTally has a list, empty yet, for each key of the JSON that is always there.
func newTally(name string) *tally {
	return &tally{File: name, Flows: []flow.Flow{}, Violation: []flow.Finding{}, Possible: []flow.Finding{},
		Odd: []flow.Finding{}, Not: []string{}, Configuration: []string{},
		fieldTally: fieldTally{Headline: []string{}, Troubles: []field.Trouble{}}}
}

// checkFile judges one capture. On an error the tally holds what was read before it.
func checkFile(c *cli.Context, job checkJob, list *printer) (*tally, error) {
	t := newTally(job.name)
	in, err := job.open(c)
	if err != nil {
		return t, err
	}
	defer in.Close()
	falcon, err := command.FalconOptions(c)
	if err != nil {
		return t, err
	}
	falcon.Own, falcon.Complete = in.own(), in.opt.Complete
	t.falcon = falconflow.NewChecker(falcon)
	t.Profile = in.opt.Profile.Name
	checker, err := flow.New(in.opt)
	if err != nil {
		return t, cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	in.opt.Sidecar = checker.Sidecar() // as it is judged by
	var notes *annotator
	if out := c.String("annotate"); out != "" {
		if notes, err = newAnnotator(out); err != nil {
			return t, err
		}
	}
	t.observe(in)
	t.draws(c)
	list.card.begin(job.name)
	err = t.read(c, in, checker, notes, list)
	if d := in.Drops(); d.Known {
		checker.Drops(d.Total())
	}
	t.sum(checker.Finish())
	if r := t.falcon.Finish(); r.Packets+r.OtherPSP > 0 {
		t.Falcon = r
		t.join()
	}
	t.placeDoubts(in)
	t.certain, _, _ = t.sums()
	t.settle(c, in)
	if notes != nil {
		bad := notes.close()
		if bad == nil {
			bad = notes.settle(t)
		}
		if err == nil {
			err = bad
		}
	}
	if err == nil {
		err = in.absent(t)
	}
	return t, err
}

func (t *tally) read(c *cli.Context, in *checkInput, checker *flow.Checker, notes *annotator, list *printer) error {
	var p wire.Packet
	for {
		f, err := in.Next()
		if err != nil {
			return t.ended(c, in, err)
		}
		if t.Packets%(1<<14) == 0 && c.Context.Err() != nil {
			return t.ended(c, in, c.Context.Err())
		}
		icrc := t.count(&f, &p, list)
		v := checker.Take(&f, &p, icrc)
		t.watch(&f, &p, icrc, &v, list, in)
		t.draw(&f, &p, icrc, &v)
		list.card.take(f.Number, &p, icrc, &v)
		comment := ""
		if p.Encap == wire.EncapNone {
			if comment = t.falcon.Take(f.Number, f.TimeNS, f.Link, f.Data, f.OrigLen); in.live {
				list.falconLive(t)
			}
			list.card.falcon(f.Number, t.falcon.Last())
		}
		if notes != nil {
			notes.add(&f, cmp.Or(comment, v.Comment()))
		}
	}
}

// sum takes over what was found.
func (t *tally) sum(r *flow.Report) {
	t.report, t.Where, t.Bugs, t.Judged, t.ICRC = r, r.Where, r.Bugs, r.Judged, r.ICRC
	t.Odd, t.Not = append(t.Odd, r.Oddities...), append(t.Not, r.NotJudged...)
	t.Configuration = append(t.Configuration, r.Configuration...)
	t.Flows = append(t.Flows, r.Flows...)
	for _, x := range r.Violations {
		if x.Certain() {
			t.Violation = append(t.Violation, x)
		} else {
			t.Possible = append(t.Possible, x)
		}
	}
}

// count decodes a frame and judges its form and ICRC.
func (t *tally) count(f *vectors.Frame, p *wire.Packet, list *printer) wire.ICRCStatus {
	t.Packets++
	wire.DecodeCut(f.Link, f.Data, f.OrigLen, p)
	switch p.Encap {
	case wire.EncapNone:
	case wire.EncapRoCEv1, wire.EncapRoCEv2IPv4, wire.EncapRoCEv2IPv6:
		t.RoCE++
	default:
		t.IB++
	}
	if p.Undecided() {
		t.Undecided++
		return wire.ICRCUndecided
	}
	if p.Encap == wire.EncapNone {
		return wire.ICRCNone
	}
	icrc := p.ICRC()
	if icrc == wire.ICRCBad && p.Bad.Reason != wire.Truncated {
		t.ICRCBad++
		list.finding(f, p, "bad ICRC")
	}
	if p.Bad.Reason != wire.WellFormed {
		t.Malformed++
		list.finding(f, p, p.Bad.String())
	}
	return icrc
}

func total(ts []*tally) *tally {
	sum := &tally{File: "total"}
	for _, t := range ts {
		sum.Packets += t.Packets
		sum.RoCE += t.RoCE
		sum.IB += t.IB
		sum.ICRCBad += t.ICRCBad
		sum.Malformed += t.Malformed
		sum.Undecided += t.Undecided
	}
	return sum
}
