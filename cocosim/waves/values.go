package waves

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Change is a value that a signal takes at a time: its bits, the highest first, each 0, 1, x, z or another letter of
// VHDL's.
type Change struct {
	Time uint64
	Bits string
}

// mostValues bounds what is unpacked of a file.
const mostValues = 256 << 20

var errValues = errors.New("its values cannot be read")

// Values are the changes of signals in the order of their times, by the places of vars; the first of each is the value
// at the start. It reads files whose values lie as Verilator writes them.
func (f *File) Values(vars []Var) ([][]Change, error) {
	all := make([][]Change, len(vars))
	for _, body := range f.values {
		b, err := openValues(body, f.widths)
		if err != nil {
			return nil, err
		}
		for i, v := range vars {
			changes, err := b.of(v)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", v.Path(), err)
			}
			for _, c := range changes {
				all[i] = appendChange(all[i], c)
			}
		}
	}
	if len(f.values) == 0 {
		return nil, fmt.Errorf("%w: they are of an older kind", errValues)
	}
	return all, nil
}

// appendChange appends what is a change; of several at a time the last one counts.
func appendChange(all []Change, c Change) []Change {
	if n := len(all); n > 0 && all[n-1].Time == c.Time {
		all = all[:n-1]
	}
	if n := len(all); n > 0 && all[n-1].Bits == c.Bits {
		return all
	}
	return append(all, c)
}

// unzlib unpacks so many bytes; what has that length already was not packed.
func unzlib(from []byte, size uint64) ([]byte, error) {
	if uint64(len(from)) == size {
		return from, nil
	}
	if size > mostValues {
		return nil, errValues
	}
	z, err := zlib.NewReader(bytes.NewReader(from))
	if err != nil {
		return nil, err
	}
	out := make([]byte, size)
	_, err = io.ReadFull(z, out)
	return out, err
}

// The widths that stand for something else.
const (
	widthReal = 0
	widthNone = math.MaxUint32
)

// unpackWidths reads the block of the widths.
func unpackWidths(body []byte) (widths []uint64, err error) {
	if len(body) < 16 {
		return nil, errCut
	}
	size, n := binary.BigEndian.Uint64(body), binary.BigEndian.Uint64(body[8:])
	if body, err = unzlib(body[16:], size); err != nil {
		return nil, err
	}
	c := names{b: body}
	for range min(n, uint64(len(body))) {
		widths = append(widths, c.number())
	}
	if c.bad || n > uint64(len(widths)) {
		return nil, errCut
	}
	return widths, nil
}

// valueBlock is a block of values, opened.
type valueBlock struct {
	widths []uint64
	starts []uint64 // where the value of each handle stands in frame
	frame  []byte   // the values at the start of the block
	from   uint64
	times  []uint64
	chains []byte // all chains; byte 0 says how they are packed
	place  []chain
}

// chain is where the changes of a handle lie; at 0 there are none.
type chain struct{ at, bytes uint64 }

// tailBytes are the three numbers at the end of a block: the times, unpacked and packed, and how many.
const tailBytes = 24

func openValues(body []byte, widths []uint64) (*valueBlock, error) {
	if len(body) < 3*8+tailBytes {
		return nil, errCut
	}
	b := &valueBlock{widths: widths, from: binary.BigEndian.Uint64(body)}
	c := names{b: body[24:]} // behind the times of the block and what it takes to read it
	size, packed := c.number(), c.number()
	c.number() // handles in the frame
	if c.bad || packed > uint64(len(c.b)) {
		return nil, errCut
	}
	var err error
	if b.frame, err = unzlib(c.b[:packed], size); err != nil {
		return nil, err
	}
	c.b = c.b[packed:]
	c.number() // handles with a chain
	if c.bad || len(c.b) < tailBytes+8 {
		return nil, errCut
	}
	at := uint64(0)
	for _, w := range widths {
		b.starts = append(b.starts, at)
		switch {
		case w == widthReal:
			at += 8
		case w < widthNone:
			at += w
		}
	}
	return b, b.openTail(c.b)
}

// openTail reads what stands behind the chains: where each begins, and the times.
func (b *valueBlock) openTail(rest []byte) (err error) {
	tail := rest[len(rest)-tailBytes:]
	size, packed, n := binary.BigEndian.Uint64(tail), binary.BigEndian.Uint64(tail[8:]), binary.BigEndian.Uint64(tail[16:])
	rest = rest[:len(rest)-tailBytes]
	if packed+8 > uint64(len(rest)) || packed > mostValues {
		return errCut
	}
	times, err := unzlib(rest[uint64(len(rest))-packed:], size)
	if err != nil {
		return err
	}
	c := names{b: times}
	for t := uint64(0); n > 0 && !c.bad; n-- {
		t += c.number()
		b.times = append(b.times, t)
	}
	rest = rest[:uint64(len(rest))-packed]
	table := binary.BigEndian.Uint64(rest[len(rest)-8:])
	rest = rest[:len(rest)-8]
	if c.bad || table > uint64(len(rest)) {
		return errCut
	}
	b.chains = rest[:uint64(len(rest))-table]
	return b.openTable(rest[uint64(len(rest))-table:])
}

