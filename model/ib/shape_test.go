package ib

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// OPC-1 and OPC-2 read a second time: the shape of every opcode from the words of its name.
func TestShapesFollowFromTheName(t *testing.T) {
	for op := range 256 {
		got, info := *Opcode(op).Shape(), Lookup(Opcode(op))
		if info == nil || op == 0x81 || strings.HasSuffix(info.Name, "RESYNC") {
			require.Equal(t, Shape{}, got, "%02X", op)
			continue
		}
		has := func(s string) bool { return strings.Contains(info.Name, s) }
		want := Shape{Imm: has("immediate"), Inv: has("invalidate"), Request: !has("response") && !has("ACK")}
		for _, v := range []struct {
			word string
			verb Verb
		}{{"SEND", VerbSend}, {"WRITE", VerbWrite}, {"READ", VerbRead}, {"CMP", VerbCmpSwap}, {"FETCH", VerbFetchAdd},
			{"ATOMIC ACK", VerbFetchAdd},
			{"ATOMIC WRITE", VerbAtomicWrite}, {"FLUSH", VerbFlush}} {
			if has(v.word) {
				want.Verb = v.verb
			}
		}
		if !has("ACK") {
			want.First = !has("Middle") && !has("Last")
			want.Last = !has("First") && !has("Middle")
		}
		require.Equal(t, want, got, info.Name)
		require.Equal(t, want.Request && (has("SEND") || has("immediate")), got.NeedsReceive(), info.Name)
		require.Equal(t, want.Request && (has("SEND") && want.First || has("immediate") && has("WRITE")), got.SeeksReceive(),
			info.Name)
		require.Equal(t, want.Request && want.Last && (has("SEND") || has("immediate")), got.Completes(), info.Name)
	}
}
