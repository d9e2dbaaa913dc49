package hca

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// input is a record as a bench hands it in: four beats from cycle 100.
func input(link wire.Link, frame []byte) sim.Record {
	return sim.Record{Start: 100, End: 103, Seq: 42, Key: 7, User: uint32(link), Data: frame}
}

// one runs a single record through a fresh stage.
func one(t *testing.T, name string, r sim.Record) sim.Record {
	t.Helper()
	spec, ok := Lookup(name)
	require.True(t, ok)
	out := spec.New(nil).Advance(r.End, []sim.Record{r}, nil)
	require.Len(t, out, 1)
	return out[0]
}

func example(encap wire.Encap) wire.Spec {
	return wire.Spec{Encap: encap, Opcode: ib.Join(ib.RC, ib.SendOnly), Src: wire.FromIPv4(10, 0, 0, 1),
		Dst: wire.FromIPv4(10, 0, 0, 2)}
}

func TestRegisteredPorts(t *testing.T) {
	for name, userIn := range map[string]int{"icrc_check": 1, "icrc_insert": 1, "vcrc_check": 0} {
		spec, ok := Lookup(name)
		require.True(t, ok, name)
		require.Equal(t, []sim.PortSpec{{Name: "s_axis", Input: true, UserBits: userIn}, {Name: "m_axis", UserBits: 12}},
			spec.Ports)
	}
}

func TestPassKeepsWhatIsNotItsOwn(t *testing.T) {
	s := NewICRCCheck(5)
	in := []sim.Record{input(wire.LinkIB, []byte{1}), input(wire.LinkIB, []byte{2})}
	in[1].Seq = 43
	out := s.Advance(200, in, []sim.Record{{Seq: 99}})
	require.Equal(t, sim.Record{Seq: 99}, out[0], "records that were there stay")
	require.Equal(t, sim.Record{Start: 105, End: 108, Seq: 0, Cause: 42, Key: 7, User: 1 << 8, Port: 1, Data: in[0].Data},
		out[1])
	require.Equal(t, uint64(1), out[2].Seq)
	require.Equal(t, uint64(43), out[2].Cause)
	s.Reset()
	require.Equal(t, uint64(0), s.Advance(300, in, nil)[0].Seq)
}

// anInput is a record that a stage can take at its first port: an IB native packet, or a record of zeros.
func anInput(spec sim.StageSpec) sim.Record {
	if spec.Ports[0].Kind == sim.Fields {
		return input(0, make([]byte, 64))
	}
	p := example(wire.EncapIBGlobal)
	return input(wire.LinkIB, p.Append(nil, make([]byte, 1024)))
}

// allocates is for what a stage allocates a record: read_engine's outputs wait in queues of their own, an access on
// AXI4-Lite waits for its other half, and an answer of hca_rx for its turn.
var allocates = map[string]float64{"read_engine": 6, "qp_ctl_axil": 1, "hca_top": 2, "hca_rx": 1}

func TestStagesDoNotAllocate(t *testing.T) {
	for _, spec := range Stages() {
		s, out := spec.New(nil), make([]sim.Record, 0, 4)
		in := []sim.Record{anInput(spec)}
		now := uint64(200)
		step := func() { // a record has left before the next one comes
			s.Advance(now, in, out)
			now, in[0].Start, in[0].End = now+200, in[0].Start+200, in[0].End+200
		}
		step()
		require.LessOrEqual(t, testing.AllocsPerRun(100, step), allocates[spec.Name], spec.Name)
	}
}

// The latency stands in three places: the document, the manifest's window and the model.
func TestLatencies(t *testing.T) {
	number := func(file, pattern string) []uint64 {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		require.NotNil(t, found, file)
		var ns []uint64
		for _, s := range found[1:] {
			if s == nil { // the other way of saying it
				continue
			}
			n, err := strconv.ParseUint(string(s), 10, 64)
			require.NoError(t, err)
			ns = append(ns, n)
		}
		return ns
	}
	for _, spec := range Stages() {
		if len(spec.Ports) != 2 { // it has more than one latency, or none: its own test and its runs hold them
			continue
		}
		manifests, err := filepath.Glob("../../rtl/*/" + spec.Name + ".yaml")
		require.NoError(t, err)
		require.Len(t, manifests, 1, spec.Name)
		if text, err := os.ReadFile(manifests[0]); err == nil && bytes.Contains(text, []byte("from: model")) {
			continue // it depends on more than the record
		}
		latency := number("../../docs/blocks/"+spec.Name+".md", `(?i)latency\D*(\d+)|cycle c \+ (\d+)`)[0]
		require.Equal(t, []uint64{latency, latency}, number(manifests[0], `window: {min: (\d+), max: (\d+)}`), manifests[0])
		require.Equal(t, 103+latency, one(t, spec.Name, anInput(spec)).End, spec.Name)
	}
}
