package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// act is one packet of a story told to a follower: > reached the device, < was sent by it, and then the rule that it
// breaks.
type act struct {
	sent   bool
	ms     int64 // when
	packet roce.Packet
	rule   roce.Rule
}

func in(op ib.Opcode, p psn.PSN, more ...func(*roce.Packet)) act {
	return act{packet: packet(op, p, more)}
}

func out(rule roce.Rule, op ib.Opcode, p psn.PSN, more ...func(*roce.Packet)) act {
	return act{sent: true, packet: packet(op, p, more), rule: rule}
}

func (a act) at(ms int64) act { a.ms = ms; return a }

func packet(op ib.Opcode, p psn.PSN, more []func(*roce.Packet)) roce.Packet {
	k := roce.Packet{Op: op, PSN: p}
	switch i := ib.Lookup(op); i.Length {
	case ib.NoPayload:
	case ib.WholePMTU:
		k.Len = 256
	default:
		k.Len = 4
	}
	if op == 0x11 || op == 0x10 || op == 0x12 {
		k.Syndrome = 31
	}
	for _, m := range more {
		m(&k)
	}
	return k
}

func asks(p *roce.Packet)                  { p.AckReq = true }
func visible(p *roce.Packet)               { p.FETH = 1 }
func msn(n uint32) func(*roce.Packet)      { return func(p *roce.Packet) { p.MSN = n } }
func syn(s ib.Syndrome) func(*roce.Packet) { return func(p *roce.Packet) { p.Syndrome = s } }
func original(n uint64) func(*roce.Packet) { return func(p *roce.Packet) { p.Original = n } }
func dma(n uint32, va uint64) func(*roce.Packet) {
	return func(p *roce.Packet) { p.DMALen, p.VA, p.AckReq = n, va, true }
}
func long(n uint32) func(*roce.Packet) {
	return func(p *roce.Packet) { p.Len, p.Pad = n, uint8(-n&3) }
}

