package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/bucket"
	"hcacosim/cocosim/bundle"
	"hcacosim/cocosim/html"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/shrink"
)

func bucketsCommand() *cli.Command {
	return &cli.Command{
		Name:      "buckets",
		Usage:     "group the failures that left bundles by what most likely caused them",
		ArgsUsage: "DIR...",
		Description: "Every bundle under the directories counts once. A shrunk one tells how small the first failure of\n" +
			"its bucket became.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "one JSON object on stdout"}},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return cocosim.Errorf(cocosim.BadInput, "no directory named: that of a bundle, or one with bundles in it")
			}
			failures, small, err := bundlesUnder(c.Args().Slice())
			if err != nil {
				return err
			}
			if len(failures) == 0 {
				return cocosim.Errorf(cocosim.BadInput, "no bundle under %v", c.Args().Slice())
			}
			buckets := bucket.Group(failures)
			for i := range buckets {
				for _, at := range buckets[i].Members {
					if n := small[failures[at].Bundle]; n > 0 && (buckets[i].Shrunk == 0 || n < buckets[i].Shrunk) {
						buckets[i].Shrunk = n
					}
				}
			}
			if c.Bool("json") {
				return json.NewEncoder(c.App.Writer).Encode(map[string]any{"failures": len(failures), "buckets": buckets})
			}
			printBuckets(c.App.Writer, buckets)
			return nil
		},
	}
}

// bundlesUnder are the failures of all bundles under some directories, and the packets of those that were shrunk.
func bundlesUnder(dirs []string) (failures []bucket.Failure, small map[string]int, err error) {
	small = map[string]int{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() != bundle.AboutFile {
				return err
			}
			about, _, err := bundle.Open(filepath.Dir(path))
			if err != nil {
				return err
			}
			f := about.Failure
			f.Bundle = filepath.Dir(path)
			failures = append(failures, f)
			if about.Minimal {
				small[f.Bundle] = about.Packets
			}
			return nil
		})
		if err != nil {
			return nil, nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
		}
	}
	return failures, small, nil
}

// printBuckets prints a line a bucket, the largest first, and how to repeat its first failure.
func printBuckets(w io.Writer, buckets []bucket.Bucket) {
	failures := 0
	for _, b := range buckets {
		failures += b.Count
	}
	fmt.Fprintf(w, "%s in %s\n", countOf(uint64(failures), "failure", "failures"),
		countOf(uint64(len(buckets)), "bucket", "buckets"))
	for _, b := range buckets {
		fmt.Fprintf(w, "%6d  %s: %s", b.Count, b.Dut, b.Name)
		if len(b.Others) > 0 {
			fmt.Fprintf(w, " (and %s)", countOf(uint64(len(b.Others)), "other signature", "other signatures"))
		}
		if b.Shrunk > 0 {
			fmt.Fprintf(w, ", shrunk to %s", countOf(uint64(b.Shrunk), "packet", "packets"))
		}
		fmt.Fprintf(w, "\n        first seed %d: %s\n", b.FirstSeed, b.First.Reproduce)
		if b.First.Bundle != "" {
			fmt.Fprintf(w, "        bundle %s\n", b.First.Bundle)
		}
	}
}

// sorted are the failures of a regression in buckets. With a limit the first failure of each is made small within that
// time.
func sorted(c *cli.Context, runs []*regress.Run, limit time.Duration) (buckets []bucket.Bucket, firsts []*regress.Run) {
	var failures []bucket.Failure
	var of []*regress.Run
	for _, r := range regress.Failed(runs) {
		if r.Report.Report == nil {
			continue
		}
		if f, ok := bucket.Of(r.Report.Report); ok {
			failures, of = append(failures, f), append(of, r)
		}
	}
	buckets = bucket.Group(failures)
	for i := range buckets {
		b := &buckets[i]
		first := of[b.Members[0]]
		for _, at := range b.Members {
			if of[at].Spec.Seed == b.FirstSeed && failures[at].Reproduce == b.First.Reproduce {
				first = of[at]
			}
		}
		firsts = append(firsts, first)
		if limit > 0 {
			b.Shrunk = shrunkTo(c, first.Spec, limit)
		}
	}
	return buckets, firsts
}

// shrunkTo is how many packets of a run are enough; 0 where that could not be found out.
func shrunkTo(c *cli.Context, spec session.Spec, limit time.Duration) int {
	records, err := session.Records(spec, bundle.MostRecords)
	if err != nil {
		return 0
	}
	res, err := shrink.Run(c.Context, spec, records, shrink.Options{Limit: limit, Jobs: c.Int("jobs")})
	if err != nil {
		return 0
	}
	return res.PacketsAfter
}

// Bounds of the page of a regression.
const (
	runsInPage     = 5000
	failuresInPage = 24
)

// regressPage is the page of a regression: the first failure of each bucket is drawn.
func regressPage(c *cli.Context, runs []*regress.Run, buckets []bucket.Bucket, firsts []*regress.Run) *html.Page {
	failed := regress.Failed(runs)
	page := &html.Page{Title: "cosim regress", Verdict: "AGREED", Good: len(failed) == 0, Buckets: buckets}
	if len(failed) > 0 {
		page.Verdict = fmt.Sprintf("%d of %d runs failed", len(failed), regress.Begun(runs))
	}
	var records, cycles uint64
	seconds := 0.0
	for i, r := range runs {
		records, cycles, seconds = records+r.Report.Packets, cycles+r.Report.Cycles, seconds+r.Report.Seconds
		if i >= runsInPage && (!r.Done || r.Report.ExitCode == cocosim.Agreed) {
			page.MoreRuns++
			continue
		}
		verdict := r.Report.Verdict
		if !r.Done {
			verdict = "not begun"
		}
		page.Runs = append(page.Runs, html.Run{Dut: r.Spec.Dut, Scenario: r.Scenario, Size: r.Size(), Seed: r.Spec.Seed,
			Records: r.Report.Packets, Mismatches: r.Report.Mismatched, Verdict: verdict,
			Good: r.Done && r.Report.ExitCode == cocosim.Agreed, Line: r.Spec.Line()})
	}
	page.Summary = []html.Pair{{Name: "runs", Value: fmt.Sprint(len(runs))}, {Name: "failed",
		Value: fmt.Sprint(len(failed))}, {Name: "buckets", Value: fmt.Sprint(len(buckets))}, {Name: "records",
		Value: fmt.Sprint(records)}, {Name: "cycles", Value: fmt.Sprint(cycles)}, {Name: "run time",
		Value: fmt.Sprintf("%.1f s", seconds)}, {Name: "seeds", Value: c.String("seeds")}}
	for _, r := range firsts[:min(failuresInPage, len(firsts))] {
		given, _ := html.Around(c.Context, r.Spec, nil, r.Report.Report) // without it there is no ladder
		if f, ok := html.FailureOf(r.Report.Report, given); ok {
			showBundle(c, &f, r.Bundle)
			page.Failures = append(page.Failures, f)
		}
	}
	return page
}
