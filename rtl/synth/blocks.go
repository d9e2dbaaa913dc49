package main

import (
	"maps"
	"slices"

	"hcacosim/rtl/elaborate"
)

// block is a top and what of it is looked at. The stages of the main variant go into the document.
type block struct {
	top      string
	main     variant
	variants []variant
}

// psnBits are a PSN's. Sizes with fewer are for worlds and proofs; no device has them, and none is measured.
const psnBits = 24

// allBlocks are the blocks and cells that are measured, each once, its variants sorted by their parameters.
func allBlocks() (blocks []block, err error) {
	tops, err := elaborate.Tops()
	for _, top := range tops {
		if top.Synthesized {
			blocks = append(blocks, newBlock(top.Name, top.Sizes))
		}
	}
	return blocks, err
}

func newBlock(top string, sizes []map[string]int) block {
	b := block{top: top, main: variant{top, elaborate.Setting(sizes[0])}}
	slices.SortStableFunc(sizes, func(x, y map[string]int) int {
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if x[name] != y[name] {
				return x[name] - y[name]
			}
		}
		return 0
	})
	for _, size := range sizes {
		if bits, ok := size["PsnWidth"]; ok && bits < psnBits {
			continue
		}
		if v := (variant{top, elaborate.Setting(size)}); !slices.Contains(b.variants, v) {
			b.variants = append(b.variants, v)
		}
	}
	return b
}
