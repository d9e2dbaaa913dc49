// Package capture reads and writes captures, pcap and pcapng, as streams in a fixed window of memory, and plays one
// again as many connections. It knows link types and frames, and nothing of transports: model/wire takes a frame apart.
package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"hcacosim/model/wire"
)

// MaxFrameBytes is the longest frame that is read; a file that claims a longer one is wrong or hostile.
const MaxFrameBytes = 256 << 10

// windowBytes is all the memory a reader uses: a frame, its block and its options must fit.
const windowBytes = 2 * MaxFrameBytes

// Frame is one packet of a capture.
type Frame struct {
	Number   uint64 // in the file, from 1
	Link     wire.Link
	LinkType uint16
	Port     string // name of the interface (pcapng); in a vector set the port of the record
	TimeNS   int64  // since 1970
	// Data is what was captured, from where Link starts; valid until the next call of Next.
	Data    []byte
	OrigLen int // of Data on the wire; more than len(Data) where the snap length cut the frame
	// Outer is how many captured bytes lie before Data: a pseudo-header of the link type, or what a tunnel put around it.
	Outer   int
	Tunnel  Tunnel // what was taken off, if Reader.Decapsulate was called
	File    int    // of Merged: which of its files
	InFile  uint64 // of Merged: the number in that file
	whole   []byte
	Comment []byte // the first comment (pcapng); valid until the next call of Next
}

// Whole is the record as it stands in the file: Data with the Outer bytes before it. Of a frame that was made by hand
// it is Data.
func (f *Frame) Whole() []byte {
	if f.whole == nil {
		return f.Data
	}
	return f.whole
}

// Cut reports whether the snap length cut the frame.
func (f *Frame) Cut() bool { return f.OrigLen > len(f.Data) }

// Reader reads a pcap or pcapng file as a stream, in a fixed window of memory. Data is not copied out of the window.
//
// Our own reader and not pcapgo's, which serves as the second reader in the tests: pcapgo takes a block's inner lengths
// on trust, grows with what the file claims, names no byte offset and allocates for every comment.
type Reader struct {
	name    string
	file    io.Closer
	r       *bufio.Reader
	order   byteOrder
	offset  int64 // of the first byte in the window
	used    int   // bytes of the window that the last Frame lies in
	packets uint64
	next    func() error // reads the next frame into now
	now     Frame
	err     error // sticky

	decapsulate bool
	drops       Drops

	nsPerTick int64 // pcap: of the fraction of a second
	linkType  uint16
	ifaces    []iface // pcapng: of the current section
}

// OpenError says for people why a file could not be opened.
func OpenError(path string, err error) *Error {
	e := &Error{File: path, Offset: -1, Err: err}
	var cause *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.What = "no such file"
	case errors.As(err, &cause):
		e.What = cause.Err.Error()
	default:
		e.What = err.Error()
	}
	return e
}

// NewReader reads a capture from r; name stands for it in errors.
func NewReader(r io.Reader, name string) (*Reader, error) {
	c := &Reader{name: name, r: bufio.NewReaderSize(r, windowBytes)}
	magic, err := c.r.Peek(4)
	switch {
	case len(magic) == 0 && err == io.EOF:
		return nil, c.fail("empty file", "", nil)
	case len(magic) < 4 && err == io.EOF:
		return nil, c.fail("not a capture: only "+plural(len(magic), "byte"), "", nil)
	case len(magic) < 4:
		return nil, c.readError(err)
	}
	switch m := binary.LittleEndian.Uint32(magic); {
	case m == blockSection:
		c.next = c.nextPcapng
	case c.isPcap(m):
		c.next = c.nextPcap
		return c, c.pcapHeader()
	case m&0xffff == 0x8b1f || m == zstdMagic:
		return nil, c.fail("not a capture: compressed", "unpack it first", nil)
	case c.isERF():
		c.next = c.nextERF
	default:
		return nil, c.fail(fmt.Sprintf("not a capture: starts with % x", magic), "pcap, pcapng and ERF are read", nil)
	}
	return c, nil
}

// Name stands for the capture in errors.
func (c *Reader) Name() string { return c.name }

// Close closes the file.
func (c *Reader) Close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// Next returns the next frame, or io.EOF after the last. Every whole frame before a damaged place is delivered first.
func (c *Reader) Next() (Frame, error) {
	if c.err != nil {
		return Frame{}, c.err
	}
	c.release()
	if err := c.next(); err != nil {
		c.err = err
		return Frame{}, err
	}
	return c.now, nil
}

// release gives back the part of the window that the last frame lay in.
func (c *Reader) release() {
	c.r.Discard(c.used)
	c.offset += int64(c.used)
	c.used = 0
}

// peek returns the next n bytes without taking them. A file that ends before them is cut in the middle of what.
func (c *Reader) peek(n int, what string) ([]byte, error) {
	b, err := c.r.Peek(n)
	if err == nil {
		return b, nil
	}
	if err != io.EOF {
		return nil, c.readError(err)
	}
	if len(b) == 0 && what == atRecord {
		return nil, io.EOF
	}
	return nil, c.cut(len(b), what)
}

// atRecord is what peek is asked for where a file may end.
const atRecord = ""

// named spells out atRecord: late, because reading a packet must not allocate.
func (c *Reader) named(what string) string {
	if what == atRecord {
		return fmt.Sprintf("packet %d", c.packets+1)
	}
	return what
}

func (c *Reader) cut(have int, what string) error {
	end := c.offset + int64(have)
	advice := "the packets before it were read"
	if c.packets == 0 {
		advice = ""
	}
	return &Error{File: c.name, Offset: -1, Err: io.ErrUnexpectedEOF, Do: advice,
		What: fmt.Sprintf("cut in the middle of %s: the file ends at byte %d", c.named(what), end)}
}

func (c *Reader) fail(what, do string, err error) error {
	return &Error{File: c.name, Offset: -1, What: what, Do: do, Err: err}
}

// failHere is an error about the record at the current offset.
func (c *Reader) failHere(format string, args ...any) error {
	return &Error{File: c.name, Packet: c.packets + 1, Offset: c.offset, What: fmt.Sprintf(format, args...)}
}

// failBlock is an error about a block that holds no packet.
func (c *Reader) failBlock(format string, args ...any) error {
	return &Error{File: c.name, Offset: c.offset, What: fmt.Sprintf(format, args...)}
}

func (c *Reader) readError(err error) error {
	return &Error{File: c.name, Offset: -1, What: "cannot be read: " + err.Error(), Err: err}
}

// frame counts the frame in now, whose record takes size bytes of the window.
func (c *Reader) frame(size int) error {
	f := &c.now
	if !KnownLinkType(f.LinkType) {
		return c.failLinkType(f.LinkType)
	}
	c.used = size
	c.packets++
	f.Number, f.whole = c.packets, f.Data
	f.OrigLen = max(f.OrigLen, len(f.Data))
	f.strip()
	if c.decapsulate {
		f.Decapsulate()
	}
	return nil
}

// byteOrder is the order of a file; a plain branch is cheaper here than binary.ByteOrder's dynamic call.
type byteOrder struct{ big bool }

func (o byteOrder) u16(b []byte) uint16 {
	if o.big {
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}

func (o byteOrder) u32(b []byte) uint32 {
	if o.big {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

func (o byteOrder) u64(b []byte) uint64 {
	if o.big {
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
