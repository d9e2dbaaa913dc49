package cover

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

// WriteFile writes sheets to a file in one of the formats: Write, WriteHTML, WriteUCIS. A regular file is written
// beside its name and renamed when it is whole.
func WriteFile(name string, sheets []*Sheet, write func(io.Writer, []*Sheet) error) error {
	if i, err := os.Stat(name); err == nil && !i.Mode().IsRegular() { // a device or a pipe stays what it is
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f, sheets), f.Close())
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f, sheets), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
