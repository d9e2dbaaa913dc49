package cocosim

import (
	"fmt"
	"io"

	"hcacosim/model/sim"
)

// Stimulus is where the inputs of a device come from.
type Stimulus interface {
	// Next sets o to the next input (without Seq) or returns io.EOF. Its Data is valid until the next call.
	Next(o *sim.Offer) error
	// Origin says in a few words where the i-th input came from.
	Origin(i uint64) string
}

// Chain plays stimuli one after the other.
func Chain(parts ...Stimulus) Stimulus { return &chain{parts: parts} }

type chain struct {
	parts []Stimulus
	ends  []uint64 // count of records up to the end of each finished part
	at    uint64
}

func (c *chain) Next(o *sim.Offer) error {
	for len(c.ends) < len(c.parts) {
		err := c.parts[len(c.ends)].Next(o)
		if err == io.EOF {
			c.ends = append(c.ends, c.at)
			continue
		}
		if err == nil {
			c.at++
		}
		return err
	}
	return io.EOF
}

func (c *chain) Origin(i uint64) string {
	start := uint64(0)
	for k, end := range c.ends {
		if i < end {
			return c.parts[k].Origin(i - start)
		}
		start = end
	}
	if len(c.ends) < len(c.parts) {
		return c.parts[len(c.ends)].Origin(i - start)
	}
	return fmt.Sprintf("record %d", i)
}
