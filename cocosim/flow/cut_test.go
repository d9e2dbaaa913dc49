package flow_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/roce"
	"hcacosim/vectors"
)

// Frames that the snap length cut behind their headers are followed: everything is judged but payload and ICRC, clean
// traffic stays clean, and the flows count what they count of whole frames.
func TestCutBehindHeaders(t *testing.T) {
	wrong, found, whole := 0, 0, 0
	for _, path := range captureFiles(t) {
		list := frames(t, path)
		cut := numbered(snapped(100)(nil, list))
		for _, v := range vantages(t, path, roce.Rxe) {
			before, r := judge(t, list, v.opt), judge(t, cut, rescanned(t, v.opt, cut))
			if before.Certain+before.Possible == 0 && before.Odd == 0 && len(before.ICRC) == 0 {
				require.Zero(t, r.Certain+r.Possible, "%s, %s: %v", path, v.name, r.Violations)
				require.Zero(t, r.CutAt, path)
				require.Equal(t, before.Judged, r.Judged, "%s, %s: %v", path, v.name, r.NotJudged)
			}
		}
	}
	// And what is wrong with a PSN or an opcode is still seen.
	for _, parent := range parents {
		for _, side := range []string{"a", "b"} {
			path := capturePath(t, parent+"."+side)
			list := frames(t, path)
			opt := options(t, path, roce.Rxe, false)
			own := opt.Sidecar.A.IP
			if opt.At == "B" {
				own = opt.Sidecar.B.IP
			}
			eachWrong(list, own, []string{"response PSN + 1", "request PSN + 5", "MSN + 1", "request Last as Middle"}, 6,
				func(_ string, _ int, bad []vectors.Frame) {
					wrong++
					if r := judge(t, numbered(snapped(100)(rand.New(rand.NewPCG(1, 1)), bad)), opt); r.Certain+r.Possible > 0 {
						found++
					}
					if r := judge(t, numbered(bad), opt); r.Certain+r.Possible > 0 {
						whole++
					}
				})
		}
	}
	require.NotZero(t, wrong)
	require.Greater(t, 100*found, 98*whole)
	t.Logf("of %d wrong captures %d are found whole and %d cut", wrong, whole, found)
}
