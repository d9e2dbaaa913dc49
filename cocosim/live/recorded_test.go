package live

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/wire"
)

// testdata/guest.pcap is what `make live` captured with 4 messages of each kind in place of 100, of Linux 6.1.
const (
	recordedCount = 4
	recordedVA    = 0x7fe17610b000
	modelSeed     = 0x12345678
	guestSeed     = 0x9abcdef1
)

// recorded reads the capture.
func recorded(t *testing.T) (frames [][]byte) {
	f, err := os.Open("testdata/guest.pcap")
	require.NoError(t, err)
	defer f.Close()
	r, err := pcapgo.NewReader(f)
	require.NoError(t, err)
	for {
		data, _, err := r.ReadPacketData()
		if err != nil {
			return frames
		}
		frames = append(frames, bytes.Clone(data))
	}
}

// source is what a side of the session sends, as guest/verbs.c has it.
func source(seed uint32) []byte {
	b := make([]byte, recordedCount*4000)
	x := seed
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = byte(x)
	}
	return b
}

// recordedFile is the file of `make live`, with the numbers of the recorded session.
func recordedFile(t *testing.T, dir string) *File {
	fill := filepath.Join(dir, "model.in")
	require.NoError(t, os.WriteFile(fill, source(modelSeed), 0o644))
	save := filepath.Join(dir, "model.out")
	f, err := Load("guest/model.yaml", []string{"regions.0.fill=" + fill, "regions.0.save=" + save,
		"qps.0.peer=0x11", "qps.0.receives.count=4", "qps.0.receives.expect=5", "end.quiet=0"})
	require.NoError(t, err)
	posts := f.QPs[0].Posts
	for i := range posts[:4] {
		posts[i].Count = recordedCount
	}
	for i, offset := range []uint64{1: 0x80000, 2: 0, 3: 0x200000} {
		if i > 0 {
			posts[i].Key, posts[i].Remote = 0x297, recordedVA+offset
		}
	}
	return f
}

// what the model sends, by kind: each kind has its order.
type spoken struct{ requests, responses [][]byte }

// add sorts a frame in, without what the model numbers as it likes: IPv4's identification, and the checksum over it.
func (s *spoken) add(frame []byte) {
	var w wire.Packet
	wire.Decode(wire.LinkEthernet, frame, &w)
	if w.BTH() == nil {
		return
	}
	frame = bytes.Clone(frame)
	clear(frame[14+4 : 14+6])
	clear(frame[14+10 : 14+12])
	if w.Op.Response {
		s.responses = append(s.responses, frame)
	} else {
		s.requests = append(s.requests, frame)
	}
}

// replay plays the guest: it sends each of its frames when the model has sent as many requests as it had before it.
type replay struct {
	conn  net.Conn
	mu    sync.Mutex
	more  sync.Cond
	heard spoken
	ended bool
}

func (r *replay) listen() {
	p := Stream(r.conn)
	for {
		frame, err := p.Read(nil)
		r.mu.Lock()
		if r.ended = err != nil; err == nil {
			r.heard.add(frame)
		}
		r.more.Broadcast()
		r.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (r *replay) play(frames [][]byte, model MAC) (want spoken) {
	p := Stream(r.conn)
	for _, frame := range frames {
		if bytes.Equal(frame[6:12], model[:]) {
			want.add(frame)
			continue
		}
		r.mu.Lock()
		for len(r.heard.requests) < len(want.requests) && !r.ended {
			r.more.Wait()
		}
		r.mu.Unlock()
		if p.Write(frame) != nil {
			break
		}
	}
	return want
}

// The model does with the recorded bytes of a Linux guest what it did when they were recorded, frame by frame, and its
// memory is what both sides' work says.
func TestRecordedGuest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := recordedFile(t, dir)
	ours, theirs := net.Pipe()
	r := &replay{conn: theirs}
	r.more.L = &r.mu
	frames := recorded(t)
	heard := make(chan struct{})
	go func() {
		r.listen()
		close(heard)
	}()
	want := make(chan spoken, 1)
	go func() { want <- r.play(frames, f.MAC) }()
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	report, err := Run(ctx, Config{Port: Stream(ours), File: f})
	require.NoError(t, err)
	require.Equal(t, cocosim.Agreed, report.Exit(), "%+v", report)
	require.Equal(t, map[string]uint64{"success": 17}, report.QPs[0].Done)
	require.NotZero(t, report.Asked)
	theirs.Close()
	had := <-want
	<-heard
	require.Len(t, had.requests, 41)
	require.Equal(t, had.requests, r.heard.requests)
	require.Equal(t, had.responses, r.heard.responses)

	out, err := os.ReadFile(filepath.Join(dir, "model.out"))
	require.NoError(t, err)
	for _, at := range []int{0x80000, 0x100000, 0x180000} {
		require.Equal(t, source(guestSeed), out[at:at+recordedCount*4000])
	}
	require.EqualValues(t, 5*recordedCount, binary.LittleEndian.Uint64(out[0x200000:]))
	require.EqualValues(t, 3*(recordedCount-1), binary.LittleEndian.Uint64(out[0x200040:]))
}
