package command

import (
	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/falconflow"
	"hcacosim/model/falcon/mode"
)

// FalconFlags are the flags by which Falcon packets of captures are read.
func FalconFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "psp-key",
			Usage: "Falcon: open PSP packets of this SPI with this key, `SPI=HEX`; repeat it for more"},
		&cli.UintFlag{Name: "falcon-port", Usage: "Falcon in clear over UDP port `N` (none is standard; xdp2 uses 7777)"},
		&cli.StringFlag{Name: "falcon-mode", Value: "spec", Usage: "Falcon: spec or peer, see docs/deviations.md"},
	}
}

// FalconOptions reads them.
func FalconOptions(c *cli.Context) (opt falconflow.Options, err error) {
	if opt.Keys, err = falconflow.ParseKeys(c.StringSlice("psp-key")); err != nil {
		return opt, cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	port := c.Uint("falcon-port")
	if port > 65535 {
		return opt, cocosim.Errorf(cocosim.BadInput, "--falcon-port %d: a port is at most 65535", port)
	}
	opt.Port = uint16(port)
	switch name := c.String("falcon-mode"); name {
	case "spec":
		opt.Mode = &mode.Spec
	case "peer":
		opt.Mode = &mode.Peer
	default:
		return opt, cocosim.Errorf(cocosim.BadInput, "--falcon-mode %s: not spec or peer", name)
	}
	return opt, nil
}
