package verilated

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

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
		version, err := versionOf(ctx, args)
		if err != nil {
			return nil, err
		}
		all = append(all, Tool{args[0], version})
	}
	return all, nil
}

// knownVersions are what programs said, by askedTool: a process that builds much asks each once.
var knownVersions sync.Map

// askedTool is a program as it lies there: another one in its place is asked again.
type askedTool struct {
	path     string
	size     int64
	modified time.Time
}

func versionOf(ctx context.Context, args []string) (string, error) {
	var asked askedTool
	if path, err := exec.LookPath(args[0]); err == nil {
		if st, err := os.Stat(path); err == nil {
			asked = askedTool{path, st.Size(), st.ModTime()}
		}
	}
	if version, ok := knownVersions.Load(asked); ok {
		return version.(string), nil
	}
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
	if ctx.Err() != nil {
		return "", stopped(ctx, "stopped while asking for the version of "+args[0])
	}
	if err != nil {
		return "", &cocosim.Error{Exit: cocosim.BuildFailed, What: strings.Join(args, " ") + " does not work", Err: err}
	}
	version := strings.TrimSpace(string(out))
	if asked.path != "" {
		knownVersions.Store(asked, version)
	}
	return version, nil
}