// openTable reads where the chain of each handle begins: the distance from the one before, a run of handles without
// one, or the handle whose chain it shares. Example: 11 = 5 << 1 | 1: five bytes further.
func (b *valueBlock) openTable(table []byte) error {
	at, last, alias := uint64(0), -1, int64(0)
	for len(table) > 0 {
		if table[0]&1 == 0 {
			n, size := binary.Uvarint(table)
			if size <= 0 || n>>1 > uint64(len(b.widths)-len(b.place)) {
				return errCut
			}
			b.place = append(b.place, make([]chain, n>>1)...)
			table = table[size:]
			continue
		}
		v, size := signed(table)
		if size == 0 || len(b.place) >= len(b.widths) {
			return errCut
		}
		table = table[size:]
		if v >>= 1; v > 0 {
			at += uint64(v)
			if last >= 0 {
				b.place[last].bytes = at - b.place[last].at
			}
			last = len(b.place)
			b.place = append(b.place, chain{at: at})
			continue
		}
		if v < 0 {
			alias = v
		}
		if of := -alias - 1; of < 0 || of >= int64(len(b.place)) {
			return errCut
		}
		b.place = append(b.place, chain{bytes: uint64(-alias - 1), at: shared})
	}
	return b.close(last)
}

// shared is the place of a chain that is another's; bytes is the other's handle less 1 then.
const shared = math.MaxUint64

// close gives the last chain its length, and those that share one theirs.
func (b *valueBlock) close(last int) error {
	if last >= 0 {
		b.place[last].bytes = uint64(len(b.chains)) - min(uint64(len(b.chains)), b.place[last].at)
	}
	for i, p := range b.place {
		if p.at == shared {
			b.place[i] = b.place[p.bytes]
		}
	}
	for _, p := range b.place {
		if p.at > uint64(len(b.chains)) || p.bytes > uint64(len(b.chains))-p.at {
			return errCut
		}
	}
	return nil
}

// signed reads a signed number of groups of seven bits, the lowest first; size 0 is a number that is cut off.
func signed(b []byte) (v int64, size int) {
	for shift := 0; size < len(b) && shift < 64; shift += 7 {
		v |= int64(b[size]&0x7F) << shift
		size++
		if b[size-1]&0x80 == 0 {
			if b[size-1]&0x40 != 0 && shift+7 < 64 {
				v |= -1 << (shift + 7)
			}
			return v, size
		}
	}
	return 0, 0
}

// of are the value of a signal at the start of the block, and its changes.
func (b *valueBlock) of(v Var) (all []Change, err error) {
	h := v.handle - 1
	if h < 0 || h >= len(b.widths) || b.widths[h] == widthReal || b.widths[h] >= widthNone {
		return nil, fmt.Errorf("%w: no bits", errValues)
	}
	width := b.widths[h]
	if b.starts[h]+width > uint64(len(b.frame)) {
		return nil, errCut
	}
	all = []Change{{b.from, string(b.frame[b.starts[h]:][:width])}}
	if h >= len(b.place) || b.place[h].at == 0 {
		return all, nil
	}
	p := b.place[h]
	data, err := b.unpack(b.chains[p.at : p.at+p.bytes])
	if err != nil {
		return nil, err
	}
	c, at := names{b: data}, uint64(0)
	for len(c.b) > 0 {
		bits, step := c.change(width)
		if at += step; c.bad || at >= uint64(len(b.times)) {
			return nil, errCut
		}
		all = append(all, Change{b.times[at], bits})
	}
	return all, nil
}

// unpack unpacks a chain: the length that it has unpacked, 0 where it is not packed.
func (b *valueBlock) unpack(data []byte) ([]byte, error) {
	size, n := binary.Uvarint(data)
	switch {
	case n <= 0 || size > mostValues:
		return nil, errCut
	case size == 0:
		return data[n:], nil
	case b.chains[0] == '4':
		return unpackLZ4(data[n:], size)
	case b.chains[0] == 'Z':
		return unzlib(data[n:], size)
	}
	return nil, fmt.Errorf("%w: packed as %q", errValues, b.chains[0])
}

// letters are those of a bit that is neither 0 nor 1.
const letters = "xzhuwl-?"

// change reads a change: the bits, and how many times it lies behind the one before.
func (c *names) change(width uint64) (bits string, step uint64) {
	v := c.number()
	if width == 1 {
		if v&1 == 0 {
			return string('0' + byte(v>>1&1)), v >> 2
		}
		return letters[v>>1&7:][:1], v >> 4
	}
	size := (width + 7) / 8
	if v&1 != 0 {
		size = width
	}
	if size > uint64(len(c.b)) {
		c.bad = true
		return "", 0
	}
	raw := c.b[:size]
	c.b = c.b[size:]
	if v&1 != 0 {
		return string(raw), v >> 1
	}
	var s strings.Builder
	for _, octet := range raw {
		fmt.Fprintf(&s, "%08b", octet)
	}
	return s.String()[:width], v >> 1
}
