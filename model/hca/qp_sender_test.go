package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// sends is a QP in RTR whose requester is configured: docs/blocks/qp_ctl.md, by hand.
func sends(t *testing.T) *desk {
	d := newDesk(t)
	for _, w := range [...]struct {
		at   uint16
		data uint32
	}{
		{0x00C, 0x11}, {0x100, 0x22 | 1<<26}, {0x104, 0x123456 | 3<<29}, {0x10C, 64 << 16},
		{0x110, 0x0A000009}, {0x114, 0xFFFF}, {0x120, 0x03040506}, {0x124, 0x0102},
		{0x130, 0xABCDEF | 14<<24 | 7<<29}, {0x134, 64 | 6<<24 | 4<<27}, {0x138, 1<<4 | 1<<6 | 3<<8 | 0x1234<<16},
		{0x020, 0xFFFF | 0xC123<<16}, {0x024, uint32(wire.EncapRoCEv2IPv4) | 0x88<<8 | 5<<16}, {0x028, 0x11111111},
		{0x02C, 0x22222222}, {0x030, 0x0A000002}, {0x034, 0xFFFF}, {0x038, 0}, {0x03C, 0},
		{0x008, 1}, {0x008, 2},
	} {
		require.Equal(t, QPCtlOkay, d.write(w.at, w.data))
	}
	return d
}

// TestQPCtlSends takes a QP to RTS, to SQD and back, and to ERROR: what each block of the transmit side is told.
func TestQPCtlSends(t *testing.T) {
	d := sends(t)
	d.write(0x008, 13)
	require.Equal(t, []QPCtlTarget{9, 10, 12, 11, 14, 15, 13}, d.last)
	require.Equal(t, uint32(5), d.read(0x13C)&7)
	d.write(0x008, 13)
	require.Equal(t, uint32(QPCtlState), d.read(0x004))
	for _, s := range []struct {
		command, state uint32
		to             []QPCtlTarget
	}{
		{14, 6, []QPCtlTarget{12}},
		{13, 5, []QPCtlTarget{12}},
		{14, 6, []QPCtlTarget{12}},
		{3, 3, []QPCtlTarget{QPCtlToClassify, QPCtlToResponder, 9, 10, 12, 11}},
		{4, 4, []QPCtlTarget{QPCtlToClassify}},
	} {
		d.write(0x008, s.command)
		require.Equal(t, s.to, d.last, s.command)
		require.Equal(t, s.state, d.read(0x13C)&7)
	}
	d = sends(t)
	d.write(0x008, 13)
	d.write(0x008, 4)
	require.Equal(t, []QPCtlTarget{QPCtlToClassify, 9, 10, 12, 11}, d.last, "CLOSE ends what it sends")
}

// TestQPCtlSendError takes a QP of UC to SQE and back: what it sends ends, what it receives does not. RC has no such
// state.
func TestQPCtlSendError(t *testing.T) {
	d := sends(t)
	d.write(0x008, 13)
	d.write(0x008, 16)
	require.Equal(t, uint32(QPCtlState), d.read(0x004))
	d.ctl.(*qpCtl).file.selected().cfg[0] |= 1 << 24
	ends, begins := []QPCtlTarget{9, 10, 12, 11}, []QPCtlTarget{9, 10, 12, 11, 14, 15, 13}
	for _, s := range []struct {
		command, state uint32
		to             []QPCtlTarget
	}{
		{16, 7, ends},
		{13, 5, begins},
		{14, 6, []QPCtlTarget{12}},
		{16, 7, ends},
		{3, 3, []QPCtlTarget{QPCtlToClassify, QPCtlToResponder}},
	} {
		d.write(0x008, s.command)
		require.Equal(t, s.to, d.last, s.command)
		require.Equal(t, s.state, d.read(0x13C)&7)
	}
	d.write(0x008, 16)
	require.Equal(t, uint32(QPCtlState), d.read(0x004))
	d.write(0x008, 17)
	require.Equal(t, uint32(QPCtlUnknown), d.read(0x004))
}

// TestQPCtlSendRecords holds the records of RTS to the registers.
func TestQPCtlSendRecords(t *testing.T) {
	d := sends(t)
	d.cycle += 100
	records := map[QPCtlTarget][]byte{}
	for _, op := range d.ctl.(*qpCtl).file.senderOps(QPCommandRTS, d.ctl.(*qpCtl).file.selected(), QPRTR) {
		records[op.To] = op.Record
	}
	require.Equal(t, ReqRecord{QPN: 0x11, Op: ReqConfigure, PSN: 0xABCDEF, PMTU: 3, MaxReads: 4,
		Profile: ReqCreditsLimited}, ParseReqRecord(records[9]))
	require.Equal(t, RetryRecord{QPN: 0x11, Op: RetryConfigure, Una: 0xABCDEF, Code: 14, RetryCnt: 7, RNRRetry: 6},
		ParseRetryRecord(records[10]))
	require.Equal(t, SQRecord{QPN: 0x11, Op: SQClear, Slot: 3, Una: 0xABCDEF}, ParseSQRecord(records[11]))
	require.Equal(t, TxRecord{QPN: 0x11, Op: TxConfigure, Una: 0xABCDEF, PMTU: 3, MaxReads: 4, Window: 64,
		WholeRead: true}, ParseTxRecord(records[12]))
	require.Equal(t, SchedRecord{QPN: 0x11, Op: SchedSet, Weight: 3}, ParseSchedRecord(records[13]))
	require.Equal(t, RateQuery{QPN: 0x11, Op: RateSet, Pace: 0x1234}, ParseRateQuery(records[15]))
	way := FrameWay{WayBack: WayBack{Encap: wire.EncapRoCEv2IPv4, VLAN: [2]uint32{0x11111111, 0x22222222}, SL: 5,
		TClass: 0x88, UDPSrcPort: 0xC123, Src: roce.Address(wire.FromIPv4(10, 0, 0, 2)),
		Dst: roce.Address(wire.FromIPv4(10, 0, 0, 9))}, PKey: 0xFFFF, PeerQPN: 0x22, MAC: [6]byte{1, 2, 3, 4, 5, 6},
		HopLimit: 64}
	require.Equal(t, appendWay(FrameSet, 0x11, &way), records[14])
}
