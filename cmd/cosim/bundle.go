package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/bundle"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/shrink"
)

// bundleFlags are those of run.
func bundleFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "bundle", Usage: "where a failing run leaves its bundle, `DIR`, or one file if it ends " +
			"in .tar.gz (default: a new directory under the user's state folder)"},
		&cli.BoolFlag{Name: "no-bundle", Usage: "leave none"},
	}
}

// leaveBundle writes the bundle of a run that failed and says where it is. A bundle that cannot be written does not
// change the verdict.
func leaveBundle(c *cli.Context, spec *session.Spec, rep *report.Report) {
	if rep.Exit() != cocosim.Mismatch && !wantsWaves(c, rep.Exit()) || c.Bool("no-bundle") {
		return
	}
	dir := c.String("bundle")
	if dir == "" {
		forgetOld(bundleFolder())
		dir = newBundle(bundleFolder(), spec)
	}
	about, err := bundle.Write(c.Context, strings.TrimSuffix(dir, bundle.ArchiveSuffix), *spec, nil, rep)
	if err == nil && strings.HasSuffix(dir, bundle.ArchiveSuffix) {
		err = bundle.Pack(strings.TrimSuffix(dir, bundle.ArchiveSuffix), dir)
	}
	if err != nil {
		fmt.Fprintln(c.App.ErrWriter, "cosim: no bundle:", err)
		return
	}
	fmt.Fprintf(c.App.ErrWriter, "bundle %s: %s (cosim replay, cosim shrink)\n", dir, cmp.Or(about.Signature, "it agreed"))
	if wantsWaves(c, rep.Exit()) {
		if b, err := openBundleIn(dir); err == nil {
			trace(c, dir, b.spec, true)
		}
	}
}

// bundleFolder is where bundles lie for which no place is named.
func bundleFolder() string { return filepath.Join(stateFolder(), "bundles") }

// newBundle names a bundle of a run in a folder.
func newBundle(folder string, spec *session.Spec) string {
	return filepath.Join(folder, fmt.Sprintf("%s-%s", filepath.Base(spec.Dut), time.Now().Format("20060102-150405.000")))
}

// mostBundles are kept in the user's state folder; the oldest go first.
const mostBundles = 20

func forgetOld(folder string) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	age := func(e os.DirEntry) (t time.Time) {
		if info, err := e.Info(); err == nil {
			t = info.ModTime()
		}
		return t
	}
	slices.SortFunc(list, func(a, b os.DirEntry) int { return age(a).Compare(age(b)) })
	for len(list) >= mostBundles {
		os.RemoveAll(filepath.Join(folder, list[0].Name()))
		list = list[1:]
	}
}

// stateFolder is where a user's programs keep what they leave behind.
func stateFolder() string {
	if s := os.Getenv("XDG_STATE_HOME"); s != "" {
		return filepath.Join(s, "hcacosim")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	return filepath.Join(home, ".local", "state", "hcacosim")
}

func replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "run a bundle again, and say so when the result differs",
		After:     forgetUnpacked,
		ArgsUsage: "BUNDLE",
		Flags: append([]cli.Flag{&cli.StringFlag{Name: "dut", Usage: "another device, such as the mended one"}},
			wavesFlags()...),
		Action: replayBundle,
	}
}

// unpacked is where the app keeps the directory of a bundle that came in one file.
const unpacked = "unpacked bundle"

// forgetUnpacked removes the directory into which openBundle unpacked a bundle.
func forgetUnpacked(c *cli.Context) error {
	if dir, ok := c.App.Metadata[unpacked].(string); ok {
		return os.RemoveAll(dir)
	}
	return nil
}

func replayBundle(c *cli.Context) error {
	b, err := openBundle(c)
	if err != nil {
		return err
	}
	if err := checkWaves(c); err != nil {
		return err
	}
	rep, err := session.Run(c.Context, *b.spec, session.Options{Log: logger(c)})
	if err != nil {
		return err
	}
	rep.Print(c.App.Writer)
	now := ""
	if len(rep.Result.Violations) > 0 {
		now = rep.Signature(rep.Result.Violations[0])
	}
	if now != b.about.Signature {
		fmt.Fprintf(c.App.ErrWriter, "the bundle has %q, this run %q\n", b.about.Signature, now)
	}
	for _, line := range b.about.OtherTools(rep) {
		fmt.Fprintln(c.App.ErrWriter, line)
	}
	if wantsWaves(c, rep.Exit()) {
		trace(c, b.dir, b.spec, c.String("dut") == "")
	}
	if exit := rep.Exit(); exit != cocosim.Agreed {
		return command.Silent(exit)
	}
	return nil
}

// opened is a bundle that an argument names.
type opened struct {
	dir   string
	about *bundle.About
	spec  *session.Spec
}

func openBundleIn(dir string) (*opened, error) {
	about, spec, err := bundle.Open(dir)
	return &opened{dir, about, spec}, err
}

