package vectors

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/vectors/scenario"
)

// weighed is a source that looks at the heap before certain records.
type weighed struct {
	Source
	at    []uint64
	count uint64
	heap  []uint64 // bytes in use
}

func (w *weighed) Next(r *sim.Offer) error {
	if len(w.at) > 0 && w.count == w.at[0] {
		w.at = w.at[1:]
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		w.heap = append(w.heap, m.HeapAlloc)
	}
	w.count++
	return w.Source.Next(r)
}

var keepsMuch = map[string]bool{"hca_rx": true, "hca_tx": true, "hca_top": true, "qp_ctl_axil": true,
	"read_engine": true, "read_place": true}

// TestSetsStream: over 300,000 records, from 250,000 on, the heap grows by less than a word for each, in every stage:
// what grows are buffers, until the longest packet came, and QPs, until all were met. What keeps a word a record is
// seen. Stages that keep more of a QP have 750,000 records for it.
// hca_top meets its QPs later, as most of its records are accesses, and has READs to keep for each: from 10^6 on. The
// memories of $readmemh are written of one stage of frames and of one of records: their writer knows no stage.
func TestSetsStream(t *testing.T) {
	memories := map[string]int{"icrc_check": 512, "req_ack_check": 512} // bits of a word
	for name := range memories {
		_, ok := Lookup(name)
		require.True(t, ok, name)
	}
	for _, stage := range Stages() {
		t.Run(stage.Name, func(t *testing.T) {
			early, records, most := uint64(250_000), uint64(300_000), uint64(2_200_000)
			if keepsMuch[stage.Name] {
				records, most = 750_000, 5_500_000
			}
			if stage.Name == "hca_top" {
				early = 1_000_000
			}
			late := early + records
			dir := t.TempDir()
			names := []string{stimulusFile, expectFile, recordsFile}
			for _, p := range stage.Ports {
				names = append(names, p.Name+".memh")
			}
			for _, f := range names {
				require.NoError(t, os.Symlink(os.DevNull, filepath.Join(dir, f)))
			}
			source, err := NewGenerated(scenario.Default(stage.Name), stage, 1, late)
			require.NoError(t, err)
			w := &weighed{Source: source, at: []uint64{early, late}}
			set := &setWriter{dir: dir, manifest: &Manifest{Files: map[string]FileInfo{}, Flavour: Strict}, stage: stage}
			if stage.Lenient != nil {
				set.manifest.Flavour = Lenient
			}
			require.NoError(t, set.open(SetOptions{ReadmemhBits: memories[stage.Name]}))
			require.NoError(t, set.fill(w, nil))
			require.NoError(t, set.close())
			require.Len(t, w.heap, 2)
			t.Logf("heap at %d and %d records: %d, %d KiB", early, late, w.heap[0]>>10, w.heap[1]>>10)
			require.Less(t, w.heap[1], w.heap[0]+most)
		})
	}
}
