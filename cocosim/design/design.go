// Package design reads the interface of a design: what Verilator makes of its top, as XML. VHDL goes through GHDL
// first.
package design

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
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
)

// Files is a design on disk. Paths are absolute, or relative to the working directory.
type Files struct {
	Verilog, VHDL, Include []string
	Defines                map[string]string
	Parameters             map[string]int // override the design's own
	Options                []string       // for Verilator
	Top                    string
}

// Pin is a port of the top.
type Pin struct {
	Name, Dir string // Dir is input, output or inout
	Bits      int
	// Odd says why the pin cannot be bound as it is: it is an array, or of a type without a width. "" elsewhere.
	Odd string
}

// Parameter is a parameter of the top.
type Parameter struct {
	Name  string
	Value int
	// Odd says why it is no number; "" elsewhere.
	Odd string
}

// Top is the interface of a design, in the order of its declaration.
type Top struct {
	Name       string
	Pins       []Pin
	Parameters []Parameter
	Uses       map[string]Use // by pin: how the design uses inputs of one bit
}

// Use is what the always blocks of a design, through all of its hierarchy, do with a signal.
type Use struct {
	Clock        int // blocks that it alone clocks
	AsyncLow     int // blocks that it resets by its falling edge
	AsyncHigh    int
	SyncLow      int // blocks that set constants while it is low
	SyncHigh     int
	FallingClock int // of Clock: by its falling edge
}

// Pin finds a pin by name.
func (t *Top) Pin(name string) (Pin, bool) {
	for _, p := range t.Pins {
		if p.Name == name {
			return p, true
		}
	}
	return Pin{}, false
}

// Read elaborates a design in a directory of its own and reads its top. A design that does not elaborate is one line.
func Read(ctx context.Context, f Files) (*Top, error) {
	dir, err := os.MkdirTemp("", "cosim-design-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	verilog, err := Verilog(ctx, f, dir)
	if err != nil {
		return nil, err
	}
	args := []string{"--xml-only", "-O0", "-Wno-fatal", "-Wno-lint", "--no-timing", "--xml-output", filepath.Join(dir,
		"top.xml"), "-Mdir", dir,
		"--top-module", f.Top}
	if len(f.VHDL) == 0 {
		for _, name := range slices.Sorted(maps.Keys(f.Parameters)) {
			args = append(args, fmt.Sprintf("-G%s=%d", name, f.Parameters[name]))
		}
	}
	args = append(args, Arguments(f)...)
	text, err := run(ctx, "", "verilator", append(args, verilog...)...)
	if err != nil {
		return nil, unreadable(f.Top, text, err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "top.xml"))
	if err != nil {
		return nil, err
	}
	return parse(raw)
}

// Arguments are Verilator's for includes, defines and options of a design.
func Arguments(f Files) (args []string) {
	for _, d := range f.Include {
		args = append(args, "+incdir+"+d)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Defines)) {
		if v := f.Defines[name]; v != "" {
			args = append(args, "-D"+name+"="+v)
		} else {
			args = append(args, "-D"+name)
		}
	}
	return append(args, f.Options...)
}

// Verilog gives the Verilog of a design: its own files, and behind them one in dir that GHDL makes of its VHDL.
func Verilog(ctx context.Context, f Files, dir string) ([]string, error) {
	if len(f.VHDL) == 0 {
		return f.Verilog, nil
	}
	if _, err := exec.LookPath("ghdl"); err != nil {
		return nil, &cocosim.Error{Exit: cocosim.BuildFailed, What: "ghdl not found, which VHDL is read with",
			Do: "as root: apt-get install ghdl"}
	}
	args := []string{"--synth", "--std=08", "--out=verilog", "--workdir=" + dir}
	for _, name := range slices.Sorted(maps.Keys(f.Parameters)) {
		args = append(args, fmt.Sprintf("-g%s=%d", name, f.Parameters[name]))
	}
	args = append(append(args, f.VHDL...), "-e", f.Top)
	cmd := exec.CommandContext(ctx, "ghdl", args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, &cocosim.Error{Exit: cocosim.BuildFailed, What: "ghdl: " + firstLine(said.String(), err)}
	}
	file := filepath.Join(dir, "vhdl.v")
	return append(slices.Clone(f.Verilog), file), os.WriteFile(file, out.Bytes(), 0o666)
}

func run(ctx context.Context, dir, name string, args ...string) (string, error) {
	if _, err := exec.LookPath(name); err != nil {
		return "", &cocosim.Error{Exit: cocosim.BuildFailed, What: name + " not found, which RTL is read with",
			Do: "as root: apt-get install " + name}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func firstLine(text string, err error) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return err.Error()
}

var verilatorError = regexp.MustCompile(`(?m)^%Error(?:-\w+)?: (.*)$`)

// unreadable is the line for a design that does not elaborate.
func unreadable(top, text string, err error) error {
	var known *cocosim.Error
	if errors.As(err, &known) {
		return err
	}
	if strings.Contains(text, "Interfaced port on top level") {
		place := regexp.MustCompile(`UNSUPPORTED: (\S+?:\d+):`).FindStringSubmatch(text)
		return &cocosim.Error{Exit: cocosim.BadInput,
			What: fmt.Sprintf("%s: %s has a port that is an interface, or an array of them", place[1], top),
			Do:   "only pins of bits can be bound: give the module inside, or put a module around it whose ports are logic"}
	}
	what := firstLine(text, err)
	if m := verilatorError.FindStringSubmatch(text); m != nil {
		what = m[1]
	}
	return &cocosim.Error{Exit: cocosim.BuildFailed, What: fmt.Sprintf("%s does not elaborate: %s", top, what)}
}

// node is an element of Verilator's XML.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Nodes   []node     `xml:",any"`
}

