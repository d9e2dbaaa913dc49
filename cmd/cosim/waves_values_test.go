package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/waves"
)

// requireValues holds every change of every signal of a file against what GTKWave's fst2vcd reads in it.
func requireValues(t *testing.T, file string, f *waves.File) {
	t.Helper()
	vcd, err := exec.Command("fst2vcd", "-f", file).Output()
	if err != nil {
		t.Log("fst2vcd is not there: the values are not compared")
		return
	}
	ids, changes := changesOf(t, string(vcd))
	got, err := f.Values(f.Vars)
	require.NoError(t, err)
	require.Len(t, ids, len(f.Vars))
	several := 0
	for i, v := range f.Vars {
		require.True(t, slices.Equal(changes[ids[i]], got[i]), "%s: %d changes, %d wanted", v.Path(), len(got[i]),
			len(changes[ids[i]]))
		if len(got[i]) > 1 {
			several++
		}
	}
	require.Greater(t, several, 20, "signals that change")
}

// requireBroken: a file of waves with bytes that are wrong, or cut off, is refused or read, and nothing else happens.
func requireBroken(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	broken, refused := filepath.Join(t.TempDir(), "broken.fst"), 0
	for range 60 {
		b := slices.Clone(text)
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
		}
		if r.IntN(4) == 0 {
			b = b[:r.IntN(len(b))]
		}
		require.NoError(t, os.WriteFile(broken, b, 0o644))
		f, err := waves.Read(broken)
		if err == nil {
			_, err = f.Values(f.Vars)
		}
		if err != nil {
			refused++
		}
	}
	require.Positive(t, refused)
}

// changesOf reads a VCD file: the names of its signals' values, in order, and the changes of each.
func changesOf(t *testing.T, vcd string) (ids []string, changes map[string][]waves.Change) {
	t.Helper()
	changes = map[string][]waves.Change{}
	now := uint64(0)
	for line := range strings.Lines(vcd) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		bits, id := "", ""
		switch first := words[0]; {
		case first == "$var":
			ids = append(ids, words[3])
			continue
		case first[0] == '#':
			_, err := fmt.Sscan(first[1:], &now)
			require.NoError(t, err)
			continue
		case first[0] == 'b':
			bits, id = first[1:], words[1]
		case strings.ContainsRune("01xz", rune(first[0])):
			bits, id = first[:1], first[1:]
		default:
			continue
		}
		if n := len(changes[id]); n == 0 || changes[id][n-1].Bits != bits {
			changes[id] = append(changes[id], waves.Change{Time: now, Bits: bits})
		}
	}
	return ids, changes
}
