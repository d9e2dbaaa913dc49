package flow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPagesGivenUpAreUnknown: a page whose place another one took comes back with nothing known, also of what the
// memory held at the start.
func TestPagesGivenUpAreUnknown(t *testing.T) {
	m := newMemory([]fill{{va: 0, len: pageBytes, op: 1}})
	var b [8]byte
	require.True(t, m.read(0, b[:]), "filled at the start")
	m.write(0, b[:1])
	for number := range uint64(maxPages) {
		m.write((number+1)*pageBytes, []byte{1})
	}
	require.False(t, m.read(0, b[:]))
	require.False(t, m.read(8, b[:]))
}
