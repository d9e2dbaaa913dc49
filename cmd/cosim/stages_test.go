package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/docs"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/rtl"
	"hcacosim/vectors/scenario"
)

// TestEveryStageIsWhole: a stage of the model has one block, whose manifest, module, document and scenario are there
// and say the same.
func TestEveryStageIsWhole(t *testing.T) {
	all, err := manifest.Embedded()
	require.NoError(t, err)
	byModel := map[string]*manifest.Manifest{}
	for _, m := range all {
		require.Nil(t, byModel[m.Model], "two manifests for %s", m.Model)
		byModel[m.Model] = m
	}
	require.Len(t, stages.All(), len(all))
	for _, stage := range stages.All() {
		t.Run(stage.Name, func(t *testing.T) {
			m := byModel[stage.Name]
			require.NotNil(t, m, "no manifest has model: %s", stage.Name)
			require.Equal(t, stage.Name, m.Name)
			require.Equal(t, stage.Name, m.Top)
			for _, size := range append([]map[string]int{nil}, m.Sizes...) {
				r, err := m.Resolve(size)
				require.NoError(t, err)
				settings, err := r.Settings(nil)
				require.NoError(t, err)
				require.Equal(t, stage.At(settings).Ports, r.PortSpecs())
			}
			modules, err := fs.Glob(rtl.FS, "*/"+stage.Name+".sv")
			require.NoError(t, err)
			require.Len(t, modules, 1)
			require.Equal(t, stage.Name, scenario.Default(stage.Name).Stages[0],
				"a scenario of its own, or the first of those that share one")
			latencies(t, m)
		})
	}
}

var latencyText = regexp.MustCompile(`(?i)(?:cycle|clock) c \+ (\d+)|latency\D*?(\d+) cycles`)

// latencies holds the fixed windows of a manifest against its document.
func latencies(t *testing.T, m *manifest.Manifest) {
	text := docs.Block("blocks/" + m.Name + ".md")
	require.NotEmpty(t, text, "docs/blocks/%s.md", m.Name)
	for _, p := range m.Ports {
		if p.Window == nil || p.Window.From != "" || p.Window.Min != p.Window.Max {
			continue
		}
		said := false
		for _, found := range latencyText.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.ParseUint(found[1]+found[2], 10, 64)
			said = said || n == p.Window.Min
		}
		require.True(t, said, "%s: no latency of %d in its document", p.Name, p.Window.Min)
	}
}

// TestStagesStartAfresh: after Reset a stage gives what a new one gives.
func TestStagesStartAfresh(t *testing.T) {
	for _, stage := range stages.All() {
		in := []sim.Record{}
		for i, p := range stage.Ports {
			if p.Input {
				in = append(in, sim.Record{Start: 5, End: 5, Port: sim.Port(i), Data: make([]byte, 64)})
			}
		}
		s := stage.New(nil)
		copyOf := func(out []sim.Record) (c []sim.Record) {
			for _, r := range out {
				r.Data = append([]byte(nil), r.Data...)
				c = append(c, r)
			}
			return c
		}
		first := copyOf(s.Advance(1000, in, nil))
		s.Reset()
		require.Equal(t, first, copyOf(s.Advance(1000, in, nil)), stage.Name)
	}
}

// TestCoreFiles: every block has a FuseSoC core made of its manifest, with files that are there and its parameters.
func TestCoreFiles(t *testing.T) {
	all, err := manifest.Embedded()
	require.NoError(t, err)
	for _, m := range all {
		dir := t.TempDir()
		exit, out, errs := cosim("export", "--dut", m.Name, "--core", "--root", "../../rtl", "-o", dir)
		require.Equal(t, cocosim.Agreed, exit, "%s%s", out, errs)
		text, err := os.ReadFile(filepath.Join(dir, m.Name+".core"))
		require.NoError(t, err)
		var core struct {
			Filesets   map[string]struct{ Files []map[string]any }
			Parameters map[string]struct{ Default int }
			Targets    map[string]struct{ Toplevel string }
		}
		require.Regexp(t, `^CAPI=2:\n`, string(text))
		require.NoError(t, yaml.Unmarshal(text[len("CAPI=2:\n"):], &core))
		require.NotEmpty(t, core.Filesets["rtl"].Files)
		for _, f := range core.Filesets["rtl"].Files {
			for name := range f {
				require.FileExists(t, name)
			}
		}
		require.Len(t, core.Parameters, len(m.Parameters))
		require.Equal(t, m.Top, core.Targets["synth"].Toplevel)
	}
}
