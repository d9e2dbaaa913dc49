package cocosim

import (
	"errors"
	"fmt"
	"io/fs"
)

// Exit is the exit code of a command: what kind of answer it gave.
type Exit int

const (
	Agreed       Exit = 0 // everything was compared and agreed
	Mismatch     Exit = 1 // the device did something that the reference does not allow
	BadInput     Exit = 2 // usage, or input that cannot be read
	BuildFailed  Exit = 3 // a tool is missing or the RTL does not build
	SimFailed    Exit = 4 // the simulator crashed or hung
	BridgeFailed Exit = 5 // the bridge's protocol was broken
	Inconclusive Exit = 6 // stopped by a limit before a verdict
)

// Error is an error for people: one line that says what happened, where, and what to do.
type Error struct {
	Exit Exit
	What string // what went wrong and where
	Do   string // what to do about it; may be empty
	Err  error  // the cause; may be nil
}

func (e *Error) Error() string {
	s := e.What
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Do != "" {
		s += " (" + e.Do + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error without advice.
func Errorf(exit Exit, format string, args ...any) *Error {
	return &Error{Exit: exit, What: fmt.Sprintf(format, args...)}
}

// ExitOf is the exit code that an error asks for: BadInput unless it says otherwise, Agreed for nil.
func ExitOf(err error) Exit {
	if err == nil {
		return Agreed
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Exit
	}
	return BadInput
}

// HungError says that a design neither took nor gave anything for so long that it never will. The design has failed,
// not the simulator: a run reports a mismatch.
type HungError struct {
	Port  string // the port that was waited for
	Cycle uint64 // where the design stood still
	Idle  uint64 // for how many cycles
	// Others tells that other ports, or outputs, moved all the while.
	Others bool
}

func (e *HungError) Error() string {
	if e.Others {
		return fmt.Sprintf("design hung at cycle %d: input %s waited for %d cycles, while other ports moved all the time",
			e.Cycle, e.Port, e.Idle)
	}
	return fmt.Sprintf("design hung at cycle %d: port %s did nothing for %d cycles", e.Cycle, e.Port, e.Idle)
}

// Cause strips the operation and the path that a message names already.
func Cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
