package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/regress"
)

// stillReason is an entry of the file of --state-reasons: why bits of a device never change.
type stillReason struct {
	Device string
	Signal string // as u_left.mem[*]
	Bits   [2]int // from, to; [0, 0] of a signal of one bit too
	Reason string

	used bool
}

// explains reports whether one of the reasons is for a bit of a device.
func explains(list []*stillReason, s *regress.State, signal string, bit int) bool {
	for _, e := range list {
		if e.Device == s.Dut && e.Signal == signal && (bit < 0 || e.Bits[0] <= bit && bit <= e.Bits[1]) {
			e.used = true
			return true
		}
	}
	return false
}

// stillReasons are those of --state-reasons.
func stillReasons(c *cli.Context) (list []*stillReason, err error) {
	if file := c.String("state-reasons"); file != "" {
		return readReasons[stillReason](file)
	}
	return nil, nil
}

// writeState writes which bits of state never changed. A device of which none was counted is no good one.
func writeState(c *cli.Context, states regress.States) error {
	reasons, err := stillReasons(c)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	open := printState(&b, states, reasons)
	fmt.Fprintf(c.App.ErrWriter, "%d bits of state never changed and have no reason\n", open)
	for _, e := range reasons {
		if !e.used && ran(states, e.Device) {
			fmt.Fprintf(c.App.ErrWriter, "%s: this reason is not needed: %s %s\n", c.String("state-reasons"), e.Device, e.Signal)
		}
	}
	if err := command.WriteFile(c.String("state"), b.Bytes()); err != nil {
		return err
	}
	return counted(states)
}

// counted refuses a result in which nothing was counted.
func counted(states regress.States) error {
	for _, s := range states {
		if len(s.Toggles) == 0 {
			return cocosim.Errorf(cocosim.Inconclusive, "--state: no bit of %s was counted, in %d runs", s.Dut, s.Runs)
		}
	}
	if len(states) == 0 {
		return cocosim.Errorf(cocosim.Inconclusive, "--state: nothing was run")
	}
	return nil
}

func ran(states regress.States, dut string) bool {
	return slices.ContainsFunc(states, func(s *regress.State) bool { return s.Dut == dut })
}

// printState writes the tables and returns how many bits have neither changed nor a reason.
func printState(w io.Writer, states regress.States, reasons []*stillReason) (unexplained int) {
	fmt.Fprint(w, "# State that never changed\n\n"+
		"Written by `cosim regress --state`: of the registers, memories and ports of each device, at all sizes that were "+
		"run, the bits that changed no more\n"+
		"than four times a run, as what nothing drives does at its beginning. What a fault does to such a bit nothing "+
		"can tell. Those with\na reason stand in the file of `--state-reasons`.\n\n"+
		"| device | runs | bits | changed | still, with a reason | still, without |\n|---|---|---|---|---|---|\n")
	var open bytes.Buffer
	for _, s := range states {
		still, all, skipped := s.Still(func(signal string, bit int) bool { return explains(reasons, s, signal, bit) })
		n := 0
		for _, x := range still {
			n += x.Times * max(1, len(x.Bits))
			fmt.Fprintf(&open, "| %s | `%s` |\n", s.Dut, x)
		}
		unexplained += n
		fmt.Fprintf(w, "| %s | %d | %d | %s | %d | %d |\n", s.Dut, s.Runs, all, percent(all-skipped-n, all), skipped, n)
	}
	fmt.Fprint(w, "\n## Without a reason\n\n")
	if open.Len() == 0 {
		fmt.Fprintln(w, "None.")
		return unexplained
	}
	fmt.Fprintf(w, "| device | bits |\n|---|---|\n%s", &open)
	return unexplained
}