// RSP-2, RSP-5, RSP-7, RSP-8, RSP-10, RSP-11, RSP-13, LEN-1: what a follower of a responder finds.
func TestVerdictsOnResponders(t *testing.T) {
	gap := in(0x04, 105, asks)
	for name, story := range map[string][]act{
		"good": {in(0x04, 100, asks), in(0x04, 101, asks), out("", 0x11, 101, msn(2)), in(0x04, 101),
			out("", 0x11, 101, msn(2))},
		"a second NAK": {gap, out("", 0x11, 100, syn(0x60)), gap, out("RSP-2", 0x11, 100, syn(0x60))},
		"a NAK behind a duplicate": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x04, 103, asks), out("", 0x11, 101,
			syn(0x60), msn(1)), in(0x04, 100, asks), out("", 0x11, 100, msn(1)),
			in(0x04, 103, asks), out("", 0x11, 101, syn(0x60), msn(1)), in(0x04, 103, asks), out("RSP-2", 0x11, 101, syn(0x60),
				msn(1))},
		"no NAK behind a duplicate": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x04, 103, asks), out("", 0x11, 101,
			syn(0x60), msn(1)), in(0x04, 100, asks), out("", 0x11, 100, msn(1)),
			in(0x04, 103, asks), in(0x04, 101, asks), out("", 0x11, 101, msn(2))},
		"both before the first leaves": {in(0x04, 100, asks), in(0x04, 103, asks), in(0x04, 100, asks), in(0x04, 103, asks),
			out("", 0x11, 100, msn(1)), out("", 0x11, 101, syn(0x60), msn(1)),
			out("", 0x11, 101, syn(0x60), msn(1)), out("RSP-2", 0x11, 101, syn(0x60), msn(1))},
		"a NAK behind an RNR NAK and a duplicate": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x04, 101, asks),
			out("", 0x11, 101, syn(0x2C), msn(1)), in(0x04, 100, asks), out("", 0x11, 100, msn(1)),
			in(0x04, 102, asks), out("", 0x11, 101, syn(0x60), msn(1)), in(0x04, 101, asks), out("", 0x11, 101, msn(2))},
		"a NAK behind an RNR NAK": {in(0x04, 100, asks), in(0x04, 101, asks), out("", 0x11, 100, syn(0x2C)),
			out("RSP-9", 0x11, 100, syn(0x60))},
		"a NAK that was overtaken, then the READ": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)),
			in(0x0C, 101, dma(4, 64)), out("", 0x10, 101, msn(2)), in(0x04, 103, asks), out("", 0x11, 102, syn(0x60), msn(2)),
			in(0x04, 100, asks), in(0x04, 103, asks), in(0x04, 100, asks), in(0x0C, 101, dma(4, 64)), in(0x04, 103, asks),
			out("", 0x11, 101, msn(2)), out("", 0x11, 101, msn(2)), out("", 0x11, 102, syn(0x60), msn(2)),
			out("", 0x10, 101, msn(2)), out("", 0x11, 102, syn(0x60), msn(2)), out("RSP-2", 0x11, 102, syn(0x60), msn(2))},
		"a READ answered twice behind a NAK": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)),
			in(0x0C, 101, dma(4, 64)), out("", 0x10, 101, msn(2)), in(0x04, 103, asks), out("", 0x11, 102, syn(0x60), msn(2)),
			in(0x0C, 101, dma(4, 64)), in(0x04, 103, asks), out("", 0x10, 101, msn(2)), out("", 0x11, 102, syn(0x60), msn(2)),
			out("RSP-7", 0x10, 101, msn(2))},
		"half behind, answered": {in(0x0C, 100, dma(4, 64)), out("", 0x10, 100, msn(1)), in(0x04, 101+1<<23, asks),
			out("", 0x11, 100, msn(1)), in(0x04, 101, asks), out("", 0x11, 101, msn(2))},
		"half behind, NAKed": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x04, 101+1<<23, asks),
			out("", 0x11, 101, syn(0x60), msn(1)), in(0x04, 103, asks), in(0x04, 101, asks), out("", 0x11, 101, msn(2))},
		"half behind, left alone": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x04, 101+1<<23, asks),
			in(0x04, 101, asks), out("", 0x11, 101, msn(2))},
		"half behind, NAKed twice": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x04, 101+1<<23, asks),
			out("", 0x11, 101, syn(0x60), msn(1)), out("RSP-2", 0x11, 101, syn(0x60), msn(1))},
		"half behind, NAKed beside": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x04, 101+1<<23, asks),
			out("RSP-2", 0x11, 102, syn(0x60), msn(1))},
		"a READ half behind": {in(0x0C, 100, dma(1<<31, 64)), out("", 0x0D, 100, long(256), msn(1)),
			in(0x0C, 100, dma(1<<31, 64)),
			out("", 0x0D, 100, long(256), msn(1)), out("", 0x0E, 101, long(256))},
		"a duplicate's ACK waits": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x0C, 101, dma(300, 64)),
			out("", 0x0D, 101, long(256), msn(2)), in(0x04, 100, asks),
			out("", 0x0F, 102, long(44), msn(2)), out("", 0x11, 102, msn(2))},
		"a duplicate's ACK at once": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x0C, 101, dma(300, 64)),
			out("", 0x0D, 101, long(256), msn(2)), in(0x04, 100, asks),
			out("", 0x11, 100, msn(2)), out("", 0x0F, 102, long(44), msn(2))},
		"a duplicate's ACK between": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x0C, 101, dma(300, 64)),
			in(0x14, 103), in(0x04, 100, asks),
			out("", 0x0D, 101, long(256), msn(2)), out("", 0x0F, 102, long(44), msn(2)), out("", 0x11, 102, msn(2)),
			out("", 0x12, 103, msn(3))},
		"a duplicate's ACK inside a READ": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x0C, 101, dma(300, 64)),
			out("", 0x0D, 101, long(256), msn(2)), in(0x04, 100, asks),
			out("RSP-13", 0x11, 102, msn(2))},
		"a duplicate's ACK before the READ is asked": {in(0x04, 100, asks), in(0x04, 101, asks), out("", 0x11, 101, msn(2)),
			in(0x0C, 102, dma(300, 64)), in(0x04, 100, asks),
			out("RSP-5", 0x11, 100, msn(2))},
		"a duplicate's ACK, READ interrupted": {in(0x0C, 100, dma(4, 64)), out("", 0x10, 100, msn(1)),
			in(0x0C, 101, dma(700, 64)), out("", 0x0D, 101, long(256), msn(2)),
			in(0x0C, 100, dma(4, 64)), out("", 0x10, 100, msn(2)), in(0x04, 99, asks), out("", 0x11, 100, msn(2))},
		"a duplicate's ACK inside the one interrupted": {in(0x0C, 100, dma(4, 64)), out("", 0x10, 100, msn(1)),
			in(0x0C, 101, dma(700, 64)), out("", 0x0D, 101, long(256), msn(2)),
			in(0x0C, 100, dma(4, 64)), out("", 0x10, 100, msn(2)), in(0x04, 99, asks), out("RSP-5", 0x11, 103, msn(2))},
		"the one interrupted is asked again": {in(0x0C, 100, dma(4, 64)), out("", 0x10, 100, msn(1)),
			in(0x0C, 101, dma(700, 64)), out("", 0x0D, 101, long(256), msn(2)),
			in(0x0C, 100, dma(4, 64)), out("", 0x10, 100, msn(2)), in(0x0C, 102, dma(444, 320)), out("", 0x0D, 102, long(256),
				msn(2)), out("", 0x0F, 103, long(188), msn(2)),
			in(0x04, 99, asks), out("", 0x11, 103, msn(2))},
		"the one interrupted goes on": {in(0x0C, 100, dma(4, 64)), out("", 0x10, 100, msn(1)),
			in(0x0C, 101, dma(700, 64)), out("", 0x0D, 101, long(256), msn(2)),
			in(0x0C, 100, dma(4, 64)), in(0x0C, 100, dma(4, 64)), out("", 0x10, 100, msn(2)), out("", 0x10, 100, msn(2)),
			in(0x0C, 101, dma(700, 64)), out("", 0x0E, 102, long(256)), out("", 0x0D, 101, long(256), msn(2)),
			out("RSP-7", 0x0F, 103, long(188), msn(2))},
		"one that waited is asked for again": {in(0x0C, 100, dma(4, 64)), out("", 0x10, 100, msn(1)),
			in(0x0C, 101, dma(4, 64)), in(0x0C, 100, dma(4, 64)), in(0x0C, 102, dma(4, 64)), out("", 0x10, 100, msn(3)),
			in(0x0C, 100, dma(4, 64)), in(0x0C, 101, dma(4, 64)), in(0x0C, 102, dma(4, 64)), out("", 0x10, 100, msn(3)),
			out("", 0x10, 101, msn(3)), out("", 0x10, 102, msn(3)), out("RSP-7", 0x10, 102, msn(3))},
		"a NAK for nothing":    {in(0x04, 100, asks), out("RSP-2", 0x11, 101, syn(0x60), msn(1))},
		"a NAK of another PSN": {gap, out("RSP-2", 0x11, 101, syn(0x60))},
		"an ACK of the future": {in(0x04, 100, asks), out("RSP-13", 0x11, 101, msn(1))},
		"an ACK behind another": {in(0x04, 100, asks), in(0x04, 101, asks), out("", 0x11, 101, msn(2)), in(0x04, 100, asks),
			out("RSP-5", 0x11, 100, msn(2))},
		"MSN beyond": {in(0x04, 100, asks), out("RSP-11", 0x11, 100, msn(2))},
		"MSN behind": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x04, 101, asks), out("RSP-11", 0x11, 101, msn(1)),
			in(0x04, 102, asks), in(0x04, 103, asks), out("RSP-11", 0x11, 102, msn(1)), out("", 0x11, 103, msn(4)),
			in(0x04, 104, asks), out("RSP-11", 0x11, 104, msn(4))},
		"MSN without the READ": {in(0x0C, 100, dma(4, 64)), out("RSP-11", 0x10, 100, msn(0)), in(0x04, 101, asks),
			out("", 0x11, 101, msn(1))}, // as it was: said once
		"one MSN too high, then a long message": {in(0x04, 100, asks), out("RSP-11", 0x11, 100, msn(2)), in(0x00, 101, asks),
			out("", 0x11, 101, msn(1)), in(0x01, 102, asks), out("", 0x11, 102, msn(1)), in(0x02, 103, asks),
			out("RSP-11", 0x11, 103, msn(3))},
		"an MSN that may be, and is not": {in(0x04, 100), in(0x04, 101), in(0x00, 102, asks), out("", 0x11, 100, msn(2)),
			out("RSP-11", 0x11, 100, msn(1)), out("", 0x11, 102, msn(2))},
		"MSN behind in a NAK": {in(0x04, 100, asks), in(0x04, 102, asks), out("RSP-11", 0x11, 101, syn(0x60), msn(0))},
		"MSN within a message": {in(0x00, 100, asks), out("", 0x11, 100, msn(0)), in(0x02, 101, asks),
			out("RSP-11", 0x11, 101, msn(0))},
		"MSN falls": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x04, 101, asks), out("RSP-11", 0x11,
			101, msn(0))},
		"an ACK overtakes":       {in(0x0C, 100, dma(4, 64)), in(0x04, 101, asks), out("RSP-13", 0x11, 101, msn(2))},
		"a READ of wrong length": {in(0x0C, 100, dma(4, 64)), out("LEN-1", 0x10, 100, long(3), msn(1))},
		"a READ nobody asked":    {in(0x0C, 100, dma(4, 64)), out("", 0x10, 100, msn(1)), out("RSP-7", 0x10, 100, msn(1))},
		"an atomic answers else": {in(0x14, 100), out("", 0x12, 100, original(5), msn(1)), in(0x14, 100), out("RSP-8", 0x12,
			100, original(6), msn(1))},
		"a FLUSH is answered": {in(0x1C, 100, dma(300, 64), visible), out("", 0x10, 100, long(0), msn(1)),
			out("RSP-7", 0x10, 100, long(0), msn(1))},
		"a FLUSH answers bytes": {in(0x1C, 100, dma(300, 64), visible), out("LEN-1", 0x10, 100, long(4), msn(1))},
		"a FLUSH has an ACK":    {in(0x1C, 100, dma(300, 64), visible), out("RSP-13", 0x11, 100, msn(1))},
		"an atomic twice":       {in(0x14, 100), out("", 0x12, 100, msn(1)), out("RSP-8", 0x12, 100, msn(1))},
		"a reserved syndrome":   {in(0x04, 100, asks), out("OPC-2", 0x11, 100, syn(0x40))},
		"a request as response": {out("OPC-1", 0x04, 100)},
		"RNR, then again": {in(0x04, 100, asks), out("", 0x11, 100, syn(0x2C)), in(0x04, 100, asks), out("", 0x11, 100,
			msn(1))},
		"an RNR NAK with an MSN too high": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), in(0x04, 101, asks),
			out("RSP-11", 0x11, 101, syn(0x2C), msn(3)), in(0x04, 101, asks), out("", 0x11, 101, msn(2))},
		"a NAK overtakes a READ's response": {in(0x0C, 100, dma(4, 64)), in(0x04, 101, asks),
			out("RSP-13", 0x11, 101, syn(0x62), msn(1))},
		"NAK, then ACK": {in(0x04, 100, asks), out("", 0x11, 100, syn(0x61)), in(0x04, 100, asks),
			out("RSP-15", 0x11, 100, msn(1))},
		"a NAK after the ACK": {in(0x04, 100, asks), out("", 0x11, 100, msn(1)), out("RSP-10", 0x11, 100, syn(0x62),
			msn(1))},
	} {
		t.Run(name, func(t *testing.T) {
			f := roce.FollowResponder(roce.ResponderConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, Open: true})
			for i, a := range story {
				if !a.sent {
					f.Received(&a.packet)
					continue
				}
				v := f.Sent(&a.packet)
				require.Equal(t, a.rule, v.Rule, "packet %d: %v", i, v)
			}
		})
	}
}

