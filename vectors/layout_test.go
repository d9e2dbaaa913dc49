package vectors

import (
	"fmt"
	"hcacosim/docs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"hcacosim/model/sim"
)

// The layout of a record stands in three places: in the block's document, in its manifest, and in the ports of its
// module. Nothing makes one from another; the tests below hold them together.

// deviceText is what the test reads of a manifest.
type deviceText struct {
	Name, Top, Clock string
	Reset            struct{ Pin string }
	Model            string
	Parameters       map[string]uint64
	Sizes            []map[string]uint64
	Synthesized      []map[string]uint64
	Defines          map[string]string
	Ports            []portText
	Config           []struct {
		Pin   string
		Width int
		Value uint64
	}
}

type portText struct {
	Name, Dir string
	Pins      map[string]string
	Layout    []struct {
		Name, Pin string
		Width     int
	}
}

// fields are those of the layout, from bit 0 on.
func (p *portText) fields() (out []docs.Field) {
	at := 0
	for _, f := range p.Layout {
		out = append(out, docs.Field{Name: f.Name, Low: at, High: at + f.Width - 1})
		at += f.Width
	}
	return out
}

// modulePin is a port of a module; width 0 is one that depends on a parameter without a default in numbers.
type modulePin struct {
	output bool
	width  int
}

var (
	pinLine       = regexp.MustCompile(`(?m)^\s*(input|output)\s+logic\s*(?:\[([^\]]+):0\])?\s*(\w+)\s*,?\s*(?://.*)?$`)
	parameterLine = regexp.MustCompile(`parameter int unsigned (\w+) = (\d+)`)
	packageLine   = regexp.MustCompile(`localparam int unsigned (\w+) = (\d+);`)
)

// packageNumbers are the numbers of the packages, as PACKAGE::NAME.
func packageNumbers(t *testing.T) map[string]int {
	files, err := filepath.Glob("../rtl/pkg/*.sv")
	require.NoError(t, err)
	numbers := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range packageLine.FindAllStringSubmatch(string(text), -1) {
			numbers[strings.TrimSuffix(filepath.Base(file), ".sv")+"::"+m[1]], err = strconv.Atoi(m[2])
			require.NoError(t, err)
		}
	}
	return numbers
}

// modulePins reads the port list of a module.
func modulePins(text, module string, numbers map[string]int) (map[string]modulePin, error) {
	_, head, found := strings.Cut(text, "\nmodule "+module+" ")
	head, _, closed := strings.Cut(head, "\n);")
	if !found || !closed {
		return nil, fmt.Errorf("no port list of module %s", module)
	}
	defaults := maps.Clone(numbers)
	for _, m := range parameterLine.FindAllStringSubmatch(head, -1) {
		defaults[m[1]], _ = strconv.Atoi(m[2])
	}
	pins := map[string]modulePin{}
	for _, m := range pinLine.FindAllStringSubmatch(head, -1) {
		pin := modulePin{output: m[1] == "output", width: 1}
		if m[2] != "" {
			pin.width = highBit(m[2], defaults) + 1
		}
		pins[m[3]] = pin
	}
	if n := strings.Count(head, " logic "); n != len(pins) {
		return nil, fmt.Errorf("module %s: %d ports read of %d", module, len(pins), n)
	}
	return pins, nil
}

// highBit is 23 or a parameter - 1, of the module or a package; -1 for what is neither.
func highBit(text string, defaults map[string]int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	if name, isLess := strings.CutSuffix(text, "-1"); isLess {
		return defaults[name] - 1
	}
	return -1
}

// layoutDifferences compares document, manifest and module of a device.
func layoutDifferences(document string, manifest *deviceText, module string,
	numbers map[string]int) (differences []string) {
	say := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	tables, err := docs.Tables(document)
	if err != nil {
		say("document: %v", err)
	}
	pins, err := modulePins(module, manifest.Top, numbers)
	if err != nil {
		say("%v", err)
	}
	var records []*portText
	for i := range manifest.Ports {
		if p := &manifest.Ports[i]; len(p.Layout) > 0 {
			records = append(records, p)
		}
	}
	if len(tables) != len(records) {
		say("%d tables of fields in the document, %d ports with fields in the manifest", len(tables), len(records))
		return differences
	}
	for i, p := range records {
		if !strings.Contains(tables[i].Before, "`"+p.Name+"`") {
			say("table %d does not name %s", i+1, p.Name)
		}
		if want, got := fmt.Sprint(tables[i].Fields), fmt.Sprint(p.fields()); want != got {
			say("%s: document %s, manifest %s", p.Name, want, got)
		}
	}
	return append(differences, pinDifferences(document, manifest, pins)...)
}

