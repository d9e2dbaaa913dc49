package verilated

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/design"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/shim"
)

const (
	shimFile = "hca_shim.v"
	// dataDir is the directory beside a simulator that it runs in, where its manifest names data.
	dataDir = "data"
)

// keys are the files of a manifest beside its Verilog.
type keys struct {
	vhdl, c, data []manifest.Source
	bound         *manifest.Manifest // what the bridge binds: the design, or the module in front of it
	isShimmed     bool
}

func newKeys(m *manifest.Manifest) (k keys, err error) {
	for _, list := range []struct {
		to    *[]manifest.Source
		names []string
		key   string
	}{{&k.vhdl, m.VHDL, "vhdl"}, {&k.c, m.CSources, "c_sources"}, {&k.data, m.Data, "data"}} {
		if *list.to, err = m.ReadFiles(list.key, list.names); err != nil {
			return k, err
		}
	}
	k.bound = m
	if k.isShimmed = shim.Needed(m); k.isShimmed {
		k.bound = shim.Bound(m)
	}
	return k, nil
}

// text names all that these keys put into an image; nothing for a manifest without them.
func (b *build) keyText() string {
	m := b.m
	var out bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(m.Defines)) {
		fmt.Fprintf(&out, "define %s=%s\n", name, m.Defines[name])
	}
	for _, o := range m.Verilator {
		fmt.Fprintf(&out, "verilator %q\n", o)
	}
	for i, list := range [][]manifest.Source{b.keys.vhdl, b.keys.c, b.keys.data} {
		for _, s := range list {
			fmt.Fprintf(&out, "file %d %s %d\n%s", i, s.Path, len(s.Text), s.Text)
		}
	}
	for _, name := range m.Data {
		fmt.Fprintf(&out, "data %s\n", name)
	}
	if b.keys.isShimmed {
		fmt.Fprintf(&out, "shim %s\n", shim.Version)
		for _, u := range m.PinUses() {
			fmt.Fprintf(&out, "%s %d %v\n", u.Pin, u.Bits, u.At)
		}
		for _, p := range m.Ports {
			fmt.Fprintf(&out, "%s\n", p.Bytes)
		}
		if m.Setup != nil {
			fmt.Fprintf(&out, "setup %s %d %d\n", m.Setup.Bus, m.Setup.Width, m.Setup.Address)
			for _, s := range m.Setup.Steps {
				fmt.Fprintf(&out, "step %s %s %s %d %d\n", number(s.Write), number(s.Read), number(s.Mask), s.Value, s.Wait)
			}
		}
	}
	return out.String()
}

func number(v *uint64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

// files are the design's on disk, seen from the directory of the build.
func (b *build) onDisk(dir string) design.Files {
	f := design.Files{Defines: b.m.Defines, Parameters: b.m.Parameters, Options: b.m.Verilator, Top: b.m.Top}
	place := func(name string) string {
		if name = b.place(name); !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name
	}
	for _, d := range b.include {
		f.Include = append(f.Include, place(d))
	}
	for _, s := range b.files {
		f.Verilog = append(f.Verilog, place(s.Path))
	}
	for _, s := range b.keys.vhdl {
		f.VHDL = append(f.VHDL, place(s.Path))
	}
	return f
}

// prepare makes what the tools read and nobody wrote: Verilog of VHDL, and the module in front of the design.
func (b *build) prepare(ctx context.Context, dir string, log *bytes.Buffer) error {
	for i, s := range b.keys.data {
		name := filepath.Join(dir, dataDir, filepath.Clean(b.m.Data[i]))
		if !filepath.IsLocal(b.m.Data[i]) {
			name = filepath.Join(dir, dataDir, filepath.Base(s.Path))
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return cacheError(err)
		}
		if err := os.WriteFile(name, s.Text, 0o666); err != nil {
			return cacheError(err)
		}
	}
	if err := b.compileC(ctx, dir, log); err != nil {
		return err
	}
	files := b.onDisk(dir)
	verilog, err := design.Verilog(ctx, files, dir)
	if err != nil {
		return err
	}
	if len(files.VHDL) > 0 {
		b.files = append(b.files, manifest.Source{Path: verilog[len(verilog)-1]})
	}
	if !b.keys.isShimmed {
		return nil
	}
	top, err := design.Read(ctx, files)
	if err != nil {
		return err
	}
	text, err := shim.Make(b.m, top, netlists[b.flavour] == "" && len(files.VHDL) == 0)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, shimFile), []byte(text), 0o666); err != nil {
		return cacheError(err)
	}
	return nil
}

// isC reports whether a file is C: Verilator would compile it as C++, under other names.
func isC(name string) bool { return filepath.Ext(name) == ".c" }

func objectName(i int) string { return fmt.Sprintf("c_source_%d.o", i) }

// compileC compiles the files of C, which find the headers of DPI.
func (b *build) compileC(ctx context.Context, dir string, log *bytes.Buffer) error {
	for i, s := range b.keys.c {
		if !isC(s.Path) {
			continue
		}
		root, err := exec.CommandContext(ctx, "verilator", "--getenv", "VERILATOR_ROOT").Output()
		if err != nil {
			return cocosim.Errorf(cocosim.BuildFailed, "verilator --getenv VERILATOR_ROOT does not work: %v", err)
		}
		include := filepath.Join(strings.TrimSpace(string(root)), "include", "vltstd")
		if err := tool(ctx, dir, log, "gcc", "-O1", "-fPIC", "-I"+include, "-c", s.Path, "-o", objectName(i)); err != nil {
			return err
		}
	}
	return nil
}

// keyArgs are Verilator's for these keys.
func (b *build) keyArgs() (args []string) {
	args = append(design.Arguments(design.Files{Defines: b.m.Defines}), b.m.Verilator...)
	for i, s := range b.keys.c {
		if isC(s.Path) {
			args = append(args, "../"+objectName(i))
		} else {
			args = append(args, s.Path)
		}
	}
	if b.keys.isShimmed {
		args = append(args, shimFile)
	}
	return args
}

// checkDesign holds a manifest against the design's own pins, where the header of the simulator would not show them.
func checkDesign(m *manifest.Manifest, top *design.Top) error {
	if err := shim.Check(m, top); err != nil {
		return err
	}
	for _, p := range top.Parameters {
		if _, ok := m.Parameters[p.Name]; ok && p.Odd != "" {
			return cocosim.Errorf(cocosim.BadInput, "%s: parameter %s is no number", m.Path(), p.Name)
		}
	}
	return nil
}

// Lint reads a design as a build would, and holds its manifest against it.
func Lint(ctx context.Context, m *manifest.Manifest, params map[string]int) (*design.Top, error) {
	b, err := newBuild(ctx, m, params, Fast)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "cosim-lint-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := b.write(dir); err != nil {
		return nil, cacheError(err)
	}
	top, err := design.Read(ctx, b.onDisk(dir))
	if err != nil {
		return nil, err
	}
	return top, checkDesign(b.m, top)
}

// Check refuses a flavour that there is not.
func (f Flavour) Check() error {
	if _, ok := recipes[f]; !ok {
		return cocosim.Errorf(cocosim.BadInput, "no build flavour %q (there are %v)", string(f),
			slices.Sorted(maps.Keys(recipes)))
	}
	return nil
}
