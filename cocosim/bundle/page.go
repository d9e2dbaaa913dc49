package bundle

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"hcacosim/cocosim/bucket"
	"hcacosim/cocosim/html"
)

// Names of the files that help to read a bundle.
const (
	PageFile     = "report.html"
	ScenarioFile = "scenario.yaml" // a Spec with its few records spelled out
	StateFile    = "state.json"    // of the flow of the first mismatch, on both sides
	StallsFile   = "stalls.json"   // the cycles in which outputs were not ready
)

// extras writes what helps to read a bundle.
func (w *writer) extras(ctx context.Context) error {
	w.out.Failure, _ = bucket.Of(w.report)
	for _, step := range []func() error{w.state, w.stalls, w.scenario, w.page} {
		if err := step(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// page writes the report as a page, with the ladder around the first mismatch and links to what lies beside it.
func (w *writer) page() error {
	page := html.RunPage(w.report, w.given.Records)
	for i := range page.Failures {
		f := &page.Failures[i]
		f.State = stateRows(w.flow)
		f.Reproduce = append(f.Reproduce, "cosim replay .  # in the folder of this page", "cosim shrink . -o SMALL")
		for _, name := range []string{SpecFile, ReplayFile, ScenarioFile, ReportFile, ActualFile, StateFile, StallsFile,
			"actual.pcapng", "expected.pcapng"} {
			if _, err := os.Stat(filepath.Join(w.dir, name)); err == nil {
				f.Files = append(f.Files, html.Pair{Name: name, Value: name})
			}
		}
	}
	f, err := os.Create(filepath.Join(w.dir, PageFile))
	if err != nil {
		return err
	}
	return errors.Join(html.Write(f, page), f.Close())
}
