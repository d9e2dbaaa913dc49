// Package elaborate lists what lint and synthesis elaborate: every block at each size of its manifest, those that it
// names for synthesis only, and the cells of rtl/cells.yaml.
package elaborate

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/strict"
)

// cellsPath is where the cells without a manifest stand, from the repository's root.
const cellsPath = "rtl/cells.yaml"

// Top is a module with the sizes that it is elaborated at, each a value for parameters by name. The first one has the
// parameters of the manifest.
type Top struct {
	Name        string
	Sizes       []map[string]int
	Synthesized bool // else lint alone looks at it
}

// Tops are the blocks by name, then the cells as they are listed.
func Tops() (tops []Top, err error) {
	manifests, err := manifest.Embedded()
	if err != nil {
		return nil, err
	}
	for _, m := range manifests {
		sizes := []map[string]int{m.Parameters}
		for _, size := range slices.Concat(m.Sizes, m.Synthesized) {
			all := maps.Clone(m.Parameters)
			maps.Copy(all, size)
			sizes = append(sizes, all)
		}
		tops = append(tops, Top{m.Top, sizes, true})
	}
	cells, err := readCells()
	return append(tops, cells...), err
}

func readCells() (tops []Top, err error) {
	text, err := os.ReadFile(cellsPath)
	if err != nil {
		return nil, err
	}
	var cells []struct {
		Top         string           `yaml:"top"`
		Sizes       []map[string]int `yaml:"sizes"`
		Synthesized *bool            `yaml:"synthesized"`
	}
	if err := strict.Decode(text, &cells); err != nil {
		return nil, fmt.Errorf("%s: %w", cellsPath, err)
	}
	for _, c := range cells {
		if c.Top == "" || len(c.Sizes) == 0 {
			return nil, fmt.Errorf("%s: a cell needs top and sizes: %+v", cellsPath, c)
		}
		tops = append(tops, Top{c.Top, c.Sizes, c.Synthesized == nil || *c.Synthesized})
	}
	return tops, nil
}

// Setting is a size as text, parameters by name: "NumQps 4096, Reads 4".
func Setting(size map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(size)) {
		all = append(all, fmt.Sprintf("%s %d", name, size[name]))
	}
	return strings.Join(all, ", ")
}
