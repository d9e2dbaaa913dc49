package verilated

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/waves"
	"hcacosim/model/sim"
)

// traced runs the loopback with one record a cycle, for so many of them, and asks for waves.
func traced(t *testing.T, w *Window, records int) error {
	needTools(t)
	m, err := manifest.Load(loopbackManifest)
	require.NoError(t, err)
	d, err := Open(context.Background(), m, Options{Flavour: Trace, Trace: w})
	require.NoError(t, err)
	require.NoError(t, d.Reset(context.Background(), cocosim.Config{}))
	in := make([]sim.Offer, records)
	noise := rand.NewChaCha8([32]byte{})
	for i := range in {
		in[i] = sim.Offer{Seq: uint64(i), Data: make([]byte, 64)}
		noise.Read(in[i].Data)
	}
	return errors.Join(d.Advance(context.Background(), uint64(records), in, new(sim.Batch)), d.Close())
}

// TestTraceWindow: waves hold the window and nothing else, and the end of the run where that comes first.
func TestTraceWindow(t *testing.T) {
	for _, c := range []struct{ from, to, last uint64 }{{100, 120, 120}, {0, 10, 10}, {190, 1000, 199}} {
		w := &Window{File: filepath.Join(t.TempDir(), "trace.fst"), From: c.from, To: c.to}
		require.NoError(t, traced(t, w, 200))
		f, err := waves.Read(w.File)
		require.NoError(t, err)
		require.Equal(t, c.from*CycleTime, f.From)
		require.Equal(t, c.last*CycleTime+CycleTime/2, f.To, "the clock rises in the middle of its cycle")
		require.NotEmpty(t, f.Find("TOP.loopback", "clk_i"))
		require.NoFileExists(t, w.File+".part")
		requireCutsNoticed(t, w.File)
	}
	w := &Window{File: filepath.Join(t.TempDir(), "trace.fst"), From: 1000, To: 1010}
	require.NoError(t, traced(t, w, 200))
	require.NoFileExists(t, w.File, "the run never got there")
}

// requireCutsNoticed reads every part of a file from its begin.
func requireCutsNoticed(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for n := 0; n < len(text); n += 1 + len(text)/200 {
		require.NoError(t, os.WriteFile(file, text[:n], 0o666))
		_, err := waves.Read(file)
		require.Error(t, err, "%d of %d bytes", n, len(text))
	}
}

// TestTraceOfFullDisk: on a disk that fills up somewhere on the way a file that is not whole does not appear.
func TestTraceOfFullDisk(t *testing.T) {
	require.NoError(t, traced(t, &Window{File: "/nonexistent/trace.fst", From: 0, To: 100}, 200))
	whole := 0
	for _, pages := range []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 64} {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", 4*pages)); err != nil {
			t.Skip("skipped: no tmpfs can be mounted")
		}
		t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
		w := &Window{File: filepath.Join(dir, "trace.fst"), From: 0, To: 1990}
		ended := traced(t, w, 2000)
		if ended != nil {
			require.ErrorContains(t, ended, "the waves could not be written: no space left on the device")
		}
		if _, err := os.Stat(w.File); err == nil {
			_, err = waves.Read(w.File)
			require.NoError(t, err, "%d pages", pages)
			whole++
		}
		left, err := filepath.Glob(dir + "/*.part*")
		require.NoError(t, err)
		t.Log(pages, "pages:", whole, left, ended)
	}
	require.NotZero(t, whole)
	require.Less(t, whole, 10, "no disk was full")
}
