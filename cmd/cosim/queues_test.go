package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/session"
	"hcacosim/rtl"
)

// queueFill is how many entries a queue has room for, and how many it is to hold at most.
type queueFill struct{ places, most int }

// hcaRxQueues are the queues of hca_rx that docs/blocks/hca_rx.md has (Queues), by instance, and how many entries each
// is to hold in the runs of TestEveryQueueFills: as many as it has places, or as many as can ever come.
var hcaRxQueues = map[string]queueFill{
	"u_ops.u_ops":                      {4, 4},
	"u_admit.u_cls_in":                 {4, 4},
	"u_lookup.u_msg_in.u_queue":        {4, 4},
	"u_lookup.u_mr_in.u_queue":         {4, 4},
	"u_wqe.u_in.u_queue":               {4, 4},
	"u_answer.u_ack_in":                {4, 4},
	"u_serve.u_engines.u_replay_in":    {4, 4},
	"u_verdict.u_rsp_in.u_queue":       {4, 3},
	"u_admit.u_notify.u_in":            {4, 3},
	"u_admit.u_heard.u_responses":      {4, 1},
	"u_admit.u_heard.u_cnps":           {4, 1},
	"u_admit.u_headers":                {16, 12},
	"u_issue.u_requests":               {16, 8},
	"u_lookup.u_requests":              {16, 12},
	"u_lookup.u_located":               {16, 12},
	"u_wqe.u_wqes":                     {16, 16},
	"u_verdict.u_settled":              {32, 32},
	"u_verdict.u_told":                 {32, 32},
	"u_admit.u_ways":                   {64, 64},
	"u_steer.u_heard":                  {64, 64},
	"u_memory.u_cmds":                  {64, 64},
	"u_memory.u_dma.u_order.u_entries": {128, 128},
	"u_memory.u_failed":                {8, 8},
	"u_serve.u_engines.u_works":        {64, 64},
	"u_serve.u_order.u_turns":          {64, 64},
	"u_serve.u_order.u_outcomes":       {8, 8},
	"u_serve.u_order.u_ended":          {4, 4},
	"u_commit.u_told":                  {8, 8},
}

// hcaTxQueues are those of hca_tx that fill, and those that by construction never do (docs/blocks/hca_tx.md, Queues).
var hcaTxQueues = map[string]queueFill{
	"u_ops.u_ops":                     {4, 4},
	"u_retry.u_in.u_queue":            {4, 4},
	"u_place.u_in.u_queue":            {4, 4},
	"u_frames.u_in.u_queue":           {4, 4},
	"u_check.u_responses":             {16, 16},
	"u_check.u_told":                  {16, 16},
	"u_place.u_told":                  {4, 4},
	"u_retry.u_to_packets":            {16, 16},
	"u_retry.u_to_queue":              {16, 16},
	"u_retry.u_beside":                {32, 12},
	"u_packets.u_moved":               {16, 16},
	"u_turn.u_packets":                {8, 8},
	"u_ends.u_given":                  {64, 52},
	"u_frames.u_frame.u_pipe.u_queue": {32, 32},
	"u_queue.u_retire.u_cqes":         {8, 8},
}

// queueRun is a run that fills queues.
type queueRun struct {
	seed, count uint64
	held        float64 // outputs
}

// TestEveryQueueFills plays hca-rx-full into hca_rx, and hca-tx into hca_tx, and looks into them: each queue is as full
// as it can be at least once, and the run agrees: nothing is lost where one is full.
func TestEveryQueueFills(t *testing.T) {
	needVerilator(t)
	onlyLong(t)
	t.Run("hca_rx", func(t *testing.T) {
		fillQueues(t, session.Spec{Dut: "hca_rx", Scenario: "hca-rx-full",
			Params: map[string]int{"NumQps": 64, "DataWidth": 256, "Ecc": 1}},
			[]queueRun{{1, 15600, 0}, {2, 5200, 0}, {1, 5200, 0.7}}, hcaRxQueues)
	})
	t.Run("hca_tx", func(t *testing.T) {
		fillQueues(t, session.Spec{Dut: "hca_tx", Scenario: "hca-tx",
			Params: map[string]int{"NumQps": 32, "DataWidth": 64, "SqDepth": 8, "Reads": 2}},
			[]queueRun{{1, 6000, 0}, {2, 6000, 0.7}}, hcaTxQueues)
	})
}

// fillQueues plays runs into a device that is watched, and holds how far its queues were filled to a table.
func fillQueues(t *testing.T, spec session.Spec, runs []queueRun, want map[string]queueFill) {
	dut, dir := spec.Dut, t.TempDir()
	require.NoError(t, os.CopyFS(dir, rtl.FS))
	watch, err := os.ReadFile("testdata/queues.sv")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "queues.sv"), watch, 0o644))
	replaceIn(t, filepath.Join(dir, "hca.f"), "// ordered:", "queues.sv\n//") // a bind is used by nobody
	said := filepath.Join(dir, "queues.txt")
	spec.Dut, spec.Plusargs = filepath.Join(dir, "top", dut+".yaml"), []string{"queues=" + said}
	for _, run := range runs {
		spec.Seed, spec.Count, spec.Backpressure = run.seed, run.count, run.held
		rep, err := session.Run(context.Background(), spec, session.Options{})
		require.NoError(t, err)
		require.Equal(t, cocosim.Agreed, rep.Object().ExitCode, "%s: %+v", spec.Line(), rep.Object())
	}
	most, places := readQueues(t, said, dut)
	for name, fill := range want {
		require.Equal(t, fill.places, places[name], name)
		if fill.most == fill.places {
			require.Equal(t, fill.most, most[name], name)
			continue
		}
		require.LessOrEqual(t, most[name], fill.most, "%s, which has %d places", name, fill.places)
	}
}

// readQueues reads what testdata/queues.sv writes: of each queue how many entries it held, and could.
func readQueues(t *testing.T, file, dut string) (most, places map[string]int) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	most, places = map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(text)) {
		var name string
		var held, depth int
		_, err := fmt.Sscan(line, &name, &held, &depth)
		require.NoError(t, err, line)
		_, name, _ = strings.Cut(strings.TrimSuffix(name, ".u_watch"), "."+dut+".")
		most[name], places[name] = max(most[name], held), depth
	}
	return most, places
}
