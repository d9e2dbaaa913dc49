package cover

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// TestSheetsOfAllSizesAreValid: what this version counts it reads again, at whatever size of the device.
func TestSheetsOfAllSizesAreValid(t *testing.T) {
	sizes := []sim.Settings{nil, {"NumQps": 64, "Ecc": 1}, {"DataWidth": 64, "Depth": 8, "Reads": 4}, {"DataWidth": 1024}}
	for _, spec := range stages.All() {
		for _, s := range sizes {
			require.NoError(t, New(&spec, s).Valid(), spec.Name)
		}
	}
	require.NoError(t, NewCaptured().Valid())
}

// TestForeignSheetIsRefused: each with what is foreign.
func TestForeignSheetIsRefused(t *testing.T) {
	spec, ok := stages.Lookup("psn_window")
	require.True(t, ok)
	for want, change := range map[string]func(s *Sheet){
		`no stage "psn"`:           func(s *Sheet) { s.Stage = "psn" },
		`no group "another"`:       func(s *Sheet) { s.Groups[0].Name = "another" },
		`lacks the group "class"`:  func(s *Sheet) { s.Groups = append(s.Groups[:2:2], s.Groups[3:]...) },
		`names rule PSN-99`:        func(s *Sheet) { s.Groups[0].Bins[3].Rules = []string{"PSN-99"} },
		`no bin "another" there`:   func(s *Sheet) { s.Groups[0].Bins[3].Name = "another" },
		`has 3 bins`:               func(s *Sheet) { s.Groups[2].Bins = s.Groups[2].Bins[:3] },
		`names a run twice: a run`: func(s *Sheet) { s.Runs = []string{"a run", "a run"} },
		`has 1 hits`:               func(s *Sheet) { s.Groups[0].Bins[0].Hits = 1 },
		`a group twice`:            func(s *Sheet) { s.Groups[1].Name = s.Groups[0].Name },
	} {
		o := New(&spec, nil)
		change(o.Sheet)
		require.ErrorContains(t, o.Valid(), want)
	}
}

// TestMergeSaturates: hits stay at the most that can be counted.
func TestMergeSaturates(t *testing.T) {
	a, ag := sheet()
	b, bg := sheet()
	ag.Bins[0].Hits, bg.Bins[0].Hits = math.MaxUint64-1, 5
	require.NoError(t, a.Merge(b))
	require.Equal(t, uint64(math.MaxUint64), ag.Bins[0].Hits)
}

// TestCoverageFileIsWholeOrNotThere: what was there before stays if writing fails.
func TestCoverageFileIsWholeOrNotThere(t *testing.T) {
	name := filepath.Join(t.TempDir(), "c.json")
	require.NoError(t, os.WriteFile(name, []byte("before"), 0o644))
	err := WriteFile(name, nil, func(w io.Writer, _ []*Sheet) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, errors.New("no space"))
	})
	require.ErrorContains(t, err, "no space")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "before", string(text))
	entries, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.NoError(t, WriteFile(name, []*Sheet{}, Write))
	text, err = os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "[]\n", string(text))
}
