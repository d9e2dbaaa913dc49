package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

func readMap(t *testing.T) *Map {
	t.Helper()
	text, err := os.ReadFile("../" + mapPath)
	require.NoError(t, err)
	m, err := Parse(text)
	require.NoError(t, err)
	return m
}

// TestMadeFilesAreOfToday: what is made from the map is what stands beside it.
func TestMadeFilesAreOfToday(t *testing.T) {
	files, err := made("..")
	require.NoError(t, err)
	require.Len(t, files, 3)
	for name, text := range files {
		got, err := os.ReadFile("../" + name)
		require.NoError(t, err)
		require.Equal(t, text, string(got), "%s: go generate ./rtl makes it", name)
	}
}

// TestHeaderCompiles: a C compiler takes the header alone, and says the same of an address and a field.
func TestHeaderCompiles(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	source := filepath.Join(t.TempDir(), "a.c")
	require.NoError(t, os.WriteFile(source, []byte("#include \"qp_ctl.h\"\n"+
		"_Static_assert(QP_CTL_COUNTER_HIGH(63) == 0x9FCu && QP_CTL_CFG_PSN_PMTU_MASK == 0xE0000000u &&\n"+
		"  QP_CTL_CFG_PSN_PMTU_SHIFT == 29, \"\");\n"), 0o666))
	out, err := exec.Command(compiler, "-std=c11", "-Wall", "-Werror", "-fsyntax-only", "-I../ctx",
		source).CombinedOutput()
	require.NoError(t, err, string(out))
}

// bench is a qp_ctl that software has to itself.
type bench struct {
	t     *testing.T
	stage sim.Stage
	cycle uint64
}

func newBench(t *testing.T) *bench {
	spec, ok := hca.Lookup("qp_ctl")
	require.True(t, ok)
	return &bench{t, spec.New(sim.Settings{}), 0}
}

// do does an access and returns its answer, and the operations that left with it.
func (b *bench) do(a hca.QPCtlAccess) (hca.QPCtlAnswer, []sim.Record) {
	b.cycle += 100
	out := b.stage.Advance(b.cycle, []sim.Record{{Start: b.cycle, End: b.cycle, Data: a.Append(nil)}}, nil)
	require.NotEmpty(b.t, out)
	return hca.ParseQPCtlAnswer(out[0].Data), out[1:]
}

func (b *bench) read(at uint32) uint32 {
	a, _ := b.do(hca.QPCtlAccess{Address: uint16(at)})
	return a.Data
}

func (b *bench) write(at, data uint32) hca.QPCtlResp {
	a, _ := b.do(hca.QPCtlAccess{Write: true, Address: uint16(at), Data: data, Strobe: 15})
	return a.Resp
}

// TestModelHasTheMap: every register of the map is there, has its reset value, and of what is written keeps the bits
// that it has and may be written; reserved bits read 0. Where the map has nothing, nothing is.
func TestModelHasTheMap(t *testing.T) {
	m := readMap(t)
	known := map[uint32]bool{}
	for i := range m.Registers {
		r := &m.Registers[i]
		for n := range r.Count {
			at := r.At(n)
			known[at] = true
			b := newBench(t)
			require.Equal(t, r.Reset, b.read(at), "%s %d", r.Name, n)
			want := uint32(0)
			switch r.Access {
			case "rw", "config":
				want = r.Mask()
			case "ro":
				want = r.Reset
			}
			if r.Name == "COMMAND" {
				continue // a command of all ones is none: STATUS says so
			}
			require.Equal(t, hca.QPCtlOkay, b.write(at, 0xFFFFFFFF), r.Name)
			require.Equal(t, want, b.read(at), "%s %d: after all ones", r.Name, n)
			require.Equal(t, hca.QPCtlOkay, b.write(at, 0), r.Name)
			if r.Access != "ro" {
				require.Zero(t, b.read(at), r.Name)
			}
		}
	}
	b := newBench(t)
	for at := uint32(0); at < 0x1000; at += 4 {
		answer, _ := b.do(hca.QPCtlAccess{Address: uint16(at)})
		require.Equal(t, known[at], answer.Resp == hca.QPCtlOkay, "%03X", at)
	}
	require.Greater(t, len(known), 150)
}

// TestConfigurationOfALiveQP: every register of access config is refused behind INIT, says so in STATUS, and keeps
// what it has.
func TestConfigurationOfALiveQP(t *testing.T) {
	m := readMap(t)
	at := map[string]uint32{}
	for i := range m.Registers {
		at[m.Registers[i].Name] = m.Registers[i].Address
	}
	b := newBench(t)
	b.write(at["SELECT"], 0x11)
	configs := 0
	for i := range m.Registers {
		r := &m.Registers[i]
		for n := range r.Count {
			if r.Access == "config" {
				b.write(r.At(n), 0x55555555)
			}
		}
	}
	b.write(at["COMMAND"], 1)
	require.Equal(t, uint32(1|0x11<<8), b.read(at["QP_STATE"]))
	for i := range m.Registers {
		r := &m.Registers[i]
		for n := range r.Count {
			if r.Access != "config" {
				continue
			}
			configs++
			require.Equal(t, hca.QPCtlSlvErr, b.write(r.At(n), 0), r.Name)
			require.Equal(t, 0x55555555&r.Mask(), b.read(r.At(n)), r.Name)
			require.Equal(t, uint32(0x100), b.read(at["STATUS"]), r.Name)
			b.write(at["STATUS"], 0x100)
			require.Zero(t, b.read(at["STATUS"]), r.Name)
		}
	}
	require.Equal(t, 15, configs)
}

// TestMapsThatAreWrong: what a map may not say.
func TestMapsThatAreWrong(t *testing.T) {
	head := "name: x\nregisters:\n"
	for text, says := range map[string]string{
		"- {name: A, address: 2, access: rw}":                                  "A: not a whole word",
		"- {name: A, address: 0, access: any}":                                 `access "any" is none`,
		"- {name: A, address: 0, access: rw, fields: [{name: f, bits: 32:0}]}": "f: bits 32:0 of a word",
		"- {name: A, address: 0, access: rw, fields: [{name: f, bits: 3}]}":    "not HIGH:LOW",
		"- {name: A, address: 0, access: rw, count: 2}\n- {name: B, address: 4, access: ro}": "B: address 004 is " +
			"that of A",
		"- {name: A, address: 0, access: rw, colour: red}": "colour",
		"- {name: A, address: 0, access: rw, fields: [{name: f, bits: 3:0}, {name: g, bits: 5:3}]}": "g: bits of " +
			"another field",
	} {
		_, err := Parse([]byte(head + text))
		require.ErrorContains(t, err, says)
	}
	require.Equal(t, "CfgMacLow", camel("CFG_MAC_LOW"))
	require.True(t, strings.HasPrefix(readMap(t).Table(), "| address |"))
}
