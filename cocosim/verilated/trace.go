package verilated

import (
	"fmt"
	"syscall"
	"time"
)

// Window says which cycles of a run go into a file of waves (FST), both ends included. It needs an image of the flavour
// Trace. The file appears when it is complete: at the end of the window, or when the simulator ends before that, for
// whatever reason that leaves it a moment. Cycle c begins at c * CycleTime.
type Window struct {
	File     string
	From, To uint64
}

// CycleTime is how long a cycle of a run is in waves; clocks rise in its middle. Both are in the unit of the file.
const (
	CycleTime = 10_000 * Picosecond
	// Picosecond is the unit of time in waves.
	Picosecond = 1
)

// traceMemory is what writing waves takes beside the design.
const traceMemory = 1 << 30

// completing is how long a simulator may take to complete its waves when it is stopped.
const completing = 5 * time.Second

func (w *Window) env() []string {
	if w == nil {
		return nil
	}
	return []string{"HCA_TRACE=" + w.File, fmt.Sprint("HCA_TRACE_FROM=", w.From), fmt.Sprint("HCA_TRACE_TO=", w.To)}
}

// stop asks the process to complete what it writes.
func (c *child) stop() {
	c.conn.Close()
	syscall.Kill(c.cmd.Process.Pid, syscall.SIGTERM)
	c.gone(completing)
}
