package hca

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The codes are those of docs/blocks/icrc_check.md.
func TestVerdictText(t *testing.T) {
	require.Equal(t, "icrc=good encap=RoCEv2 IPv4 reason=TRUNCATED", VerdictText("icrc_check", 0x621))
	require.Equal(t, "vcrc=bad encap=IB raw reason=OK", VerdictText("vcrc_check", 0x062))
	require.Equal(t, "icrc=written encap=RoCEv1 reason=OK", VerdictText("icrc_insert", 0x011))
	require.Equal(t, "icrc=3? encap=7? reason=15?", VerdictText("icrc_check", 0xF73))
	require.Empty(t, VerdictText("other", 1))
}
