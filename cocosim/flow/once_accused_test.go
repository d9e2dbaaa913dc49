package flow_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/roce"
	"hcacosim/vectors"
)

// onceAccused are clean captures that were given so that a certain finding came of them, which the whole tables of
// imperfect captures showed.
var onceAccused = []struct {
	what    string
	capture string
	profile roce.Profile
	order   []int   // of the frames as they are filed; nil: as they were
	lateUS  []int64 // stamps against those of the frames, by place; nil: as they were
	ids     func(old uint16) uint16
}{
	{"the MSN of two answers exchanged, without identifications", "px_at_ack_psn_plus1.b", roce.Spec,
		[]int{0, 1, 2, 3, 5, 4}, []int64{0, 0, 0, 0, -112, 112}, func(uint16) uint16 { return 0 }},
	{"a request filed behind the answer to it", "px_resp_nak_seq_same.b", roce.Rxe,
		[]int{0, 1, 3, 4, 5, 6, 7, 2}, []int64{0, 0, 0, 0, 0, 0, 0, 995}, nil},
	{"two requests with one identification, filed late", "px_extra_future_copy.b", roce.Spec,
		[]int{1, 2, 0, 3, 4, 5, 6, 7}, []int64{0, 0, 921, 763, 0, 0, 0, 0}, nil},
	{"a fatal NAK behind a gap that the order made", "px_wr_first_len_short.b", roce.Spec,
		[]int{0, 2, 3, 1, 4, 5}, []int64{0, -388, -165, 553, 0, 0}, func(uint16) uint16 { return 0 }},
	{"a clock 4.3 s behind the sidecar's", "px_opc_read_in_mid.b", roce.Spec, nil,
		[]int64{-4294967, -4294967, -4294967, -4294967, -4294967, -4294967}, nil},
	// Each identification leaps by 40,503 from the one before, and none lies a little below it: nothing goes back.
	{"identifications that number nothing", "rc_mix_reorder.b", roce.Spec, nil, nil, leaping()},
}

func leaping() func(uint16) uint16 {
	next := uint16(0)
	return func(uint16) uint16 { next += 40503; return next }
}

// TestOnceAccused: nothing is certain in them, and the same captures as they were have no certain finding either.
func TestOnceAccused(t *testing.T) {
	for _, x := range onceAccused {
		t.Run(x.what, func(t *testing.T) {
			path := capturePath(t, x.capture)
			list, opt := frames(t, path), options(t, path, x.profile, false)
			require.Zero(t, judge(t, list, opt).Certain)
			if x.ids != nil {
				list = identifications(x.ids)(nil, list)
			}
			if x.order != nil {
				given := make([]vectors.Frame, len(x.order))
				for i, from := range x.order {
					given[i] = list[from]
				}
				list = given
			}
			list = slices.Clone(list)
			for i, us := range x.lateUS {
				list[i].TimeNS += us * 1000
			}
			list = numbered(list)
			r := judge(t, list, rescanned(t, opt, list))
			require.Zero(t, r.Certain, "%v", r.Violations)
			require.NotZero(t, r.Possible, "the case is none any more")
		})
	}
}
