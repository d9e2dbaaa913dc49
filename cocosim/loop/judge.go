package loop

import (
	"fmt"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// judge holds all that an end sends against what it has received, as `cosim check` does with a capture of its own end
// that misses nothing.
type judge struct {
	checker *flow.Checker
	frame   vectors.Frame
	packet  wire.Packet
}

// Judgment is what a judge found.
type Judgment struct {
	Packets  uint64   `json:"packets"`
	Certain  uint64   `json:"certain"`
	Possible uint64   `json:"possible"`
	First    []string `json:"first,omitempty"`
}

func newJudge(end int, profile roce.Profile, pmtu uint32) (*judge, error) {
	mac, _ := addressOf(end)
	c, err := flow.New(flow.Options{Profile: profile, At: fmt.Sprintf("10.1.0.%d", 1+end), Complete: true,
		PMTUBytes: pmtu, MAC: mac})
	return &judge{checker: c}, err
}

func (j *judge) see(nowNs uint64, frame []byte, _ bool) {
	f := &j.frame
	f.Number++
	f.Link, f.TimeNS, f.Data, f.OrigLen = wire.LinkEthernet, int64(nowNs), frame, len(frame)
	wire.Decode(wire.LinkEthernet, frame, &j.packet)
	j.checker.Take(f, &j.packet, j.packet.ICRC())
}

func (j *judge) finish() Judgment {
	r := j.checker.Finish()
	g := Judgment{Packets: r.Judged, Certain: r.Certain, Possible: r.Possible}
	for i := range r.Violations[:min(3, len(r.Violations))] {
		v := &r.Violations[i]
		g.First = append(g.First, fmt.Sprintf("packet %d: %s %s", v.Packet, v.Rule, v.Text))
	}
	return g
}
