package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// issueWorld gives rx_issue inputs by hand, and says when what leaves.
type issueWorld struct {
	stage *rxIssue
	out   []sim.Record
}

func (w *issueWorld) request(cycle uint64, q IssueRequest) {
	r := sim.Record{Start: cycle, End: cycle, Port: issuePortRequest, Data: q.Append(nil)}
	w.out = w.stage.Advance(cycle, []sim.Record{r}, w.out)
}

func (w *issueWorld) done(cycle uint64, qpn uint32) {
	d := IssueDone{QPN: qpn}
	r := sim.Record{Start: cycle, End: cycle, Port: issuePortDone, Data: d.Append(nil)}
	w.out = w.stage.Advance(cycle, []sim.Record{r}, w.out)
}

// left is the cycles in which requests left so far.
func (w *issueWorld) left() (cycles []uint64) {
	for i := range w.out {
		cycles = append(cycles, w.out[i].End)
	}
	return cycles
}

// TestIssueByHand: what waits for what, by the table of the document; a verdict counts from the next clock.
func TestIssueByHand(t *testing.T) {
	for _, c := range []struct {
		name           string
		earlier, later IssueRequest
		waits          bool
	}{
		{"nothing in common", IssueRequest{QPN: 1, Queue: 1, UsesWQE: true, Invalidates: true},
			IssueRequest{QPN: 2, Queue: 2, NeedsMessage: true, NeedsWQE: true}, false},
		{"of one QP", IssueRequest{QPN: 1, Queue: 1, UsesWQE: true}, IssueRequest{QPN: 1, Queue: 1, UsesWQE: true}, false},
		{"goes on", IssueRequest{QPN: 1}, IssueRequest{QPN: 1, NeedsMessage: true}, true},
		{"behind an invalidate", IssueRequest{QPN: 1, Invalidates: true}, IssueRequest{QPN: 1, Queue: 7}, true},
		{"a WQE", IssueRequest{QPN: 1, Queue: 1, UsesWQE: true}, IssueRequest{QPN: 1, Queue: 1, NeedsWQE: true}, true},
		{"a WQE that others share", IssueRequest{QPN: 1, Queue: 9, UsesWQE: true},
			IssueRequest{QPN: 2, Queue: 9, NeedsWQE: true}, true},
		{"a WQE of another queue", IssueRequest{QPN: 1, Queue: 8, UsesWQE: true},
			IssueRequest{QPN: 1, Queue: 9, NeedsWQE: true}, false},
		{"both look", IssueRequest{QPN: 1, Queue: 9, NeedsWQE: true}, IssueRequest{QPN: 1, Queue: 9, NeedsWQE: true}, false},
	} {
		w := &issueWorld{stage: &rxIssue{depth: 32}}
		w.request(10, c.earlier)
		w.request(11, c.later)
		w.request(12, IssueRequest{QPN: 5, Queue: 5})
		if c.waits {
			require.Equal(t, []uint64{12}, w.left(), c.name)
			w.done(20, 99)
			w.done(30, c.earlier.QPN)
			require.Equal(t, []uint64{12, 32, 33}, w.left(), c.name)
		} else {
			require.Equal(t, []uint64{12, 13, 14}, w.left(), c.name)
		}
	}
}

// TestIssueDepth: no more than Depth are under way, and verdicts end the oldest one.
func TestIssueDepth(t *testing.T) {
	w := &issueWorld{stage: &rxIssue{depth: 2}}
	for i := range uint64(4) {
		w.request(10+i, IssueRequest{QPN: uint32(i)})
	}
	require.Equal(t, []uint64{12, 13}, w.left())
	w.done(50, 1)
	require.Len(t, w.out, 2, "the verdict on the second one is none yet")
	w.done(60, 0)
	w.done(61, 1)
	require.Equal(t, []uint64{12, 13, 62, 63}, w.left())
}
