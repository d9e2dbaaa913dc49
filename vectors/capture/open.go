package capture

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Stdin is the path that stands for standard input.
const Stdin = "-"

const zstdMagic = 0xfd2fb528

// Open opens a capture: pcap (micro- or nanoseconds, either byte order) or pcapng, as it is or compressed by gzip or
// zstd; a file, a FIFO, or "-" for standard input.
func Open(path string) (*Reader, error) { return OpenContext(context.Background(), path) }

// OpenContext is Open whose waiting ends with the context: for the writer of a FIFO, and for every byte of what is no
// regular file. Opening and Next then fail with the context's cause.
func OpenContext(ctx context.Context, path string) (*Reader, error) {
	in, name, err := openSource(ctx, path)
	if err != nil {
		return nil, err
	}
	return newOpened(in, name)
}

// newOpened reads a capture from what openSource gave.
func newOpened(in io.ReadCloser, name string) (*Reader, error) {
	unpacked, err := unpack(in)
	if err == nil {
		var c *Reader
		if c, err = NewReader(unpacked, name); err == nil {
			c.file = in
			return c, nil
		}
	} else {
		err = &Error{File: name, Offset: -1, What: "cannot be unpacked: " + err.Error(), Err: err}
	}
	in.Close()
	return nil, err
}

// openSource opens what a path names.
func openSource(ctx context.Context, path string) (io.ReadCloser, string, error) {
	if path == Stdin {
		return newWaiting(ctx, os.Stdin), "standard input", nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, path, OpenError(path, err)
	case info.IsDir():
		return nil, path, &Error{File: path, Offset: -1, What: "is a directory, not a capture"}
	case info.Mode().IsRegular():
		f, err := os.Open(path)
		if err != nil {
			return nil, path, OpenError(path, err)
		}
		return f, path, nil
	}
	f, err := openWaiting(ctx, path)
	if err != nil {
		return nil, path, OpenError(path, err)
	}
	return newWaiting(ctx, f), path, nil
}

// IsStream reports whether a path can be read once only: standard input, a FIFO, a device.
func IsStream(path string) bool {
	if path == Stdin {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// openWaiting opens a FIFO, which waits for its writer.
func openWaiting(ctx context.Context, path string) (*os.File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	select {
	case x := <-done:
		return x.f, x.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// unpack puts a decompressor in front of what is compressed.
func unpack(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	magic, _ := b.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return gzip.NewReader(b)
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		d, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return b, nil
}

// waiting reads from what may give nothing for ever, until its context ends. The reading goes on in a goroutine, which
// a source that never gives anything keeps until the process ends.
type waiting struct {
	ctx    context.Context
	file   io.Closer
	chunks chan chunk
	spare  chan []byte
	rest   []byte
	buf    []byte
	err    error
}

type chunk struct {
	data []byte
	err  error
}

const chunkBytes = 1 << 16

func newWaiting(ctx context.Context, f io.ReadCloser) *waiting {
	w := &waiting{ctx: ctx, file: f, chunks: make(chan chunk, 2), spare: make(chan []byte, 3)}
	for range cap(w.spare) {
		w.spare <- make([]byte, chunkBytes)
	}
	go func() {
		for b := range w.spare {
			n, err := f.Read(b)
			select {
			case w.chunks <- chunk{b[:n], err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return w
}

// Read takes what has come; it waits for the first byte only.
func (w *waiting) Read(p []byte) (int, error) { return w.readBefore(p, nil) }

// readBefore is Read that gives up at a deadline with errLate.
func (w *waiting) readBefore(p []byte, deadline <-chan time.Time) (int, error) {
	for len(w.rest) == 0 {
		if w.err != nil {
			return 0, w.err
		}
		if w.buf != nil {
			w.spare <- w.buf
			w.buf = nil
		}
		select {
		case c := <-w.chunks:
			w.rest, w.buf, w.err = c.data, c.data[:cap(c.data)], c.err
		case <-w.ctx.Done():
			w.err = context.Cause(w.ctx)
		case <-deadline:
			return 0, errLate
		}
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}

func (w *waiting) Close() error { return w.file.Close() }
