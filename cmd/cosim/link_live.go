package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/live"
)

// liveEnds are how --b names a real peer: docs/live.md.
var liveEnds = []string{"socket:", "listen:", "tap:"}

// isLive reports whether an end is a real peer.
func isLive(end string) bool {
	for _, kind := range liveEnds {
		if strings.HasPrefix(end, kind) {
			return true
		}
	}
	return false
}

// liveFlags are those that only a real peer needs.
func liveFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "session", Usage: "real peer: the YAML `FILE` that says what end A is and does (docs/live.md)"},
		&cli.StringSliceFlag{Name: "set", Usage: "real peer: `KEY=VALUE` in place of what the file says: qps.0.peer=0x12"},
	}
}

// simulated are the flags of a link that a real peer does not have.
var simulated = []string{"count", "qps", "seed", "loss", "dup", "reorder", "corrupt", "delay", "hold", "gbps", "pmtu",
	"window", "depth", "late"}

// onlySimulated refuses the flags of a real peer where there is none.
func onlySimulated(c *cli.Context) error {
	for _, f := range liveFlags() {
		if name := f.Names()[0]; c.IsSet(name) {
			return cocosim.Errorf(cocosim.BadInput, "--%s is for a real peer: --b socket:PATH, listen:PATH or tap:NAME", name)
		}
	}
	return nil
}

// runLive is `cosim link` with a real peer.
func runLive(c *cli.Context) error {
	file, err := liveFile(c)
	if err != nil {
		return err
	}
	cfg := live.Config{Peer: c.String("b"), File: file, Log: func(format string, args ...any) {
		logger(c).Info(fmt.Sprintf(format, args...))
	}}
	var capture *os.File
	if out := c.String("pcap"); out != "" {
		if capture, err = os.Create(out + ".a.pcap"); err != nil {
			return cocosim.Errorf(cocosim.BadInput, "--pcap: %v", err)
		}
		cfg.Capture = capture
	}
	if cfg.Halves, err = openHalves(c, c.String("a"), 1); err != nil {
		return err
	}
	report, err := live.Run(c.Context, cfg)
	err = errors.Join(err, cfg.Halves.Close())
	if capture != nil {
		err = errors.Join(err, capture.Close())
	}
	if report == nil {
		return err
	}
	if c.Bool("json") {
		err = errors.Join(err, report.PrintJSON(c.App.Writer))
	} else if !c.Bool("quiet") {
		report.Print(c.App.Writer)
	}
	if exit := report.Exit(); err == nil && exit != cocosim.Agreed {
		err = command.Silent(exit)
	}
	return err
}

// liveFile reads the session, with what the command line says.
func liveFile(c *cli.Context) (*live.File, error) {
	bad := func(format string, args ...any) error { return cocosim.Errorf(cocosim.BadInput, format, args...) }
	for _, name := range simulated {
		if c.IsSet(name) {
			return nil, bad("--%s is of a simulated link, and --b %s is a real peer", name, c.String("b"))
		}
	}
	switch {
	case c.String("a") != "model" && !isRTL(c.String("a")):
		return nil, bad("--a %s: model, hca_rx, hca_tx, hca_rx+hca_tx or hca_top", c.String("a"))
	case c.String("session") == "":
		return nil, bad("--b %s needs --session FILE: what the adapter is and does (docs/live.md)", c.String("b"))
	}
	overrides := c.StringSlice("set")
	if c.IsSet("profile") {
		overrides = append(overrides, "profile="+c.String("profile"))
	}
	file, err := live.Load(c.String("session"), overrides)
	if err == nil && c.IsSet("limit") {
		file.End.LimitS = c.Duration("limit").Seconds()
	}
	return file, err
}
