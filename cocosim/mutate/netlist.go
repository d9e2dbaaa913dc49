package mutate

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
)

// netlistSource is the file name that mutants of a netlist lie in where Yosys knows no line of theirs.
const netlistSource = "netlist.v"

// netlistSelect is the input that Yosys gives a netlist to choose a mutant by. It becomes a wire.
const netlistSelect = "hca_mutant_select"

// ReadNetlist finds n mutants, drawn with a seed, of the netlist that Yosys makes of a device at its own size: a pin
// of a cell inverted, constant, or dependent on its neighbour (Yosys' mutate). All are in the netlist at once. Clock
// pins are left alone: a clock that is inverted in one register is no fault of what the design decides. Resets and
// enables stay multiplexers in front of registers: taken into them they would leave cells behind that nothing uses.
func ReadNetlist(ctx context.Context, m *manifest.Manifest, n int, seed uint64) (*Design, error) {
	d, err := Read(m)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "cosim-netlist-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	files, err := d.plain(dir, Mutant{}, false)
	if err != nil {
		return nil, err
	}
	with, err := d.readOptions(dir, nil)
	if err != nil {
		return nil, err
	}
	read := fmt.Sprintf("read_verilog -sv%s %s; %shierarchy -check -top %s; rename -top %[4]s; proc; flatten; "+
		"opt -nodffe -nosdff; "+
		"memory -nomap; opt_clean; ", with, strings.Join(files, " "), m.Chparam(), m.Top)
	if err := yosysIn(ctx, dir, fmt.Sprintf("%swrite_rtlil flat.il; mutate -list %d -seed %d -o list.ys", read,
		moreThan*n+50, seed)); err != nil {
		return nil, err
	}
	list, err := os.ReadFile(filepath.Join(dir, "list.ys"))
	if err != nil {
		return nil, err
	}
	lines := mutateLines(string(list))
	_, script := netlistMutants(lines, dir)
	text, err := applyMutants(ctx, dir, script, "opt_expr; opt_clean; ")
	if err != nil {
		return nil, err
	}
	if d.Mutants, script = netlistMutants(effective(lines, text, n), dir); len(d.Mutants) == 0 {
		return nil, cocosim.Errorf(cocosim.BuildFailed, "%s: Yosys finds nothing to mutate", m.Name)
	}
	if text, err = applyMutants(ctx, dir, script, ""); err != nil {
		return nil, err
	}
	d.netlist, d.Sites, d.Constant = chosenInside(text, m.Top, m.Parameters), len(d.Mutants), 0
	return d, nil
}

// moreThan is how many times as many mutants are drawn as are wanted: some change nothing.
const moreThan = 2

// applyMutants puts mutants into the flat netlist of a directory and gives it as Verilog.
func applyMutants(ctx context.Context, dir, script, then string) (string, error) {
	if err := os.WriteFile(filepath.Join(dir, "list.ys"), []byte(script), 0o666); err != nil {
		return "", err
	}
	if err := yosysIn(ctx, dir, "read_rtlil flat.il; script list.ys; "+then+"write_verilog -noattr out.v"); err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(dir, "out.v"))
	return string(text), err
}

var selected = regexp.MustCompile(netlistSelect + ` == 16'h([0-9a-f]{4})`)

// effective are up to n of the lines, those that are left in a netlist from which what is constant or not looked at was
// taken out: the others put a constant in its own place, or change what nothing depends on.
func effective(lines []string, netlist string, n int) (some []string) {
	left := map[int64]bool{}
	for _, m := range selected.FindAllStringSubmatch(netlist, -1) {
		id, _ := strconv.ParseInt(m[1], 16, 32)
		left[id] = true
	}
	for i, line := range lines {
		if left[int64(i+1)] && len(some) < n {
			some = append(some, line)
		}
	}
	return some
}

// seenFrom has a script name the files of a directory as that directory sees them: its own name may have a space, which
// Yosys takes for the end of a name.
func seenFrom(dir, script string) string {
	return strings.ReplaceAll(script, dir+string(filepath.Separator), "")
}

// yosysIn runs a script in a directory.
func yosysIn(ctx context.Context, dir, script string) error {
	cmd := exec.CommandContext(ctx, "yosys", "-q", "-p", seenFrom(dir, script))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return cocosim.Errorf(cocosim.BuildFailed, "yosys: %v: %s", err, lines[len(lines)-1])
}

