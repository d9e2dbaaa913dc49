package bundle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hcacosim/cocosim"
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
	for _, step := range []func() error{w.state, w.stalls, w.scenario, func() error { return w.page(ctx) }} {
		if err := step(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// page writes the report as a page, with the ladder around the first mismatch and links to what lies beside it.
func (w *writer) page(ctx context.Context) error {
	given := w.given.Records
	if v := w.report.Result.Violations; len(v) > 0 && v[0].Life > 0 { // what was kept is of the run
		given, _ = html.Around(ctx, w.spec, w.records, w.report)
	}
	page := html.RunPage(w.report, given)
	for i := range page.Failures {
		f := &page.Failures[i]
		f.State = stateRows(w.flow)
		f.Reproduce = append(f.Reproduce, "cosim replay .  # in the folder of this page", "cosim shrink . -o SMALL")
		f.Files = Links(w.dir, "")
	}
	f, err := os.Create(filepath.Join(w.dir, PageFile))
	if err != nil {
		return err
	}
	return errors.Join(html.Write(f, page), f.Close())
}

// Links are the files of a bundle that people read, those that are there. Their paths begin with prefix.
func Links(dir, prefix string) []html.Pair {
	return links(dir, prefix, SpecFile, ReplayFile, ScenarioFile, ReportFile, ActualFile, StateFile, StallsFile,
		"actual.pcapng", "expected.pcapng")
}

func links(dir, prefix string, names ...string) (all []html.Pair) {
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			all = append(all, html.Pair{Name: name, Value: prefix + name})
		}
	}
	return all
}

// WavesOf are the waves of a bundle as a page links them, their paths beginning with prefix; none where it has none.
func (a *About) WavesOf(dir, prefix string) (w html.Waves) {
	if a.Trace != TraceFile || a.TraceCycles == nil {
		return w
	}
	w.What = fmt.Sprintf("Cycles %d to %d. In that folder: gtkwave %s, or surfer -c %s.", a.TraceCycles.From,
		a.TraceCycles.To, GTKWaveFile, SurferFile)
	w.Files = links(dir, prefix, TraceFile, GTKWaveFile, SurferFile, TraceLog)
	return w
}

// showWaves puts the waves of a bundle into its page. A page that has no place for them, of an older cosim, stays.
func (a *About) showWaves(dir string, picture *html.Picture) error {
	file := filepath.Join(dir, PageFile)
	page, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	w := a.WavesOf(dir, "")
	w.Picture = picture
	if page, err = html.SetWaves(page, &w); err != nil {
		return nil
	}
	temp := filepath.Join(dir, "."+PageFile)
	if err := os.WriteFile(temp, page, 0o666); err != nil {
		os.Remove(temp)
		return cocosim.Errorf(cocosim.BadInput, "the waves are there, but %s cannot name them: %v", PageFile,
			cocosim.Cause(err))
	}
	return os.Rename(temp, file)
}
