package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/loop"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/roce"
)

// Ends of cosim link that have a part of RTL: rxEnd's responses are made by it, txEnd's requests, rtlEnd's both.
const (
	rxEnd  = "hca_rx"
	txEnd  = "hca_tx"
	rtlEnd = rxEnd + "+" + txEnd
	topEnd = "hca_top"
)

// How many connections they have room for, numbered as loop numbers them.
const (
	mostResponderQPs = 4000
	mostRequesterQPs = 200 // with its manifest's defaults
	wideRequesterQPs = 480 // with twice as many
)

// devicesOf are the devices of which an end of this name is made; none: it is not RTL.
func devicesOf(end string) []string {
	switch end {
	case rxEnd, txEnd, topEnd:
		return []string{end}
	case rtlEnd:
		return []string{rxEnd, txEnd}
	}
	return nil
}

// isRTL reports whether an end of this name has a part of RTL.
func isRTL(end string) bool { return devicesOf(end) != nil }

// openDevices opens the devices of the ends that have one.
func openDevices(c *cli.Context, p *loop.Pair) error {
	for i, flag := range []string{"a", "b"} {
		for _, name := range devicesOf(c.String(flag)) {
			if err := roomFor(flag, name, p); err != nil {
				return err
			}
		}
		h, err := openHalves(c, c.String(flag), p.Traffic.QPs)
		if err != nil {
			return err
		}
		p.Responders[i], p.Requesters[i], p.Wholes[i] = h.Responder, h.Requester, h.Whole
	}
	return nil
}

// openHalves opens the devices of an end, with room for the queue pairs.
func openHalves(c *cli.Context, end string, qps int) (h loop.Halves, err error) {
	for _, name := range devicesOf(end) {
		half := &h.Responder
		switch name {
		case txEnd:
			half = &h.Requester
		case topEnd:
			half = &h.Whole
		}
		if *half, err = openDevice(c, name, qps); err != nil {
			return h, err
		}
	}
	return h, nil
}

// roomFor says why a device cannot be part of an end of a pair.
func roomFor(flag, name string, p *loop.Pair) error {
	most := mostResponderQPs
	if name == txEnd {
		most = wideRequesterQPs
	}
	switch {
	case name != rxEnd && p.Profile.Name != roce.Spec.Name:
		return cocosim.Errorf(cocosim.BadInput, "--%s %s --profile %s: it asks for ACKs as profile spec has it",
			flag, name, p.Profile.Name)
	case p.Traffic.QPs > most:
		return cocosim.Errorf(cocosim.BadInput, "--qps %d: %s has room for %d", p.Traffic.QPs, name, most)
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

// openDevice opens RTL in the size that a run has where nothing else is said, or in one that has room for the queue
// pairs.
func openDevice(c *cli.Context, name string, qps int) (cocosim.Device, error) {
	var params map[string]int
	if name == txEnd && qps > mostRequesterQPs {
		params = map[string]int{"NumQps": 512}
	}
	m, err := manifest.Find(name)
	if err == nil {
		m, err = m.Resolve(params)
	}
	if err != nil {
		return nil, err
	}
	image, err := verilated.Build(c.Context, m, params, verilated.Flavour(c.String("flavour")), logger(c))
	if err != nil {
		return nil, err
	}
	return image.Open(c.Context, verilated.Options{Log: logger(c)})
}
