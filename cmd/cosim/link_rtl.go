package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/loop"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/verilated"
)

// rxEnd is an end of cosim link whose responses are made by RTL.
const rxEnd = "hca_rx"

// mostResponderQPs is how many connections it has room for, numbered as loop numbers them.
const mostResponderQPs = 4000

// openResponders opens the devices of the ends that have one.
func openResponders(c *cli.Context, p *loop.Pair) (err error) {
	for i, flag := range []string{"a", "b"} {
		switch {
		case c.String(flag) != rxEnd:
			continue
		case p.Rogue != nil:
			return cocosim.Errorf(cocosim.BadInput, "--%s hca_rx with --b rogue:%s: a device does not say which QP is in "+
				"error; a peer that misbehaves has the model against it", flag, p.Rogue.Name)
		case p.Traffic.QPs > mostResponderQPs:
			return cocosim.Errorf(cocosim.BadInput, "--qps %d: hca_rx has room for %d", p.Traffic.QPs, mostResponderQPs)
		}
		if p.Responders[i], err = responderOf(c); err != nil {
			return err
		}
	}
	return nil
}

// asError is why a loop could not be run to its end: of a device, what it says; else of the arguments.
func asError(err error) error {
	if e := (*cocosim.Error)(nil); errors.As(err, &e) {
		return err
	}
	return &cocosim.Error{Exit: cocosim.BadInput, What: err.Error()}
}

// responderOf opens the RTL that makes the responses of an end, in the size that a run has where nothing else is said.
func responderOf(c *cli.Context) (cocosim.Device, error) {
	m, err := manifest.Find(rxEnd)
	if err == nil {
		m, err = m.Resolve(nil)
	}
	if err != nil {
		return nil, err
	}
	image, err := verilated.Build(c.Context, m, nil, verilated.Fast, logger(c))
	if err != nil {
		return nil, err
	}
	return image.Open(c.Context, verilated.Options{Log: logger(c)})
}
