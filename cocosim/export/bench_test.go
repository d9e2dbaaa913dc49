package export

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/manifest"
)

// Of a record every bit counts, and none of those that fill its last byte.
func TestMaskOfARecord(t *testing.T) {
	group := regexp.MustCompile(`\{(\d+)\{1'b([01])\}\}`)
	for _, bits := range []int{1, 7, 8, 9, 16, 530} {
		p := &manifest.Port{Kind: manifest.KindRecord, Layout: []manifest.Field{{Width: manifest.Width{Bits: bits}}}}
		text, got := mask(0, wordOf(p)), ""
		for _, g := range group.FindAllStringSubmatch(text, -1) { // the highest bits first
			n, err := strconv.Atoi(g[1])
			require.NoError(t, err)
			got += strings.Repeat(g[2], n)
		}
		require.Equal(t, strings.Repeat("0", (8-bits%8)%8)+strings.Repeat("1", bits), got, text)
	}
}
