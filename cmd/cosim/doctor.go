package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/docs"
)

// tool is a program that something here uses.
type tool struct {
	name    string
	version []string // the command that prints its version
	pkg     string   // Debian package
	needed  bool     // for cosim run
	use     string
}

var tools = []tool{
	{"verilator", []string{"verilator", "--version"}, "verilator", true, "builds RTL into a simulator"},
	{"g++", []string{"g++", "--version"}, "g++", true, "compiles the simulator"},
	{"make", []string{"make", "--version"}, "make", true, "drives that build"},
	{"ccache", []string{"ccache", "--version"}, "ccache", false, "makes rebuilds quick"},
	{"yosys", []string{"yosys", "-V"}, "yosys", false, "make synth"},
	{"tshark", []string{"tshark", "--version"}, "tshark", false, "tests: a second decoder"},
	{"scapy", []string{"/usr/bin/python3", "-c", "import scapy; print('scapy', scapy.__version__)"}, "python3-scapy",
		false, "tests and bench: a second ICRC"},
}

// notImplemented is what the design names and this build does not have.
var notImplemented = []string{
	"RTL of RD and XRC",
	"RTL of Falcon but falcon_window",
	"bridge over TCP",
	"distribution over machines",
}

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "tools, versions, what is missing and how to get it; what is not implemented",
		Action: func(c *cli.Context) error {
			missing := printTools(c.Context, c.App.Writer)
			fmt.Fprintln(c.App.Writer, "\nnot implemented")
			blocks, err := notBuilt()
			if err != nil {
				return err
			}
			for _, s := range slices.Concat(blocks, notImplemented) {
				fmt.Fprintln(c.App.Writer, "  "+s)
			}
			if missing {
				return command.Silent(cocosim.BuildFailed)
			}
			return nil
		},
	}
}

// notBuilt has a line for every block of docs/pipeline.md and docs/transmit.md that has no manifest.
func notBuilt() (lines []string, err error) {
	all, err := manifest.Embedded()
	if err != nil {
		return nil, err
	}
	for _, b := range docs.MapBlocks() {
		if !slices.ContainsFunc(all, func(m *manifest.Manifest) bool { return m.Name == b.Name }) {
			lines = append(lines, "block "+b.Name+": "+b.What)
		}
	}
	return lines, nil
}

// printTools prints a line a tool and tells whether one that `cosim run` needs is missing.
func printTools(ctx context.Context, w io.Writer) (missing bool) {
	for _, t := range tools {
		v, ok := versionOf(ctx, t.version)
		if !ok {
			v = "missing: apt-get install " + t.pkg
			missing = missing || t.needed
		}
		need := "optional"
		if t.needed {
			need = "needed"
		}
		fmt.Fprintf(w, "%-10s %-8s %-46s %s\n", t.name, need, v, t.use)
	}
	return missing
}

func versionOf(ctx context.Context, argv []string) (string, bool) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	if err != nil {
		return "", false
	}
	line, _, _ := strings.Cut(string(out), "\n")
	if len(line) > 46 {
		line = line[:45] + "…"
	}
	return line, true
}
