package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/field"
	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/vectors/capture"
)

// checkJob is what is judged as one capture: a file, or several.
type checkJob struct {
	name  string
	paths []string
}

// checkInput is a capture that is open, with what is known of it.
type checkInput struct {
	capture.Source
	opt    flow.Options
	stream bool
	live   bool
}

// planCheck takes the command line apart.
func planCheck(c *cli.Context) (jobs []checkJob, sel selection, err error) {
	paths := c.Args().Slice()
	switch {
	case len(paths) == 0:
		return nil, sel, cocosim.Errorf(cocosim.BadInput, "no capture named (see `cosim check --help`)")
	case c.String("annotate") != "" && len(paths) != 1 && !c.Bool("merge"):
		return nil, sel, cocosim.Errorf(cocosim.BadInput, "--annotate takes one capture, not %d", len(paths))
	case c.Bool("ends") && (len(paths) != 2 || capture.IsStream(paths[0]) || capture.IsStream(paths[1]) ||
		c.Bool("merge")):
		return nil, sel, cocosim.Errorf(cocosim.BadInput, "--ends takes two files, one of each end")
	}
	if c.Bool("ends") && sameFile(paths[0], paths[1]) {
		return nil, sel, cocosim.Errorf(cocosim.BadInput, "%s and %s are one file: --ends takes two, one of each end",
			paths[0], paths[1])
	}
	if sel, err = newSelection(c); err != nil {
		return nil, sel, err
	}
	if files := counterFiles(c); len(files) > 0 {
		if _, err := field.ReadCounters(files); err != nil {
			return nil, sel, cocosim.Errorf(cocosim.BadInput, "%v", err)
		}
	}
	if c.Bool("merge") {
		return []checkJob{{name: strings.Join(paths, "+"), paths: paths}}, sel, nil
	}
	for _, path := range paths {
		jobs = append(jobs, checkJob{name: path, paths: []string{path}})
	}
	return jobs, sel, nil
}

// sameFile reports whether two names are of one file.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// open opens a capture and takes a first look at it.
func (j *checkJob) open(c *cli.Context) (*checkInput, error) {
	in := &checkInput{stream: capture.IsStream(j.paths[0])}
	in.live = (in.stream || c.Bool("live")) && !c.Bool("json")
	var look capture.Source
	if len(j.paths) > 1 {
		if in.stream {
			return nil, cocosim.Errorf(cocosim.BadInput, "--merge takes files, not standard input or a FIFO")
		}
		first, err := openMerged(c, j.paths)
		if err != nil {
			return nil, err
		}
		proper, err := openMerged(c, j.paths)
		if err != nil {
			return nil, err
		}
		look, in.Source = first, proper
	} else {
		first, proper, err := capture.OpenTwice(c.Context, j.paths[0])
		if err != nil {
			return nil, waitingError(c.Context, j.name, err)
		}
		proper.Decapsulate()
		if in.Source = proper; first != nil {
			first.Decapsulate()
			look = first
		}
	}
	err := in.know(c, j, look)
	if look != nil {
		look.Close()
	}
	if err != nil {
		in.Close()
	}
	return in, err
}

func openMerged(c *cli.Context, paths []string) (*capture.Merged, error) {
	m, err := capture.OpenMerged(c.Context, paths)
	if err == nil {
		m.Decapsulate()
	}
	return m, err
}

// waitingError says that the command was stopped while it waited for a stream.
func waitingError(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return cocosim.Errorf(cocosim.Inconclusive, "interrupted: nothing came from %s", name)
	}
	return err
}

