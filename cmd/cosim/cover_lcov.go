package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/cover"
)

// writeLCOV writes the bins of sheets for --lcov, and behind them what the runs of --verilator counted in the RTL.
func writeLCOV(c *cli.Context, sheets []*cover.Sheet) error {
	files := c.StringSlice("verilator")
	if c.String("lcov") == "" {
		if len(files) > 0 {
			return cocosim.Errorf(cocosim.BadInput, "--verilator goes into the file of --lcov DIR")
		}
		return nil
	}
	var rtl io.Reader
	if len(files) > 0 {
		info, err := verilatorInfo(c, files)
		if err != nil {
			return err
		}
		rtl = bytes.NewReader(info)
	}
	if err := cover.WriteLCOV(c.String("lcov"), sheets, rtl); err != nil {
		return cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	return nil
}

// verilatorInfo is what verilator_coverage makes of the files that runs of the flavour coverage wrote, all as one.
func verilatorInfo(c *cli.Context, files []string) ([]byte, error) {
	for _, f := range files { // the tool's own words for it name no file
		if _, err := os.Stat(f); err != nil {
			return nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
		}
	}
	dir, err := os.MkdirTemp("", "cosim-lcov-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "rtl.info")
	said, err := exec.CommandContext(c.Context, "verilator_coverage", append([]string{"--write-info", out},
		files...)...).CombinedOutput()
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BuildFailed, "verilator_coverage: %v: %s", err,
			strings.TrimSpace(string(said)))
	}
	return os.ReadFile(out)
}
