// Command lint runs `verilator --lint-only -Wall` over every block at every size of its manifest and over the cells of
// rtl/cells.yaml; with -few at two sizes of each, the first and the last. rtl/lint.vlt holds the waivers, each with its
// reason. Exit 1: a module has a finding; 3: there is no Verilator, or a list cannot be read.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"hcacosim/rtl"
	"hcacosim/rtl/elaborate"
)

func main() {
	few := flag.Bool("few", false, "of each module the first size and the last")
	flag.Parse()
	if _, err := exec.LookPath("verilator"); err != nil {
		fail(err)
	}
	tops, err := elaborate.Tops()
	if err != nil {
		fail(err)
	}
	var group errgroup.Group
	group.SetLimit(runtime.NumCPU())
	for _, top := range tops {
		for i, size := range top.Sizes {
			if *few && i > 0 && i < len(top.Sizes)-1 {
				continue
			}
			group.Go(func() error { return lint(top.Name, size) })
		}
	}
	if group.Wait() != nil {
		os.Exit(1)
	}
}

// lint elaborates one module at one size and prints what Verilator finds, behind the command that repeats it.
func lint(top string, size map[string]int) error {
	args := []string{"--lint-only", "--assert", "-Wall", "--top-module", top}
	for _, name := range slices.Sorted(maps.Keys(size)) {
		args = append(args, fmt.Sprintf("-G%s=%d", name, size[name]))
	}
	sources, err := rtl.NeededAsserted("rtl", top)
	if err != nil {
		return err
	}
	args = append(args, "rtl/lint.vlt")
	for _, s := range sources {
		args = append(args, s.Path)
	}
	cmd := exec.Command("verilator", args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s\n%s", cmd, out)
	}
	return err
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "rtl/lint:", err)
	os.Exit(3)
}
