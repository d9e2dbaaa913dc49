package hca

import (
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// frameBench gives a stage of tx_frame records, and memory's answers where they are asked for.
type frameBench struct {
	stage  sim.Stage
	memory func(p *ReadPiece) (data []byte, failed bool)
	now    uint64
	asked  []ReadPiece
	frames [][]byte
	whys   []FrameWhy
}

func newFrameBench(memory func(p *ReadPiece) ([]byte, bool)) *frameBench {
	b := &frameBench{stage: txFrameSpec.New(nil), memory: memory}
	own := FrameRecord{Op: FrameOwn}
	own.Way.MAC = [6]byte{2, 0, 0, 0, 0, 2}
	b.give(&own)
	return b
}

// give gives a record and all that it asks memory for, the last piece first; what came of it is the last of b.whys, and
// of b.frames if it left.
func (b *frameBench) give(q *FrameRecord) {
	b.now += 1000
	in := []sim.Record{{Start: b.now, End: b.now, Data: q.Append(nil)}}
	pieces := b.take(b.stage.Advance(b.now, in, nil))
	for i := len(pieces) - 1; i >= 0; i-- {
		data, failed := b.memory(&pieces[i])
		in := []sim.Record{{Start: b.now + 50, End: b.now + 60, User: ReadUser(pieces[i].Tag, failed), Data: data,
			Port: portGathered}}
		b.take(b.stage.Advance(b.now+60, in, nil))
	}
}

func (b *frameBench) take(out []sim.Record) (pieces []ReadPiece) {
	for _, r := range out {
		switch r.Port {
		case portGather:
			pieces = append(pieces, ParseReadPiece(r.Data))
		case portPacketRecord:
			l := sim.ReadLayout(r.Data)
			var qpn uint32
			var op FrameOp
			var at psn.PSN
			var why FrameWhy
			sim.Field(&l, &qpn, 24)
			sim.Field(&l, &op, 3)
			sim.Field(&l, &at, psn.Bits)
			sim.Field(&l, &why, 3)
			b.whys = append(b.whys, why)
		case portPacketFrame:
			b.frames = append(b.frames, append([]byte(nil), r.Data...))
		}
	}
	b.asked = append(b.asked, pieces...)
	return pieces
}

// counting is a memory in which the byte at each address is the address, modulo 251.
func counting(p *ReadPiece) ([]byte, bool) {
	start := p.Address &^ (ReadLineBytes - 1)
	data := make([]byte, p.Address+uint64(p.Bytes)-start)
	for i := range data {
		data[i] = byte((start + uint64(i)) % 251)
	}
	return data, false
}

// setFrame sets QP 11h to a peer's 22h over IPv4 (10.0.0.1 to 10.0.0.2, UDP port C000h, TTL 64).
func setFrame() FrameRecord {
	return FrameRecord{Op: FrameSet, QPN: 0x11, Way: FrameWay{WayBack: WayBack{Encap: wire.EncapRoCEv2IPv4, TClass: 0x22,
		UDPSrcPort: 0xC000, Src: roce.Address{12: 10, 15: 1}, Dst: roce.Address{12: 10, 15: 2}}, PKey: 0xFFFF,
		PeerQPN: 0x22, MAC: [6]byte{2, 0, 0, 0, 0, 1}, HopLimit: 64}}
}

// TestFrameByHand: the bytes of a SEND Only over IPv4 worked out by hand: total length 20 + 8 + 12 + 4 + 4 = 30h, and
// the header checksum: 4522 + 0030 + 4000 + 4011 + 0A00 + 0001 + 0A00 + 0002 = D966, its complement 2699.
func TestFrameByHand(t *testing.T) {
	b := newFrameBench(counting)
	set := setFrame()
	b.give(&set)
	b.give(&FrameRecord{QPN: 0x11, Opcode: 0x04, PSN: 0x123456, AckReq: true, Solicited: true, Bytes: 3,
		Address: 0x1FE, Offset: 0x100}) // 2FEh to 300h: over the end of a piece; 2FEh is 766 = 3 x 251 + 13
	require.Equal(t, []ReadPiece{{Tag: 0, Bytes: 2, Address: 0x2FE}, {Tag: 1, Bytes: 1, Address: 0x300}}, b.asked)
	require.Equal(t, []FrameWhy{FrameGood, FrameGood, FrameGood}, b.whys)
	require.Equal(t, "020000000001"+"020000000002"+"0800"+
		"45220030"+"00004000"+"40112699"+"0a000001"+"0a000002"+
		"c00012b7"+"001c0000"+
		"0490ffff"+"00000022"+"80123456"+"0d0e0f"+"00"+"00000000", hex.EncodeToString(b.frames[0]))
}

// TestFrameHeadersByHand: what stands behind the BTH's PSN, of every kind of header (OPC-2, REQ-7, LEN-1).
func TestFrameHeadersByHand(t *testing.T) {
	b := newFrameBench(counting)
	set := setFrame()
	b.give(&set)
	q := FrameRecord{QPN: 0x11, VA: 0x1122334455667788, RKey: 0x99AABBCC, DMALength: 0x00010203, Imm: 0xDDEEFF25,
		SwapAdd: 0x0102030405060708, Compare: 0x1112131415161718, QKey: 0x80010000, Address: 0x100}
	reth := "1122334455667788" + "99aabbcc" + "00010203"
	for _, c := range []struct {
		opcode ib.Opcode
		bytes  uint16
		want   string
	}{
		{0x01, 4, "05060708"},                                          // SEND Middle; 100h is 251 + 5
		{0x05, 0, "ddeeff25"},                                          // SEND Only with immediate
		{0x17, 4, "ddeeff25" + "05060708"},                             // SEND Only with invalidate
		{0x06, 4, reth + "05060708"},                                   // WRITE First
		{0x07, 4, "05060708"},                                          // WRITE Middle
		{0x09, 1, "ddeeff25" + "05000000"},                             // WRITE Last with immediate
		{0x0B, 2, reth + "ddeeff25" + "05060000"},                      // WRITE Only with immediate
		{0x0C, 9, reth},                                                // READ: bytes are not looked at
		{0x13, 9, reth[:24] + "0102030405060708" + "1112131415161718"}, // CMP&SWAP
		{0x14, 9, reth[:24] + "0102030405060708" + "1112131415161718"}, // FETCH&ADD
		{0x1C, 9, "00000025" + reth},                                   // FLUSH: SEL 2, PLT 5
		{0x1D, 8, reth + "05060708090a0b0c"},                           // ATOMIC WRITE
		{0x2B, 0, reth + "ddeeff25"},                                   // UC WRITE Only with immediate
		{0x64, 4, "80010000" + "00000011" + "05060708"},                // UD SEND Only
		{0x65, 0, "80010000" + "00000011" + "ddeeff25"},                // UD SEND Only with immediate
	} {
		q.Opcode, q.Bytes = c.opcode, c.bytes
		b.frames = nil
		b.give(&q)
		require.Len(t, b.frames, 1, "%02Xh", c.opcode)
		require.Equal(t, c.want+"00000000", hex.EncodeToString(b.frames[0][14+20+8+12:]), "%02Xh", c.opcode)
	}
	q.Opcode, q.Offset, b.frames = 0x0C, 0xFFFFFFFF, nil
	b.give(&q)
	require.Equal(t, "1122334555667787", hex.EncodeToString(b.frames[0][54:62]), "a READ that goes on")
}

// TestFrameWhys: each reason, and that a QP that failed sends again when its way is set.
func TestFrameWhys(t *testing.T) {
	failing := false
	b := newFrameBench(func(p *ReadPiece) ([]byte, bool) {
		data, _ := counting(p)
		return data, failing
	})
	set := setFrame()
	packet := FrameRecord{QPN: 0x11, Opcode: 0x04, Bytes: 10, Address: 0x100}
	last := func(q FrameRecord, edit func(*FrameRecord)) FrameWhy {
		if edit != nil {
			edit(&q)
		}
		b.give(&q)
		return b.whys[len(b.whys)-1]
	}
	require.Equal(t, FrameNoWay, last(packet, nil))
	require.Equal(t, FrameGood, last(set, nil))
	require.Equal(t, FrameNoWay, last(packet, func(q *FrameRecord) { q.QPN |= 1 << 23 }))
	require.Equal(t, FrameNoSuch, last(packet, func(q *FrameRecord) { q.Op = 3 }))
	require.Equal(t, FrameNoSuch, last(packet, func(q *FrameRecord) { q.Bytes = 4097 }))
	for _, opcode := range []ib.Opcode{0x0D, 0x10, 0x11, 0x12, 0x15, 0x18, 0x2C, 0x40, 0x60, 0x81, 0xA4} {
		require.Equal(t, FrameNoSuch, last(packet, func(q *FrameRecord) { q.Opcode = opcode }), "%02Xh", opcode)
	}
	require.Equal(t, FrameList, last(packet, func(q *FrameRecord) { q.Entries = 2 }))
	require.Equal(t, FrameGood, last(packet, func(q *FrameRecord) { q.Entries, q.Bytes = 2, 0 }))
	lists := func(opcode ib.Opcode, length uint32) FrameWhy {
		return last(packet, func(q *FrameRecord) { q.Opcode, q.Entries, q.Bytes, q.DMALength = opcode, 2, 0, length })
	}
	require.Equal(t, FrameGood, lists(0x0C, 0))  // a READ of nothing
	require.Equal(t, FrameList, lists(0x0C, 1))  // of something
	require.Equal(t, FrameList, lists(0x13, 0))  // an atomic
	require.Equal(t, FrameGood, lists(0x1C, 64)) // a FLUSH brings nothing
	require.Equal(t, FrameGood, lists(0x0A, 64)) // nor does a WRITE
	require.Equal(t, FrameEncap, last(set, func(q *FrameRecord) { q.Way.Encap = wire.EncapRaw; b.give(q); *q = packet }))
	require.Equal(t, FrameGood, last(set, nil))
	sent := len(b.frames)
	failing = true
	require.Equal(t, FrameMemory, last(packet, nil))
	failing = false
	require.Equal(t, FrameFailed, last(packet, nil))
	require.Equal(t, FrameFailed, last(packet, func(q *FrameRecord) { q.Bytes = 0 }))
	require.Len(t, b.frames, sent)
	require.Equal(t, FrameGood, last(set, nil))
	require.Equal(t, FrameGood, last(packet, nil))
	require.Len(t, b.frames, sent+1)
}

// TestFramesOfSoftRoCE: every request that Soft-RoCE sent in the captures, made again of its fields and its payload, is
// the same, byte for byte with its ICRC; but for the identification of IPv4, which is 0 in ours.
func TestFramesOfSoftRoCE(t *testing.T) {
	dir := os.Getenv("HCACOSIM_CAPTURES")
	if dir == "" {
		dir = "../../../shared/captures"
	}
	files, err := filepath.Glob(filepath.Join(dir, "[ru][cd]_*.a.pcap"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skipf("no captures in %s: set HCACOSIM_CAPTURES", dir)
	}
	opcodes := map[ib.Opcode]int{}
	for _, file := range files {
		for _, frame := range sentByA(t, file) {
			var p wire.Packet
			wire.Decode(wire.LinkEthernet, frame, &p)
			if p.ICRC() != wire.ICRCGood || p.Op == nil || p.Op.Response || p.Op.Transport == ib.CNP {
				continue
			}
			opcodes[p.BTH().Opcode()]++
			sameAsSent(t, file, &p, frame)
		}
	}
	require.Greater(t, len(opcodes), 20)
}

// sentByA are the frames of a capture at A that A sent.
func sentByA(t *testing.T, file string) (frames [][]byte) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	r, err := pcapgo.NewReader(f)
	require.NoError(t, err)
	for {
		frame, _, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return frames
		}
		require.NoError(t, err)
		if len(frame) > 14 && hex.EncodeToString(frame[6:12]) == "02000000000a" {
			frames = append(frames, frame)
		}
	}
}

