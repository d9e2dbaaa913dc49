package main

import "github.com/urfave/cli/v2"

// captureFlags are those about captures.
func captureFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "capture", Usage: "play a pcap or pcapng file; may be repeated. Into hca_rx: what " +
			"the end received that it was taken at, set up by the sidecar beside it"},
		&cli.StringFlag{Name: "peer-config", Usage: "the captures' sidecar, `FILE`, in place of the one beside each"},
		&cli.StringFlag{Name: "at", Usage: "the end of it that they were taken at: A or B (default: by their names)"},
		&cli.StringFlag{Name: "profile", Usage: "how hca_rx is set up for captures: spec, rxe, or a .yaml file"},
	}
}
