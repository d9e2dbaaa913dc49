package capture

import (
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func fifo(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(path, 0o666))
	return path
}

// Waiting for the writer of a FIFO, and for what it writes, ends with the context.
func TestWaitingEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := OpenContext(ctx, fifo(t))
	require.ErrorIs(t, err, context.DeadlineExceeded)

	path := fifo(t)
	keep, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer keep.Close()
	_, err = keep.Write(buildPcap(binary.LittleEndian, 0xa1b2c3d4, 1000, ethernetOnly()))
	require.NoError(t, err)
	ctx, cancel = context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	look, in, err := OpenTwice(ctx, path)
	require.NoError(t, err)
	for range ethernetOnly() {
		_, err := look.Next()
		require.NoError(t, err)
	}
	_, err = look.Next()
	require.ErrorIs(t, err, io.EOF)
	for range ethernetOnly() {
		_, err := in.Next()
		require.NoError(t, err)
	}
	_, err = in.Next()
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// A stream that ends reads like the file.
func TestStreamReadsLikeTheFile(t *testing.T) {
	text := buildPcapng(binary.LittleEndian, testPackets)
	path := fifo(t)
	go os.WriteFile(path, text, 0)
	look, in, err := OpenTwice(context.Background(), path)
	require.NoError(t, err)
	a, err := readAll(look)
	require.NoError(t, err)
	b, err := readAll(in)
	require.NoError(t, err)
	require.Equal(t, a, b)
	require.Len(t, b, len(testPackets))
}

// Interface statistics of a pcapng file tell what the capture dropped; the last ones count.
func TestDrops(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		text := buildPcapng(order, testPackets)
		read := func(text []byte) Drops {
			path := filepath.Join(t.TempDir(), "x")
			require.NoError(t, os.WriteFile(path, text, 0o666))
			c, err := Open(path)
			require.NoError(t, err)
			defer c.Close()
			_, err = readAll(c)
			require.NoError(t, err)
			return c.Drops()
		}
		require.Equal(t, Drops{}, read(text))
		text = append(text, statistics(order, 0, 100, 7, 2)...)
		text = append(text, statistics(order, 0, 200, 9, 3)...)
		text = append(text, statistics(order, 1, 50, 1, 0)...)
		d := read(text)
		require.Equal(t, Drops{Known: true, Received: 250, Interface: 10, System: 3}, d)
		require.EqualValues(t, 13, d.Total())
		text = append(text, buildPcapng(order, testPackets)...) // a second section, whose interfaces tell nothing
		require.Equal(t, d, read(text))
		text = append(text, statistics(order, 0, 10, 1, 0)...)
		d = read(text)
		require.EqualValues(t, 14, d.Total())
	}
}

func statistics(order binary.AppendByteOrder, face uint32, received, dropped, system uint64) []byte {
	var body []byte
	for _, v := range []uint32{face, 0, 0} {
		body = order.AppendUint32(body, v)
	}
	for _, o := range []struct {
		code  uint16
		value uint64
	}{{4, received}, {5, dropped}, {7, system}} {
		body = order.AppendUint16(body, o.code)
		body = order.AppendUint16(body, 8)
		body = order.AppendUint64(body, o.value)
	}
	body = order.AppendUint32(body, 0)
	size := uint32(len(body) + 12)
	b := order.AppendUint32(nil, 5)
	b = order.AppendUint32(b, size)
	return order.AppendUint32(append(b, body...), size)
}
