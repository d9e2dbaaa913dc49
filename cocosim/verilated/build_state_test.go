package verilated

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStateIsNamed: each way in which Verilator writes a first value, in turn; what it draws elsewhere stays.
func TestStateIsNamed(t *testing.T) {
	const before = `    vlSelf->q = VL_RAND_RESET_I(2);
    vlSelf->__Vdly__top__DOT__q 
        = VL_RAND_RESET_Q(40);
        vlSelf->top__DOT__mem[__Vi0] = VL_RAND_RESET_I(27);
    VL_RAND_RESET_W(73, vlSelf->in_q);
    other = VL_RAND_RESET_I(3);
`
	const after = `    vlSelf->q = hca_state_i(vlSelf->name(), "q", 2);
    vlSelf->__Vdly__top__DOT__q 
        = hca_state_q(vlSelf->name(), "__Vdly__top__DOT__q", 40);
        vlSelf->top__DOT__mem[__Vi0] = hca_state_i(vlSelf->name(), "top__DOT__mem", 27);
    hca_state_w(vlSelf->name(), "in_q", 73, vlSelf->in_q);
    other = VL_RAND_RESET_I(3);
`
	require.Equal(t, after, string(namedState([]byte(before))))
}
