package rtl

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Source is a file of the list hca.f.
type Source struct {
	Path string
	Text []byte
}

// Needed is the file of the module top and every file that it names something of, in the order of the list in dir.
// Files of assertions, which hide from all but Verilator, are left out.
func Needed(dir, top string) (out []Source, err error) {
	all, err := NeededAsserted(dir, top)
	for _, s := range all {
		if !bytes.Contains(s.Text, []byte("\n`ifdef VERILATOR\nmodule")) {
			out = append(out, s)
		}
	}
	return out, err
}

// NeededAsserted is Needed with the files of assertions.
func NeededAsserted(dir, top string) (out []Source, err error) {
	all, err := list(dir)
	texts := make([][]byte, len(all))
	for i, s := range all {
		texts[i] = s.Text
	}
	for i, reached := range Reached(texts, top) {
		if reached {
			out = append(out, all[i])
		}
	}
	return out, err
}

var (
	word        = regexp.MustCompile(`\w+`)
	lineComment = regexp.MustCompile(`//.*`)
	unit        = regexp.MustCompile(`(?m)^(module|package) (\w+)`)
)

func list(dir string) ([]Source, error) {
	text, err := os.ReadFile(filepath.Join(dir, "hca.f"))
	if err != nil {
		return nil, err
	}
	var all []Source
	for _, line := range strings.Split(string(text), "\n") {
		name, _, _ := strings.Cut(line, "//")
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		s := Source{Path: filepath.Join(dir, name)}
		if s.Text, err = os.ReadFile(s.Path); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}
