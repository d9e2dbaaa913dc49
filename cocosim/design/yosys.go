package design

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// YosysDefines are those of a design as read_verilog takes them, each with a space in front.
func YosysDefines(defines map[string]string) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(defines)) {
		fmt.Fprintf(&out, " -D%s=%s", name, defines[name])
	}
	return out.String()
}

// YosysFiles are files as a script of Yosys takes them, each with a space in front: in quotes where a name has a space.
func YosysFiles(names ...string) string {
	var out strings.Builder
	for _, name := range names {
		if strings.ContainsAny(name, " \t") {
			name = `"` + name + `"`
		}
		fmt.Fprintf(&out, " %s", name)
	}
	return out.String()
}

// YosysIncludes are include directories as read_verilog takes them, each with a space in front. It takes no name with a
// space, in quotes or not: a link in place stands for such a directory, which LinkIncludes makes.
func YosysIncludes(dirs []string, place string) string {
	var out strings.Builder
	for i, dir := range dirs {
		if strings.ContainsAny(dir, " \t") {
			dir = includeLink(place, i)
		}
		fmt.Fprintf(&out, " -I%s", dir)
	}
	return out.String()
}

// LinkIncludes makes the links that YosysIncludes tells of.
func LinkIncludes(dirs []string, place string) error {
	for i, dir := range dirs {
		if !strings.ContainsAny(dir, " \t") {
			continue
		}
		full, err := filepath.Abs(dir)
		if err == nil {
			err = os.Symlink(full, includeLink(place, i))
		}
		if err != nil && !os.IsExist(err) {
			return fmt.Errorf("a link for an include directory: %w", err)
		}
	}
	return nil
}

func includeLink(place string, i int) string {
	return filepath.Join(place, fmt.Sprintf("include-%d", i))
}
