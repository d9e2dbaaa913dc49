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
func Needed(dir, top string) ([]Source, error) {
	all, err := list(dir)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{top: true}
	needed := make([]bool, len(all))
	for i := len(all) - 1; i >= 0; i-- { // a file uses only files before it
		text := lineComment.ReplaceAll(all[i].Text, nil)
		for _, m := range unit.FindAllSubmatch(text, -1) {
			needed[i] = needed[i] || wanted[string(m[2])]
		}
		if needed[i] {
			for _, w := range word.FindAll(text, -1) {
				wanted[string(w)] = true
			}
		}
	}
	var out []Source
	for i, s := range all {
		if needed[i] && !bytes.Contains(s.Text, []byte("\n`ifdef VERILATOR\nmodule")) {
			out = append(out, s)
		}
	}
	return out, nil
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
