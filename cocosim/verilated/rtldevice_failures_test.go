package verilated

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/sim"
)

func TestSimulatorFailures(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault uint64
		want  string
	}{
		{"$finish", faultFinish, "loopback called $finish after cycle 41 at "},
		{"combinational loop", faultLoop, "simulator of loopback failed after cycle 10"}, // it begins at 101,
		{"endless loop", faultEndless, "simulator of loopback hung: no sign of life for 1s after cycle "},
		{"abort", faultAbort, "simulator of loopback died, last heard of at cycle 41: signal: aborted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startLoopback(t, Options{HangTimeout: time.Second})
			err := d.Reset(context.Background(), withFault(c.fault)) // a loop may be found as early as this
			if err == nil {
				err = d.Advance(context.Background(), 1000, nil, new(sim.Batch))
			}
			require.Error(t, err)
			assert.Equal(t, cocosim.SimFailed, cocosim.ExitOf(err))
			assert.Contains(t, err.Error(), c.want)
			assert.NoError(t, d.Close())
			assert.Nil(t, d.Stats())
		})
	}
}

// What fails before cycle 0 does so in the reset, or in the life before it.
func TestSimulatorFailsInItsReset(t *testing.T) {
	needTools(t)
	m := changed(t, "loopback.yaml", "cycles: 4}", "cycles: 4, mid_traffic: true}")
	image, err := Build(context.Background(), m, nil, Quick, nil)
	require.NoError(t, err)
	d, err := image.Open(context.Background(), Options{})
	require.NoError(t, err)
	defer d.Close()
	require.ErrorContains(t, d.Reset(context.Background(), withFault(faultAbort)), "simulator of loopback died, in its "+
		"reset or the life of noise before it: signal: aborted")
}

func TestSimulatorKilledOrStoppedInARun(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		hang   time.Duration
		want   string
	}{
		{syscall.SIGKILL, 0, "simulator of loopback died, last heard of at cycle %d: signal: killed"},
		{syscall.SIGSTOP, 2 * time.Second, "simulator of loopback hung: no sign of life for 2s after cycle %d"},
	} {
		d := openLoopback(t, Options{HangTimeout: c.hang}, cocosim.Config{})
		require.NoError(t, d.Advance(context.Background(), 1000, nil, new(sim.Batch)))
		go func() {
			time.Sleep(300 * time.Millisecond)
			d.child.cmd.Process.Signal(c.signal)
		}()
		err := d.Advance(context.Background(), 1<<62, nil, new(sim.Batch))
		assert.Equal(t, cocosim.SimFailed, cocosim.ExitOf(err))
		assert.EqualError(t, err, fmt.Sprintf(c.want, d.cycle))
		assert.GreaterOrEqual(t, d.cycle, uint64(1000))
		assert.NoError(t, d.Close())
	}
}

// A long run is no hung simulator: it sends heartbeats.
func TestLongRunIsNotHung(t *testing.T) {
	d := openLoopback(t, Options{HangTimeout: 2 * time.Second}, cocosim.Config{})
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	err := d.Advance(ctx, 1<<62, nil, new(sim.Batch))
	assert.Equal(t, cocosim.Inconclusive, cocosim.ExitOf(err), err)
	assert.Positive(t, d.cycle)
}

func TestSimulatorStopsWithItsContext(t *testing.T) {
	for _, fault := range []uint64{faultNone, faultEndless} {
		d := openLoopback(t, Options{}, withFault(fault))
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() {
			time.Sleep(100 * time.Millisecond)
			cancel(errors.New("interrupted"))
		}()
		err := d.Advance(ctx, 1<<62, nil, new(sim.Batch))
		assert.Equal(t, cocosim.Inconclusive, cocosim.ExitOf(err))
		assert.ErrorContains(t, err, "interrupted")
		assert.NoError(t, d.Close())
	}
}

// When the harness is killed, its simulator ends too, whatever it is doing.
func TestSimulatorEndsWithItsParent(t *testing.T) {
	loopbackImage(t)
	program, err := os.Executable()
	require.NoError(t, err)
	for _, fault := range []int{faultNone, faultEndless} {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s%d", fakeEnv, parentMode, fault))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		var pid int
		_, err = fmt.Sscan(line, &pid)
		require.NoError(t, err)
		parent, _ := parentOf(pid)
		require.Equal(t, cmd.Process.Pid, parent)
		time.Sleep(200 * time.Millisecond) // into the run
		require.NoError(t, cmd.Process.Kill())
		cmd.Wait()
		gone := func() bool {
			_, state := parentOf(pid)
			return state == "" || state == "Z" // a zombie is for the system's init to reap
		}
		assert.Eventually(t, gone, time.Minute, 20*time.Millisecond)
	}
}

// helloFrame, resetFrame, runFrame and rawFrame send frames as a test wants them: of another version, with so many
// inputs configured, with a changed record, or any header.
func helloFrame(major int, build, manifest string) func(*frameWriter) {
	return func(w *frameWriter) {
		w.begin(frameHello)
		w.u16(uint16(major))
		w.u16(0)
		w.u32(0)
		w.u32(bridgeMaxFrame)
		w.u32(maxRecordBytes)
		w.text(build)
		w.text(manifest)
		w.end(0)
	}
}

