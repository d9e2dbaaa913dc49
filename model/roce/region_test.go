package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/roce"
)

// RSP-1: a window that a peer may write to, by a WRITE or by an atomic, is bound only to a region that may be written
// at home; any other to whatever allows binds.
func TestRightsOfARegionAndItsWindow(t *testing.T) {
	rights := []roce.Access{roce.RemoteWrite, roce.RemoteRead, roce.RemoteAtomic, roce.FlushGlobal, roce.FlushPersistent}
	for set := range 1 << len(rights) {
		window := roce.Region{RKey: 9, VA: 0x1000, Len: 8}
		writes := false
		for i, right := range rights {
			if set>>i&1 == 1 {
				window.Access |= right
				writes = writes || right == roce.RemoteWrite || right == roce.RemoteAtomic
			}
		}
		for _, c := range []struct {
			region roce.Access
			bound  bool
		}{{roce.WindowBind, !writes}, {roce.WindowBind | roce.LocalWrite, true}, {roce.LocalWrite, false}} {
			r := roce.NewResponder(&roce.ResponderConfig{Regions: [roce.MaxRegions]roce.Region{
				{RKey: 7, LKey: 70, VA: 0x1000, Len: 0x100, Access: c.region}}})
			require.Equal(t, c.bound, r.Bind(window, 70), "window %Xh, region %Xh", window.Access, c.region)
		}
	}
}
