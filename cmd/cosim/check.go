package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/falconflow"
	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
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
	Odd     []flow.Finding  `json:"received_odd,omitempty"`
	Flows   []flow.Flow     `json:"flows"`
	Bugs    []flow.Bug      `json:"known_bugs,omitempty"`
	Judged  uint64          `json:"judged"`               // packets that were held against the rules
	Not     []string        `json:"not_judged,omitempty"` // why others were not
	ICRC    []flow.ICRCNote `json:"icrc_by_host,omitempty"`
	Profile string          `json:"profile"`
	Where   string          `json:"where"`           // the capture was taken
	Error   string          `json:"error,omitempty"` // why reading stopped early
	// Falcon is what was found in Falcon packets; nil where there were none.
	Falcon *falconflow.Report `json:"falcon,omitempty"`

	report *flow.Report
	falcon *falconflow.Checker
}

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "judge every packet of captures: what did this NIC do wrong?",
		ArgsUsage: "CAPTURE...",
		Flags: append(command.FalconFlags(),
			&cli.StringFlag{Name: "at", Usage: "where the capture was taken: A or B of the sidecar, an address, or wire (default: by the name beside a sidecar, else wire)"},
			&cli.StringFlag{Name: "profile", Usage: "what the device is held to: spec, rxe or qib (default: rxe if the sidecar names such devices, else spec)"},
			&cli.StringFlag{Name: "config", Usage: "a sidecar `FILE` for all captures; see docs/check.md"},
			&cli.BoolFlag{Name: "complete", Usage: "the capture misses no frame and has them in order: findings may rest on it"},
			&cli.StringFlag{Name: "annotate", Usage: "write a copy of the capture with a comment on every packet to `OUT.pcapng`"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object on stdout"},
			&cli.IntFlag{Name: "show", Value: 5, Usage: "list this many findings of each capture"},
		),
		Action: check,
	}
}

func check(c *cli.Context) error {
	if c.NArg() == 0 {
		return cocosim.Errorf(cocosim.BadInput, "no capture named (see `cosim check --help`)")
	}
	if c.String("annotate") != "" && c.NArg() != 1 {
		return cocosim.Errorf(cocosim.BadInput, "--annotate takes one capture, not %d", c.NArg())
	}
	debug.SetMemoryLimit(memoryLimitBytes)
	w := c.App.Writer
	list := printer{w: w, left: c.Int("show")}
	if c.Bool("json") {
		list.w = io.Discard
	}
	var tallies []*tally
	var failed error
	certain, judged := uint64(0), uint64(0)
	for _, path := range c.Args().Slice() {
		if c.Context.Err() != nil {
			return cocosim.Errorf(cocosim.Inconclusive, "interrupted before %s", path)
		}
		list.left = c.Int("show")
		t, err := checkFile(c, path, &list)
		if err != nil {
			t.Error = err.Error()
			fmt.Fprintln(c.App.ErrWriter, "cosim:", err)
			failed = command.Silent(cocosim.BadInput)
		}
		list.capture(t)
		tallies = append(tallies, t)
		if t.report != nil {
			certain += t.report.Certain
			judged += t.report.Judged + t.report.Certain
			t.report = nil
		}
		if t.Falcon != nil {
			certain += t.Falcon.Certain
			judged += t.Falcon.Packets
		}
	}
	if len(tallies) > 1 {
		list.total(total(tallies))
	}
	if c.Bool("json") {
		if err := json.NewEncoder(w).Encode(map[string]any{"captures": tallies}); err != nil {
			return err
		}
	}
	switch {
	case failed != nil:
	case certain > 0:
		failed = command.Silent(cocosim.Mismatch)
	case judged == 0:
		failed = command.Silent(cocosim.Inconclusive)
	}
	return failed
}

// memoryLimitBytes makes the collector work harder before memory reaches what the command promises.
const memoryLimitBytes = 200 << 20

var profiles = map[string]*roce.Profile{"spec": &roce.Spec, "rxe": &roce.Rxe, "qib": &roce.Qib}

// optionsFor settles what is known about a capture: the flags, and the sidecar beside it.
func optionsFor(c *cli.Context, path string) (opt flow.Options, err error) {
	name, side := c.String("config"), ""
	if beside, at, ok := flow.FindSidecar(path); ok {
		if side = at; name == "" {
			name = beside
		}
	}
	if opt.At = c.String("at"); opt.At == "" {
		opt.At = side
	}
	if name != "" {
		if opt.Sidecar, err = flow.ReadSidecar(name); err != nil {
			return opt, cocosim.Errorf(cocosim.BadInput, "%v", err)
		}
	}
	opt.Complete = c.Bool("complete")
	opt.Profile = roce.Spec
	if opt.Sidecar != nil && opt.Sidecar.IsSoftRoCE() {
		opt.Profile = roce.Rxe
	}
	if given := c.String("profile"); given != "" {
		p := profiles[given]
		if p == nil {
			return opt, cocosim.Errorf(cocosim.BadInput, "--profile %s: not spec, rxe or qib", given)
		}
		opt.Profile = *p
	}
	opt.Scan, err = flow.ScanCapture(path)
	return opt, err
}

// checkFile judges one file. On an error the tally holds what was read before it.
func checkFile(c *cli.Context, path string, list *printer) (*tally, error) {
	t := &tally{File: path, Flows: []flow.Flow{}, Violation: []flow.Finding{}, Possible: []flow.Finding{}}
	opt, err := optionsFor(c, path)
	if err != nil {
		return t, err
	}
	falcon, err := command.FalconOptions(c)
	if err != nil {
		return t, err
	}
	t.falcon = falconflow.NewChecker(falcon)
	t.Profile = opt.Profile.Name
	checker, err := flow.New(opt)
	if err != nil {
		return t, cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	in, err := capture.Open(path)
	if err != nil {
		return t, err
	}
	defer in.Close()
	var notes *annotator
	if out := c.String("annotate"); out != "" {
		if notes, err = newAnnotator(out); err != nil {
			return t, err
		}
	}
	err = t.read(c, in, checker, notes, list)
	t.sum(checker.Finish())
	if r := t.falcon.Finish(); r.Packets+r.OtherPSP > 0 {
		t.Falcon = r
	}
	if notes != nil {
		if bad := notes.close(); bad != nil && err == nil {
			err = bad
		}
	}
	return t, err
}

func (t *tally) read(c *cli.Context, in *capture.Reader, checker *flow.Checker, notes *annotator, list *printer) error {
	var p wire.Packet
	for {
		f, err := in.Next()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if t.Packets%(1<<16) == 0 && c.Context.Err() != nil {
			return cocosim.Errorf(cocosim.Inconclusive, "interrupted at packet %d", f.Number)
		}
		icrc := t.count(&f, &p, list)
		v := checker.Take(&f, &p, icrc)
		comment := ""
		if p.Encap == wire.EncapNone {
			comment = t.falcon.Take(f.Number, f.Link, f.Data, f.OrigLen)
		}
		if notes != nil {
			notes.add(&f, cmp.Or(comment, v.Comment()))
		}
	}
}

// sum takes over what was found.
func (t *tally) sum(r *flow.Report) {
	t.report, t.Where, t.Bugs, t.Odd = r, r.Where, r.Bugs, r.Oddities
	t.Judged, t.Not, t.ICRC = r.Judged, r.NotJudged, r.ICRC
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
	if icrc == wire.ICRCBad {
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