// sameAsSent makes a frame again.
func sameAsSent(t *testing.T, file string, p *wire.Packet, frame []byte) {
	set, q := FrameRecord{Op: FrameSet}, FrameRecord{}
	w := &set.Way
	copy(w.MAC[:], frame[:6])
	if h := p.IPv4(); h != nil {
		w.Encap, w.TClass, w.HopLimit = wire.EncapRoCEv2IPv4, h.TOS(), h.TTL()
		copy(w.Src[12:], h.Src())
		copy(w.Dst[12:], h.Dst())
	} else {
		h := p.IPv6()
		w.Encap, w.TClass, w.HopLimit = wire.EncapRoCEv2IPv6, h.TClass(), h.HopLimit()
		copy(w.Src[:], h.Src())
		copy(w.Dst[:], h.Dst())
	}
	w.UDPSrcPort = p.UDP().SrcPort()
	h := p.BTH()
	w.PKey, w.PeerQPN = h.PKey(), h.DestQP()
	q.Opcode, q.PSN, q.AckReq, q.Solicited = h.Opcode(), h.PSN(), h.AckReq(), h.SE()
	if h := p.DETH(); h != nil {
		q.QKey, q.QPN = h.QKey(), h.SrcQP()
	}
	set.QPN = q.QPN
	if h := p.RETH(); h != nil {
		q.VA, q.RKey, q.DMALength = h.VA(), h.RKey(), h.DMALen()
	}
	if h := p.AtomicETH(); h != nil {
		q.VA, q.RKey, q.SwapAdd, q.Compare = h.VA(), h.RKey(), h.SwapAdd(), h.Compare()
	}
	if h := p.ImmDt(); h != nil {
		q.Imm = h.Immediate()
	}
	if h := p.IETH(); h != nil {
		q.Imm = h.RKey()
	}
	payload := p.Payload
	q.Bytes, q.Address = uint16(len(payload)), 0x7654_3210_89AB
	b := newFrameBench(func(p *ReadPiece) ([]byte, bool) {
		lead := make([]byte, p.Address%ReadLineBytes)
		at := p.Address - q.Address
		return append(lead, payload[at:at+uint64(p.Bytes)]...), false
	})
	own := FrameRecord{Op: FrameOwn}
	copy(own.Way.MAC[:], frame[6:12])
	b.give(&own)
	b.give(&set)
	b.give(&q)
	require.Len(t, b.frames, 1, file)
	again := b.frames[0]
	if p.IPv4() != nil { // Soft-RoCE numbers its packets, ours have the number 0: the field, and the sum over it
		var ours wire.Packet
		wire.Decode(wire.LinkEthernet, again, &ours)
		require.True(t, ours.IPv4().ChecksumGood())
		require.Zero(t, ours.IPv4().ID())
		copy(again[18:20], frame[18:20])
		copy(again[24:26], frame[24:26])
	}
	loc := wire.Locate(wire.LinkEthernet, again)
	require.True(t, wire.PutICRC(again, &loc))
	require.Equal(t, hex.EncodeToString(frame), hex.EncodeToString(again), "%s: %v", file, p.Op.Name)
}
