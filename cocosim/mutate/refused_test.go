package mutate

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlaced: the text of each mutant stands where its span says.
func TestPlaced(t *testing.T) {
	d := read(t, small)
	dir := t.TempDir()
	files, err := d.writeSources(dir, d.Mutants)
	require.NoError(t, err)
	p := files[0]
	require.Len(t, p.spans, len(d.Mutants))
	for _, x := range p.spans {
		require.Contains(t, p.text[x.from:x.to], strings.TrimSuffix(d.Mutants[x.id-1].New, ";"))
		line := 1 + strings.Count(p.text[:x.from], "\n")
		id, ok := p.at(line, x.from-strings.LastIndexByte(p.text[:x.from], '\n'))
		require.True(t, ok)
		require.Equal(t, x.id, id)
	}
}

// TestRefused: of a slice whose bounds are off by one those mutants are refused that leave the vector, at every size.
func TestRefused(t *testing.T) {
	needTools(t, "verilator")
	d := read(t, `module top #(parameter int W = 8) (input logic clk_i, input logic [W-1:0] s_i, output logic [3:0] q_o);
  assign q_o = s_i[7:4];
endmodule
`)
	of := func(sizes ...map[string]int) (texts []string) {
		bad := d.refused(context.Background(), t.TempDir(), d.Mutants, sizes)
		for _, m := range d.Mutants {
			if bad[m.ID] != "" {
				texts = append(texts, m.New)
			}
		}
		return texts
	}
	require.Equal(t, []string{"s_i[8:4]"}, of(map[string]int{"W": 8}))
	require.Empty(t, of(map[string]int{"W": 8}, map[string]int{"W": 9}))
	require.Empty(t, of(map[string]int{"W": 9}, map[string]int{"W": 8}))
}