func (n *node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (n *node) is(kind string) bool { return n.XMLName.Local == kind }

func (n *node) child(kind string) *node {
	for i := range n.Nodes {
		if n.Nodes[i].is(kind) {
			return &n.Nodes[i]
		}
	}
	return nil
}

type reader struct {
	modules map[string]*node
	types   map[string]*node
}

func parse(raw []byte) (*Top, error) {
	var root node
	if err := xml.Unmarshal(raw, &root); err != nil {
		return nil, cocosim.Errorf(cocosim.BuildFailed, "Verilator's XML cannot be read: %v", err)
	}
	net := root.child("netlist")
	if net == nil {
		return nil, cocosim.Errorf(cocosim.BuildFailed, "Verilator's XML has no netlist")
	}
	r := reader{modules: map[string]*node{}, types: map[string]*node{}}
	var top *node
	for i := range net.Nodes {
		n := &net.Nodes[i]
		if n.is("module") {
			r.modules[n.attr("name")] = n
			if n.attr("topModule") != "" {
				top = n
			}
		}
	}
	if table := net.child("typetable"); table != nil {
		for i := range table.Nodes {
			r.types[table.Nodes[i].attr("id")] = &table.Nodes[i]
		}
	}
	if top == nil {
		return nil, cocosim.Errorf(cocosim.BuildFailed, "Verilator's XML has no top")
	}
	return r.top(top), nil
}

func (r *reader) top(n *node) *Top {
	t := &Top{Name: n.attr("origName"), Uses: map[string]Use{}}
	for i := range n.Nodes {
		v := &n.Nodes[i]
		switch {
		case !v.is("var"):
		case v.attr("param") != "":
			t.Parameters = append(t.Parameters, parameter(v))
		case v.attr("dir") != "":
			p := Pin{Name: v.attr("origName"), Dir: v.attr("dir")}
			p.Bits, p.Odd = r.width(v.attr("dtype_id"))
			t.Pins = append(t.Pins, p)
			if p.Dir == "input" && p.Bits == 1 {
				t.Uses[p.Name] = r.use(n, v.attr("name"), 0)
			}
		}
	}
	return t
}

var constant = regexp.MustCompile(`^(\d+)'(s?)h([0-9a-f]+)$`)

func parameter(v *node) Parameter {
	p := Parameter{Name: v.attr("origName"), Odd: "no number"}
	c := v.child("const")
	if c == nil {
		return p
	}
	m := constant.FindStringSubmatch(c.attr("name"))
	if m == nil {
		return p
	}
	if value, err := strconv.ParseUint(m[3], 16, 31); err == nil {
		p.Value, p.Odd = int(value), ""
	}
	return p
}

// width is that of a type in bits.
func (r *reader) width(id string) (bits int, odd string) {
	t := r.types[id]
	if t == nil {
		return 0, "its type is not known"
	}
	switch t.XMLName.Local {
	case "basicdtype":
		if t.attr("left") == "" {
			return map[string]int{"integer": 32, "int": 32, "byte": 8, "shortint": 16, "longint": 64, "logic": 1, "bit": 1,
				"reg": 1}[t.attr("name")], ""
		}
		left, _ := strconv.Atoi(t.attr("left"))
		right, _ := strconv.Atoi(t.attr("right"))
		return max(left, right) - min(left, right) + 1, ""
	case "refdtype", "enumdtype", "constdtype":
		return r.width(t.attr("sub_dtype_id"))
	case "structdtype", "uniondtype":
		for i := range t.Nodes {
			b, odd := r.width(t.Nodes[i].attr("sub_dtype_id"))
			if odd != "" {
				return 0, odd
			}
			if t.is("uniondtype") {
				bits = max(bits, b)
			} else {
				bits += b
			}
		}
		return bits, ""
	case "packarraydtype":
		b, odd := r.width(t.attr("sub_dtype_id"))
		return b * rangeOf(t), odd
	case "unpackarraydtype":
		return 0, "it is an unpacked array"
	}
	return 0, "its type is a " + t.XMLName.Local
}

// rangeOf is how many elements an array has.
func rangeOf(t *node) int {
	n := t.child("range")
	if n == nil || len(n.Nodes) != 2 {
		return 0
	}
	a, b := parameterValue(&n.Nodes[0]), parameterValue(&n.Nodes[1])
	return max(a, b) - min(a, b) + 1
}

func parameterValue(c *node) int {
	m := constant.FindStringSubmatch(c.attr("name"))
	if m == nil {
		return 0
	}
	v, _ := strconv.ParseInt(m[3], 16, 64)
	return int(v)
}
