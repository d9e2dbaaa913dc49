package docs

import (
	_ "embed" // Pipeline
	"regexp"
)

// Pipeline is pipeline.md, the map of the receive side.
//
//go:embed pipeline.md
var Pipeline string

// Transmit is transmit.md, the map of the transmit side.
//
//go:embed transmit.md
var Transmit string

// MapBlock is a row of a map's table of blocks.
type MapBlock struct {
	Name, What string
	Built      bool // as the map says
}

var mapRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.*) \\| (built|not built) \\|$")

// MapBlocks lists the blocks of both maps, in their order.
func MapBlocks() (blocks []MapBlock) {
	for _, m := range mapRow.FindAllStringSubmatch(Pipeline+Transmit, -1) {
		blocks = append(blocks, MapBlock{Name: m[1], What: m[2], Built: m[3] == "built"})
	}
	return blocks
}
