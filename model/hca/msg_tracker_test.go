package hca

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func (m *Messages) run(q MsgQuery) MsgResult { return m.Step(&q) }

// TestMessagesByHand: a WRITE of 5000 bytes at a path MTU of 2048 goes 2048, 2048, 904; look-ups in between change
// nothing, and a SEND of another QP is apart.
func TestMessagesByHand(t *testing.T) {
	m := &Messages{numQPs: 4}
	first := MsgQuery{Op: MsgCommit, QPN: 2, Verb: MsgWrite, First: true, Payload: 2048, VA: 0x10000, RKey: 0x77,
		DMALength: 5000}
	require.Equal(t, MsgPlace{VA: 0x10000, RKey: 0x77, Left: 5000}, m.run(first).MsgPlace)
	middle := MsgQuery{QPN: 2, Verb: MsgWrite, Payload: 2048}
	second := MsgPlace{VA: 0x10800, RKey: 0x77, Offset: 2048, Left: 2952}
	require.Equal(t, MsgResult{QPN: 2, Found: true, MsgPlace: second}, m.run(middle))
	require.True(t, m.run(MsgQuery{Op: MsgCommit, QPN: 1, Verb: MsgSend, First: true, Payload: 100}).Found)
	middle.Op = MsgCommit
	require.Equal(t, second, m.run(middle).MsgPlace)
	last := MsgQuery{Op: MsgCommit, QPN: 2, Verb: MsgWrite, Last: true, Payload: 904}
	require.Equal(t, MsgPlace{VA: 0x11000, RKey: 0x77, Offset: 4096, Left: 904}, m.run(last).MsgPlace)
	require.False(t, m.run(last).Found, "it is closed")
	require.Equal(t, MsgPlace{Offset: 100}, m.run(MsgQuery{QPN: 1, Verb: MsgSend, Last: true, Payload: 1}).MsgPlace)
}

// TestMessagesEdges: what is not found, what turns over, what takes another's place.
func TestMessagesEdges(t *testing.T) {
	m := &Messages{numQPs: 4}
	first := MsgQuery{Op: MsgCommit, QPN: 3, Verb: MsgWrite, First: true, Payload: 256, VA: 1<<64 - 1, RKey: 5,
		DMALength: 200}
	require.True(t, m.run(first).Found)
	require.False(t, m.run(MsgQuery{QPN: 3, Verb: MsgSend}).Found, "a SEND does not go on with a WRITE")
	require.False(t, m.run(MsgQuery{QPN: 3, Verb: 3}).Found)
	require.False(t, m.run(MsgQuery{QPN: 7, Verb: MsgWrite}).Found, "a number that shares bits")
	require.Equal(t, MsgPlace{VA: 255, RKey: 5, Offset: 256}, m.run(MsgQuery{QPN: 3, Verb: MsgWrite}).MsgPlace,
		"2^64 turns over, and what is left does not")
	require.False(t, m.run(MsgQuery{Op: MsgCommit, QPN: 3, Verb: MsgSend, Last: true}).Found)
	require.True(t, m.run(MsgQuery{QPN: 3, Verb: MsgWrite}).Found, "a commit that finds nothing changes nothing")
	require.True(t, m.run(MsgQuery{Op: MsgCommit, QPN: 3, Verb: MsgSend, First: true, Payload: 1}).Found)
	require.False(t, m.run(MsgQuery{QPN: 3, Verb: MsgWrite}).Found, "another message has its place (RSP-3)")
	require.True(t, m.run(MsgQuery{Op: MsgClear, QPN: 3}).Found)
	require.False(t, m.run(MsgQuery{QPN: 3, Verb: MsgSend}).Found)
	require.False(t, m.run(MsgQuery{Op: 3, QPN: 3}).Found)
}
