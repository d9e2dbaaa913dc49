// Package waves reads what a viewer needs to know of a file of waves, and writes the files that open it at the beat
// that went wrong, for GTKWave and for Surfer.
package waves

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pierrec/lz4/v4"
)

// The kinds of block of an FST file, as gtkwave's fstapi.h numbers them.
const (
	blockHeader    = 0
	blockValues    = 1
	blockGeometry  = 3
	blockNames     = 4
	blockValues2   = 5
	blockNamesLZ4  = 6
	blockNamesLZ4D = 7
	blockValues8   = 8
)

// headerBytes is the length of the first block.
const headerBytes = 329

// mostNames bounds the names of a file.
const mostNames = 256 << 20

// File is what stands in an FST file beside the values.
type File struct {
	From, To uint64 // times
	Vars     []Var
	Bytes    int64

	widths []uint64 // of the values, by handle less 1
	values [][]byte // the blocks of values that Values can read
}

// Var is a signal.
type Var struct {
	Scope string // "TOP.top.fifo"
	Name  string // "data [7:0]", as it stands in the file
	Bits  int

	handle int // of its values, from 1 on; several names may have one
}

// Path is the name as GTKWave shows it: "TOP.top.fifo.data[7:0]", and "TOP.top.user[0]" of "user [0:0]".
func (v Var) Path() string {
	name := strings.ReplaceAll(v.Name, " ", "")
	if at := strings.LastIndex(name, "["); v.Bits == 1 && at >= 0 {
		if bit, same, ok := strings.Cut(name[at+1:len(name)-1], ":"); ok && bit == same {
			name = name[:at+1] + bit + "]"
		}
	}
	return v.Scope + "." + name
}

// Base is the path without the range: of "table[0] [7:0]" that is "table[0]".
func (v Var) Base() string {
	name, _, _ := strings.Cut(v.Name, " ")
	return v.Scope + "." + name
}

// Read reads an FST file and says whether it is complete: its blocks fill it to the end, the names can be read, and
// there are values. A file that a writer did not get to close is an error.
func Read(name string) (*File, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s is no complete FST file: %w", name, err)
	}
	return f, nil
}

var errCut = errors.New("it is cut off")

func parse(b []byte) (*File, error) {
	f := &File{Bytes: int64(len(b))}
	var names []byte
	seen := map[byte]bool{}
	for rest := b; len(rest) > 0; {
		if len(rest) < 9 {
			return nil, errCut
		}
		kind, n := rest[0], binary.BigEndian.Uint64(rest[1:])
		if n < 8 || n > uint64(len(rest)-1) {
			return nil, errCut
		}
		body := rest[9 : 1+n]
		rest = rest[1+n:]
		var err error
		switch kind {
		case blockHeader:
			if n != headerBytes {
				return nil, fmt.Errorf("its header has %d bytes", n)
			}
			f.From, f.To = binary.BigEndian.Uint64(body), binary.BigEndian.Uint64(body[8:])
		case blockNames, blockNamesLZ4, blockNamesLZ4D:
			names, err = unpackNames(kind, body)
			kind = blockNames
		case blockValues, blockValues2, blockValues8:
			if kind == blockValues8 {
				f.values = append(f.values, body)
			}
			kind = blockValues
		case blockGeometry:
			f.widths, err = unpackWidths(body)
		default:
			return nil, fmt.Errorf("block of kind %d", kind)
		}
		if err != nil {
			return nil, fmt.Errorf("its names, or their widths: %w", err)
		}
		seen[kind] = true
	}
	if !seen[blockHeader] || !seen[blockNames] || !seen[blockValues] || !seen[blockGeometry] {
		return nil, errors.New("a part is missing")
	}
	return f, f.parseNames(names)
}

func unpackNames(kind byte, body []byte) ([]byte, error) {
	if len(body) < 8 {
		return nil, errCut
	}
	size := binary.BigEndian.Uint64(body)
	body = body[8:]
	if size > mostNames {
		return nil, fmt.Errorf("%d bytes of them", size)
	}
	switch kind {
	case blockNames:
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		out := make([]byte, size)
		_, err = io.ReadFull(z, out)
		return out, err
	case blockNamesLZ4D:
		inner, n := binary.Uvarint(body)
		if n <= 0 || inner > mostNames {
			return nil, errCut
		}
		var err error
		if body, err = unpackLZ4(body[n:], inner); err != nil {
			return nil, err
		}
	}
	return unpackLZ4(body, size)
}

func unpackLZ4(from []byte, size uint64) ([]byte, error) {
	out := make([]byte, size)
	n, err := lz4.UncompressBlock(from, out)
	if err == nil && uint64(n) != size {
		err = errCut
	}
	return out, err
}

// The tags of the names; a variable has its kind in their place.
const (
	tagAttribute    = 252
	tagAttributeEnd = 253
	tagScope        = 254
	tagUpscope      = 255
	mostVarKind     = 29
)

// names is a cursor over the names.
type names struct {
	b   []byte
	bad bool
}

func (c *names) octet() byte {
	if len(c.b) == 0 {
		c.bad = true
		return 0
	}
	v := c.b[0]
	c.b = c.b[1:]
	return v
}

func (c *names) text() string {
	n := bytes.IndexByte(c.b, 0)
	if n < 0 {
		c.bad = true
		return ""
	}
	s := string(c.b[:n])
	c.b = c.b[n+1:]
	return s
}

func (c *names) number() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (f *File) parseNames(b []byte) error {
	var scopes []string
	handles := 0
	for c := (&names{b: b}); len(c.b) > 0; {
		switch tag := c.octet(); {
		case tag == tagScope:
			c.octet()
			scopes = append(scopes, c.text())
			c.text() // component
		case tag == tagUpscope:
			scopes = scopes[:max(0, len(scopes)-1)]
		case tag == tagAttribute:
			c.octet()
			c.octet()
			c.text()
			c.number()
		case tag == tagAttributeEnd:
		case tag <= mostVarKind:
			c.octet() // direction
			v := Var{Scope: strings.Join(scopes, "."), Name: c.text(), Bits: int(c.number())}
			if v.handle = int(c.number()); v.handle == 0 { // else it is another name of a signal before it
				handles++
				v.handle = handles
			}
			f.Vars = append(f.Vars, v)
		default:
			return fmt.Errorf("its names: tag %d", tag)
		}
		if c.bad {
			return errCut
		}
	}
	return nil
}