var (
	netlistLine = regexp.MustCompile(`(?m)^mutate -mode (\w+) -module \S+ -cell (\S+) -port (\w+) -portbit (\d+)` +
		`(?: -ctrlbit (\d+))?(.*)$`)
	netlistWire = regexp.MustCompile(` -wire (\S+)(?: -wirebit (\d+))?`)
	netlistSrc  = regexp.MustCompile(` -src (\S+?):(\d+)\.`)
)

// mutateLines are the mutations that `mutate -list` wrote, without those of clock pins.
func mutateLines(list string) []string {
	return slices.DeleteFunc(netlistLine.FindAllString(list, -1), func(line string) bool {
		return strings.Contains(netlistLine.FindStringSubmatch(line)[3], "CLK")
	})
}

// netlistMutants makes mutants of what `mutate -list` wrote, and the script that puts them in. The mutant's line is the
// last that Yosys names: the operator's, behind the wire's and the instances'.
func netlistMutants(lines []string, dir string) (all []Mutant, script string) {
	for _, line := range lines {
		m := netlistLine.FindStringSubmatch(line)
		x := Mutant{ID: len(all) + 1, File: netlistSource, Operator: "netlist " + m[1],
			Old: fmt.Sprintf("%s %s[%s]", cellName(m[2]), m[3], m[4]), New: netlistNew(m[1], m[5])}
		if w := netlistWire.FindStringSubmatch(m[6]); w != nil {
			x.Old += " (" + w[1] + "[" + w[2] + "])"
		}
		if src := netlistSrc.FindAllStringSubmatch(m[6], -1); src != nil {
			last := src[len(src)-1]
			x.File = strings.TrimPrefix(strings.TrimPrefix(last[1], dir), "/")
			if len(x.File) > 3 && x.File[2] == '-' {
				x.File = x.File[3:] // the number that plain puts before a name
			}
			x.Line, _ = strconv.Atoi(last[2])
		}
		script += strings.Replace(line, "mutate ", fmt.Sprintf("mutate -ctrl %s 16 %d ", netlistSelect, x.ID), 1) + "\n"
		all = append(all, x)
	}
	return all, script
}

// cellName is a cell of a flat netlist by its instance and kind, without the paths and counters of Yosys:
// $flatten\u_queue.$ne$/tmp/queue.sv:63$3600 is u_queue.$ne.
func cellName(cell string) string {
	cell = strings.TrimPrefix(strings.TrimPrefix(cell, "$flatten"), "\\")
	if kind := strings.IndexByte(cell, '$'); kind >= 0 {
		if end := strings.IndexByte(cell[kind+1:], '$'); end >= 0 {
			return cell[:kind+1+end]
		}
	}
	return cell
}

// netlistNew says what a mutation puts in a bit's place.
func netlistNew(mode, bit string) string {
	switch mode {
	case "inv":
		return "inverted"
	case "const0":
		return "0"
	case "const1":
		return "1"
	case "cnot0":
		return "inverted where bit " + bit + " is 0"
	case "cnot1":
		return "inverted where bit " + bit + " is 1"
	}
	return mode
}

// chosenInside makes the input that chooses a mutant a wire of the module, and gives the module the parameters that the
// manifest sets, at the values that it has.
func chosenInside(text, top string, params map[string]int) string {
	var set []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		set = append(set, fmt.Sprintf("parameter integer %s = %d", name, params[name]))
	}
	header := "module " + top
	if len(set) > 0 {
		header += " #(" + strings.Join(set, ", ") + ") "
	}
	text = strings.Replace(text, "module "+top, header, 1)
	text = strings.Replace(text, ", "+netlistSelect, "", 1) // in the header, which comes first
	return strings.Replace(text, "  input [15:0] "+netlistSelect+";\n  wire [15:0] "+netlistSelect+";\n",
		"  wire [15:0] "+netlistSelect+" = hca_mutant::id;\n", 1)
}

// plainNetlist writes the netlist for a proof: no mutant chosen, or one for good.
func (d *Design) plainNetlist(dir string, m Mutant, mutated bool) ([]string, error) {
	id := 0
	if mutated {
		id = m.ID
	}
	name := filepath.Join(dir, netlistSource)
	text := fmt.Sprintf("package hca_mutant; localparam [15:0] id = 16'd%d; endpackage\n%s", id, d.netlist)
	return []string{name}, writeFile(name, text)
}
