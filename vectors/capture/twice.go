package capture

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"
)

// How much of a stream is held back for a first look: whichever is reached first.
const (
	lookBytes = 16 << 20
	lookTime  = 400 * time.Millisecond // after the first byte
)

var errLate = errors.New("nothing more has come in time")

// OpenTwice opens a capture for a first look and for the reading proper. A regular file is opened twice. Of a stream
// the first look has what came within 400 ms of its first byte, at most 16 MB, and is nil if that is too little; the
// reading has everything. Each must be closed.
func OpenTwice(ctx context.Context, path string) (look, proper *Reader, err error) {
	if !IsStream(path) {
		if look, err = OpenContext(ctx, path); err != nil {
			return nil, nil, err
		}
		if proper, err = OpenContext(ctx, path); err != nil {
			look.Close()
			return nil, nil, err
		}
		return look, proper, nil
	}
	in, name, err := openSource(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	held := holdBack(in)
	if look, err = newOpened(io.NopCloser(bytes.NewReader(held)), name); err != nil {
		look = nil // too little has come for a look
	}
	if proper, err = newOpened(joined{io.MultiReader(bytes.NewReader(held), in), in}, name); err != nil && look != nil {
		look.Close()
		look = nil
	}
	return look, proper, err
}

// joined is what was held back with what follows it.
type joined struct {
	io.Reader
	io.Closer
}

// holdBack reads the start of a stream. An error comes again from the stream itself.
func holdBack(in io.Reader) []byte {
	w, ok := in.(*waiting)
	if !ok {
		return nil
	}
	var deadline <-chan time.Time
	held := make([]byte, 0, chunkBytes)
	for len(held) < lookBytes {
		held = append(held, make([]byte, chunkBytes)...)
		at := len(held) - chunkBytes
		n, err := w.readBefore(held[at:], deadline)
		held = held[:at+n]
		if err != nil {
			break
		}
		if deadline == nil {
			deadline = time.After(lookTime)
		}
	}
	return held
}
