package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

var peer = wire.FromIPv4(10, 1, 0, 2)

// two makes an adapter with two QPs, the first with the longer timeout.
func two(t *testing.T) *Endpoint {
	cfg := Config{MAC: [6]byte{2, 0, 0, 0, 0, 1}, Address: wire.FromIPv4(10, 1, 0, 1)}
	cfg.PKeys[0] = roce.DefaultPKey
	for i, code := range []uint8{14, 10} {
		q := QP{Number: uint32(1 + i), PeerNumber: 9, PeerMAC: [6]byte{2, 0, 0, 0, 0, 2}, PeerAddress: peer}
		q.Requester = roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, Timeout: code, RetryCount: 1, MaxReads: 1}
		q.Responder = roce.ResponderConfig{Service: ib.RC, PMTUBytes: 256, MaxReads: 1}
		cfg.QPs = append(cfg.QPs, q)
	}
	e, err := New(cfg)
	require.NoError(t, err)
	return e
}

// TMR-1: the timer that runs out first is the next one, whichever was armed first, and both retries end as they must.
func TestTimersInTheirOrder(t *testing.T) {
	e := two(t)
	for qpn := uint32(1); qpn <= 2; qpn++ {
		require.True(t, e.Post(0, qpn, roce.Work{ID: uint64(qpn), Verb: roce.Send, Signaled: true, Len: 4}, make([]byte, 4)))
	}
	sent := 0
	for ok := true; ok; sent++ {
		_, ok = e.Next(0, nil)
	}
	require.Equal(t, 3, sent)
	at, ok := e.NextTimer()
	require.True(t, ok)
	require.EqualValues(t, 4096<<10, at)
	e.Expire(at - 1)
	require.Zero(t, e.Count().Retries["TMR-1"])
	var order []uint32
	for ok {
		e.Expire(at)
		for _, more := e.Next(at, nil); more; _, more = e.Next(at, nil) {
		}
		for _, c := range e.Completions() {
			require.Equal(t, roce.RetryExceeded, c.Status)
			order = append(order, c.QPN)
		}
		at, ok = e.NextTimer()
	}
	require.Equal(t, []uint32{2, 1}, order)
}

// ADM-1 and what lies before it: a frame for another MAC, of a wrong IPv4 checksum, for no QP, or damaged moves
// nothing.
func TestStrangersAreDropped(t *testing.T) {
	good := wire.Spec{Encap: wire.EncapRoCEv2IPv4, DstMAC: [6]byte{2, 0, 0, 0, 0, 1}, SrcMAC: [6]byte{2, 0, 0, 0, 0, 2},
		Src: peer, Dst: wire.FromIPv4(10, 1, 0, 1), HopLimit: 64, Opcode: ib.Join(ib.RC, ib.WriteOnly), DestQP: 1,
		PKey: roce.DefaultPKey, AckReq: true}
	for rule, spoil := range map[roce.Rule]func(frame []byte){
		"MAC":   func(f []byte) { f[5] ^= 4 },
		"ADM-1": func(f []byte) { f[14+10] ^= 1 },
		"ADM-3": func(f []byte) { f[14+20+8+7] = 7 },
		"ADM-6": func(f []byte) { f[len(f)-1] ^= 1 },
	} {
		e := two(t)
		frame := good.Append(nil, nil)
		spoil(frame)
		e.Receive(0, frame)
		require.EqualValues(t, 1, e.Count().Dropped[rule], "%s: %v", rule, e.Count().Dropped)
		_, answers := e.Next(0, nil)
		require.False(t, answers, rule)
	}
	e := two(t)
	e.Receive(0, good.Append(nil, nil))
	_, answers := e.Next(0, nil)
	require.True(t, answers)
}
