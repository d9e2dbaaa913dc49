package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/wire"
)

// maxReplayFrames is how many frames of a capture a Replay keeps in memory.
const maxReplayFrames = 1 << 16

// replayGapNS lies between the end of a round and the start of the next.
const replayGapNS = 1_000_000

// Replay makes a capture without end of a short one: rounds of it, PSNs, MSNs and times going on from round to round,
// so that it reads as one long connection. Frames with a bad ICRC stay as they are; the ICRCs of the others are right.
// Atomics return in every round what they returned in the first.
type Replay struct {
	frames      []replayFrame
	link        uint16
	connections int
	qpnStride   uint32
	spanNS      int64
	buf         []byte

	round uint32
	next  int // of frames
	copy  int // connection whose turn it is
	count uint64
}

// replayFrame is a frame with the places that change.
type replayFrame struct {
	data     []byte
	timeNS   int64
	at       wire.Location
	bth      int // 0: nothing changes
	aeth     int // 0: none
	psnShift uint32
	msnShift uint32
}

// replayHalf is one direction to a queue pair: what its requests and their responses use up in a round.
type replayHalf struct {
	key     replayKey
	span    psn.Span // of the requests and the responses to them
	msn     uint32
	answers *replayHalf // whose requests the responses in this half answer
}

type replayKey struct {
	src, dst string
	qpn      uint32
}

// NewReplay reads a capture of one link type. Of every round there are as many copies, between queue pairs of their own
// and packet by packet in turn, as there are connections.
func NewReplay(path string, connections int) (*Replay, error) {
	c, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	r := &Replay{connections: max(1, connections)}
	for {
		f, err := c.Next()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		switch {
		case err != nil:
			return nil, err
		case len(r.frames) == 0:
			r.link = f.LinkType
		case r.link != f.LinkType:
			return nil, fmt.Errorf("%s: frame %d has another link type; one can be replayed", path, f.Number)
		case len(r.frames) == maxReplayFrames:
			return nil, fmt.Errorf("%s: more than %d frames", path, maxReplayFrames)
		}
		r.frames = append(r.frames, replayFrame{data: append([]byte(nil), f.Data...), timeNS: f.TimeNS})
	}
	if len(r.frames) == 0 {
		return nil, fmt.Errorf("%s: no frames", path)
	}
	r.spanNS = r.frames[len(r.frames)-1].timeNS - r.frames[0].timeNS + replayGapNS
	return r, r.plan(path)
}

// plan finds what a round uses up.
func (r *Replay) plan(path string) error {
	link, _ := LinkOf(r.link)
	halves := map[replayKey]*replayHalf{}
	var order []*replayHalf // as they come: the first that fits answers
	var w wire.Packet
	least, most := uint32(1<<24), uint32(0)
	each := func(do func(f *replayFrame, h *replayHalf)) {
		for i := range r.frames {
			wire.Decode(link, r.frames[i].data, &w)
			if w.Op == nil || w.ICRC() != wire.ICRCGood {
				continue
			}
			k := replayKeyOf(&w)
			if halves[k] == nil {
				halves[k] = &replayHalf{key: k}
				order = append(order, halves[k])
			}
			do(&r.frames[i], halves[k])
		}
	}
	each(func(f *replayFrame, h *replayHalf) {
		least, most = min(least, h.key.qpn), max(most, h.key.qpn)
		if !w.Op.Response {
			h.span.Take(w.BTH().PSN())
		}
	})
	each(func(f *replayFrame, h *replayHalf) {
		if w.Op.Response {
			h.find(order, w.BTH().PSN())
			if a := w.AETH(); a != nil {
				h.msn = max(h.msn, a.MSN())
			}
		}
	})
	each(func(f *replayFrame, h *replayHalf) {
		f.at, f.bth = w.Location, w.Transport
		if a := w.AETH(); a != nil {
			f.aeth, f.msnShift = w.Transport+w.Op.Offset(ib.AETH), h.msn
		}
		if w.Op.Response {
			h = h.answers
		}
		if h != nil && h.span.Any {
			f.psnShift = h.span.Count()
		}
	})
	if most < least {
		return fmt.Errorf("%s: no packet with a good ICRC", path)
	}
	r.qpnStride = 1 << bits.Len32(most-least)
	if uint64(r.qpnStride)*uint64(r.connections) > 1<<24 {
		return fmt.Errorf("%s: no room for %d connections among the queue pair numbers", path, r.connections)
	}
	return nil
}

