package rtl

import (
	"bytes"
	"slices"
)

// Reached tells which files of a list a design needs: each defines a module or package that top, or a file that is
// needed, names.
func Reached(texts [][]byte, top string) []bool {
	home := map[string][]int{} // of a module or package, the files
	for i, text := range texts {
		for _, unit := range units(text) {
			home[unit] = append(home[unit], i)
		}
	}
	reached, left := make([]bool, len(texts)), slices.Clone(home[top])
	for len(left) > 0 {
		i := left[len(left)-1]
		if left = left[:len(left)-1]; reached[i] {
			continue
		}
		reached[i] = true
		for line := range bytes.Lines(texts[i]) {
			line, _, _ = bytes.Cut(line, []byte("//"))
			for _, word := range bytes.FieldsFunc(line, notOfWord) {
				left = append(left, home[string(word)]...)
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
