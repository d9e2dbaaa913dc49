package verilated

import (
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// patientReader reads from a simulator for as long as it may yet answer. A machine under load is no reason to give one up:
// what counts is the simulator's own time on a processor, and by the clock only if it sleeps.
type patientReader struct {
	conn     net.Conn
	patience time.Duration
	look     func() (used time.Duration, awake, ok bool) // as processTime
}

// mostPatience bounds, as a multiple of the patience, how long a simulator that gets no processor is waited for.
const mostPatience = 60

// looksPerPatience is how often a silent simulator is looked at.
const looksPerPatience = 4

func (r *patientReader) Read(b []byte) (int, error) {
	began := time.Now()
	var used time.Duration // of the simulator, when the wait began
	started := false
	for {
		r.conn.SetReadDeadline(time.Now().Add(r.patience / looksPerPatience))
		n, err := r.conn.Read(b)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		now, awake, ok := r.look()
		if !started {
			used, started = now, true
		}
		waited := time.Since(began)
		switch {
		case waited >= mostPatience*r.patience,
			!ok && waited >= r.patience,
			ok && !awake && waited >= r.patience,
			ok && now-used >= r.patience*(looksPerPatience-1)/looksPerPatience:
			return 0, err
		}
	}
}

// clockTicks is what /proc counts in, a second; Linux has it so on every machine.
const clockTicks = 100

// processTime is how long a process has been on a processor, and whether it wants to be: one that sleeps or was stopped does not. Not ok is
// that the system does not say.
func processTime(pid int) (used time.Duration, awake, ok bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false, false
	}
	_, rest, found := strings.Cut(string(text), ") ") // the name may hold anything
	fields := strings.Fields(rest)
	if !found || len(fields) < 13 {
		return 0, false, false
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	if err1 != nil || err2 != nil {
		return 0, false, false
	}
	awake = fields[0] == "R" || fields[0] == "D"
	return time.Duration(user+system) * time.Second / clockTicks, awake, true
}