// A response that a READ's next one is missing before, and one beyond its end, are told apart (RSP-7).
func TestSkippedReadResponse(t *testing.T) {
	for at, text := range map[psn.PSN]string{102: "000066h, and that of 000065h was not sent",
		104: "that no READ waits for"} {
		f := roce.FollowResponder(roce.ResponderConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, Open: true})
		for _, a := range []act{in(0x0C, 100, dma(4*256, 64)), out("", 0x0D, 100, long(256), msn(1))} {
			if a.sent {
				require.True(t, f.Sent(&a.packet).Allowed())
			} else {
				f.Received(&a.packet)
			}
		}
		a := out("RSP-7", 0x0E, at, long(256))
		v := f.Sent(&a.packet)
		require.Equal(t, a.rule, v.Rule)
		require.Contains(t, v.Text, text)
	}
}

// RSP-13, RSP-5, PSN-2: what is not answered is owed.
func TestOwed(t *testing.T) {
	f := roce.FollowResponder(roce.ResponderConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, Open: true})
	a := in(0x04, 100, asks)
	f.Received(&a.packet)
	p, rule, owed := f.Owed()
	require.True(t, owed)
	require.Equal(t, psn.PSN(100), p)
	require.Equal(t, roce.Rule("RSP-13"), rule)
	a = out("", 0x11, 100, msn(1))
	require.True(t, f.Sent(&a.packet).Allowed())
	_, _, owed = f.Owed()
	require.False(t, owed)

	// PSN-2: what lies 2^23 behind ePSN may be left alone; one PSN later it is a duplicate, and answered (RSP-5).
	for _, c := range []struct {
		p    psn.PSN
		owed bool
	}{{101 + 1<<23, false}, {102 + 1<<23, true}} {
		a = in(0x04, c.p, asks)
		f.Received(&a.packet)
		_, _, owed = f.Owed()
		require.Equal(t, c.owed, owed)
	}
}