func openBundle(c *cli.Context) (*opened, error) {
	dir := c.Args().First()
	if w := c.String("waves"); c.NArg() == 0 && c.IsSet("waves") && !isWaves(w) { // cosim replay --waves BUNDLE
		dir = w
		if err := c.Set("waves", wavesFail); err != nil {
			return nil, err
		}
	} else if c.NArg() != 1 {
		return nil, cocosim.Errorf(cocosim.BadInput, "one bundle, please: the directory that a failing run left")
	}
	if strings.HasSuffix(dir, bundle.ArchiveSuffix) {
		var err error
		if dir, err = bundle.Unpack(dir); err != nil {
			return nil, err
		}
		c.App.Metadata[unpacked] = dir
	}
	b, err := openBundleIn(dir)
	if err != nil {
		return nil, err
	}
	if dut := c.String("dut"); dut != "" {
		b.spec.Dut = dut
	}
	return b, nil
}

func shrinkCommand() *cli.Command {
	return &cli.Command{
		Name:      "shrink",
		Usage:     "make a failing run small: fewer and simpler packets, the same violation",
		After:     forgetUnpacked,
		ArgsUsage: "BUNDLE",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Required: true, Usage: "the bundle to write, `DIR`"},
			&cli.StringFlag{Name: "good", Usage: "a device that must agree on the small run: its `MANIFEST`"},
			&cli.DurationFlag{Name: "limit", Value: 5 * time.Minute, Usage: "stop after so long with what there is"},
			&cli.IntFlag{Name: "jobs", Value: runtime.NumCPU(), Usage: "runs at a time"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: shrinkBundle,
	}
}

// shrunk is what `cosim shrink --json` prints.
type shrunk struct {
	*shrink.Result
	Bundle string `json:"bundle"`
	Good   *bool  `json:"good_agrees,omitempty"`
}

func shrinkBundle(c *cli.Context) error {
	b, err := openBundle(c)
	if err != nil {
		return err
	}
	spec := b.spec
	if _, err := os.Stat(c.String("output")); err == nil {
		return cocosim.Errorf(cocosim.BadInput, "%s is there already; name another directory", c.String("output"))
	}
	records, err := session.Records(*spec, bundle.MostRecords)
	if err != nil {
		return err
	}
	tell, ended := progressOf(c)
	res, err := shrink.Run(c.Context, *spec, records, shrink.Options{Limit: c.Duration("limit"), Jobs: c.Int("jobs"),
		Progress: tell})
	ended()
	if err != nil {
		return err
	}
	out := shrunk{Result: res, Bundle: c.String("output")}
	if _, err := bundle.Write(c.Context, out.Bundle, res.Spec, res.Records, nil); err != nil {
		return err
	}
	if err := replays(c, out.Bundle, res.Signature); err != nil {
		return err
	}
	if err := bundle.SetMinimal(out.Bundle, res.Minimal); err != nil {
		return err
	}
	if good := c.String("good"); good != "" {
		agrees, err := agreesOn(c, good, res)
		if err != nil {
			return err
		}
		out.Good = &agrees
	}
	return printShrunk(c, &out)
}

// replays is an error where what was written does not fail as it should.
func replays(c *cli.Context, dir, want string) error {
	_, spec, err := bundle.Open(dir)
	if err != nil {
		return err
	}
	rep, err := session.Run(c.Context, *spec, session.Options{})
	if err != nil {
		return err
	}
	now := ""
	if len(rep.Result.Violations) > 0 {
		now = rep.Signature(rep.Result.Violations[0])
	}
	if now != want {
		return cocosim.Errorf(cocosim.Inconclusive, "%s does not replay to %q but to %q: it is no smaller case", dir, want,
			now)
	}
	return nil
}

// agreesOn runs the small case on another device.
func agreesOn(c *cli.Context, good string, res *shrink.Result) (bool, error) {
	spec := res.Spec
	spec.Dut = good
	rep, err := session.Run(c.Context, spec, session.Options{Records: res.Records})
	if err != nil {
		return false, err
	}
	return rep.Exit() == cocosim.Agreed, nil
}

func printShrunk(c *cli.Context, out *shrunk) error {
	if c.Bool("json") {
		return json.NewEncoder(c.App.Writer).Encode(out)
	}
	w := c.App.Writer
	fmt.Fprintf(w, "%d packets of %d are enough: %s\n", out.PacketsAfter, out.PacketsBefore, out.Signature)
	if out.QPsBefore > 0 {
		fmt.Fprintf(w, "  %-9s %d of %d\n", "QPs", out.QPsAfter, out.QPsBefore)
	}
	fmt.Fprintf(w, "  %-9s %d runs, %.1f s\n", "search", out.Runs, out.Seconds)
	minimal := "no single packet can be left out"
	if !out.Minimal {
		minimal = "not shown: the time ran out (--limit)"
	}
	fmt.Fprintf(w, "  %-9s %s\n", "minimal", minimal)
	if out.Good != nil {
		fmt.Fprintf(w, "  %-9s %s: agrees %v\n", "good", c.String("good"), *out.Good)
	}
	fmt.Fprintf(w, "  %-9s %s\n", "bundle", out.Bundle)
	return nil
}

// progressOf shows on a terminal how far a shrink is: a bar of the records that are gone.
func progressOf(c *cli.Context) (tell func(total, records, runs int), ended func()) {
	var bar *progress
	left := 0
	tell = func(total, records, _ int) {
		if bar == nil {
			bar, left = newProgressOf(c.App.ErrWriter, "packets left out", uint64(total)), total
		}
		bar.tell(uint64(left-records), false)
		left = records
	}
	return tell, func() {
		if bar != nil {
			bar.tell(0, true)
		}
	}
}