func resetFrame(inputs int) func(*frameWriter) {
	return func(w *frameWriter) {
		w.begin(frameReset)
		for range 4 {
			w.u64(0)
		}
		w.u32(uint32(inputs))
		w.u32(0)
		for i := range inputs {
			w.u32(uint32(i))
			w.u32(0)
			w.u64(0)
		}
		w.end(0)
	}
}

func runFrame(change func(b []byte) []byte) func(*frameWriter) {
	return func(w *frameWriter) {
		w.begin(frameRun)
		w.u64(10)
		at := len(w.buf)
		r := appendOffer(nil, &sim.Offer{Data: make([]byte, 16)})
		w.buf = append(w.buf[:at], change(r)...)
		w.end(runLast)
	}
}

func rawFrame(b ...byte) func(*frameWriter) {
	return func(w *frameWriter) { w.w.Write(append(b, make([]byte, bridgeHeaderBytes-len(b))...)) }
}

// The simulator's end checks what it is sent as strictly as ours does.
func TestSimulatorRefusesBrokenFrames(t *testing.T) {
	image := loopbackImage(t)
	hello, reset, run, raw := helloFrame, resetFrame, runFrame, rawFrame
	good := hello(1, image.BuildID, image.Manifest.Hash())
	for _, c := range []struct {
		name   string
		frames []func(*frameWriter)
		want   string
	}{
		{"magic", []func(*frameWriter){raw(1, 2, 3, 4)}, "bad magic"},
		{"channel", []func(*frameWriter){raw('H', 'C', 'A', 'B', 1, 0, 1)}, "channel 1 was never opened"},
		{"sequence", []func(*frameWriter){raw('H', 'C', 'A', 'B', 1, 0, 0, 0, 5)}, "frame 5 out of sequence"},
		{"length", []func(*frameWriter){raw('H', 'C', 'A', 'B', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff)}, "over the limit"},
		{"no HELLO", []func(*frameWriter){reset(1)}, "no HELLO"},
		{"version", []func(*frameWriter){hello(2, "x", "y")}, "protocol 2 is asked for, this simulator speaks 1"},
		{"build", []func(*frameWriter){hello(1, "other", image.Manifest.Hash())},
			"build other is asked for, this simulator is " + image.BuildID},
		{"manifest", []func(*frameWriter){hello(1, image.BuildID, "other")}, "manifest other is asked for"},
		{"short HELLO", []func(*frameWriter){func(w *frameWriter) { w.begin(frameHello); w.u16(1); w.end(0) }},
			"HELLO is too short"},
		{"no configuration", []func(*frameWriter){good, reset(0)}, "RESET must set every configuration input"},
		{"too much configuration", []func(*frameWriter){good, reset(2)}, "RESET must set every configuration input"},
		{"type", []func(*frameWriter){good, func(w *frameWriter) { w.begin(99); w.end(0) }}, "unknown frame type 99"},
		{"RUN first", []func(*frameWriter){good, run(func(b []byte) []byte { return nil })}, "RUN before RESET"},
		{"short RUN", []func(*frameWriter){good, reset(1), func(w *frameWriter) { w.begin(frameRun); w.end(runLast) }},
			"RUN is too short"},
		{"cut record", []func(*frameWriter){good, reset(1), run(func(b []byte) []byte { return b[:len(b)-8] })},
			"a record does not fit its frame"},
		{"cut header", []func(*frameWriter){good, reset(1), run(func(b []byte) []byte { return b[:32] })},
			"a record does not fit its frame"},
		{"huge record", []func(*frameWriter){good, reset(1), run(func(b []byte) []byte { b[27] = 0xff; return b })},
			"a record does not fit its frame"},
		{"output port", []func(*frameWriter){good, reset(1), run(func(b []byte) []byte { b[28] = 1; return b })},
			"port 1 is not an input"},
		{"no port", []func(*frameWriter){good, reset(1), run(func(b []byte) []byte { b[28] = 77; return b })},
			"port 77 is not an input"},
		{"record size", []func(*frameWriter){good, reset(1), run(func(b []byte) []byte { b[28] = 2; return b })},
			"a record of 16 bytes on port 2"},
		{"empty packet", []func(*frameWriter){good, reset(1),
			run(func(b []byte) []byte { b[24] = 0; return b[:recordHeaderBytes] })}, "a record of 0 bytes on port 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkRefusal(t, image, c.frames, c.want)
		})
	}
}

// checkRefusal sends frames to a simulator, which must answer with an error that contains want, and end.
func checkRefusal(t *testing.T, image *Image, frames []func(*frameWriter), want string) {
	checkNoChildren(t)
	child, err := startChild(image.Program, nil, nil)
	require.NoError(t, err)
	defer child.kill()
	w, r := frameWriter{w: child.conn}, frameReader{r: child.conn}
	for _, send := range frames {
		send(&w)
	}
	for {
		f, err := r.next(nil)
		require.NoError(t, err, "no ERROR frame came")
		if f.typ == frameError {
			assert.Contains(t, string(f.payload[8:]), want)
			break
		}
	}
	_, err = r.next(nil)
	assert.ErrorIs(t, err, io.EOF)
	assert.True(t, child.gone(time.Minute))
	assert.EqualError(t, child.err, "exit status 4")
}
