package live

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"hcacosim/cocosim"
)

// maxFrame is the longest frame that a stream carries.
const maxFrame = 64 << 10

// Port is where whole Ethernet frames come from and go to.
type Port interface {
	// Read appends the next frame to dst. io.EOF: the peer has closed it, and nothing is missing.
	Read(dst []byte) ([]byte, error)
	Write(frame []byte) error
	Close() error
}

// Open opens what a name says: socket:PATH connects to a Unix stream socket, and waits for it to be there;
// listen:PATH makes one and waits for one peer; tap:NAME is a tap device.
func Open(ctx context.Context, name string) (Port, error) {
	kind, where, ok := strings.Cut(name, ":")
	switch {
	case !ok || where == "":
	case kind == "socket":
		return connect(ctx, where)
	case kind == "listen":
		return listen(ctx, where)
	case kind == "tap":
		return openTap(where)
	}
	return nil, cocosim.Errorf(cocosim.BadInput, "%q is not socket:PATH, listen:PATH or tap:NAME", name)
}

// connect waits until somebody listens.
func connect(ctx context.Context, path string) (Port, error) {
	var d net.Dialer
	for {
		c, err := d.DialContext(ctx, "unix", path)
		if err == nil {
			return Stream(c), nil
		}
		var stuck error
		select {
		case <-ctx.Done():
			stuck = ctx.Err()
		case <-time.After(100 * time.Millisecond):
			continue
		}
		return nil, &cocosim.Error{Exit: cocosim.Inconclusive, What: "nobody listens on " + path + " until the limit",
			Do: "start the peer, or give it more time", Err: stuck}
	}
}

// listen takes the first peer that connects, and no second.
func listen(ctx context.Context, path string) (Port, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().Type() == os.ModeSocket {
		os.Remove(path) // an earlier session's
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "unix", path)
	if err != nil {
		return nil, &cocosim.Error{Exit: cocosim.BadInput, What: "cannot listen on " + path, Err: err}
	}
	defer l.Close()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	c, err := l.Accept()
	if err != nil {
		return nil, &cocosim.Error{Exit: cocosim.Inconclusive, What: "nobody connects to " + path + " until the limit",
			Do: "start the peer, or give it more time", Err: ctx.Err()}
	}
	return Stream(c), nil
}

// Stream carries frames over a byte stream, each behind its length in 4 bytes, big-endian, as QEMU's -netdev stream has
// them.
func Stream(c io.ReadWriteCloser) Port {
	return &stream{c: c, r: bufio.NewReaderSize(c, 1<<16)}
}

type stream struct {
	c      io.ReadWriteCloser
	r      *bufio.Reader
	taken  uint64 // frames
	at     uint64 // bytes
	buffer []byte // what is written
}

// Read reads a frame. What is no frame is an error for people with the exit code of a broken bridge.
func (s *stream) Read(dst []byte) ([]byte, error) {
	var head [4]byte
	n, err := io.ReadFull(s.r, head[:])
	switch {
	case errors.Is(err, io.EOF) || gone(err) && n == 0:
		return dst, io.EOF
	case err != nil:
		return dst, s.broken("the stream ends %d bytes into the length of a frame", n)
	}
	length := binary.BigEndian.Uint32(head[:])
	switch {
	case length == 0:
		return dst, s.broken("a frame of 0 bytes")
	case length > maxFrame:
		return dst, s.broken("a frame of %d bytes, more than %d", length, maxFrame)
	}
	from := len(dst)
	dst = append(dst, make([]byte, length)...)
	if n, err = io.ReadFull(s.r, dst[from:]); err != nil {
		return dst[:from], s.broken("the stream ends %d bytes into a frame of %d", n, length)
	}
	s.taken++
	s.at += 4 + uint64(length)
	return dst, nil
}

// broken says where the framing broke.
func (s *stream) broken(format string, args ...any) error {
	e := cocosim.Errorf(cocosim.BridgeFailed, "socket: "+format, args...)
	what := cocosim.Errorf(0, ", behind %d whole frames, at byte %d", s.taken, s.at).What
	e.What += what
	e.Do = "each frame stands behind its length in 4 bytes, big-endian"
	return e
}

// gone reports whether a stream ended because either end closed it.
func gone(err error) bool {
	var op *net.OpError
	return errors.Is(err, net.ErrClosed) || errors.As(err, &op)
}

// Write sends a frame in one piece.
func (s *stream) Write(frame []byte) error {
	s.buffer = binary.BigEndian.AppendUint32(s.buffer[:0], uint32(len(frame)))
	s.buffer = append(s.buffer, frame...)
	_, err := s.c.Write(s.buffer)
	return err
}

// Close closes the stream.
func (s *stream) Close() error { return s.c.Close() }