// know settles what is known about a capture: the flags, and the sidecar beside it.
func (in *checkInput) know(c *cli.Context, j *checkJob, look capture.Source) (err error) {
	opt := &in.opt
	opt.Complete = c.Bool("complete")
	if c.Duration("behind") < 0 {
		return cocosim.Errorf(cocosim.BadInput, "--behind %v: a time that is not negative", c.Duration("behind"))
	}
	opt.BehindNs = uint64(max(flow.NoBehind, c.Duration("behind")))
	name, side := c.String("config"), ""
	if beside, at, ok := flow.FindSidecar(j.paths[0]); ok && len(j.paths) == 1 {
		if side = at; name == "" {
			name = beside
		}
	}
	if opt.At = c.String("at"); opt.At == "" {
		opt.At = side
	}
	if look != nil {
		if opt.Scan, err = flow.ScanReader(look); err != nil {
			return err
		}
	}
	switch {
	case c.String("config") != "":
		opt.Sidecar, err = field.ReadConfig(name, j.paths[0], &opt.At)
	case name != "":
		opt.Sidecar, err = flow.ReadSidecar(name)
	}
	if err != nil {
		return cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	opt.Profile, err = profileFor(c.String("profile"), opt.Sidecar)
	return err
}

// profileFor is the profile that a device is held to.
func profileFor(given string, sidecar *flow.Sidecar) (roce.Profile, error) {
	if given == "" {
		if sidecar != nil && sidecar.IsSoftRoCE() {
			return roce.Rxe, nil
		}
		return roce.Spec, nil
	}
	p, err := field.Profile(given)
	if err != nil {
		return roce.Profile{}, cocosim.Errorf(cocosim.BadInput, "--profile %v", err)
	}
	return p, nil
}

// observer is what looks at the capture beside the checker.
func (in *checkInput) observer() *field.Observer {
	opt := field.Options{Scan: in.opt.Scan}
	s := in.opt.Sidecar
	if s != nil {
		a, _ := netip.ParseAddr(s.A.IP)
		b, _ := netip.ParseAddr(s.B.IP)
		opt.PMTUBytes = s.PathMTU
		opt.Names = map[netip.Addr]string{a: "A", b: "B"}
		opt.TimeoutNS = map[netip.Addr]int64{}
		for _, e := range []struct {
			a netip.Addr
			e *flow.End
		}{{a, &s.A}, {b, &s.B}} {
			if e.e.Timeout != nil {
				least, _ := in.opt.Profile.LeastNs(*e.e.Timeout, 0)
				opt.TimeoutNS[e.a] = int64(least)
			}
		}
		opt.StartPSN = startPSN(s, a, b)
	}
	opt.Own = in.own()
	return field.New(opt)
}

// startPSN tells the sidecar's start PSNs.
func startPSN(s *flow.Sidecar, a, b netip.Addr) func(src, dst netip.Addr, qpn uint32) (uint32, bool) {
	return func(src, dst netip.Addr, qpn uint32) (uint32, bool) {
		switch {
		case src == a && dst == b && qpn == s.B.QPN:
			return s.A.SQPSN, true
		case src == b && dst == a && qpn == s.A.QPN:
			return s.B.SQPSN, true
		}
		return 0, false
	}
}

// own is the address of the end that the capture was taken at; the zero Addr on the wire.
func (in *checkInput) own() netip.Addr {
	at, s := in.opt.At, in.opt.Sidecar
	switch {
	case at == "" || at == "wire":
		return netip.Addr{}
	case s != nil && at == "A":
		at = s.A.IP
	case s != nil && at == "B":
		at = s.B.IP
	case at == "A" || at == "B":
		if in.opt.Scan != nil {
			return in.opt.Scan.FirstHost(at == "B")
		}
	}
	a, _ := netip.ParseAddr(at)
	return a.Unmap()
}

// absent says that no packet comes from or goes to the end that --at names, no Falcon packet either: nothing of it was
// judged. Where all were cut or damaged nothing tells, and an end that did wrong is there.
func (in *checkInput) absent(t *tally) error {
	own := in.own()
	if !own.IsValid() || t.RoCE+t.IB == 0 || t.certain > 0 || t.watched.Seen(own) || t.watched.SomeHosts() == "" ||
		t.Falcon != nil && t.Falcon.AtOwn {
		return nil
	}
	t.silent = true
	return cocosim.Errorf(cocosim.BadInput, "%s: --at %s: no RoCE packet is from or to %v; there are %s", t.File,
		in.opt.At, own,
		t.watched.SomeHosts())
}

// ended says why reading ended: at the end, where a writer was stopped or the user stopped us, or at an error.
func (t *tally) ended(c *cli.Context, in *checkInput, err error) error {
	switch cut := errors.Is(err, io.ErrUnexpectedEOF); {
	case c.Context.Err() != nil && in.stream:
		t.Note = fmt.Sprintf("stopped behind packet %d", t.Packets)
		return nil
	case c.Context.Err() != nil:
		return cocosim.Errorf(cocosim.Inconclusive, "%s: interrupted behind packet %d", t.File, t.Packets)
	case cut && t.Packets > 0:
		t.Note = err.Error()
		return nil
	case errors.Is(err, io.EOF) && !cut:
		return nil
	}
	return err
}

// counterFiles are the files that --counters names; its other values are names of drivers.
func counterFiles(c *cli.Context) (files []string) {
	for _, x := range c.StringSlice("counters") {
		if !slices.Contains(field.CounterNames, x) {
			files = append(files, x)
		}
	}
	return files
}
