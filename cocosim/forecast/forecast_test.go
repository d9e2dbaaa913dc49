package forecast

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hcacosim/model/hca/timed"
	"hcacosim/model/sim"
)

const rangesFile = "../../docs/predict-ranges.yaml"

// TestWhatIsWrongWithAWorkload: an error says in which line which field is wrong, and why.
func TestWhatIsWrongWithAWorkload(t *testing.T) {
	const good = "mix:\n  - {op: send, bytes: 64, share: 1}\n"
	for text, want := range map[string]string{
		"":                                             ":1: the file is empty",
		"qps: 3\n":                                     ":1: mix: there is no kind of message",
		"qps: [3]\n" + good:                            ":1: cannot unmarshal",
		"qps: 3\nqps: 4\n" + good:                      "already defined",
		"name: a\nmux: 3\n" + good:                     ":2: field mux not found",
		"name: a\n  mix: 3\n":                          ":2: mapping values are not allowed",
		good + "load: .nan\n":                          ":3: load: NaN; it is 0.001 to 1 of the beats of s_axis",
		good + "load: 2\n":                             ":3: load: 2; it is",
		good + "messages: 2000000\n":                   ":3: messages: 2000000; it is 1 to 1000000 messages",
		good + "clock_mhz: 0\n":                        ":3: clock_mhz: 0; it is",
		good + "data_width: 500\n":                     ":3: data_width: 500; it is one of 64, 128, 256, 512, 1024",
		good + "num_qps: 48\n":                         ":3: num_qps: 48; it is a power of two",
		good + "num_qps: 64\nqps: 64":                  ":4: qps: 64; with num_qps 64 it is 1 to 63",
		good + "encap: ipoib\n":                        ":3: encap: ipoib; it is one of ib-global",
		good + "pmtu: 1500\n":                          ":3: pmtu: 1500; it is one of 256",
		good + "vlans: 3\n":                            ":3: vlans: 3",
		good + "order: fifo\n":                         ":3: order: fifo; it is one of round-robin, random",
		good + "damaged: 1\n":                          ":3: damaged: 1",
		good + "---\nqps: 3\n":                         ": a second document follows the first",
		"mix:\n  - {op: flush, bytes: 64, share: 1}\n": ":2: mix[0].op: flush; it is one of send, write, read",
		good + "reads: 9\n":                            ":3: reads: 9; it is 1 to 8 READs and atomics",
		"mix:\n  - {op: send, share: 1}\n  - op: send\n    bytes: -1\n": ":4: mix[1].bytes: -1; it is 0 to 1048576 bytes",
		"mix:\n  - {op: send, bytes: 1, share: 0}\n":                    ":2: mix: no kind of message has a share",
		"mix:\n  - {op: send, share: 1, ack: first}\n":                  ":2: mix[0].ack: first",
		"messages: 1000000\nmix:\n  - {op: send, bytes: 9999, share: 1}": ":1: messages: 1000000 messages of this mix are " +
			"about 9536 MiB",
		good + "host: {pcie_read_ns: -1}\n":         ":3: host.pcie_read_ns: -1",
		good + "queues:\n  way: 3\n":                ":4: queues.way: there is no such queue; there are ack_gen-beats",
		good + "queues:\n  ways: 0\n":               ":4: queues.ways: 0",
		good + "queues:\n  icrc_gate-store: 9000\n": ":4: queues.icrc_gate-store: 9000; a store is a multiple of 8192 bytes",
	} {
		_, err := Parse([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
	w, err := Parse([]byte(good))
	require.NoError(t, err)
	require.True(t, w.AsBuilt())
	require.Equal(t, "last", w.Mix[0].Ack)
	file := filepath.Join(t.TempDir(), "w.yaml")
	require.NoError(t, os.WriteFile(file, []byte("load: 7\n"+good), 0o600))
	_, err = Read(file)
	require.ErrorContains(t, err, file+":1: load: 7")
}

// TestWorkloadsComeThrough: whatever is drawn, every good frame passes, all payload leaves, every ACK that is asked for
// comes, and a damaged frame is dropped.
func TestWorkloadsComeThrough(t *testing.T) {
	x, err := ReadRanges(rangesFile)
	require.NoError(t, err)
	x.Clocks = 2000
	for i := range x.Workloads {
		w, err := x.Draw(i)
		require.NoError(t, err)
		again, err := x.Draw(i)
		require.NoError(t, err)
		require.Equal(t, w, again)
		tr := NewTraffic(w)
		c, _ := Predict(w, tr)
		o := Measure(w, tr, c)
		good, payload, read, answers := 0, 0, 0, 0
		for _, m := range tr.Meant {
			if m.Damaged {
				continue
			}
			good++ // a stranger is good; nobody is there to take it
			payload += m.Payload
			read += m.Read
			answers += m.Answers
		}
		require.Equal(t, len(tr.Inputs[timed.Frames]), o.Frames, w)
		require.Equal(t, []int{good, payload, read, answers},
			[]int{o.Passed, int(o.PayloadBytes), int(o.ReadBytes), o.Answers}, w)
		require.Zero(t, o.Refused, w)
		require.LessOrEqual(t, o.BeatsPerClock, 1.0)
		require.Greater(t, o.PacketsPerSecond, 0.0)
	}
}

// TestMissesTakeTheirTime: of two QPs in turn with room for one context each packet waits for its miss; what fits into
// the cache does not. A SEND waits for no key, a WRITE does (docs/predict.md, "Host and memory").
func TestMissesTakeTheirTime(t *testing.T) {
	period := func(change func(*Workload)) float64 {
		w := Default()
		w.QPs, w.Messages, w.ClockMHz = 2, 500, 100
		w.Mix = []Mix{{"write", 64, 1, "last"}}
		w.Host = Host{PCIeReadNs: 900, ContextMissNs: 95, TranslationMissNs: 295}
		change(w)
		require.Nil(t, w.check())
		tr := NewTraffic(w)
		c, _ := Predict(w, tr)
		last := c[timed.Records][50:450] // before and behind it queues fill and drain
		return float64(last[len(last)-1].End-last[0].End) / float64(len(last)-1)
	}
	threeBeats := period(func(*Workload) {})
	require.Equal(t, 3.0, threeBeats)
	one := func(w *Workload) { w.Host.ContextEntries = 1 }
	require.Equal(t, 101.0, period(one), "995 ns are 100 clocks, and one to move on")
	require.InDelta(t, threeBeats, period(func(w *Workload) { w.Host.ContextEntries = 4 }), 0.3, "a miss of each")
	send := func(w *Workload) { w.Mix[0].Op = "send" }
	require.Equal(t, period(send), period(func(w *Workload) { send(w); w.Host.TranslationEntries = 1 }), "SEND")
	require.Equal(t, 121.0, period(func(w *Workload) { w.Host.TranslationEntries = 1 }), "1195 ns are 120 clocks")
}

// TestEveryConstantShows: with any latency a clock longer, or any queue an entry less deep, something leaves in another
// clock in one of the workloads that RTL is compared with: a wrong constant would be seen there.
func TestEveryConstantShows(t *testing.T) {
	x, err := ReadRanges(rangesFile)
	require.NoError(t, err)
	x.Clocks, x.Ops = 3000, []string{"send", "write"}
	type run struct {
		w *Workload
		t *Traffic
		c *Crossed
	}
	var runs []run
	for i := range 9 {
		w := Pressed(i&1 == 0)
		switch {
		case i >= 5:
			w = reading(i - 5)
		case i >= 2:
			w, err = x.Draw(i)
			require.NoError(t, err)
		}
		tr := NewTraffic(w)
		c, _ := Predict(w, tr)
		runs = append(runs, run{w, tr, c})
	}
	sizes := timed.Queues()
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		was := sizes[name]
		longer, flatter := was, was
		longer.Latency++
		flatter.Depth--
		if was.Depth >= smallestStore {
			flatter.Depth -= 64 - 1 // a beat
		}
		for what, size := range map[string]timed.Size{"latency": longer, "depth": flatter} {
			shows := slices.ContainsFunc(runs, func(r run) bool {
				cfg := r.w.model()
				cfg.Queues = map[string]timed.Size{name: size}
				cfg.Memory = newMemory(r.w).answer
				c, _ := Foresee(cfg, &r.t.Inputs)
				return !reflect.DeepEqual(c, r.c)
			})
			assert.Equal(t, !slices.Contains(unseen, name+" "+what), shows, "%s %s", name, what)
		}
	}
}

// reading are workloads of READs and atomics: free with a memory that is near, large READs held, and both with one
// that is far; READs alone, held for long.
func reading(i int) *Workload {
	w := Default()
	w.Messages, w.QPs, w.PMTU, w.Host = 120, 8, 256, Host{ReadNs: 20, WriteNs: 20}
	w.Mix = []Mix{{"read", 0, 2, "last"}, {"read", 700, 3, "last"}, {"fetch-add", 8, 2, "last"}, {"write", 64, 1, "last"}}
	if i > 0 {
		w.Backpressure, w.Idle, w.Interleave = 0.4, 0.3, true
		w.Mix = append(w.Mix, Mix{"read", 5000, 2, "last"}, Mix{"write", 64, 8, "last"})
	}
	if i > 1 {
		w.Idle, w.Host = 0, Host{ReadNs: 1000, WriteNs: 1000}
	}
	if i > 2 {
		w.Mix, w.Backpressure = []Mix{{"read", 2000, 1, "last"}, {"read", 64, 1, "last"}}, 0.9
	}
	return w
}

// unseen is what no workload can show. What waits for its header or its request is longer under way itself than these
// are, and fewer than they hold are; of operations never more than one waits. Behind rx_issue nothing waits for longer
// than a commit or operation before it takes, since there is room for all verdicts that are under way: no queue there
// is ever full. rq_head is through before msg_tracker and mr_lookup are. What is under way is no queue with a latency.
// Nothing of a workload is marked, and cnp_gen has spoken long before a verdict. No write of a workload fails; a
// payload is there long before its record is, and no write is acknowledged as soon as it begins. Memory acknowledges
// writes as they leave, so one at a time. Of READs and atomics: one atomic is under way at a time, and one answer is
// looked at; what it waits for comes back before. No request comes again, so nobody waits for replay_fifo. No memory
// fails, so no QP is dead. resp_psn_check takes what it is told at once. Fewer than four records of READs wait for
// their turn.
var unseen = []string{"headers latency", "headers depth", "operations depth", "requests-issue latency",
	"requests-issue depth", "requests-message latency", "requests-message depth", "requests-key latency",
	"requests-key depth", "rq_head-input latency", "wqes latency", "wqes depth", "under-way latency",
	"msg_tracker-input depth", "msg_tracker depth", "rq_head-input depth", "mr_lookup-input depth", "mr_lookup depth",
	"resp_psn_check-input depth", "resp_psn_check depth", "verdicts depth", "failed latency",
	"failed depth", "cnp_gen-input latency", "cnp_gen-input depth", "cnp_gen latency", "cnp_gen depth",
	"notices latency", "notices depth", "rx_dma-entries latency", "rx_dma-acknowledgements depth",
	"atomic_engine-acknowledgements depth", "atomic_engine-commands depth", "atomic_engine-data depth",
	"atomic_engine-reads depth", "atomic_engine-results depth", "atomic_engine-writes depth", "dead depth",
	"dead latency", "outcomes depth", "path-mtu depth", "read_engine-frames depth",
	"read_engine-records depth", "replay_fifo depth",
	"replay_fifo latency", "replay_fifo-input depth", "replay_fifo-input latency"}

// TestDocumentHasTheNumbers: the table of docs/predict.md is what the model has.
func TestDocumentHasTheNumbers(t *testing.T) {
	text, err := os.ReadFile("../../docs/predict.md")
	require.NoError(t, err)
	written := map[string]timed.Size{}
	row := regexp.MustCompile("(?m)^\\| `([a-z_-]+)` \\| (\\d+) \\| (\\d+) \\| ")
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		var size timed.Size
		_, err := fmt.Sscan(m[2]+" "+m[3], &size.Latency, &size.Depth)
		require.NoError(t, err)
		written[m[1]] = size
	}
	require.Equal(t, timed.Queues(), written)
}

// TestWithinIsEitherWay: within so many clocks are records that leave as many too early or too late, and no more.
func TestWithinIsEitherWay(t *testing.T) {
	var foreseen, device Crossed
	for _, late := range []int{-17, -16, -1, 0, 1, 16, 17, 200} {
		foreseen[timed.Records] = append(foreseen[timed.Records], sim.Record{End: 1000})
		device[timed.Records] = append(device[timed.Records], sim.Record{End: uint64(1000 + late)})
	}
	e := &Compare(&foreseen, &device).Last[timed.Records]
	for clocks, share := range map[int64]float64{0: 1. / 8, 1: 3. / 8, 15: 3. / 8, 16: 5. / 8, 17: 7. / 8, 200: 1} {
		require.InDelta(t, share, e.Within(clocks), 1e-9, "within %d clocks", clocks)
	}
}
