package verilated

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPatience: a simulator that is at work and gets little of a processor is waited for; one that used up its time in
// silence, that sleeps, or of which the system says nothing, is not.
func TestPatience(t *testing.T) {
	const patience = 100 * time.Millisecond
	share := func(part float64, awake, ok bool) func() (time.Duration, bool, bool) {
		began := time.Now()
		return func() (time.Duration, bool, bool) { return time.Duration(part * float64(time.Since(began))), awake, ok }
	}
	for _, c := range []struct {
		name   string
		look   func() (time.Duration, bool, bool)
		answer time.Duration
		dies   bool
	}{
		{"answers late on a busy machine", share(0.1, true, true), 4 * patience, false},
		{"spins", share(1, true, true), 0, true},
		{"sleeps", share(0, false, true), 0, true},
		{"the system does not say", share(0, true, false), 0, true},
		{"gets no processor at all for ever", share(0, true, true), 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			near, far := net.Pipe()
			defer near.Close()
			if !c.dies {
				time.AfterFunc(c.answer, func() { far.Write([]byte{7}) })
			}
			began := time.Now()
			n, err := (&patientReader{near, patience, c.look}).Read(make([]byte, 1))
			if c.dies {
				require.ErrorIs(t, err, os.ErrDeadlineExceeded)
				require.GreaterOrEqual(t, time.Since(began), patience/2)
				return
			}
			require.NoError(t, err)
			require.Equal(t, 1, n)
		})
	}
}

// TestProcessTime: this process has used some, and is awake while it asks.
func TestProcessTime(t *testing.T) {
	for began := time.Now(); time.Since(began) < 50*time.Millisecond; {
	}
	used, _, ok := processTime(os.Getpid())
	if !ok {
		t.Skip("skipped: no /proc")
	}
	require.Positive(t, used)
	_, _, ok = processTime(1 << 30)
	require.False(t, ok)
}

// process is a program that is on a processor, sleeps, or waits for what nothing interrupts, as one does for a disk.
const process = `#include <unistd.h>
int main(int argc, char** argv) {
  if (*argv[1] == 'R') for (;;) {}
  if (*argv[1] == 'S' || vfork() == 0) pause();
  return 0;
}
`

// TestAwake: a simulator that runs or waits for a disk wants a processor; one that sleeps does not.
func TestAwake(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("skipped: ", err)
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "process.c"), filepath.Join(dir, "process")
	require.NoError(t, os.WriteFile(source, []byte(process), 0o666))
	said, err := exec.Command("gcc", "-o", program, source).CombinedOutput()
	require.NoError(t, err, "%s", said)
	for _, state := range []string{"R", "S", "D"} {
		cmd := exec.Command(program, state)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		require.NoError(t, cmd.Start())
		pid := cmd.Process.Pid
		t.Cleanup(func() {
			syscall.Kill(-pid, syscall.SIGKILL)
			cmd.Wait()
		})
		shown := ""
		for end := time.Now().Add(10 * time.Second); shown != state && time.Now().Before(end); {
			_, shown = parentOf(pid)
			time.Sleep(time.Millisecond)
		}
		if shown != state && state == "D" {
			t.Skipf("skipped: this kernel shows %s where Linux shows D", shown)
		}
		require.Equal(t, state, shown)
		_, awake, ok := processTime(pid)
		require.True(t, ok)
		require.Equal(t, state != "S", awake, "state %s", state)
	}
}
