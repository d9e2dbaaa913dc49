package scenario

import (
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/docs"
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors/capture"
)

// readHeaderLayout reads the table of m_hdr; TestLayoutsAgree holds it against manifest and module.
func readHeaderLayout(t testing.TB) []docs.Field {
	text, err := os.ReadFile("../../docs/blocks/roce_parse.md")
	require.NoError(t, err)
	tables, err := docs.Tables(string(text))
	require.NoError(t, err)
	require.Len(t, tables, 1)
	fields := tables[0].Fields
	require.Len(t, fields, 42)
	require.Equal(t, 8*hca.HeaderRecordBytes-1, fields[41].High)
	return fields
}

// fieldsOf takes a record apart as the document lays it out; what is zero is left out.
func fieldsOf(layout []docs.Field, record []byte) map[string]string {
	turned := make([]byte, len(record))
	for i, b := range record {
		turned[len(record)-1-i] = b
	}
	all := new(big.Int).SetBytes(turned)
	out := map[string]string{}
	for _, f := range layout {
		v := new(big.Int).Rsh(all, uint(f.Low))
		v.And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(f.High-f.Low+1)), big.NewInt(1)))
		if v.Sign() != 0 {
			out[f.Name] = v.Text(16)
		}
	}
	return out
}

// parseResult is what roce_parse gives for one packet.
type parseResult struct {
	fields  map[string]string
	payload []byte
}

func runParse(t testing.TB, stage sim.Stage, layout []docs.Field, c *Case) parseResult {
	out := stage.Advance(1<<40, []sim.Record{{User: uint32(c.Link), Data: c.Frame}}, nil)
	require.NotEmpty(t, out)
	require.EqualValues(t, 1, out[0].Port)
	require.Len(t, out[0].Data, hca.HeaderRecordBytes)
	r := parseResult{fields: fieldsOf(layout, out[0].Data)}
	if len(out) > 1 {
		require.Len(t, out, 2)
		require.EqualValues(t, 2, out[1].Port)
		r.payload = out[1].Data
	}
	return r
}

// TestParseAgainstASecondReading: record and payload of every packet of parse and malformed, and of frames spoiled once
// more, are those of the document read again; where the way a packet was made tells what must come out, that comes out.
func TestParseAgainstASecondReading(t *testing.T) {
	layout := readHeaderLayout(t)
	spec, ok := stages.Lookup("roce_parse")
	require.True(t, ok)
	stage := spec.New(nil)
	reasons := map[string]int{}
	for _, name := range []string{"parse", "malformed"} {
		s, err := Lookup(name)
		require.NoError(t, err)
		r := NewRand(5, 5)
		each(t, s, 3, s.Count, func(i uint64, c *Case) {
			got := runParse(t, stage, layout, c)
			want := secondReading(c.Link, c.Frame)
			require.Equal(t, want.fields, got.fields, "packet %d: %s\n%x", i, c.Why, c.Frame)
			require.Equal(t, want.payload, got.payload, "packet %d: %s\n%x", i, c.Why, c.Frame)
			reasons[got.fields["reason"]]++
			if c.Truth.Knows&KnowsParse != 0 {
				require.Equal(t, int64(c.Truth.Parse), int64Of(t, got.fields["reason"]), "packet %d: %s\n%x", i, c.Why, c.Frame)
				require.Equal(t, int64(c.Truth.PayloadBytes), int64Of(t, got.fields["payload_bytes"]), "packet %d: %s", i, c.Why)
			}
			for range r.Between(1, 4) { // again, with the headers spoiled
				c.Frame[r.Below(min(len(c.Frame), 110))] ^= byte(1 << r.Below(8))
			}
			want = secondReading(c.Link, c.Frame)
			got = runParse(t, stage, layout, c)
			require.Equal(t, want, got, "packet %d, spoiled: %s\n%x", i, c.Why, c.Frame)
			reasons[got.fields["reason"]]++
		})
	}
	for _, reason := range []int{0, runt, badHeader, fragment, short, length, truncated, trailer,
		tver, unknownOpcode, headerCut, badPad, overlong, unaligned} {
		name := ""
		if reason != 0 {
			name = strconv.FormatInt(int64(reason), 16)
		}
		require.NotZero(t, reasons[name], "reason %d is never reached", reason)
	}
}

func int64Of(t *testing.T, hex string) int64 {
	if hex == "" {
		return 0
	}
	v, err := strconv.ParseInt(hex, 16, 64)
	require.NoError(t, err)
	return v
}

// TestParseGivesWhatWasPutIn: the fields of a packet that was built are those of its Spec.
func TestParseGivesWhatWasPutIn(t *testing.T) {
	layout := readHeaderLayout(t)
	spec, _ := stages.Lookup("roce_parse")
	stage := spec.New(nil)
	s, err := Lookup("valid")
	require.NoError(t, err)
	each(t, s, 9, 5000, func(i uint64, c *Case) {
		got := runParse(t, stage, layout, c)
		for _, f := range layout { // of the others: the rest of the record is TestParseAgainstASecondReading's
			switch f.Name {
			case "se", "mig_req", "fecn", "becn", "ack_req", "udp_src_port", "tclass", "sl", "slid", "dlid", "vlan0", "vlan1",
				"src", "dst":
				delete(got.fields, f.Name)
			}
		}
		require.Equal(t, putIn(c), got.fields, "packet %d: %s\n%x", i, c.Why, c.Frame)
		require.Len(t, got.payload, c.shape.payload)
	})
}

