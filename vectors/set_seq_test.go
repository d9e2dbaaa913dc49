package vectors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/vectors/scenario"
)

// seqLine is what a line of records.jsonl says of its place.
type seqLine struct {
	Port string
	Seq  uint64
}

// TestSeqCountsEachPort: in the file of every stage, seq counts the records of each port from 0.
func TestSeqCountsEachPort(t *testing.T) {
	for _, stage := range Stages() {
		set := generate(t, scenario.Default(stage.Name).Name, stage.Name, 5, 300, SetOptions{})
		next := map[string]uint64{}
		for line := range bytes.Lines(fileOf(t, set, recordsFile)) {
			var l seqLine
			require.NoError(t, json.Unmarshal(line, &l))
			_, port := set.port(l.Port)
			if port.Input && port.Kind == "axis" {
				continue // only some packets that go in have a line
			}
			require.Equal(t, next[l.Port], l.Seq, "%s: %s", stage.Name, line)
			next[l.Port]++
		}
	}
}

// TestCheckCountsEachPort: a set with a line that is misnumbered is not intact, whichever side it is of.
func TestCheckCountsEachPort(t *testing.T) {
	set := generate(t, "retx-timer", "retx_timer", 5, 300, SetOptions{})
	for port, want := range map[string]string{"s_op": "record 1 of s_op has seq 7", "m_op": "the set expects m_op 7",
		"m_exp": "the set expects m_exp 7"} {
		require.ErrorContains(t, checkRewritten(t, set, recordsFile, func(s string) string {
			return strings.Replace(s, fmt.Sprintf(`{"port":%q,"seq":1,`, port), fmt.Sprintf(`{"port":%q,"seq":7,`, port), 1)
		}), want)
	}
	set = generate(t, "mix", "icrc_check", 5, 30, SetOptions{})
	info := set.Files[recordsFile]
	info.Records++
	set.Files[recordsFile] = info
	require.ErrorContains(t, checkRewritten(t, set, recordsFile, func(s string) string {
		return s + `{"port":"s_axis","seq":30,"after":31,"user":1}` + "\n"
	}), "s_axis 30 has no place in the stimulus")
}

// misnumbered is a stage that gives every record the same number.
type misnumbered struct{ twoPorts }

func (s *misnumbered) Advance(to uint64, in, out []sim.Record) []sim.Record {
	s.seq = 0
	return s.twoPorts.Advance(to, in, out)
}

// TestWriterCountsEachPort: no set is made of a model that does not count.
func TestWriterCountsEachPort(t *testing.T) {
	spec := twoPortsSpec
	spec.New = func(sim.Settings) sim.Stage { return &misnumbered{} }
	in := &listSource{records: []sim.Offer{{Port: 1, Data: []byte{1}}, {Port: 1, Seq: 1, Data: []byte{2}}}}
	_, err := writeSet(filepath.Join(t.TempDir(), "set"), spec, Manifest{Dut: "two_ports"}, in, SetOptions{})
	require.ErrorContains(t, err, "the model numbers record 1 of event as 0")
}
