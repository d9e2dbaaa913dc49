package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/loop"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// Ends of cosim link whose responses are made by hca_rx: by its RTL, or by its stage of the model.
const (
	rxEnd    = "hca_rx"
	stageEnd = "stage:hca_rx"
)

// openResponders opens the devices of the ends that have one.
func openResponders(c *cli.Context, p *loop.Pair) (err error) {
	for i, flag := range []string{"a", "b"} {
		name := c.String(flag)
		if name != rxEnd && name != stageEnd {
			continue
		}
		if p.Responders[i], err = responderOf(c, name, p.Traffic.QPs); err != nil {
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

// responderOf opens the device that makes the responses of an end; nil for one that is the model as a whole.
func responderOf(c *cli.Context, name string, qps int) (cocosim.Device, error) {
	numQPs := 4
	for numQPs <= qps {
		numQPs *= 2
	}
	if numQPs > loop.MostResponderQPs {
		return nil, cocosim.Errorf(cocosim.BadInput, "--qps %d: hca_rx has %d at most", qps, loop.MostResponderQPs-1)
	}
	if name == stageEnd {
		stage, _ := stages.Lookup(rxEnd)
		return cocosim.NewGolden(stage, sim.Settings{"NumQps": uint64(numQPs)}, loop.ResponderBytes), nil
	}
	params := map[string]int{"NumQps": numQPs, "DataWidth": 8 * loop.ResponderBytes}
	m, err := manifest.Find(rxEnd)
	if err == nil {
		m, err = m.Resolve(params)
	}
	if err != nil {
		return nil, err
	}
	image, err := verilated.Build(c.Context, m, params, verilated.Fast, logger(c))
	if err != nil {
		return nil, err
	}
	return image.Open(c.Context, verilated.Options{Log: logger(c)})
}
