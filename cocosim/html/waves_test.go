package html

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/waves"
)

// wavesOf are four signals over ten cycles: a clock, a bus, a bit, and one of which nothing is known.
func wavesOf(name string) *Waves {
	p := &Picture{From: 1000, To: 2000, Marker: 1549, Cycle: 100, Rows: []PictureRow{{Name: "in " + name, Heading: true},
		{Name: "clk", Bits: 1}, {Name: name, Bits: 8, Changes: []waves.Change{{Time: 500, Bits: "00000001"},
			{Time: 900, Bits: "00101010"}, {Time: 1500, Bits: "11111111"}}},
		{Name: "last", Bits: 1, Changes: []waves.Change{{Time: 1000, Bits: "0"}, {Time: 1900, Bits: "1"}}},
		{Name: "none", Bits: 4, Changes: []waves.Change{{Time: 1000, Bits: "xxxx"}}}}}
	for at := uint64(1000); at < 2000; at += 50 {
		p.Rows[1].Changes = append(p.Rows[1].Changes, waves.Change{Time: at, Bits: string('0' + byte(at/50%2))})
	}
	return &Waves{What: "cycles 10 to 19 of " + name, Files: []Pair{{"trace.fst", "trace.fst"}, {name, name + ".gtkw"}},
		Picture: p}
}

// TestDraw: places are those of the times, a value stands where there is room for it, and time runs to the end.
func TestDraw(t *testing.T) {
	d := wavesOf("bus").Picture.draw()
	require.Equal(t, nameWidth+10*cycleWidth+1, d.Width)
	require.Equal(t, at(nameWidth+5.49*cycleWidth), d.Marker)
	bus, last := d.Rows[2], d.Rows[3]
	require.Len(t, bus.Texts, 2, "not what was before")
	require.Equal(t, []string{"2a", "ff"}, []string{bus.Texts[0].Text, bus.Texts[1].Text})
	require.Equal(t, at(nameWidth+5*cycleWidth+slant+2), bus.Texts[1].X)
	require.Equal(t, "M190 106V106H640M640 106V92H690", last.Line, "low for nine cycles, then high")
	require.Empty(t, d.Rows[4].Line)
	require.NotEmpty(t, d.Rows[4].Unknown)
	require.Equal(t, "10", d.Ticks[0].Text)
	require.NotPanics(t, func() { (&Picture{From: 5, To: 5, Cycle: 1}).draw() })
}

// TestSetWaves: waves are put into a page, replace those of before, and are text whatever they are called; a page
// without a place for them is refused.
func TestSetWaves(t *testing.T) {
	page := []byte(written(t, &Page{Failures: []Failure{{Title: "DATA"}}}))
	once, err := SetWaves(page, wavesOf(hostile))
	require.NoError(t, err)
	require.NotContains(t, string(once), hostile)
	require.Equal(t, 1, strings.Count(string(once), "<h3>Waves</h3>"))
	twice, err := SetWaves(once, wavesOf(hostile))
	require.NoError(t, err)
	require.Equal(t, string(once), string(twice))
	none, err := SetWaves(twice, &Waves{})
	require.NoError(t, err)
	require.Equal(t, string(page), string(none))
	_, err = SetWaves([]byte("<html></html>"), &Waves{})
	require.Error(t, err)
}
