package cover

import (
	"fmt"
	"io"
	"os"
	"slices"
)

// MergeAll merges sheets into those of the same stage, and appends those of other stages. A run that is in both is an
// error: its hits would count twice.
func MergeAll(all, more []*Sheet) ([]*Sheet, error) {
next:
	for _, s := range more {
		for _, have := range all {
			if have.Stage == s.Stage {
				for _, run := range s.Runs {
					if slices.Contains(have.Runs, run) {
						return nil, fmt.Errorf("coverage of %s: this run is counted already: %s", s.Stage, run)
					}
				}
				if err := have.Merge(s); err != nil {
					return nil, err
				}
				continue next
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// WriteFile writes sheets to a file in one of the formats: Write, WriteHTML, WriteUCIS.
func WriteFile(name string, sheets []*Sheet, write func(io.Writer, []*Sheet) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f, sheets); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
