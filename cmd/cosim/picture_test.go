package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/manifest"
)

var drawPicture = flag.Bool("picture", false, "write docs/pipeline.svg")

// box is a place of the picture. One with a manifest of its name is a block, with a summary; else text says what it is.
type box struct {
	name, text string
	column     int
	row        int
}

// pictured are the places, in columns from the wire to the host and in rows by direction.
var pictured = []box{
	{"wire", "frames of Ethernet, packets of InfiniBand", 0, 0},
	{"vcrc_check", "", 1, 0},
	{"icrc_check", "", 2, 0},
	{"roce_parse", "", 3, 0},
	{"resp_psn_check", "", 4, 0},
	{"psn_window", "", 3, 1},
	{"req_ack_check", "", 4, 1},
	{"retx_timer", "", 4, 2},
	{"icrc_insert", "", 2, 2},
	{"queues, memory", "of the model: model/roce carries out what the blocks decide", 5, 0},
	{"packets to send", "of the model: responses of model/roce, requests and retries", 3, 2},
	{"falcon_window", "", 3, 3},
	{"Falcon", "of the model: model/falcon, its transactions, congestion control, PSP", 4, 3},
}

// flows are the arrows, by name.
var flows = [][2]string{
	{"wire", "vcrc_check"}, {"vcrc_check", "icrc_check"}, {"icrc_check", "roce_parse"}, {"roce_parse", "resp_psn_check"},
	{"roce_parse", "req_ack_check"}, {"resp_psn_check", "queues, memory"}, {"req_ack_check", "queues, memory"},
	{"req_ack_check", "retx_timer"}, {"retx_timer", "packets to send"}, {"packets to send", "icrc_insert"},
	{"icrc_insert", "wire"}, {"falcon_window", "Falcon"},
}

const (
	boxWidth, boxHeight = 182, 124
	columnPitch         = 218
	rowPitch            = 156
	pictureMargin       = 18
	lineLetters         = 24
)

// TestPipelinePicture: docs/pipeline.svg has every block, with the summary of its manifest.
func TestPipelinePicture(t *testing.T) {
	all, err := manifest.Embedded()
	require.NoError(t, err)
	summaries := map[string]string{}
	for _, m := range all {
		summaries[m.Name] = m.Summary
	}
	for _, b := range pictured {
		require.NotEmpty(t, summaries[b.name]+b.text, "%s: no block of this name", b.name)
	}
	picture := drawPipeline(summaries, placed(summaries))
	summaries["added"] = "a block that no list knows"
	require.Contains(t, drawPipeline(summaries, placed(summaries)), ">added<")
	delete(summaries, "added")
	if *drawPicture {
		require.NoError(t, os.WriteFile("../../docs/pipeline.svg", []byte(picture), 0o644))
	}
	committed, err := os.ReadFile("../../docs/pipeline.svg")
	require.NoError(t, err)
	require.Equal(t, picture, string(committed), "go test ./cmd/cosim -run PipelinePicture -picture")
}

const pictureStyle = `<style>
  text { font-family: system-ui, sans-serif; font-size: 12px; fill: #1f2328; }
  .name { font-weight: 600; font-size: 14px; }
  .block { fill: #ddf4ff; stroke: #0969da; stroke-width: 1.5; }
  .model { fill: none; stroke: #656d76; stroke-dasharray: 5 4; }
  .flow { fill: none; stroke: #656d76; stroke-width: 1.5; marker-end: url(#tip); }
  .tip { fill: #656d76; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .block { fill: #0c2d4d; stroke: #58a6ff; }
    .model, .flow { stroke: #8d96a0; }
    .tip { fill: #8d96a0; }
  }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">` +
	`<path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>
`

// placed are all places: those of pictured, and below them the blocks that have none there, so that a new block needs
// no entry.
func placed(summaries map[string]string) []box {
	boxes, below := slices.Clone(pictured), 0
	for _, b := range pictured {
		below = max(below, b.row+1)
	}
	column := 0
	for _, name := range slices.Sorted(maps.Keys(summaries)) {
		if !slices.ContainsFunc(pictured, func(b box) bool { return b.name == name }) {
			boxes = append(boxes, box{name: name, column: column, row: below})
			column++
		}
	}
	return boxes
}

func drawPipeline(summaries map[string]string, boxes []box) string {
	width, height := pictureMargin, pictureMargin
	at := map[string]box{}
	for _, b := range boxes {
		at[b.name] = b
		width, height = max(width, b.x()+boxWidth+pictureMargin), max(height, b.y()+boxHeight+pictureMargin)
	}
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img"><title>The blocks of `+
		"hcacosim, and where each stands in an adapter</title>\n%s", width, height+24, pictureStyle)
	for _, f := range flows {
		fmt.Fprintf(&out, `<path class="flow" d="%s"/>`+"\n", flowPath(at[f[0]], at[f[1]]))
	}
	for _, b := range boxes {
		class, text := "model", b.text
		if summary, ok := summaries[b.name]; ok {
			class, text = "block", summary
		}
		drawBox(&out, b, class, text)
	}
	fmt.Fprintf(&out, `<text x="%d" y="%d">Solid: a block, in SystemVerilog and as a stage of the model. Dashed: the `+
		"model alone, or outside. An arrow says where a block stands; each is run and judged by itself.</text>\n</svg>\n",
		pictureMargin, height+10)
	return out.String()
}

func (b box) x() int { return pictureMargin + b.column*columnPitch }
func (b box) y() int { return pictureMargin + b.row*rowPitch }

func drawBox(out *strings.Builder, b box, class, text string) {
	fmt.Fprintf(out, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="8"/>`+"\n", class, b.x(), b.y(), boxWidth,
		boxHeight)
	fmt.Fprintf(out, `<text class="name" x="%d" y="%d">%s</text>`+"\n", b.x()+10, b.y()+22, b.name)
	for i, line := range wrapped(text) {
		fmt.Fprintf(out, `<text x="%d" y="%d">%s</text>`+"\n", b.x()+10, b.y()+42+16*i, line)
	}
}

// flowPath goes from the side of a box to the side of another: to its right or left in a row, else over the gap between
// two columns or rows.
func flowPath(from, to box) string {
	middle := func(b box) int { return b.y() + boxHeight/2 }
	centre := func(b box) int { return b.x() + boxWidth/2 }
	switch {
	case from.row == to.row && from.column < to.column:
		return fmt.Sprintf("M%d %dH%d", from.x()+boxWidth, middle(from), to.x())
	case from.row == to.row:
		return fmt.Sprintf("M%d %dH%d", from.x(), middle(from), to.x()+boxWidth)
	case from.column == to.column:
		return fmt.Sprintf("M%d %dV%d", centre(from), from.y()+boxHeight, to.y())
	case from.column < to.column:
		return fmt.Sprintf("M%d %dh%dV%dH%d", from.x()+boxWidth, middle(from), (columnPitch-boxWidth)/2, middle(to), to.x())
	}
	return fmt.Sprintf("M%d %dH%dV%d", from.x(), middle(from), centre(to), to.y()+boxHeight)
}

// wrapped breaks a text into lines that fit a box.
func wrapped(text string) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > lineLetters {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