// besideLine is a document's word that outputs stand beside the ports: what a larger block joins it by. Each is a pin
// of one bit, or a port of several.
var (
	besideLine = regexp.MustCompile("(?m)^(`.*`) \\(out\\) (?:is|are) no ports? of records")
	quoted     = regexp.MustCompile("`(\\w+)`")
)

// pinDifferences holds the pins that a manifest and the document name against those that the module has: the same set,
// direction and width.
func pinDifferences(document string, manifest *deviceText, pins map[string]modulePin) (differences []string) {
	named := map[string]bool{}
	check := func(name string, output bool, width int) {
		pin, ok := pins[name]
		switch {
		case !ok:
			differences = append(differences, name+": the module has no such pin")
		case named[name]:
			differences = append(differences, name+": named twice")
		case pin.output != output:
			differences = append(differences, name+": wrong direction")
		case width > 0 && pin.width != width:
			differences = append(differences, fmt.Sprintf("%s: manifest %d bits, module %d", name, width, pin.width))
		}
		named[name] = true
	}
	check(manifest.Clock, false, 1)
	check(manifest.Reset.Pin, false, 1)
	for _, c := range manifest.Config {
		check(c.Pin, false, c.Width)
	}
	for _, p := range manifest.Ports {
		output := p.Dir == "out"
		for role, name := range p.Pins {
			width := 0 // data, keep and user are as wide as a parameter says
			if role == "valid" || role == "ready" || role == "last" {
				width = 1
			}
			check(name, output != (role == "ready"), width)
		}
		for _, f := range p.Layout {
			check(f.Pin, output, f.Width)
		}
	}
	for _, line := range besideLine.FindAllStringSubmatch(document, -1) {
		for _, m := range quoted.FindAllStringSubmatch(line[1], -1) {
			if _, ok := pins[m[1]]; ok {
				check(m[1], true, 1)
			}
			for name, pin := range pins {
				if strings.HasPrefix(name, m[1]+"_") && pin.output {
					named[name] = true
				}
			}
		}
	}
	for name := range pins {
		if !named[name] {
			differences = append(differences, name+": not in the manifest")
		}
	}
	slices.Sort(differences)
	return differences
}

// readLayouts reads the three of a device.
func readLayouts(t *testing.T, manifestPath string) (document string, manifest deviceText, module string) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(manifestPath)), &manifest))
	return read("../docs/blocks/" + manifest.Name + ".md"), manifest, read(filepath.Join(filepath.Dir(manifestPath),
		manifest.Top+".sv"))
}

// TestLayoutsAgree: of every device the document's tables, the manifest and the module's ports say the same.
func TestLayoutsAgree(t *testing.T) {
	files, err := filepath.Glob("../rtl/*/*.yaml")
	require.NoError(t, err)
	files = slices.DeleteFunc(files, func(name string) bool {
		return strings.HasSuffix(name, ".faults.yaml") || strings.HasSuffix(name, ".open.yaml") ||
			strings.HasSuffix(name, ".regs.yaml")
	})
	ports := 0
	for _, file := range files {
		document, manifest, module := readLayouts(t, file)
		require.Empty(t, layoutDifferences(document, &manifest, module, packageNumbers(t)), file)
		require.Empty(t, stageDifferences(&manifest), file)
		for _, p := range manifest.Ports {
			if len(p.Layout) > 0 {
				ports++
			}
		}
	}
	require.GreaterOrEqual(t, len(files), 8)
	require.GreaterOrEqual(t, ports, 10)
}

