package export

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/manifest"
	"hcacosim/vectors"
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

// TestSettingsOfTheBench: the predictor's bench and its vectors are told all that the stage knows: parameters, defines
// that are numbers, configuration inputs.
func TestSettingsOfTheBench(t *testing.T) {
	m := &manifest.Manifest{Name: "x", Model: "retry_ctl", Parameters: map[string]int{"NumQps": 64, "Other": 3},
		Defines: map[string]string{"retry7_forever_i": "1", "TEXT": "a"}}
	require.Equal(t, "NumQps=64,retry7_forever_i=1", settings(m))
	m.Defines = nil
	m.Config = []manifest.ConfigPin{{Pin: "retry7_forever_i", Width: manifest.Width{Bits: 1}, Value: 1}}
	require.Equal(t, "NumQps=64,retry7_forever_i=1", settings(m))
	stage, ok := vectors.Lookup(m.Model)
	require.True(t, ok)
	set, err := Vectors(m, stage, t.TempDir(), 1, 20, false)
	require.NoError(t, err)
	require.Equal(t, map[string]uint64{"retry7_forever_i": 1}, set.Inputs)
}
