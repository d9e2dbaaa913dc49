package verilated

import (
	"context"
	"os/exec"
	"strings"

	"hcacosim/cocosim"
)

// Tool is a program that an image is built with, as it names its version.
type Tool struct{ Name, Version string }

// Tools are those of an image. Another version of one is another image.
type Tools []Tool

// String is the versions, one behind the other.
func (t Tools) String() string {
	var all []string
	for _, tool := range t {
		all = append(all, tool.Version)
	}
	return strings.Join(all, ", ")
}

// toolVersions asks the tools that a flavour needs for their versions.
func toolVersions(ctx context.Context, flavour Flavour) (Tools, error) {
	needed, versions := []string{"verilator", "g++", "make"}, [][]string{{"verilator", "--version"},
		{"g++", "-dumpfullversion"}}
	if netlists[flavour] != "" {
		needed, versions = append(needed, "yosys"), append(versions, []string{"yosys", "-V"})
	}
	var missing []string
	for _, name := range needed {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return nil, &cocosim.Error{Exit: cocosim.BuildFailed, What: strings.Join(missing, " and ") +
			" not found, which RTL is built with",
			Do: "as root: apt-get install " + strings.Join(missing, " ")}
	}
	var all Tools
	for _, args := range versions {
		out, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
		if ctx.Err() != nil {
			return nil, stopped(ctx, "stopped while asking for the version of "+args[0])
		}
		if err != nil {
			return nil, &cocosim.Error{Exit: cocosim.BuildFailed, What: strings.Join(args, " ") + " does not work", Err: err}
		}
		all = append(all, Tool{args[0], strings.TrimSpace(string(out))})
	}
	return all, nil
}
