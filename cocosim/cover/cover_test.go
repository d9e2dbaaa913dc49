package cover

import (
	"bytes"
	"encoding/xml"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

func sheet() (*Sheet, *Group) {
	s := NewSheet("t")
	g := s.cross("a x b", func(at []int, b *Bin) {
		b.Rules = []string{"PSN-1"}
		if at[0] == 1 && at[1] == 2 {
			b.Ignored = "<b>never</b>"
		}
	}, Axis{"x", "y"}, Axis{"0", "1", "2"})
	return s, g
}

// TestSheet: what is hit is counted once a bin, the first hit is kept, and files merge.
func TestSheet(t *testing.T) {
	s, g := sheet()
	s.Begin("run 1")
	s.record = 7
	s.hit(g, 1, 1)
	s.record = 8
	s.hit(g, 1, 1)
	s.hit(g, 2, 0) // beyond the axis
	require.Equal(t, Count{Hit: 1, Open: 4, Ignored: 1}, s.Count())
	require.InDelta(t, 0.2, s.Count().Share(), 1e-9)
	require.Equal(t, Bin{Name: "y, 1", Rules: []string{"PSN-1"}, Hits: 2, First: &First{"run 1", 7}}, g.Bins[4])

	var file bytes.Buffer
	require.NoError(t, Write(&file, []*Sheet{s}))
	back, err := Read(&file)
	require.NoError(t, err)
	other, og := sheet()
	other.Begin("run 2")
	other.hit(og, 0, 0)
	other.hit(og, 1, 1)
	require.NoError(t, other.Merge(back[0]))
	require.Equal(t, uint64(3), og.Bins[4].Hits)
	require.Equal(t, "run 2", og.Bins[4].First.Run)
	require.Equal(t, []string{"run 2", "run 1"}, other.Runs)
	og.Bins[0].Name = "another"
	require.ErrorContains(t, other.Merge(back[0]), "another version")
}

// TestPages: text is text, and the XML reads back with a type for every bin.
func TestPages(t *testing.T) {
	s, g := sheet()
	s.Begin(`run "<script>"`)
	s.hit(g, 0, 0)
	var html, ucisXML bytes.Buffer
	require.NoError(t, WriteHTML(&html, []*Sheet{s}))
	require.NotContains(t, html.String(), "<script>")
	require.NotContains(t, html.String(), "<b>never")
	require.NotContains(t, html.String(), "http://")
	require.NoError(t, WriteUCIS(&ucisXML, []*Sheet{s}))
	var doc ucis
	require.NoError(t, xml.Unmarshal(ucisXML.Bytes(), &doc))
	bins := doc.Instances[0].Group.Points[0].Bins
	require.Len(t, bins, 6)
	require.Equal(t, uint64(1), bins[0].Range.Contents.Count)
	require.Equal(t, "ignore", bins[5].Type)
}

// TestEveryStageHasASheet: each declares groups of its own and the bits of its record ports, and names rules that
// exist.
func TestEveryStageHasASheet(t *testing.T) {
	known := map[string]bool{}
	for _, id := range allRules() {
		known[id] = true
	}
	require.Greater(t, len(known), 140)
	for _, spec := range stages.All() {
		o := New(&spec, sim.Settings{})
		require.NotNil(t, declarations[spec.Name], spec.Name)
		require.Greater(t, len(o.Groups), 1, spec.Name)
		rules := 0
		for _, g := range o.Groups {
			for _, b := range g.Bins {
				for _, rule := range b.Rules {
					rules++
					require.True(t, known[rule], "%s: %s: no rule %s", spec.Name, g.Name, rule)
				}
			}
		}
		require.NotZero(t, rules, spec.Name)
		for i, p := range spec.Ports {
			if p.Kind == sim.Fields {
				require.NotNil(t, o.bits[sim.Port(i)], "%s: the document of %s has no table", spec.Name, p.Name)
			}
		}
	}
}

// TestMergeWaitsForWhatOneSheetDoes: a bin that one sheet ignores and the other waits for is open, though nobody hit
// it; what both ignore stays ignored.
func TestMergeWaitsForWhatOneSheetDoes(t *testing.T) {
	model, g := sheet()
	g.Bins[0].Ignored = "it never waits"
	rtl, _ := sheet()
	require.NoError(t, model.Merge(rtl))
	require.Equal(t, Count{Open: 5, Ignored: 1}, model.Count())
	require.Empty(t, g.Bins[0].Ignored)
}

// TestWrongAnswersAddUp: a card counts the wrong answers of all runs.
func TestWrongAnswersAddUp(t *testing.T) {
	spec, ok := stages.Lookup("psn_window")
	require.True(t, ok)
	card := New(&spec, nil)
	for _, wrong := range []uint64{3, 0, 5} {
		run := New(&spec, nil)
		if wrong > 0 {
			run.broken["PSN-1"] = wrong
		}
		require.NoError(t, card.Add(run))
	}
	require.Equal(t, map[string]uint64{"PSN-1": 8}, card.Broken())
}
