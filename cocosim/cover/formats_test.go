package cover

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFormatsCountAlike: a hit of a bin that is ignored or illegal moves no denominator in any format, and shows in
// all.
func TestFormatsCountAlike(t *testing.T) {
	for _, hit := range []bool{false, true} {
		s, g := sheet()
		g.Bins[3].Illegal = "must not be"
		s.Begin("run")
		s.hit(g, 0, 0)
		if hit {
			s.hit(g, 1, 2)
			s.hit(g, 1, 0)
		}
		c := s.Count()
		require.Equal(t, []int{1, 3, 1}, []int{c.Hit, c.Open, c.Ignored})
		var text, html, doc, info, bins bytes.Buffer
		s.Print(&text, 5)
		require.Contains(t, text.String(), "1 of 4 bins, 1 ignored with a reason")
		require.NoError(t, WriteHTML(&html, []*Sheet{s}))
		require.Contains(t, html.String(), "1 bins hit, 3 open, 1 ignored with a reason")
		s.lcov(&info, &bins, "f")
		require.Contains(t, info.String(), "LF:4\nLH:1\n")
		require.NoError(t, WriteUCIS(&doc, []*Sheet{s}))
		var u ucis
		require.NoError(t, xml.Unmarshal(doc.Bytes(), &u))
		counted := 0
		for _, b := range u.Instances[0].Group.Points[0].Bins {
			counted += bit(b.Type == "bins")
		}
		require.Equal(t, 4, counted)
		card := s.Card(nil)
		require.Equal(t, []int{1, 3}, []int{card.Rules[0].Bins, card.Rules[0].Open})

		require.Equal(t, hit, strings.Contains(text.String(), "1 of them hit, 1 illegal hit"))
		require.Equal(t, hit, strings.Contains(text.String(), "ignored   y, 2: hit 1 times"))
		require.Equal(t, hit, strings.Contains(html.String(), "<td>ignored, hit</td>"))
		require.Equal(t, hit, strings.Contains(html.String(), "<td>illegal, hit</td>"))
		require.Equal(t, hit, strings.Contains(bins.String(), "must not be; hit 1 times"))
	}
}