// PSN-4, PSN-5, REQ-4, REQ-5, REQ-7, REQ-9, REQ-12, LEN-1, CRD-2, TMR-1, TMR-3, TMR-5, RSP-13: what a follower of a
// requester finds. T is 67 ms.
func TestVerdictsOnRequesters(t *testing.T) {
	first, middle, last := out("", 0x00, 100), out("", 0x01, 101), out("", 0x02, 102, asks)
	nak := in(0x11, 101, syn(0x60))
	rnr := in(0x11, 100, syn(0x2C)) // 0.64 ms
	for name, story := range map[string][]act{
		"good":                   {first, middle, last, nak, middle, last, in(0x11, 102)},
		"a PSN is skipped":       {first, out("PSN-4", 0x01, 102)},
		"Middle without First":   {out("RSP-1", 0x01, 100)},
		"Only inside a message":  {first, out("RSP-1", 0x04, 101, asks)},
		"a short Middle":         {first, out("LEN-1", 0x01, 101, long(255))},
		"an empty Last":          {first, out("LEN-1", 0x02, 101, asks, long(0))},
		"an empty WRITE Last":    {out("", 0x06, 100, dma(256, 64)), out("LEN-1", 0x08, 101, asks, long(0))},
		"a WRITE of 2^31":        {out("", 0x06, 100, dma(1<<31, 64))},
		"a WRITE of 2^31 + 1":    {out("LEN-1", 0x06, 100, dma(1<<31+1, 64))},
		"no AckReq at the end":   {first, out("RSP-13", 0x02, 101)},
		"no AckReq, FETCH & ADD": {out("RSP-13", 0x14, 100)},
		"no AckReq, CMP & SWAP":  {out("RSP-13", 0x13, 100)},
		"no AckReq, ATOMIC WRITE": {out("RSP-13", 0x1D, 100, dma(8, 64), long(8),
			func(p *roce.Packet) { p.AckReq = false })},
		"no AckReq, FLUSH":         {out("RSP-13", 0x1C, 100, dma(8, 64), func(p *roce.Packet) { p.AckReq = false })},
		"again without a cause":    {first, middle, last, out("TMR-1", 0x00, 100).at(60)},
		"again after the timer":    {first, middle, last, out("", 0x00, 100).at(70), middle.at(70)},
		"resumes elsewhere":        {first, middle, last, nak, out("REQ-5", 0x02, 102, asks)},
		"resent as something else": {first, middle, last, nak, out("REQ-5", 0x07, 101)},
		"retries run out": {first, middle, last, out("", 0x00, 100).at(70), out("", 0x00, 100).at(140),
			out("TMR-3", 0x00, 100).at(210)},
		"progress gives retries": {first, middle, last, out("", 0x00, 100).at(70), out("", 0x00, 100).at(140),
			in(0x11, 100).at(141), out("", 0x01, 101).at(210)},
		"the RNR wait cut short":   {out("", 0x04, 100, asks), rnr, out("TMR-5", 0x04, 100, asks)},
		"the RNR wait kept":        {out("", 0x04, 100, asks), rnr, out("", 0x04, 100, asks).at(1)},
		"a new one while it waits": {out("", 0x04, 100, asks), rnr, out("TMR-5", 0x04, 101, asks)},
		"after a fatal NAK":        {out("", 0x04, 100, asks), in(0x11, 100, syn(0x62)), out("REQ-4", 0x04, 100, asks)},
		"new before all is resent": {first, middle, last, nak, middle, out("REQ-5", 0x04, 103, asks)},
		"too many READs": {out("", 0x0C, 100, dma(4, 64)), out("", 0x0C, 101, dma(4, 64)), out("REQ-9", 0x0C, 102,
			dma(4, 64))},
		"the rest of a READ": {out("", 0x0C, 100, dma(600, 64)), out("", 0x0C, 103, dma(4, 64)), in(0x10, 103, long(4)),
			out("", 0x0C, 100, dma(600, 64))},
		"a wrong rest of a READ": {out("", 0x0C, 100, dma(600, 64)), in(0x0D, 100, long(256)), out("REQ-7", 0x0C, 101,
			dma(600, 320)).at(90)},
		"the window": {first, middle, out("", 0x01, 102), out("", 0x01, 103), out("PSN-5", 0x01, 104)},
		"a response": {out("OPC-1", 0x11, 100)},
		"an ATOMIC WRITE, a FLUSH": {out("", 0x1D, 100, dma(8, 64), long(8)), out("", 0x1C, 101, dma(300, 64)), nak,
			out("", 0x1D, 100, dma(8, 64), long(8)), in(0x10, 100, long(0)), out("", 0x1C, 101, dma(300, 64))},
		"an ATOMIC WRITE of 4": {out("LEN-1", 0x1D, 100, dma(8, 64), long(4))},
		"SE on a FLUSH":        {out("REQ-11", 0x1C, 100, dma(8, 64), func(p *roce.Packet) { p.SE = true })},
		"a FLUSH changes": {out("", 0x1C, 100, dma(8, 64)), in(0x11, 100, syn(0x60)), out("REQ-5", 0x1C, 100,
			dma(8, 64), func(p *roce.Packet) { p.FETH = 2 })},
		"too many FLUSHes": {out("", 0x1C, 100, dma(4, 64)), out("", 0x1C, 101, dma(4, 64)), out("REQ-9", 0x1D, 102,
			dma(8, 64), long(8))},
		"each NAK may restart": {first, middle, last, nak, middle, last, nak, middle, last, out("TMR-1", 0x01, 101)},
		"and need not": {first, middle, last, nak, nak, nak, middle, last, in(0x11, 102), out("", 0x04, 103,
			asks)},
		"each gap may restart": {out("", 0x0C, 100, dma(600, 64)), in(0x0F, 102), out("", 0x0C, 100, dma(600, 64)),
			in(0x0F, 102), out("", 0x0C, 100, dma(600, 64)), out("TMR-1", 0x0C, 100, dma(600, 64))},
		"a bad response dropped": {out("", 0x0C, 100, dma(4, 64)), in(0x12, 100), out("", 0x04, 101, asks),
			out("TMR-1", 0x0C, 100, dma(4, 64)).at(1), out("", 0x0C, 100, dma(4, 64)).at(70), out("", 0x04, 101, asks).at(70),
			in(0x10, 100).at(71), in(0x11, 101).at(71), out("", 0x04, 102, asks).at(72)},
		"progress ends the wait": {out("", 0x04, 100, asks), out("", 0x04, 101, asks), rnr, out("TMR-5", 0x04, 102, asks),
			in(0x11, 100), out("", 0x04, 101, asks)},
		"new work behind it":  {out("", 0x04, 100, asks), rnr, in(0x11, 100), out("", 0x04, 101, asks)},
		"no progress, no end": {out("", 0x0C, 100, dma(4, 64)), rnr, in(0x11, 100), out("TMR-5", 0x0C, 100, dma(4, 64))},
		"no credits":          {in(0x11, 99, syn(0)), out("", 0x04, 100, asks), out("CRD-2", 0x04, 101, asks)},
	} {
		t.Run(name, func(t *testing.T) {
			f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, MaxReads: 2,
				Timeout: 14, RetryCount: 2, RNRRetry: 7, Window: 4})
			for i, a := range story {
				if !a.sent {
					f.Received(a.ms*1_000_000, &a.packet)
					continue
				}
				v := f.Sent(a.ms*1_000_000, &a.packet)
				require.Equal(t, a.rule, v.Rule, "packet %d: %v", i, v)
			}
		})
	}
}