// stageDifferences holds what the model's stage knows of a device against its manifest: the bits of its records, the
// names of its settings, the widths of its inputs, and that all sizes are allowed.
func stageDifferences(manifest *deviceText) (differences []string) {
	say := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	stage, _ := Lookup(manifest.Model)
	for _, p := range manifest.Ports {
		bits := 0
		for _, f := range p.Layout {
			bits += f.Width
		}
		if at := slices.IndexFunc(stage.Ports, func(s sim.PortSpec) bool { return s.Name == p.Name }); at < 0 ||
			stage.Ports[at].Bits != bits {
			say("%s: %d bits in the manifest", p.Name, bits)
		}
	}
	own := sim.Settings(maps.Clone(manifest.Parameters))
	if own == nil {
		own = sim.Settings{}
	}
	for name, text := range manifest.Defines {
		own[name], _ = strconv.ParseUint(text, 10, 64)
	}
	for _, c := range manifest.Config {
		own[c.Pin] = c.Value
		at := slices.IndexFunc(stage.Settings, func(s sim.Setting) bool { return s.Name == c.Pin })
		if at < 0 || stage.Settings[at].Most != 1<<c.Width-1 {
			say("%s: %d bits in the manifest", c.Pin, c.Width)
		}
	}
	if len(own) != len(stage.Settings) {
		say("%v in the manifest, %v in the stage", slices.Sorted(maps.Keys(own)), stage.Settings)
	}
	for _, size := range slices.Concat([]map[string]uint64{nil}, manifest.Sizes, manifest.Synthesized) {
		with := maps.Clone(own)
		maps.Copy(with, size)
		if err := stage.Check(with); err != nil {
			say("%v", err)
		}
	}
	return differences
}

// TestLayoutDifferencesAreSeen changes one of the three at a time.
func TestLayoutDifferencesAreSeen(t *testing.T) {
	for _, c := range []struct{ file, in, old, new, says string }{
		{"psn/resp_psn_check", "document", "| 55:48 | opcode |", "| 55:47 | opcode |", "opcode 55:47"},
		{"psn/resp_psn_check", "document", "| 146 | to_error |", "| 146 | in_error |", "in_error 146:146"},
		{"psn/req_ack_check", "document", "| 131:130 | kind |", "| 130:129 | kind |", "kind 130:129"},
		{"rx/roce_parse", "document", "| 13, 14 | fecn, becn |", "| 13, 14 | becn, fecn |", "becn 13:13"},
		{"rx/roce_parse", "document", "| 39:36 | sl | LRH |\n", "", "m_hdr: document"},
		{"timer/retx_timer", "document", "`m_exp`, valid and ready", "An expiry, valid and ready",
			"table 3 does not name m_exp"},
		{"timer/retx_timer", "document", "| bits | field | |", "| bits | meaning | |", "tables of fields in the document"},
		{"psn/psn_window", "manifest", "pin: s_base_i, width: 24", "pin: s_base_i, width: 23",
			"s_base_i: manifest 23 bits, module 24"},
		{"psn/psn_window", "manifest", "pin: s_next_i,", "pin: s_base_i,", "s_base_i: named twice"},
		{"psn/psn_window", "manifest", "dir: out", "dir: in", "m_class_o: wrong direction"},
		{"timer/retx_timer", "manifest", "pin: tick_step_i, width: 32", "pin: tick_step_i, width: 16",
			"tick_step_i: manifest 16 bits, module 32"},
		{"psn/resp_psn_check", "module", "[2:0]  m_verdict_o", "[3:0]  m_verdict_o",
			"m_verdict_o: manifest 3 bits, module 4"},
		{"psn/psn_window", "module", "s_requester_i,", "s_asks_i,", "s_asks_i: not in the manifest"},
	} {
		document, manifest, module := readLayouts(t, "../rtl/"+c.file+".yaml")
		change := func(text string) string {
			require.Contains(t, text, c.old, c.file)
			return strings.Replace(text, c.old, c.new, 1)
		}
		switch c.in {
		case "document":
			if c.says == "tables of fields in the document" {
				document = strings.ReplaceAll(document, c.old, c.new)
			} else {
				document = change(document)
			}
		case "module":
			module = change(module)
		default:
			text, err := os.ReadFile("../rtl/" + c.file + ".yaml")
			require.NoError(t, err)
			manifest = deviceText{}
			require.NoError(t, yaml.Unmarshal([]byte(change(string(text))), &manifest))
		}
		require.Contains(t, strings.Join(layoutDifferences(document, &manifest, module, packageNumbers(t)), "\n"), c.says,
			"%s: %s", c.file, c.new)
	}
}
