package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// So that no block is built and never measured without a word of it, and no row is of a size that there is no more.
func TestEverySizeHasARowOrAReason(t *testing.T) {
	t.Chdir("../..")
	blocks, err := allBlocks()
	require.NoError(t, err)
	doc, err := readDocument()
	require.NoError(t, err)
	known := map[variant]bool{}
	open := map[string]bool{}
	for _, b := range blocks {
		for _, v := range b.variants {
			known[v] = true
		}
		if sizes := doc.open(b); sizes != "" {
			require.NotEmpty(t, notMeasured[b.top], "%s has no row of %s in %s: rtl/synth/synth.sh -w -run '^%[1]s '",
				b.top, sizes, docPath)
			open[b.top] = true
		}
		for _, v := range b.variants {
			require.Equal(t, joined[b.top] && doc.rows[v] != "", doc.parts[v] != "",
				"%s: its row and its parts in %s", v, docPath)
		}
		if doc.rows[b.main] != "" && !joined[b.top] {
			require.NotEmpty(t, doc.stages[b.top], "%s has no rows of stages in %s", b.main, docPath)
		}
	}
	for v := range doc.rows {
		require.True(t, known[v], "%s has a row in %s and is no size of a block", v, docPath)
	}
	for top := range notMeasured {
		require.True(t, open[top], "%s has a reason why it is not measured, and a row of every size", top)
	}
}

// The document is what its rows and the reasons make of it.
func TestDocumentSaysWhatIsOpen(t *testing.T) {
	t.Chdir("../..")
	blocks, err := allBlocks()
	require.NoError(t, err)
	doc, err := readDocument()
	require.NoError(t, err)
	was, err := os.ReadFile(docPath)
	require.NoError(t, err)
	require.Equal(t, string(was), string(doc.text(blocks, nil)), "%s: rtl/synth/synth.sh -w -run none", docPath)
}