// REQ-4, TMR-2: what a device must have known when it sent, where that can be told.
func TestVerdictsOnWhatARequesterKnew(t *testing.T) {
	nak := in(0x11, 100, syn(0x62))
	for name, story := range map[string][]act{
		"after a fatal NAK": {out("", 0x04, 100, asks), nak, out("", 0x04, 101, asks).at(1),
			out("REQ-4", 0x04, 102, asks).at(50), out("", 0x04, 103, asks).at(51), out("REQ-4", 0x04, 104, asks).at(90),
			out("", 0x04, 105, asks).at(150), out("REQ-4", 0x04, 100, asks).at(151)},
		"again, acknowledged long ago": {out("", 0x04, 100, asks), in(0x11, 100), out("TMR-1", 0x04, 100, asks).at(100)},
		"again as the ACK came": {out("", 0x04, 100, asks), in(0x11, 100).at(68),
			out("", 0x04, 100, asks).at(68)},
		"again what is not acknowledged": {out("", 0x04, 100, asks), out("", 0x04, 101, asks), in(0x11, 100),
			out("", 0x04, 101, asks).at(100)},
	} {
		t.Run(name, func(t *testing.T) {
			f := roce.FollowRequester(roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, Timeout: 14,
				RetryCount: 2, RNRRetry: 7, BehindNs: 5000})
			for i, a := range story {
				if !a.sent {
					f.Received(a.ms*1_000_000, &a.packet)
					continue
				}
				v := f.Sent(a.ms*1_000_000, &a.packet)
				require.Equal(t, a.rule, v.Rule, "packet %d: %v", i, v)
			}
		})
	}
}