// putIn is the fields of a packet that are not zero, in hexadecimal, from the Spec that it was built by.
func putIn(c *Case) map[string]string {
	p := &c.spec
	want := map[string]string{}
	set := func(name string, v uint64) {
		if v != 0 {
			want[name] = strconv.FormatUint(v, 16)
		}
	}
	set("encap", uint64(p.Encap))
	set("opcode", uint64(p.Opcode))
	set("psn", uint64(p.PSN))
	set("dest_qp", uint64(p.DestQP&0xFFFFFF))
	set("pkey", uint64(p.PKey))
	set("payload_bytes", uint64(c.shape.payload))
	set("pad", uint64(-c.shape.payload&3))
	set("tags", uint64(len(p.VLANs)))
	putInExtensions(c, set)
	return want
}

// putInExtensions gives set the fields of the headers after the BTH.
func putInExtensions(c *Case, set func(name string, v uint64)) {
	p, op := &c.spec, c.shape.op
	if op.Headers.Has(ib.RETH) {
		set("va", p.VA)
		set("rkey", uint64(p.RKey))
		set("dma_len", uint64(p.DMALen))
	}
	if op.Headers.Has(ib.AtomicETH) {
		set("va", p.VA)
		set("rkey", uint64(p.RKey))
		set("swap_add", p.SwapAdd)
		set("compare", p.Compare)
	}
	if op.Headers.Has(ib.AETH) {
		set("syndrome", uint64(p.Syndrome))
		set("msn", uint64(p.MSN&0xFFFFFF))
	}
	if op.Headers.Has(ib.AtomicAckETH) {
		set("original", p.Original)
	}
	if op.Headers.Has(ib.DETH) {
		set("qkey", uint64(p.QKey))
		set("src_qp", uint64(p.SrcQP&0xFFFFFF))
	}
	if op.Headers.Has(ib.RDETH) {
		set("ee_context", uint64(p.EEContext&0xFFFFFF))
	}
	if op.Headers.Has(ib.XRCETH) {
		set("xrcsrq", uint64(p.XRCSRQ&0xFFFFFF))
	}
	if op.Headers.Has(ib.FETH) {
		set("flush_sel", uint64(p.FlushSEL&3))
		set("flush_plt", uint64(p.FlushPLT&15))
	}
	if op.Headers.Has(ib.IETH) {
		set("inv_rkey", uint64(p.InvRKey))
	}
	if op.Headers.Has(ib.ImmDt) {
		set("immediate", uint64(p.Immediate))
	}
}

// TestParseReachesEveryHeader: under any seed every opcode comes in every encapsulation with whole headers and, where
// it has any, with headers that are cut; all 256 opcodes come.
func TestParseReachesEveryHeader(t *testing.T) {
	b := reach(t, "parse", 5)
	var want []string
	for _, op := range opcodes {
		for _, e := range encaps {
			want = append(want, fmt.Sprintf("%s in %v", op.Name, e))
		}
	}
	want = append(want, "headers", "header cut", "opcode", "pad", "ends anywhere", "beats", "longest", "endless", "stray")
	require.Empty(t, b.missing(want))
	s, err := Lookup("parse")
	require.NoError(t, err)
	seen := bins{}
	each(t, s, 5, s.Count, func(_ uint64, c *Case) {
		if c.Truth.Knows&KnowsParse != 0 {
			seen.add("opcode %d", c.Frame[c.layout.transport])
			if c.shape.op != nil {
				seen.add("%v %s", c.Truth.Parse, c.shape.op.Name)
			}
		}
	})
	want = want[:0]
	for op := range 256 {
		want = append(want, fmt.Sprintf("opcode %d", op))
	}
	for _, op := range withHeaders {
		want = append(want, "HEADER_CUT "+op.Name)
	}
	require.Empty(t, seen.missing(want))
}

// TestParseOfCaptures: of every frame of the shared captures the stage says what the document read again says.
func TestParseOfCaptures(t *testing.T) {
	layout := readHeaderLayout(t)
	spec, _ := stages.Lookup("roce_parse")
	stage := spec.New(nil)
	frames := 0
	files, err := filepath.Glob(filepath.Join(sharedCaptures(t), "*.pcap"))
	require.NoError(t, err)
	for _, file := range files {
		in, err := capture.Open(file)
		require.NoError(t, err)
		for {
			f, err := in.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err, file)
			c := Case{Link: f.Link, Frame: f.Data}
			require.Equal(t, secondReading(f.Link, f.Data), runParse(t, stage, layout, &c), "%s, packet %d", file, f.Number)
			frames++
		}
		require.NoError(t, in.Close())
	}
	require.NotZero(t, frames)
	t.Logf("%d frames of %d captures", frames, len(files))
}
