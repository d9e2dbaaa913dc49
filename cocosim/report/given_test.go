package report

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// TestOperationsAreThoseOfTheDocuments: each name and code is in the table of operations of docs/blocks, and none of
// those is left out.
func TestOperationsAreThoseOfTheDocuments(t *testing.T) {
	row := regexp.MustCompile(`^\| ([0-9, ]+) \| ([^|]+) \|`)
	for stage, names := range operations {
		text, err := os.ReadFile("../../docs/blocks/" + stage + ".md")
		require.NoError(t, err)
		if stage == "ack_gen" { // it has no table
			require.Contains(t, string(text), "0 answer, 1 set a QP, 2 own")
			continue
		}
		_, table, ok := strings.Cut(string(text), "| op | name |")
		require.True(t, ok, stage)
		var said []string
		for line := range strings.Lines(table) {
			m := row.FindStringSubmatch(line)
			if m == nil && len(said) > 0 {
				break
			}
			if m == nil {
				continue
			}
			for _, code := range strings.Split(m[1], ", ") {
				n, err := strconv.Atoi(code)
				require.NoError(t, err)
				require.Len(t, said, n, stage)
				said = append(said, m[2])
			}
		}
		require.Equal(t, said, names, stage)
	}
}

// violationOf is a wrong record of a device that comes along: what was given, and what the model says of it.
func violationOf(t *testing.T, dut string, in, want []byte) (*Report, *cocosim.Violation) {
	m, err := manifest.Find(dut)
	require.NoError(t, err)
	stage, ok := stages.Lookup(dut)
	require.True(t, ok)
	got := append([]byte(nil), want...)
	got[len(got)-1] ^= 1
	return &Report{Manifest: m, Ports: stage.Ports}, &cocosim.Violation{Verdict: sim.Verdict{Rule: "DATA"}, Port: "m_rec",
		Input: &sim.Record{Data: in}, Want: &sim.Record{Port: 1, Data: want}, Got: &sim.Record{Port: 1, Data: got}}
}

// lastAnswer asks the model about records, one behind the other, and gives the last answer.
func lastAnswer(t *testing.T, dut string, in ...[]byte) []byte {
	stage, ok := stages.Lookup(dut)
	require.True(t, ok)
	model := stage.New(sim.Settings{"NumQps": 4})
	var last []byte
	for _, data := range in {
		out := model.Advance(0, []sim.Record{{Data: data}}, nil)
		require.Len(t, out, 1)
		last = out[0].Data
	}
	return last
}

// TestPlacesInAWindow: the place is that of docs/blocks/psn_window.md, on both sides, and the wrap is seen.
func TestPlacesInAWindow(t *testing.T) {
	for _, c := range []struct {
		q     hca.PSNQuery
		place string
		wraps bool
	}{
		{hca.PSNQuery{PSN: 7, Base: 7}, "expected", false},
		{hca.PSNQuery{PSN: 6, Base: 7}, "duplicate", false},
		{hca.PSNQuery{PSN: 8, Base: 7}, "out of sequence", false},
		{hca.PSNQuery{PSN: 0xFFFFFF, Base: 7}, "duplicate", true},
		{hca.PSNQuery{PSN: 1, Base: 0xFFFFF0}, "out of sequence", true},
		{hca.PSNQuery{PSN: 8, Base: 7, Next: 9, Requester: true}, "unacked", false},
		{hca.PSNQuery{PSN: 6, Base: 7, Next: 9, Requester: true}, "acked", false},
		{hca.PSNQuery{PSN: 9, Base: 7, Next: 9, Requester: true}, "ghost", false},
		{hca.PSNQuery{PSN: 0xFFFFFF, Base: 0xFFFFFE, Next: 2, Requester: true}, "unacked", true},
	} {
		in := c.q.Append(nil)
		r, v := violationOf(t, "psn_window", in, lastAnswer(t, "psn_window", in))
		g := r.given(v)
		require.Equal(t, given{place: c.place, wraps: c.wraps}, g, "%+v", c.q)
		require.Equal(t, "DATA on m_rec: class (PSN "+c.place+")", r.Signature(v))
		if c.wraps {
			require.Contains(t, r.features(v), "PSN wraps")
		}
	}
}