func replayKeyOf(w *wire.Packet) replayKey {
	k := replayKey{qpn: w.BTH().DestQP()}
	switch {
	case w.IPv4() != nil:
		k.src, k.dst = string(w.IPv4().Src()), string(w.IPv4().Dst())
	case w.IPv6() != nil:
		k.src, k.dst = string(w.IPv6().Src()), string(w.IPv6().Dst())
	case w.GRH() != nil:
		k.src, k.dst = string(w.GRH().Src()), string(w.GRH().Dst())
	case w.LRH() != nil:
		k.src, k.dst = fmt.Sprint(w.LRH().SLID()), fmt.Sprint(w.LRH().DLID())
	}
	return k
}

// nearPSN: a response this far from the requests is none of theirs. One READ may bring 2^23 / 256 responses.
const nearPSN = 1 << 15

// find tells a half of responses whose requests it answers, and stretches those over the responses of a READ.
func (h *replayHalf) find(order []*replayHalf, p psn.PSN) {
	for _, q := range order {
		if h.answers == nil && q.key.src == h.key.dst && q.key.dst == h.key.src && q.span.Holds(p, 0, nearPSN-1) {
			h.answers = q
		}
	}
	if q := h.answers; q != nil && q.span.Holds(p, 0, nearPSN-1) {
		q.span.Take(p)
	}
}

// Round is how many frames a round has.
func (r *Replay) Round() uint64 { return uint64(len(r.frames) * r.connections) }

// Next returns the next frame. Data is valid until the next call.
func (r *Replay) Next() Frame {
	f := &r.frames[r.next]
	r.buf = append(r.buf[:0], f.data...)
	if f.bth != 0 {
		r.renumber(f)
	}
	r.count++
	link, _ := LinkOf(r.link)
	out := Frame{Number: r.count, Link: link, LinkType: r.link, TimeNS: f.timeNS + int64(r.round)*r.spanNS, Data: r.buf,
		OrigLen: len(r.buf)}
	if r.copy++; r.copy == r.connections {
		r.copy = 0
		r.next++
	}
	if r.next == len(r.frames) {
		r.next = 0
		r.round++
	}
	return out
}

// copyPSNs lies between the start PSNs of two copies: an odd number, so that no two are the same.
const copyPSNs = 0x9E3779

func (r *Replay) renumber(f *replayFrame) {
	add24(r.buf[f.bth+9:], r.round*f.psnShift+uint32(r.copy)*copyPSNs)
	add24(r.buf[f.bth+5:], uint32(r.copy)*r.qpnStride)
	if f.aeth != 0 {
		add24(r.buf[f.aeth+1:], r.round*f.msnShift)
	}
	at := f.at
	wire.PutICRC(r.buf, &at)
}

// add24 adds to a number of three bytes.
func add24(b []byte, n uint32) {
	n += uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2])
	b[0], b[1], b[2] = byte(n>>16), byte(n>>8), byte(n)
}

// WritePcap writes the next frames as a pcap file with times in nanoseconds.
func (r *Replay) WritePcap(w io.Writer, frames uint64) error {
	b := bufio.NewWriterSize(w, FlushBytes)
	var h [24]byte
	binary.LittleEndian.PutUint32(h[0:], 0xA1B23C4D)
	binary.LittleEndian.PutUint16(h[4:], 2)
	binary.LittleEndian.PutUint16(h[6:], 4)
	binary.LittleEndian.PutUint32(h[16:], MaxFrameBytes)
	binary.LittleEndian.PutUint32(h[20:], uint32(r.link))
	b.Write(h[:])
	for range frames {
		f := r.Next()
		binary.LittleEndian.PutUint32(h[0:], uint32(f.TimeNS/1e9))
		binary.LittleEndian.PutUint32(h[4:], uint32(f.TimeNS%1e9))
		binary.LittleEndian.PutUint32(h[8:], uint32(len(f.Data)))
		binary.LittleEndian.PutUint32(h[12:], uint32(f.OrigLen))
		b.Write(h[:16])
		b.Write(f.Data) // the first error is kept: Flush reports it
	}
	return b.Flush()
}
