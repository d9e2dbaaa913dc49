package verilated

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"hcacosim/model/sim"
)

// The bridge's frames, as docs/bridge.md has them and verilator/hca_bridge.h speaks them. All numbers are
// little-endian.
const (
	bridgeMagic       = 0x42414348 // "HCAB"
	bridgeMajor       = 1
	bridgeMinor       = 0
	bridgeHeaderBytes = 16
	bridgeMaxFrame    = 4 << 20 // payload bytes that this end accepts
	recordHeaderBytes = 40
	maxRecordBytes    = 256 << 10
	runFrameBytes     = 256 << 10 // a RUN frame is sent when it has grown to this
	firstFrameBytes   = 16 << 10  // the first of a batch is short: the simulator works on it while the others are made
)

type frameType uint8

const (
	frameHello frameType = 1 + iota
	frameError
	frameReset
	frameRun
	frameRecords
	frameDone
	frameHeartbeat
	frameViolation
	frameGoodbye
	framePrint
)

const (
	featureShared = 1 // HELLO: payloads may lie in shared memory
	featureWatch  = 2 // HELLO: RESET has bounds, PRINT frames come, GOODBYE counts violations by rule and port
	featurePace   = 4 // HELLO: RESET has a pace

	featureLives = 8  // HELLO: RESET may keep the state and say how long the pin is held
	featureLine  = 16 // HELLO: RESET has the lines of outputs
	featureOnly  = 32 // HELLO: RESET may say that one output alone is held back

	runLast       = 1    // RUN: the last frame of its batch
	flagShared    = 0x80 // RUN, RECORDS: the payload says where in shared memory it lies
	recordEcho    = 1    // record: the accepted cycles of an input, without data
	doneStalled   = 1
	doneFinished  = 2
	doneWaited    = 4
	doneLimit     = 8
	doneSlow      = 16
	resetInverted = 1
	resetKeeps    = 2  // RESET: by the pin alone
	resetStart    = 4  // RESET: no life before it
	resetOnly     = 8  // RESET: the flags from this bit up, 8 of them, are the one output that is held back, from 1 on
	resetHold     = 16 // RESET: the flags from this bit up are the cycles that the pin is held
	noPort        = 0xffff
	noLimit       = ^uint64(0)
)

// Faults that an ERROR frame names.
const faultSimulator = 5

// ruleNames are the checks that the bridge makes on output ports, as docs/bridge.md numbers them.
var ruleNames = map[uint16]string{0: "BRIDGE", 1: "AXIS-VALID", 2: "AXIS-STABLE", 3: "AXIS-KEEP", 4: "AXIS-LAST",
	5: "AXIS-RESET", 6: "ASSERT", 7: "STOP"}

var le = binary.LittleEndian

func padded(n int) int { return (n + 7) &^ 7 }

// frameWriter numbers and writes frames.
type frameWriter struct {
	w   io.Writer
	mem *sharedMemory // nil where there is none
	seq uint32
	buf []byte // header and payload of the frame being built
}

// begin starts a frame; the payload is appended to buf.
func (f *frameWriter) begin(t frameType) {
	f.buf = append(f.buf[:0], make([]byte, bridgeHeaderBytes)...)
	le.PutUint32(f.buf, bridgeMagic)
	f.buf[4] = byte(t)
}

func (f *frameWriter) end(flags uint8) error {
	f.buf[5] = flags
	le.PutUint32(f.buf[8:], f.seq)
	le.PutUint32(f.buf[12:], uint32(len(f.buf)-bridgeHeaderBytes))
	f.seq++
	_, err := f.w.Write(f.buf)
	return err
}

func (f *frameWriter) u16(v uint16)  { f.buf = le.AppendUint16(f.buf, v) }
func (f *frameWriter) u32(v uint32)  { f.buf = le.AppendUint32(f.buf, v) }
func (f *frameWriter) u64(v uint64)  { f.buf = le.AppendUint64(f.buf, v) }
func (f *frameWriter) text(s string) { f.u16(uint16(len(s))); f.buf = append(f.buf, s...) }

// appendOffer appends an input in the form that a record has on the wire.
func appendOffer(b []byte, r *sim.Offer) []byte {
	b = le.AppendUint64(b, r.NotBefore)
	b = le.AppendUint64(b, 0)
	b = le.AppendUint64(b, r.Seq)
	b = le.AppendUint32(b, uint32(len(r.Data)))
	b = le.AppendUint16(b, uint16(r.Port))
	b = le.AppendUint16(b, 0)
	b = le.AppendUint32(b, r.User)
	b = le.AppendUint32(b, 0)
	b = append(b, r.Data...)
	var zeros [7]byte
	return append(b, zeros[:padded(len(r.Data))-len(r.Data)]...)
}

