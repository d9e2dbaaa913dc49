package capture

import (
	"context"
	"errors"
	"io"
	"strings"
)

// Source is what frames come from: a Reader, or several as one.
type Source interface {
	Next() (Frame, error)
	Drops() Drops
	Close() error
}

// Merged is several captures as one, in the order of time: a ring of files, or what several interfaces saw. Packets are
// numbered anew.
type Merged struct {
	readers []*Reader
	heads   []Frame
	live    []bool
	last    int // whose head was returned last; -1: none
	count   uint64
	cut     error
}

// OpenMerged opens files as one.
func OpenMerged(ctx context.Context, paths []string) (*Merged, error) {
	m := &Merged{last: -1}
	for _, path := range paths {
		r, err := OpenContext(ctx, path)
		if err != nil {
			m.Close()
			return nil, err
		}
		m.readers = append(m.readers, r)
		m.heads, m.live = append(m.heads, Frame{}), append(m.live, false)
		if err := m.advance(len(m.readers) - 1); err != nil {
			m.Close()
			return nil, err
		}
	}
	return m, nil
}

// Decapsulate makes Next take tunnels off. The first frame of each file is read already, so it is called at once after
// OpenMerged.
func (m *Merged) Decapsulate() {
	for i, r := range m.readers {
		r.Decapsulate()
		if m.live[i] {
			m.heads[i].Decapsulate()
		}
	}
}

// Name is the names of the files.
func (m *Merged) Name() string {
	var names []string
	for _, r := range m.readers {
		names = append(names, r.Name())
	}
	return strings.Join(names, "+")
}

// advance reads the next frame of a file. A file that ends within a record ends there.
func (m *Merged) advance(i int) error {
	f, err := m.readers[i].Next()
	switch {
	case err == nil:
		m.heads[i], m.live[i] = f, true
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		m.cut = err
	case !errors.Is(err, io.EOF):
		return err
	}
	m.live[i] = false
	return nil
}

// Next returns the earliest frame that has not been returned; io.EOF after the last of all files. File is the file's
// number.
func (m *Merged) Next() (Frame, error) {
	if m.last >= 0 {
		i := m.last
		m.last = -1
		if err := m.advance(i); err != nil {
			return Frame{}, err
		}
	}
	best := -1
	for i, live := range m.live {
		if live && (best < 0 || m.heads[i].TimeNS < m.heads[best].TimeNS) {
			best = i
		}
	}
	if best < 0 {
		if m.cut != nil {
			return Frame{}, m.cut
		}
		return Frame{}, io.EOF
	}
	m.last = best
	m.count++
	f := m.heads[best]
	f.InFile, f.File, f.Number = f.Number, best, m.count
	return f, nil
}

// Drops sums up what the files tell; it is known if all of them tell.
func (m *Merged) Drops() (d Drops) {
	known := true
	for _, r := range m.readers {
		x := r.Drops()
		d.add(&x)
		known = known && x.Known
	}
	d.Known = known
	return d
}

// Close closes the files.
func (m *Merged) Close() error {
	var first error
	for _, r := range m.readers {
		if err := r.Close(); first == nil {
			first = err
		}
	}
	return first
}
