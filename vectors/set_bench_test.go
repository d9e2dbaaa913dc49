package vectors

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/vectors/scenario"
)

// BenchmarkSet writes vector sets with expected results: where it costs what our code costs (every file is /dev/null),
// and into a directory, in /dev/shm if there is one. Packets per second of processor time, so that it is per core and
// other programs do not count.
func BenchmarkSet(b *testing.B) {
	const packets = 200_000
	for _, name := range []string{"mix", "minimum"} {
		s, err := scenario.Lookup(name)
		require.NoError(b, err)
		stage := stageNamed(b, "icrc_check")
		b.Run(name+"/null", func(b *testing.B) {
			dir := b.TempDir()
			for _, f := range []string{stimulusFile, expectFile, recordsFile} {
				require.NoError(b, os.Symlink(os.DevNull, filepath.Join(dir, f)))
			}
			perCore(b, packets, func() {
				source, err := NewGenerated(s, stage, 1, packets)
				require.NoError(b, err)
				w := &setWriter{dir: dir, manifest: &Manifest{Files: map[string]FileInfo{}}, stage: stage}
				require.NoError(b, w.open(SetOptions{}))
				require.NoError(b, w.fill(source, nil))
				require.NoError(b, w.close())
			})
		})
		b.Run(name+"/tmpfs", func(b *testing.B) {
			parent := "/dev/shm"
			if _, err := os.Stat(parent); err != nil {
				parent = b.TempDir()
			}
			dir, err := os.MkdirTemp(parent, "vecgen")
			require.NoError(b, err)
			defer os.RemoveAll(dir)
			perCore(b, packets, func() {
				_, err := GenerateSet(filepath.Join(dir, "set"), s, stage, 1, packets, SetOptions{Force: true})
				require.NoError(b, err)
			})
		})
	}
}

func perCore(b *testing.B, packets int, f func()) {
	n := 0
	before := processorTime()
	for b.Loop() {
		f()
		n += packets
	}
	b.ReportMetric(float64(n)/(processorTime()-before).Seconds(), "packets/core-s")
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "packets/s")
}

// processorTime is what this process has used, user and system.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