// run sends one RUN frame with records until it has grown to size, and returns the rest.
func (f *frameWriter) run(to uint64, in []sim.Offer, size int) (rest []sim.Offer, err error) {
	f.begin(frameRun)
	b, slot, shared := f.mem.take()
	if !shared || len(in) > 0 && 8+offerBytes(&in[0]) > slotBytes {
		b, shared = f.buf, false
	}
	head := len(b)
	b = le.AppendUint64(b, to)
	for len(in) > 0 && len(b) < size && (!shared || len(b)+offerBytes(&in[0]) <= slotBytes) {
		b = appendOffer(b, &in[0])
		in = in[1:]
	}
	flags := uint8(0)
	if len(in) == 0 {
		flags = runLast
	}
	if !shared {
		f.buf = b
		return in, f.end(flags)
	}
	f.mem.use(slot)
	f.u32(uint32(slot))
	f.u32(uint32(len(b) - head))
	return in, f.end(flags | flagShared)
}

// offerBytes is the size of a record on the wire.
func offerBytes(r *sim.Offer) int { return recordHeaderBytes + padded(len(r.Data)) }

// frame is a received frame.
type frame struct {
	typ     frameType
	flags   uint8
	payload []byte
}

// protocolError is a frame that breaks the protocol.
type protocolError string

func (e protocolError) Error() string { return string(e) }

// frameReader reads and checks frames.
type frameReader struct {
	r      io.Reader
	mem    *sharedMemory // nil where there is none
	seq    uint32
	header [bridgeHeaderBytes]byte
	small  []byte
}

// next reads a frame. The payload of RECORDS lies in memory that alloc gives; others live until the next call.
func (f *frameReader) next(alloc func(n int) []byte) (frame, error) {
	if _, err := io.ReadFull(f.r, f.header[:]); err != nil {
		return frame{}, err
	}
	h := f.header[:]
	n := le.Uint32(h[12:])
	switch {
	case le.Uint32(h) != bridgeMagic:
		return frame{}, protocolError(fmt.Sprintf("bad magic %08x", le.Uint32(h)))
	case le.Uint16(h[6:]) != 0:
		return frame{}, protocolError(fmt.Sprintf("channel %d was never opened", le.Uint16(h[6:])))
	case le.Uint32(h[8:]) != f.seq:
		return frame{}, protocolError(fmt.Sprintf("frame %d where %d was due", le.Uint32(h[8:]), f.seq))
	case n > bridgeMaxFrame:
		return frame{}, protocolError(fmt.Sprintf("frame of %d bytes is over the limit of %d", n, bridgeMaxFrame))
	}
	f.seq++
	fr := frame{typ: frameType(h[4]), flags: h[5]}
	if fr.typ == frameRecords && fr.flags&flagShared == 0 && alloc != nil {
		fr.payload = alloc(int(n))
	} else {
		if cap(f.small) < int(n) {
			f.small = make([]byte, n)
		}
		fr.payload = f.small[:n]
	}
	if _, err := io.ReadFull(f.r, fr.payload); err != nil {
		return frame{}, err
	}
	if fr.flags&flagShared != 0 {
		c := cursor{b: fr.payload}
		slot, length := c.u32(), c.u32()
		if c.bad || alloc == nil || !f.mem.has(slot, length) {
			return frame{}, protocolError("a payload lies outside the shared memory")
		}
		fr.payload = alloc(int(length))
		f.mem.copyOut(fr.payload, slot)
	}
	return fr, nil
}

// cursor reads a payload piece by piece; after a piece that is not there, bad is true.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) bytes(n int) []byte {
	if len(c.b) < n {
		c.bad, c.b = true, nil
		return make([]byte, min(n, 8))
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) u16() uint16  { return le.Uint16(c.bytes(2)) }
func (c *cursor) u32() uint32  { return le.Uint32(c.bytes(4)) }
func (c *cursor) u64() uint64  { return le.Uint64(c.bytes(8)) }
func (c *cursor) text() string { return string(c.bytes(min(int(c.u16()), len(c.b)))) }

// foldHash folds bytes (a multiple of 8) into the hash over output records; docs/bridge.md defines it.
func foldHash(hash uint64, b []byte) uint64 {
	const prime = 0x9fb21c651e98df25
	n := uint64(len(b))
	l0, l1, l2, l3 := hash, hash^0xa0761d6478bd642f, hash^0xe7037ed1a0b428db, hash^0x8ebc6af09c88c6e3
	for ; len(b) >= 32; b = b[32:] {
		l0 = bits.RotateLeft64(l0^le.Uint64(b), 27) * prime
		l1 = bits.RotateLeft64(l1^le.Uint64(b[8:]), 27) * prime
		l2 = bits.RotateLeft64(l2^le.Uint64(b[16:]), 27) * prime
		l3 = bits.RotateLeft64(l3^le.Uint64(b[24:]), 27) * prime
	}
	if len(b) >= 8 {
		l0 = bits.RotateLeft64(l0^le.Uint64(b), 27) * prime
	}
	if len(b) >= 16 {
		l1 = bits.RotateLeft64(l1^le.Uint64(b[8:]), 27) * prime
	}
	if len(b) >= 24 {
		l2 = bits.RotateLeft64(l2^le.Uint64(b[16:]), 27) * prime
	}
	return finalMix(l0 ^ bits.RotateLeft64(l1, 17) ^ bits.RotateLeft64(l2, 33) ^ bits.RotateLeft64(l3, 49) ^ n)
}

// finalMix is the finalizer of SplitMix64.
func finalMix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
