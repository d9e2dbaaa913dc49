package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// TestNotify: which packets give a CNP, breaking a good one in one way each (CNP-1, CNP-4), and whom it goes to
// (CNP-3).
func TestNotify(t *testing.T) {
	marked := func() roce.Marked {
		return roce.Marked{TClass: 0x23, RoCEv2: true, Op: ib.Join(ib.RC, ib.SendOnly), SrcQP: 7, Service: ib.RC}
	}
	for ecn := range uint8(4) {
		p := marked()
		p.TClass = 0xFC | ecn
		require.Equal(t, ecn == 3, new(roce.Notifier).Notify(&p, 0, 10) == roce.NotifySends, ecn)
	}
	p := marked()
	p.RoCEv2 = false
	require.Equal(t, roce.NotifyNotRoCEv2, new(roce.Notifier).Notify(&p, 0, 0))
	p = marked()
	p.Op = ib.OpcodeCNP
	require.Equal(t, roce.NotifyIsCNP, new(roce.Notifier).Notify(&p, 0, 0))
	p = marked()
	require.Equal(t, roce.NotifyNoQP, (*roce.Notifier)(nil).Notify(&p, 0, 0))
	n := roce.Notifier{Peer: 9}
	require.Equal(t, uint32(9), to(&n, &p))
	p.Service = ib.UC
	require.Equal(t, uint32(9), to(&n, &p))
	p.Service = ib.UD
	require.Equal(t, uint32(7), to(&n, &p))
}

// to is whom a CNP goes to; its opcode is 81h (CNP-3).
func to(n *roce.Notifier, p *roce.Marked) uint32 {
	op, qpn := n.CNP(p)
	if op != 0x81 {
		return 0
	}
	return qpn
}

// TestNotifyPeriod: one CNP in a period, counted from the one before; a mark between them moves nothing (CNP-2).
func TestNotifyPeriod(t *testing.T) {
	p := roce.Marked{TClass: 3, RoCEv2: true, Op: ib.Join(ib.UC, ib.SendOnly), Service: ib.UC}
	var n roce.Notifier
	var sent []uint64
	for now := uint64(5); now < 320; now += 7 {
		if n.Notify(&p, now, 100) == roce.NotifySends {
			sent = append(sent, now)
		}
	}
	require.Equal(t, []uint64{5, 110, 215}, sent, "105 is the first multiple of 7 from 100 on")
	require.Equal(t, roce.NotifyTooSoon, n.Notify(&p, 314, 100))
	require.Equal(t, roce.NotifySends, n.Notify(&p, 314, 99), "the period that holds now counts")
	require.Equal(t, roce.NotifySends, n.Notify(&p, 314, 0), "period 0: every mark")
}
