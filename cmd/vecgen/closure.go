package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim/guide"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
)

func closureCommand() *cli.Command {
	return &cli.Command{
		Name:  "closure",
		Usage: "measure how many packets coverage takes to close, by chance and guided",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "dut", Usage: "stage; may be repeated"},
			&cli.StringSliceFlag{Name: "config", Usage: "set a parameter of the stages: NAME=NUMBER; may be repeated"},
			&cli.Uint64Flag{Name: "seeds", Value: 5, Usage: "runs of each"},
			&cli.Uint64Flag{Name: "count", Value: 300_000, Usage: "packets that chance has"},
			&cli.Uint64Flag{Name: "patience", Value: guide.DefaultPatience, Usage: "as of `vecgen guide`"},
			&cli.StringFlag{Name: "page", Usage: "write the tables to `FILE`"},
			&cli.StringFlag{Name: "plot", Usage: "write the curves to `FILE`, an SVG"},
		},
		Action: closure,
	}
}

func closure(c *cli.Context) error {
	if err := noArgs(c); err != nil {
		return err
	}
	var all []*guide.Closure
	for _, name := range c.StringSlice("dut") {
		spec, ok := vectors.Lookup(name)
		if !ok {
			return &capture.Error{File: "closure", Offset: -1, What: "no stage " + name, Do: "see `vecgen list`"}
		}
		settings, err := settingsOf(c, spec)
		if err != nil {
			return err
		}
		all = append(all, guide.Close(guide.Target{Spec: spec, Settings: settings}, c.Uint64("seeds"), c.Uint64("count"),
			c.Uint64("patience"), cpuSeconds))
	}
	if len(all) == 0 {
		return &capture.Error{File: "closure", Offset: -1, What: "no stage", Do: "name one: --dut resp_psn_check"}
	}
	var page bytes.Buffer
	page.WriteString(closureHead(c))
	guide.WriteTable(&page, all, c.Uint64("count"))
	page.WriteString(closureSeconds)
	guide.WriteSeconds(&page, all)
	if file := c.String("plot"); file != "" {
		var b bytes.Buffer
		if err := guide.Plot(&b, all); err != nil {
			return err
		}
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			return err
		}
		page.WriteString("\n![bins against packets](closure.svg)\n")
	}
	if file := c.String("page"); file != "" {
		return os.WriteFile(file, page.Bytes(), 0o644)
	}
	_, err := page.WriteTo(c.App.Writer)
	return err
}

func closureHead(c *cli.Context) string {
	line := "vecgen closure"
	for _, name := range c.StringSlice("dut") {
		line += " --dut " + name
	}
	for _, text := range c.StringSlice("config") {
		line += " --config " + text
	}
	return fmt.Sprintf("# Packets until coverage closes\n\nWritten by `%s --seeds %d --count %d --patience %d`. By "+
		"chance: the stage's scenarios from their first record on, where it has several\nin turns of 2,048 records. Guided: "+
		"what `vecgen guide` finds, in its order, played once and measured then. Median of the "+
		"seeds,\nthe range in brackets. The bins are those that any of "+
		"these runs met; idle cycles, which the golden model never has, are left out. The last column is a bound: bins no "+
		"two of which\nany packet met, of those of the found sets and of the first of chance, without the one in a "+
		"hundred that may stay open.\n\n", line,
		c.Uint64("seeds"), c.Uint64("count"), c.Uint64("patience"))
}

const closureSeconds = `
## At equal CPU seconds

The search plays far more on the golden model than the set that it leaves has. Both here run on the golden model, and the
whole price of the search is counted, on a machine with other work. A set is searched once and played often.

`

// cpuSeconds is the CPU time of this process.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime)
}
