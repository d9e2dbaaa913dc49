package capture

import "fmt"

// Error says in one line for people what is wrong with a file, where, and what to do about it.
type Error struct {
	File   string
	Packet uint64 // counted from 1; 0 where no packet is concerned
	Offset int64  // of the byte where the trouble starts; negative where there is none to name
	What   string
	Do     string // advice; may be empty
	Err    error  // the cause; io.ErrUnexpectedEOF for a file that ends too early; may be nil
}

func (e *Error) Error() string {
	s := e.File + ": "
	switch {
	case e.Packet != 0 && e.Offset >= 0:
		s += fmt.Sprintf("packet %d at byte %d: ", e.Packet, e.Offset)
	case e.Packet != 0:
		s += fmt.Sprintf("packet %d: ", e.Packet)
	case e.Offset >= 0:
		s += fmt.Sprintf("byte %d: ", e.Offset)
	}
	s += e.What
	if e.Do != "" {
		s += " (" + e.Do + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }
