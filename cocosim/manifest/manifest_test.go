package manifest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hcacosim/cocosim"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const loopbackManifest = "../testdata/loopback.yaml"

func TestManifestOfTheLoopback(t *testing.T) {
	m, err := Load(loopbackManifest)
	require.NoError(t, err)
	m, err = m.Resolve(map[string]int{"DataWidth": 128})
	require.NoError(t, err)
	assert.Equal(t, 128, m.Ports[0].Width.Bits)
	assert.Equal(t, 164, m.Ports[2].RecordBits())
	specs := m.PortSpecs()
	require.Len(t, specs, 4)
	assert.Equal(t, "m_axis", specs[1].Name)
	assert.False(t, specs[1].Input)
	assert.Equal(t, 4, specs[1].UserBits)
}

func TestManifestHashIsThatOfTheInterface(t *testing.T) {
	load := func(width int) *Manifest {
		m, err := Load(loopbackManifest)
		require.NoError(t, err)
		m, err = m.Resolve(map[string]int{"DataWidth": width})
		require.NoError(t, err)
		return m
	}
	assert.Equal(t, load(64).Hash(), load(64).Hash())
	assert.NotEqual(t, load(64).Hash(), load(128).Hash())
}

// A width may be some bits more than a parameter; a parameter may say that a sideband counts on the last beat only.
func TestManifestOfASideband(t *testing.T) {
	all, err := Embedded()
	require.NoError(t, err)
	m := all[slices.IndexFunc(all, func(m *Manifest) bool { return m.Name == "tx_arbiter" })]
	for _, wide := range []int{0, 1} {
		r, err := m.Resolve(map[string]int{"UserWidth": 1 + 4*wide, "UserOnLast": wide})
		require.NoError(t, err)
		assert.Equal(t, Switch{On: wide == 1}, r.Ports[0].UserOnLast)
		assert.Equal(t, 1+4*wide, r.Ports[0].UserWidth.Bits)
		assert.Equal(t, 3+4*wide, r.Ports[4].UserWidth.Bits)
	}
}

// Each case changes one line of a good manifest and names what the message has to say.
func TestManifestErrorsNameTheLine(t *testing.T) {
	good, err := os.ReadFile(loopbackManifest)
	require.NoError(t, err)
	for _, c := range []struct{ name, from, to, want string }{
		{"unknown key", "top: loopback", "topp: loopback", `:3: unknown key "topp" (use only name, summary, top, filelist,`},
		{"second document", "name: loopback", "name: other\n---\nname: loopback",
			":3: a second document begins; a file has one"},
		{"unknown key of a port", "    kind: axis\n    width", "    kinds: axis\n    width",
			`:11: unknown key "kinds" (use only name, dir, kind,`},
		{"unknown key of a pin list", "{data: s_axis_tdata_i", "{dat: s_axis_tdata_i", `:14: unknown key "dat"`},
		{"text for a number", "cycles: 4", "cycles: four", `:7: expected a number, found str "four"`},
		{"a list for a group", "reset: {pin: rst_ni, active: low, cycles: 4}", "reset: [1]", ":7: expected a group of keys"},
		{"broken YAML", "clock: clk_i", "clock: [clk_i", ":6: did not find expected"},
		{"no clock", "clock: clk_i\n", "", "clock is missing"},
		{"no sources", "sources: [loopback.sv]\n", "", "one of filelist and sources is needed"},
		{"reset polarity", "active: low", "active: up", `:7: reset is active low or high, not "up"`},
		{"reset length", "cycles: 4", "cycles: 0", ":7: reset lasts 1 to 1000000 cycles"},
		{"direction", "    dir: in\n    kind: record", "    dir: input\n    kind: record",
			`:22: port rec: dir is in or out, not "input"`},
		{"a port's clock", "    kind: record", "    clock: clk_b\n    kind: record",
			`:23: port rec: there is no clock "clk_b"`},
		{"kind", "kind: record", "kind: stream", `:23: port rec: kind is axis or record, not "stream"`},
		{"kind of a port with bytes", "    kind: axis\n    width", "    kind: axi\n    bytes: reversed\n    width",
			`:11: port s_axis: kind is axis or record, not "axi"`},
		{"name twice", "- name: out", "- name: rec", `:29: port name "rec"`},
		{"width", "    width: DataWidth\n", "    width: Width\n",
			`:12: width "Width" is neither a number nor one of the parameters`},
		{"no valid of a record", "{valid: rec_valid_i, ready: rec_ready_o}", "{ready: rec_ready_o}",
			"port rec: a valid pin is needed"},
		{"data of a record", "{valid: rec_valid_i,", "{data: x, valid: rec_valid_i,",
			":24: port rec: a record port has the pins valid and ready only"},
		{"user without width", "    user_width: 4\n", "", "port s_axis: a user pin and user_width belong together"},
		{"window of an input", "    user_width: 4\n", "    user_width: 4\n    window: {min: 1, max: 2}\n",
			":14: port s_axis: a window belongs to an output"},
		{"width and text", "    width: DataWidth\n", "    width: DataWidth+two\n",
			"a width is a number of bits, the name of a parameter, or NAME+BITS"},
		{"sideband of no width", "    user_width: 4\n", "    user_width: Bits+2\n",
			`:13: width "Bits" is neither a number nor one of the parameters`},
		{"sideband of a list", "    user_width: 4\n", "    user_width: 4\n    user_on_last: [1]\n",
			"a switch is true, false or the name of a parameter"},
		{"sideband of no parameter", "    user_width: 4\n", "    user_width: 4\n    user_on_last: Sometimes\n",
			`user_on_last "Sometimes" is neither true nor false nor one of the parameters`},
		{"rate of an output record", "  - name: out\n", "  - name: out\n    rate: full\n",
			"port out: rate belongs to an input or an axis output"},
		{"sideband of a record", "    kind: record", "    user_on_last: true\n    kind: record",
			":23: port rec: only an input with a user pin can have user_on_last"},
		{"waits below 0", "    kind: record", "    waits: -1\n    kind: record",
			":23: port rec: waits belongs to an input of the device's clock"},
		{"holds of a device with more ports", "    kind: record", "    holds: 4\n    kind: record",
			":23: port rec: holds belongs to the only input of records"},
		{"field without pin", "pin: rec_psn_i, ", "", ":26: port rec: a field needs a name, a pin and a width"},
		{"configuration without pin", "{pin: fault_i, ", "{", "a configuration input needs a pin"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, string(good), c.from)
			file := filepath.Join(t.TempDir(), "dut.yaml")
			require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(good), c.from, c.to, 1)), 0o666))
			_, err := Load(file)
			require.Error(t, err)
			assert.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
			assert.Contains(t, err.Error(), file+":")
			assert.Contains(t, err.Error(), c.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestManifestErrorsOfResolve(t *testing.T) {
	m, err := Load(loopbackManifest)
	require.NoError(t, err)
	for _, c := range []struct {
		params map[string]int
		want   string
	}{
		{map[string]int{"Width": 8}, `loopback has no parameter "Width" (it has DataWidth)`},
		{map[string]int{"DataWidth": 12}, ":12: port s_axis: data of 12 bits"},
		{map[string]int{"DataWidth": 2048}, ":12: port s_axis: data of 2048 bits"},
	} {
		_, err := m.Resolve(c.params)
		require.Error(t, err)
		assert.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
		assert.Contains(t, err.Error(), c.want)
	}
}

func TestManifestThatIsNotThere(t *testing.T) {
	_, err := Find("testdata/none.yaml")
	assert.EqualError(t, err, "cannot read manifest testdata/none.yaml: no such file or directory")
	assert.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))

	file := filepath.Join(t.TempDir(), "empty.yaml")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	_, err = Load(file)
	assert.ErrorContains(t, err, file+":1: the manifest is empty")

	_, err = Find("icrc_chek")
	assert.ErrorContains(t, err, `no device named "icrc_chek" (give one of `)
	assert.ErrorContains(t, err, "icrc_check")
	assert.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
}

// The embedded manifest and the same file on disk are one device: same sources, same interface.
func TestEmbeddedManifestsAreThoseOfTheTree(t *testing.T) {
	all, err := Embedded()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			disk, err := Load(filepath.Join("../..", m.Path()))
			require.NoError(t, err)
			a, err := m.Resolve(nil)
			require.NoError(t, err)
			b, err := disk.Resolve(nil)
			require.NoError(t, err)
			assert.Equal(t, a.Hash(), b.Hash())
			inner, _, err := a.ReadSources()
			require.NoError(t, err)
			outer, _, err := b.ReadSources()
			require.NoError(t, err)
			require.Equal(t, len(inner), len(outer))
			require.NotEmpty(t, inner)
			for i := range inner {
				assert.Equal(t, filepath.Base(inner[i].Path), filepath.Base(outer[i].Path))
				assert.Equal(t, inner[i].Text, outer[i].Text)
			}
		})
	}
}

func TestFileListErrorsNameTheLine(t *testing.T) {
	dir := t.TempDir()
	good, err := os.ReadFile(loopbackManifest)
	require.NoError(t, err)
	text := strings.Replace(string(good), "sources: [loopback.sv]", "filelist: dut.f", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dut.yaml"), []byte(text), 0o666))
	m, err := Load(filepath.Join(dir, "dut.yaml"))
	require.NoError(t, err)

	_, _, err = m.ReadSources()
	assert.ErrorContains(t, err, "dut.yaml:4: cannot read file list")
	for _, c := range []struct{ list, want string }{
		{"// list\nmissing.sv\n", "dut.f:2: cannot read " + dir + "/missing.sv: no such file or directory"},
		{"\n\n-y lib\n", "dut.f:3: -y lib is not understood (a file list has file names and +incdir+DIR)"},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "dut.f"), []byte(c.list), 0o666))
		_, _, err = m.ReadSources()
		assert.ErrorContains(t, err, c.want)
		assert.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
	}
}

func TestFileListIncludesAreRead(t *testing.T) {
	dir := t.TempDir()
	good, err := os.ReadFile(loopbackManifest)
	require.NoError(t, err)
	text := strings.Replace(string(good), "sources: [loopback.sv]", "filelist: dut.f", 1)
	for name, content := range map[string]string{"dut.yaml": text, "dut.f": "+incdir+inc // headers\na.sv # first\n\n",
		"a.sv": "module a; endmodule", "inc/x.svh": "`define X"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
	}
	m, err := Load(filepath.Join(dir, "dut.yaml"))
	require.NoError(t, err)
	files, include, err := m.ReadSources()
	require.NoError(t, err)
	require.Len(t, files, 1)
	assert.Equal(t, filepath.Join(dir, "a.sv"), files[0].Path)
	assert.Equal(t, []string{filepath.Join(dir, "inc")}, include)
	inc, err := m.ReadIncluded(include)
	require.NoError(t, err)
	require.Len(t, inc, 1)
	assert.Equal(t, "`define X", string(inc[0].Text))
}

// Of an ordered list a design has what its top names, wherever that stands, and a top that no file has is told by line.
func TestOrderedFileList(t *testing.T) {
	dir := t.TempDir()
	good, err := os.ReadFile(loopbackManifest)
	require.NoError(t, err)
	text := strings.Replace(string(good), "sources: [loopback.sv]", "filelist: dut.f", 1)
	for name, content := range map[string]string{"dut.yaml": text,
		"other.yaml": strings.Replace(text, "top: ", "top: no", 1),
		"dut.f":      "// ordered: all\np.sv\nunused.sv\ntop.sv\nlate.sv\n", "p.sv": "package p;\nendpackage\n",
		"unused.sv": "module unused;\nendmodule\n",
		"top.sv":    "module loopback; // unused\n  late #(p::N) u();\nendmodule\n",
		"late.sv":   "module late #(parameter N = 1);\nendmodule\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
	}
	m, err := Load(filepath.Join(dir, "dut.yaml"))
	require.NoError(t, err)
	files, _, err := m.ReadSources()
	require.NoError(t, err)
	var names []string
	for _, s := range files {
		names = append(names, filepath.Base(s.Path))
	}
	assert.Equal(t, []string{"p.sv", "top.sv", "late.sv"}, names)

	m, err = Load(filepath.Join(dir, "other.yaml"))
	require.NoError(t, err)
	_, _, err = m.ReadSources()
	assert.ErrorContains(t, err, "dut.f defines module no")
	assert.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
}
