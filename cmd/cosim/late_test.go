package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/session"
	"hcacosim/rtl"
)

// latest is by how many clocks a port is late at most.
const latest = 60

// inTime are ports that are not late. At some outputs memory is asked: the bench has its answers ready, and one that
// comes before it was asked for is no memory's. Registers tell of what was received before an access.
var inTime = map[string][]string{
	"hca_rx": {"m_mem", "m_data", "m_rd", "m_ard", "m_awr"},
	"hca_tx": {"m_mem", "m_data", "m_txd"},
	"hca_top": {"m_mem", "m_data", "m_rd", "m_ard", "m_awr", "m_txd", "m_place", "m_pdata", "s_axis", "s_aw", "s_w",
		"s_ar"},
}

// lateCount is how many records each has.
const lateCount = 4000

// TestLateDevicesAgree has devices of another make: right ones, of which each port is late by a number of clocks of its
// own. What comes by two ports is done in another order then, and what leaves by two comes in another one: no judge may
// take either for a promise.
func TestLateDevicesAgree(t *testing.T) {
	onlyLong(t)
	for _, dut := range []string{"hca_rx", "hca_tx", "hca_top"} {
		t.Run(dut, func(t *testing.T) {
			m, err := manifest.Find(dut)
			require.NoError(t, err)
			path, played := lateDevice(t, m), 0
			for i, spec := range regress.Short(m) {
				if !maps.Equal(spec.Params, regress.Smallest(m)) {
					continue
				}
				spec.Dut, spec.Seed, spec.Count, spec.Plusargs = path, uint64(i), lateCount, delays(m, uint64(i))
				rep, err := session.Run(context.Background(), spec, session.Options{})
				require.NoError(t, err)
				require.Equal(t, cocosim.Agreed, rep.Object().ExitCode, "%s: %+v", spec.Line(), rep.Object())
				played++
			}
			require.Positive(t, played)
		})
	}
}

// delays has two ports of three be late, half of them by another number for each record.
func delays(m *manifest.Manifest, seed uint64) (plusargs []string) {
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range m.Ports {
		if !slices.Contains(inTime[m.Name], m.Ports[i].Name) && r.IntN(3) > 0 {
			delay := r.IntN(latest)
			jitter := r.IntN(2) * r.IntN(latest-delay)
			plusargs = append(plusargs, fmt.Sprintf("%s=%d", m.Ports[i].Name, delay),
				fmt.Sprintf("%s_jitter=%d", m.Ports[i].Name, jitter))
		}
	}
	return plusargs
}

var pinDeclared = regexp.MustCompile(`(?m)^ *(input|output) +(\S.*?) +(\w+),?(?: *//.*)?$`)

// lateDevice writes a device whose module is one of ours with a late_port at each port that is not in time, and returns
// its manifest.
func lateDevice(t *testing.T, m *manifest.Manifest) string {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, rtl.FS))
	port, err := os.ReadFile("testdata/late.sv")
	require.NoError(t, err)
	file := filepath.Join(dir, "top", m.Top+".sv")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	from := strings.Index(string(text), "module "+m.Top+" ")
	header := string(text)[from:]
	header = header[:strings.Index(header, ");")+2]
	replaceIn(t, file, "module "+m.Top+" ", "module "+m.Top+"_in_time ")
	var b strings.Builder
	b.Write(port)
	b.WriteString("\n" + header + "\n")
	types, inner := map[string]string{}, map[string]string{}
	var pins []string
	for _, x := range pinDeclared.FindAllStringSubmatch(header, -1) {
		pins, types[x[3]], inner[x[3]] = append(pins, x[3]), x[2], x[3]
	}
	for i := range m.Ports {
		if slices.Contains(inTime[m.Name], m.Ports[i].Name) {
			continue
		}
		latePort(&b, &m.Ports[i], types, inner)
	}
	var connections []string
	for _, x := range pins {
		connections = append(connections, "."+x+"("+inner[x]+")")
	}
	var parameters []string
	for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
		parameters = append(parameters, "."+name+"("+name+")")
	}
	fmt.Fprintf(&b, "  %s_in_time #(%s) u_in_time (\n    %s);\nendmodule\n", m.Top, strings.Join(parameters, ", "),
		strings.Join(connections, ",\n    "))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "late.sv"), []byte(b.String()), 0o644))
	list, err := os.ReadFile(filepath.Join(dir, "hca.f"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hca.f"), append(list, "late.sv\n"...), 0o644))
	return filepath.Join(dir, "top", m.Name+".yaml")
}

// latePort puts a late_port between the pins of a port and those of the module within.
func latePort(b *strings.Builder, p *manifest.Port, types, inner map[string]string) {
	var data []string
	for _, f := range p.Layout {
		data = append(data, f.Pin)
	}
	for _, pin := range []string{p.Pins.Data, p.Pins.Keep, p.Pins.User, p.Pins.Last} {
		if pin != "" {
			data = append(data, pin)
		}
	}
	var widths, outside, within []string
	for _, pin := range append(data, p.Pins.Valid, p.Pins.Ready) {
		inner[pin] = pin + "_within"
		fmt.Fprintf(b, "  %s %s;\n", types[pin], inner[pin])
	}
	for _, pin := range data {
		widths, outside, within = append(widths, "$bits("+pin+")"), append(outside, pin), append(within, inner[pin])
	}
	s, sData, m, mData := "", outside, "_within", within
	if p.Dir == "out" {
		s, sData, m, mData = m, mData, s, sData
	}
	fmt.Fprintf(b, "  late_port #(.Width(%s), .Name(\"%s\")) u_%s (\n    .clk_i,\n    .rst_ni,\n",
		strings.Join(widths, "+"), p.Name, p.Name)
	fmt.Fprintf(b, "    .s_data_i({%s}), .s_valid_i(%s), .s_ready_o(%s),\n", strings.Join(sData, ", "), p.Pins.Valid+s,
		p.Pins.Ready+s)
	fmt.Fprintf(b, "    .m_data_o({%s}), .m_valid_o(%s), .m_ready_i(%s));\n", strings.Join(mData, ", "), p.Pins.Valid+m,
		p.Pins.Ready+m)
}
