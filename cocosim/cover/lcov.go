package cover

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// LCOV has lines of source files. A stage's bins are written as the lines of a file of their own, so that what shows
// LCOV shows each bin with its hits beside the RTL's lines.

// binsFile is the name of the file whose lines are the bins of a sheet.
func (s *Sheet) binsFile() string { return s.Stage + ".bins" }

// WriteLCOV writes into a directory STAGE.bins, a bin a line, and coverage.info, in which they are source files. more
// is other information in the format, as `verilator_coverage --write-info` gives it, that comes behind it; nil for
// none.
func WriteLCOV(dir string, sheets []*Sheet, more io.Reader) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var info bytes.Buffer
	for _, s := range sheets {
		file := filepath.Join(dir, s.binsFile())
		var bins bytes.Buffer
		s.lcov(&info, &bins, file)
		if err := os.WriteFile(file, bins.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if more != nil {
		if _, err := info.ReadFrom(more); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "coverage.info"), info.Bytes(), 0o644)
}

// hitAllTheSame says of a bin that does not count that it was hit.
func (b *Bin) hitAllTheSame() string {
	if s := b.State(); s != IgnoredHit && s != IllegalHit {
		return ""
	}
	return fmt.Sprintf("; hit %d times", b.Hits)
}

// lcov writes the lines of a sheet. A bin that does not count is not in the counts; its text says if it was hit.
func (s *Sheet) lcov(info, bins io.Writer, file string) {
	lines, out := bufio.NewWriter(bins), bufio.NewWriter(info)
	defer lines.Flush()
	defer out.Flush()
	fmt.Fprintf(out, "TN:bins\nSF:%s\n", file)
	line, found, hit := 0, 0, 0
	for _, g := range s.Groups {
		line++
		fmt.Fprintf(lines, "%s\n", g.Name)
		for i := range g.Bins {
			line++
			switch b := &g.Bins[i]; {
			case b.Counts():
				fmt.Fprintf(lines, "  %s %v\n", b.Name, b.Rules)
				fmt.Fprintf(out, "DA:%d,%d\n", line, b.Hits)
				if found++; b.Hits > 0 {
					hit++
				}
			default:
				fmt.Fprintf(lines, "  %s: %s%s%s\n", b.Name, b.Ignored, b.Illegal, b.hitAllTheSame())
			}
		}
	}
	fmt.Fprintf(out, "LF:%d\nLH:%d\nend_of_record\n", found, hit)
}
