package main

import (
	"fmt"
	"hcacosim/vectors/capture"
	"os"

	"github.com/urfave/cli/v2"
)

func replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "make a long capture of a short one: rounds of it, renumbered, with right ICRCs",
		ArgsUsage: "CAPTURE",
		Flags: []cli.Flag{
			&cli.Uint64Flag{Name: "count", Value: 1_000_000, Usage: "frames"},
			&cli.IntFlag{Name: "connections", Value: 1,
				Usage: "copies side by side, packet by packet, each between queue pairs of its own"},
			&cli.StringFlag{Name: "o", Usage: "pcap to write, `FILE`"},
		},
		Action: replay,
	}
}

func replay(c *cli.Context) error {
	path, err := oneArg(c, "capture")
	if err != nil {
		return err
	}
	if c.String("o") == "" {
		return fmt.Errorf("replay: no -o FILE")
	}
	if c.Int("connections") < 1 {
		return fmt.Errorf("replay: --connections %d", c.Int("connections"))
	}
	r, err := capture.NewReplay(path, c.Int("connections"))
	if err != nil {
		return err
	}
	f, err := os.Create(c.String("o"))
	if err != nil {
		return err
	}
	err = r.WritePcap(f, c.Uint64("count"))
	if bad := f.Close(); err == nil {
		err = bad
	}
	return err
}
