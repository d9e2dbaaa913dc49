package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// TestTxPacketizerByHand: a SEND of 600 bytes, a READ of 1,000 and a NAK inside it, with PMTU 256 and start PSN
// FFFFFEh, as docs/blocks/tx_packetizer.md has them (PSN-1, PSN-4, PSN-7, OPC-1, LEN-1, REQ-5 to REQ-7).
func TestTxPacketizerByHand(t *testing.T) {
	p := NewTxPackets(4, 8, psn.Bits)
	p.Step(&TxRecord{Op: TxConfigure, Una: 0xFFFFFE, PMTU: 1, MaxReads: 1, Unlimited: true})
	send := TxRecord{Op: TxPacket, Begun: TxNew, Verb: ib.VerbSend, Length: 600, Solicited: true, Immediate: true}
	read := TxRecord{Op: TxPacket, Begun: TxNew, Verb: ib.VerbRead, Length: 1000, Slot: 1}
	sent := func(r *TxRecord, opcode ib.Opcode, at psn.PSN, count, offset, bytes uint32, ask bool) {
		t.Helper()
		a := p.Step(r)
		require.Equal(t, TxSends, a.What, "%+v", a)
		require.Equal(t, opcode, a.Opcode)
		require.Equal(t, at, a.PSN)
		require.Equal(t, [3]uint32{count, offset, bytes}, [3]uint32{a.Count, a.Offset, a.Bytes})
		require.Equal(t, ask, a.AckReq)
		r.Begun, r.First = TxBegan, a.First
	}
	sent(&send, 0x00, 0xFFFFFE, 1, 0, 256, false)
	sent(&send, 0x01, 0xFFFFFF, 1, 256, 256, false)
	sent(&send, 0x03, 0x000000, 1, 512, 88, true)
	sent(&read, 0x0C, 0x000001, 4, 0, 1000, true)
	second := TxRecord{Op: TxPacket, Begun: TxNew, Verb: ib.VerbFetchAdd, Slot: 2}
	a := p.Step(&second)
	require.Equal(t, TxReads, a.Why) // REQ-9: one is outstanding

	// Two responses of the READ came, the third is missing.
	a = p.Step(&TxRecord{Op: TxVerdict, Una: 3, Progress: true, Order: RetryGoBack, Told: true, Unlimited: true})
	require.Equal(t, [3]psn.PSN{3, 3, 5}, [3]psn.PSN{a.Una, a.Next, a.High})
	require.True(t, a.Oldest)
	a = p.Step(&read) // as the slot, not as the oldest
	require.Equal(t, TxSearches, a.What)
	send.Oldest = true // it has not ended in the send queue yet
	a = p.Step(&send)
	require.Equal(t, TxSearches, a.What)
	require.Equal(t, uint8(1), a.Slot)
	sent(&read, 0x0C, 3, 2, 512, 488, true)
	a = p.Step(&TxRecord{Op: TxVerdict, Una: 5, Progress: true, Ended: true})
	require.Equal(t, uint8(0), a.Reads)
	require.Equal(t, uint8(2), a.Slot)
	sent(&second, 0x14, 5, 1, 0, 0, true)

	a = p.Step(&TxRecord{Op: TxVerdict, Una: 5, Order: RetryWait})
	require.True(t, a.Waiting)
	second.Oldest = true
	a = p.Step(&second)
	require.Equal(t, TxWaits, a.Why)
	p.Step(&TxRecord{Op: TxVerdict, Order: RetryGoOn})
	sent(&second, 0x14, 5, 1, 0, 0, true)
}

// TestTxWindowEndsAtHalf: behind 2^23 packets that are unacknowledged none leaves, whatever the window (PSN-5).
func TestTxWindowEndsAtHalf(t *testing.T) {
	for _, window := range []uint32{0, 1 << 23, 1<<23 + 1, 1<<24 - 1} {
		for _, packets := range []uint32{1<<23 - 1, 1 << 23} {
			for _, una := range []psn.PSN{0, 1, 0xFFFFFF} {
				p := NewTxPackets(4, 8, psn.Bits)
				p.Step(&TxRecord{Op: TxConfigure, Una: una, PMTU: 1, MaxReads: 1, Unlimited: true, Window: window})
				read := TxRecord{Op: TxPacket, Begun: TxNew, Verb: ib.VerbRead, Length: 256 * packets}
				a := p.Step(&read)
				require.Equal(t, packets, a.Count, "%+v", a)
				send := TxRecord{Op: TxPacket, Begun: TxNew, Verb: ib.VerbSend, Slot: 1}
				for range 1<<23 - packets {
					require.Equal(t, TxSends, p.Step(&send).What)
					send.Slot++
				}
				require.Equal(t, TxWindow, p.Step(&send).Why, "window %Xh, READ of %Xh, una %06Xh", window, packets, una)
				p.Step(&TxRecord{Op: TxVerdict, Una: una.Add(1), Progress: true})
				require.Equal(t, TxSends, p.Step(&send).What)
			}
		}
	}
}
