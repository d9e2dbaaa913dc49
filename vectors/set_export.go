package vectors

import (
	"fmt"
	"strconv"

	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// text gathers the text of a file.
type text struct {
	file *setFile
	buf  []byte
}

func newText(w *setWriter, name string) (*text, error) {
	f, err := w.create(name)
	return &text{file: f}, err
}

func (t *text) printf(format string, args ...any) { t.buf = fmt.Appendf(t.buf, format, args...) }

func (t *text) flushAt(limit int) {
	if len(t.buf) < limit {
		return
	}
	t.buf = t.file.swap(t.buf)
}

func (t *text) flush() error {
	t.flushAt(0)
	return nil
}

const hexDigits = "0123456789abcdef"

// appendHexBelow appends bytes as one number whose low byte comes first in b: the last byte is written first.
func appendHexBelow(dst, b []byte) []byte {
	for i := len(b) - 1; i >= 0; i-- {
		dst = append(dst, hexDigits[b[i]>>4], hexDigits[b[i]&15])
	}
	return dst
}

// readmemhSink writes PORT.memh for every port: for $readmemh, a word a line. A word of a packet port is a beat; from
// the high end: tuser (whole digits), tlast (a digit), tkeep, tdata with byte 0 in its low bits. A word of another port
// is a record. Where a stage has several inputs, PORT.after.memh has beside each word of an input the cycle before
// which it must not be offered: what waits for something that another port brings says so by its time.
type readmemhSink struct {
	ports []sim.PortSpec
	files []*text
	after []*text // by port; nil of outputs, and of an only input
	beat  []byte
}

func newReadmemhSink(w *setWriter, bits int) (*readmemhSink, error) {
	if bits < 64 || bits > 1024 || bits&(bits-1) != 0 {
		return nil, &capture.Error{File: "--readmemh " + strconv.Itoa(bits), Offset: -1, What: "no data width of the blocks",
			Do: "64, 128, 256, 512 or 1024"}
	}
	s := &readmemhSink{ports: w.stage.Ports, beat: make([]byte, bits/8)}
	if err := s.openAfter(w); err != nil {
		return nil, err
	}
	for _, p := range s.ports {
		t, err := newText(w, p.Name+".memh")
		if err != nil {
			return nil, err
		}
		if p.Kind == sim.Axis {
			t.printf("// %s of %s, a beat a word: tuser %d bits, tlast 4, tkeep %d, tdata %d\n", p.Name, w.stage.Name,
				4*userDigits(p), bits/8, bits)
		} else {
			t.printf("// %s of %s, a record a word\n", p.Name, w.stage.Name)
		}
		s.files = append(s.files, t)
	}
	return s, nil
}

// openAfter begins the files of times.
func (s *readmemhSink) openAfter(w *setWriter) (err error) {
	s.after = make([]*text, len(s.ports))
	inputs := 0
	for _, p := range s.ports {
		if p.Input {
			inputs++
		}
	}
	for i, p := range s.ports {
		if !p.Input || inputs < 2 {
			continue
		}
		if s.after[i], err = newText(w, p.Name+".after.memh"); err != nil {
			return err
		}
		s.after[i].printf("// %s of %s: for each word of %[1]s.memh the cycle, from 0, before which it is not offered\n",
			p.Name, w.stage.Name)
	}
	return nil
}

func userDigits(p sim.PortSpec) int { return max(1, (p.UserBits+3)/4) }

func (s *readmemhSink) input(o *sim.Offer, _ wire.Link, _ []byte) {
	before := s.files[o.Port].file.lines
	s.record(o.Port, o.Data, o.User, o.User)
	if t := s.after[o.Port]; t != nil {
		t.file.records++
		for range s.files[o.Port].file.lines - before {
			t.printf("%016x\n", o.NotBefore)
			t.file.lines++
		}
		t.flushAt(capture.FlushBytes)
	}
}

func (s *readmemhSink) output(r *sim.Record, _ wire.Link) { s.record(r.Port, r.Data, 0, r.User) }

// record writes the beats of a record: user is the sideband of all but the last, lastUser that of the last.
func (s *readmemhSink) record(port sim.Port, data []byte, user, lastUser uint32) {
	t, p := s.files[port], s.ports[port]
	t.file.records++
	if p.Kind != sim.Axis {
		t.buf = append(appendHexBelow(t.buf, data), '\n')
		t.file.lines++
		t.flushAt(capture.FlushBytes)
		return
	}
	for at := 0; at < len(data); at += len(s.beat) {
		n := copy(s.beat, data[at:])
		clear(s.beat[n:])
		last := at+n == len(data)
		if last {
			user = lastUser
		}
		t.file.lines++
		t.buf = appendBeat(t.buf, s.beat, n, last, user, userDigits(p))
	}
	t.flushAt(capture.FlushBytes)
}

func appendBeat(dst, beat []byte, n int, last bool, user uint32, digits int) []byte {
	for d := digits - 1; d >= 0; d-- {
		dst = append(dst, hexDigits[user>>(4*d)&15])
	}
	dst = append(dst, '_', '0', '_')
	if last {
		dst[len(dst)-2] = '1'
	}
	for k := len(beat)/4 - 1; k >= 0; k-- { // a digit is four bytes' keep
		dst = append(dst, hexDigits[1<<min(4, max(0, n-4*k))-1])
	}
	dst = append(dst, '_')
	return append(appendHexBelow(dst, beat), '\n')
}

func (s *readmemhSink) flush() error {
	for _, t := range append(s.files, s.after...) {
		if t == nil {
			continue
		}
		if err := t.flush(); err != nil {
			return err
		}
	}
	return nil
}

// headerSink writes PORT.h for every port: its records one after the other in one array of bytes, each after a head of
// eight bytes, user and size, both little-endian.
type headerSink struct {
	files []*text
	head  [8]byte
}

func newHeaderSink(w *setWriter) (*headerSink, error) {
	s := &headerSink{}
	for _, p := range w.stage.Ports {
		t, err := newText(w, p.Name+".h")
		if err != nil {
			return nil, err
		}
		t.printf("/* %s of %s: for each record user (32 bits) and size (32 bits), low byte first, then its bytes. */\n",
			p.Name, w.stage.Name)
		t.printf("static const unsigned char %s_records[] = {\n", p.Name)
		s.files = append(s.files, t)
	}
	return s, nil
}

func (s *headerSink) input(o *sim.Offer, _ wire.Link, _ []byte) { s.record(o.Port, o.Data, o.User) }

func (s *headerSink) output(r *sim.Record, _ wire.Link) { s.record(r.Port, r.Data, r.User) }

func (s *headerSink) record(port sim.Port, data []byte, user uint32) {
	t := s.files[port]
	t.file.records++
	for i := range 4 {
		s.head[i], s.head[4+i] = byte(user>>(8*i)), byte(len(data)>>(8*i))
	}
	t.buf = append(appendCBytes(t.buf, s.head[:]), '\n')
	for at := 0; at < len(data); at += 32 {
		t.buf = append(appendCBytes(t.buf, data[at:min(at+32, len(data))]), '\n')
	}
	t.flushAt(capture.FlushBytes)
}

func appendCBytes(dst, b []byte) []byte {
	for _, v := range b {
		dst = append(strconv.AppendUint(dst, uint64(v), 10), ',')
	}
	return dst
}

func (s *headerSink) flush() error {
	for _, t := range s.files {
		if t.file.records == 0 {
			t.printf("0 /* no record is this short */\n")
		}
		t.printf("};\n")
		if err := t.flush(); err != nil {
			return err
		}
	}
	return nil
}