// TestFamilies: an opcode is named without the part of its message, an ACK by its syndrome.
func TestFamilies(t *testing.T) {
	for name, want := range map[string]string{"RC SEND Last with immediate": "RC SEND", "UC WRITE Middle": "UC WRITE",
		"RC READ response Only": "RC READ response", "RC READ request": "RC READ request", "RC ACK": "RC ACK",
		"RC ATOMIC ACK": "RC ATOMIC ACK", "RC SEND Only with invalidate": "RC SEND", "CNP": "CNP"} {
		found := false
		for op := range 256 {
			if info := ib.Lookup(ib.Opcode(op)); info != nil && info.Name == name {
				found = true
				require.Equal(t, want, family(ib.Opcode(op), nil))
			}
		}
		require.True(t, found, name)
	}
	ack := ib.Join(ib.RC, ib.Ack)
	for syndrome, want := range map[string]string{"0h": "RC ACK", "1fh": "RC ACK", "21h": "RC RNR NAK", "60h": "RC NAK",
		"80h": "RC reserved syndrome"} {
		require.Equal(t, want, family(ack, values{"syndrome": syndrome}))
	}
	require.Equal(t, "unknown opcode", family(0xFF, nil))
}

// TestPlacesOfRequests: an operation is named, a packet by its opcode and where its PSN lies; of a QP that is not there
// nothing is said of the PSN.
func TestPlacesOfRequests(t *testing.T) {
	set := (&hca.RespQuery{Op: hca.RespSet, PSN: 5, PMTU: 3, Enabled: 7}).Append(nil)
	ready := (&hca.RespQuery{Op: hca.RespReady}).Append(nil)
	write := ib.Join(ib.RC, ib.WriteOnly)
	for _, c := range []struct {
		q      hca.RespQuery
		before [][]byte
		want   given
	}{
		{hca.RespQuery{Op: hca.RespSet, PSN: 5}, nil, given{op: "set"}},
		{hca.RespQuery{PSN: 5, Opcode: write}, nil, given{opcode: "RC WRITE"}},
		{hca.RespQuery{PSN: 5, Opcode: write}, [][]byte{set}, given{opcode: "RC WRITE"}},
		{hca.RespQuery{PSN: 5, Opcode: write}, [][]byte{set, ready}, given{opcode: "RC WRITE", place: "expected"}},
		{hca.RespQuery{PSN: 4, Opcode: write}, [][]byte{set, ready}, given{opcode: "RC WRITE", place: "duplicate"}},
		{hca.RespQuery{PSN: 1 << 22, Opcode: write}, [][]byte{set, ready}, given{opcode: "RC WRITE",
			place: "out of sequence"}},
		{hca.RespQuery{PSN: 0xFFFFFF, Opcode: write}, [][]byte{set, ready}, given{opcode: "RC WRITE", place: "duplicate",
			wraps: true}},
		{hca.RespQuery{PSN: 5, Opcode: 0xFF}, [][]byte{set, ready}, given{opcode: "unknown opcode"}},
		{hca.RespQuery{Op: 7}, nil, given{op: "counts"}},
	} {
		in := c.q.Append(nil)
		r, v := violationOf(t, "resp_psn_check", in, lastAnswer(t, "resp_psn_check", append(c.before, in)...))
		require.Equal(t, c.want, r.given(v), "%+v", c.q)
	}
}

// TestPlacesOfResponses: of two requests sent the second is unacked, what lies before them acked, the rest a ghost.
func TestPlacesOfResponses(t *testing.T) {
	open := (&hca.ReqRecord{Op: hca.ReqConfigure, PSN: 0xFFFFFF, PMTU: 3, MaxReads: 1}).Append(nil)
	sent := (&hca.ReqRecord{Op: hca.ReqSent, PSN: 0xFFFFFF, Count: 2}).Append(nil)
	for p, want := range map[uint32]given{0: {opcode: "RC ACK", place: "unacked", wraps: true},
		0xFFFFFF: {opcode: "RC ACK", place: "unacked"}, 0xFFFFFE: {opcode: "RC ACK", place: "acked"},
		1: {opcode: "RC ACK", place: "ghost", wraps: true}} {
		in := (&hca.ReqRecord{PSN: psn.New(p), Opcode: ib.Join(ib.RC, ib.Ack)}).Append(nil)
		r, v := violationOf(t, "req_ack_check", in, lastAnswer(t, "req_ack_check", open, sent, in))
		require.Equal(t, want, r.given(v), p)
	}
}
