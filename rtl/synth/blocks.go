package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hcacosim/cocosim/manifest"
)

// block is a top and what of it is looked at. The stages of the main variant go into the document.
type block struct {
	top      string
	main     variant
	variants []variant
}

// more are sizes that no manifest names, and the parts that have none.
var more = map[string][]map[string]int{
	"req_ack_check": {{"NumQps": 4096, "Reads": 1}, {"NumQps": 4096, "Reads": 16}, {"NumQps": 65536, "Reads": 4}},
	"retx_timer":    {{"NumQps": 4096, "Lanes": 8}},
	"qp_context": {{"NumQps": 4096, "ReadLatency": 1}, {"NumQps": 65536, "ReadLatency": 1},
		{"NumQps": 65536, "ReadLatency": 2}},
	"credit_queue":   {{"Width": 512, "Depth": 16}},
	"resp_psn_check": nil,
}

// allBlocks are those of the manifests at every size that they name, and those of more.
func allBlocks() (blocks []block, err error) {
	manifests, err := manifest.Embedded()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, m := range manifests {
		seen[m.Top] = true
		sizes := []map[string]int{m.Parameters}
		for _, size := range append(slices.Clone(m.Sizes), more[m.Top]...) {
			all := maps.Clone(m.Parameters)
			maps.Copy(all, size)
			sizes = append(sizes, all)
		}
		blocks = append(blocks, newBlock(m.Top, sizes))
	}
	for _, top := range slices.Sorted(maps.Keys(more)) {
		if !seen[top] {
			blocks = append(blocks, newBlock(top, more[top]))
		}
	}
	return blocks, nil
}

func newBlock(top string, sizes []map[string]int) block {
	b := block{top: top, main: variant{top, setting(sizes[0])}}
	slices.SortStableFunc(sizes, func(x, y map[string]int) int {
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if x[name] != y[name] {
				return x[name] - y[name]
			}
		}
		return 0
	})
	for _, size := range sizes {
		if v := (variant{top, setting(size)}); !slices.Contains(b.variants, v) {
			b.variants = append(b.variants, v)
		}
	}
	return b
}

// setting is a size in words, names sorted.
func setting(size map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(size)) {
		all = append(all, fmt.Sprintf("%s %d", name, size[name]))
	}
	return strings.Join(all, ", ")
}
