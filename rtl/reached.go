package rtl

import (
	"bytes"
	"slices"
)

// Reached tells which files of a list a design needs: each defines a module or package that top, or a file that is
// needed, names. A file of the list uses only files before it.
func Reached(texts [][]byte, top string) []bool {
	reached, named := make([]bool, len(texts)), map[string]bool{top: true}
	for i, text := range slices.Backward(texts) {
		if !slices.ContainsFunc(units(text), func(unit string) bool { return named[unit] }) {
			continue
		}
		reached[i] = true
		for line := range bytes.Lines(text) {
			line, _, _ = bytes.Cut(line, []byte("//"))
			for _, word := range bytes.FieldsFunc(line, notOfWord) {
				named[string(word)] = true
			}
		}
	}
	return reached
}

// units are the modules and packages of a file, each at the begin of a line.
func units(text []byte) (names []string) {
	for line := range bytes.Lines(text) {
		for _, keyword := range []string{"module ", "package "} {
			if rest, ok := bytes.CutPrefix(line, []byte(keyword)); ok {
				if words := bytes.FieldsFunc(rest, notOfWord); len(words) > 0 {
					names = append(names, string(words[0]))
				}
			}
		}
	}
	return names
}

func notOfWord(r rune) bool {
	return r != '_' && (r < '0' || '9' < r) && (r < 'a' || 'z' < r) && (r < 'A' || 'Z' < r)
}
