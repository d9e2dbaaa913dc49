package bundle

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"hcacosim/cocosim/html"
)

// page writes the report as a page, with the ladder around the first mismatch and links to what lies beside it.
func (w *writer) page(context.Context) error {
	given := w.given.Records
	if err := html.Fill(w.spec, w.records, w.report, given); err != nil {
		return err
	}
	page := html.RunPage(w.report, given)
	for i := range page.Failures {
		f := &page.Failures[i]
		f.Reproduce = append(f.Reproduce, "cosim replay .  # in the folder of this page", "cosim shrink . -o SMALL")
		for _, name := range []string{SpecFile, ReplayFile, ReportFile, ActualFile, "actual.pcapng", "expected.pcapng"} {
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
