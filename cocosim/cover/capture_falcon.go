package cover

import (
	"slices"

	falconwire "hcacosim/model/falcon/wire"
)

// falconTypes are the types of Falcon packets, as the card of captures has them.
var falconTypes = []falconwire.Type{falconwire.PullRequest, falconwire.PullData, falconwire.PushData, falconwire.Resync,
	falconwire.NACK, falconwire.BACK, falconwire.EACK}

// falconRules are the rules that `cosim check` holds packets of each type against, beside those of every packet.
var falconRules = [][]string{
	{"FAL-W1", "FAL-W3", "FAL-D10", "FAL-D11", "FAL-D15", "FAL-D20", "FAL-D21", "FAL-T1", "FAL-T10"},
	{"FAL-W1", "FAL-W3", "FAL-D10", "FAL-D11", "FAL-D15", "FAL-D20", "FAL-T1", "FAL-T11"},
	{"FAL-W1", "FAL-W3", "FAL-D10", "FAL-D11", "FAL-D15", "FAL-D20", "FAL-D21", "FAL-T1", "FAL-T10"},
	{"FAL-W1", "FAL-W4", "FAL-D10", "FAL-D11", "FAL-D22"},
	{"FAL-D9"},
	{"FAL-D3", "FAL-D7", "FAL-T15"},
	{"FAL-W6", "FAL-D3", "FAL-D4", "FAL-D5", "FAL-D7", "FAL-T15"},
}

// falconPackets is the group of Falcon packets.
func (c *Captured) falconPackets() *Group {
	names := Axis{}
	for _, t := range falconTypes {
		names = append(names, t.String())
	}
	return c.cross("rule: Falcon packet x carrier", func(at []int, b *Bin) {
		b.Rules = append([]string{"FAL-W2", "FAL-W12", "FAL-W13", "FAL-D2"}, falconRules[at[0]]...)
		if at[1] == 1 {
			b.Rules = append(b.Rules, "FAL-S1", "FAL-S3")
		}
	}, names, Axis{"in clear", "PSP"})
}

// TakeFalcon counts a Falcon packet that was read, in clear or in PSP.
func (c *Captured) TakeFalcon(number uint64, t falconwire.Type, inPSP bool) {
	c.record = number
	carrier := 0
	if inPSP {
		carrier = 1
	}
	if at := slices.Index(falconTypes, t); at >= 0 {
		c.hit(c.falcons, at, carrier)
	}
}
