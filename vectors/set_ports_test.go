package vectors

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// twoPorts is a stage with a packet port, a port of fields and a sideband that is more than the link.
type twoPorts struct{ seq uint64 }

func (s *twoPorts) Reset() { s.seq = 0 }

func (s *twoPorts) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	for i := range in {
		out = append(out, sim.Record{Port: 2, Seq: s.seq, Cause: in[i].Seq, Key: 7, Data: []byte{byte(in[i].Port),
			byte(in[i].User)}})
		s.seq++
	}
	return out
}

var twoPortsSpec = sim.StageSpec{Name: "two_ports", New: func(sim.Settings) sim.Stage { return &twoPorts{} },
	Ports: []sim.PortSpec{
		{Name: "rx", Input: true, Kind: sim.Axis, UserBits: 8},
		{Name: "timer", Input: true, Kind: sim.Fields},
		{Name: "event", Kind: sim.Fields},
	}}

// listSource plays records.
type listSource struct {
	records []sim.Offer
	at      int
}

func (s *listSource) Next(r *sim.Offer) error {
	if s.at == len(s.records) {
		return io.EOF
	}
	*r = s.records[s.at]
	s.at++
	return nil
}

func (s *listSource) Why() []byte { return []byte("because") }

// TestPortsThatAreNoPackets: their records, and sidebands that say more than the link, travel in records.jsonl.
func TestPortsThatAreNoPackets(t *testing.T) {
	in := []sim.Offer{
		{Port: 1, Seq: 0, Data: []byte{1}},
		{Port: 0, Seq: 0, Data: []byte("plain"), User: 1},
		{Port: 0, Seq: 1, Data: []byte("odd"), User: 0xA4},
		{Port: 1, Seq: 1, Data: []byte{2, 3}},
		{Port: 1, Seq: 2, Data: []byte{4}},
		{Port: 0, Seq: 2, Data: []byte("plain again")},
		{Port: 1, Seq: 3, Data: []byte{5}},
	}
	dir := filepath.Join(t.TempDir(), "set")
	set, err := writeSet(dir, twoPortsSpec, Manifest{Dut: "two_ports"}, &listSource{records: in},
		SetOptions{ReadmemhBits: 64, CHeader: true})
	require.NoError(t, err)
	require.NoError(t, set.checkFiles())
	stimulus, err := set.Stimulus()
	require.NoError(t, err)
	defer stimulus.Close()
	for i, want := range in {
		var r sim.Offer
		require.NoError(t, stimulus.Next(&r))
		require.Equal(t, want, r, "record %d", i)
	}
	require.Equal(t, io.EOF, stimulus.Next(&sim.Offer{}))
	lines := filepath.Join(dir, recordsFile)
	require.Equal(t, lines+", line 1: record 0 of timer", stimulus.Origin(0))
	require.Equal(t, filepath.Join(dir, stimulusFile)+", packet 1: because", stimulus.Origin(1))
	require.Regexp(t, regexp.QuoteMeta(lines)+", line [0-9]+: record 1 of timer$", stimulus.Origin(3),
		"the packet before it has a comment, the record has none")
	expected, err := set.Expected()
	require.NoError(t, err)
	defer expected.Close()
	for i, cause := range in {
		var r sim.Record
		require.NoError(t, expected.Next(&r))
		require.Equal(t, sim.Record{Port: 2, Seq: uint64(i), Cause: cause.Seq, Key: 7, Data: []byte{byte(cause.Port),
			byte(cause.User)}}, r)
	}
	require.Equal(t, io.EOF, expected.Next(&sim.Record{}))
	require.Contains(t, string(fileOf(t, set, "event.memh")), "\na400\n", "bit 0 of byte 0 is bit 0 of the word")
}

// fork is a stage that sends packets out of two ports in turn.
type fork struct{ seqs [3]uint64 }

func (s *fork) Reset() { *s = fork{} }

func (s *fork) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	for i := range in {
		port := 1 + sim.Port(in[i].Seq%2)
		out = append(out, sim.Record{Port: port, Seq: s.seqs[port], Cause: in[i].Seq, Data: in[i].Data})
		s.seqs[port]++
	}
	return out
}

// TestLinesAndPacketsMustMatch: a line of one port does not take the packet of another.
func TestLinesAndPacketsMustMatch(t *testing.T) {
	spec := sim.StageSpec{Name: "fork", New: func(sim.Settings) sim.Stage { return &fork{} }, Ports: []sim.PortSpec{
		{Name: "in", Input: true, UserBits: 1}, {Name: "even"}, {Name: "odd"}}}
	in := []sim.Offer{{Seq: 0, Data: []byte("zero")}, {Seq: 1, User: 1, Data: []byte("one")},
		{Seq: 2, Data: []byte("two")}}
	set, err := writeSet(filepath.Join(t.TempDir(), "set"), spec, Manifest{Dut: "fork"}, &listSource{records: in},
		SetOptions{})
	require.NoError(t, err)
	expected, err := set.Expected()
	require.NoError(t, err)
	defer expected.Close()
	for i, want := range []sim.Record{{Port: 1, Data: in[0].Data}, {Port: 2, Cause: 1, Data: in[1].Data},
		{Port: 1, Seq: 1, Cause: 2, Data: in[2].Data}} {
		var r sim.Record
		require.NoError(t, expected.Next(&r))
		require.Equal(t, want, r, "record %d", i)
	}

	lines := strings.SplitAfter(string(fileOf(t, set, recordsFile)), "\n")
	lines[0], lines[1] = lines[1], lines[0]
	require.NoError(t, os.WriteFile(filepath.Join(set.Dir, recordsFile), []byte(strings.Join(lines, "")), 0o666))
	expected, err = set.Expected()
	require.NoError(t, err)
	defer expected.Close()
	require.ErrorContains(t, expected.Next(&sim.Record{}), "line 1: is of port odd, but the packet is of even")
}
