package loop

import (
	"fmt"
	"net/netip"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// Judge holds all that an end sends against what it has received, as `cosim check` does with a capture of its own end
// that misses nothing.
type Judge struct {
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

// NewJudge makes the judge of the end with this address and MAC. pmtuBytes is that of every connection; 0: not known.
// behindNs is how long before it leaves a request may have been decided; 0 of a model.
func NewJudge(address netip.Addr, mac [6]byte, profile roce.Profile, pmtuBytes uint32,
	behindNs uint64) (*Judge, error) {
	return newJudge(flow.Options{Profile: profile, At: address.String(), PMTUBytes: pmtuBytes, MAC: mac,
		BehindNs: behindNs})
}

func newJudge(o flow.Options) (*Judge, error) {
	o.Complete = true
	c, err := flow.New(o)
	return &Judge{checker: c}, err
}

// Packet is what was seen last; valid until the next call of See.
func (j *Judge) Packet() *wire.Packet { return &j.packet }

// See judges the next frame that the end sent or received.
func (j *Judge) See(nowNs uint64, frame []byte, _ bool) { j.verdict(nowNs, frame) }

func (j *Judge) verdict(nowNs uint64, frame []byte) flow.Verdict {
	f := &j.frame
	f.Number++
	f.Link, f.TimeNS, f.Data, f.OrigLen = wire.LinkEthernet, int64(nowNs), frame, len(frame)
	wire.Decode(wire.LinkEthernet, frame, &j.packet)
	return j.checker.Take(f, &j.packet, j.packet.ICRC())
}

// Finish sums up, with the first findings in words.
func (j *Judge) Finish(shown int) Judgment {
	r := j.checker.Finish()
	g := Judgment{Packets: r.Judged, Certain: r.Certain, Possible: r.Possible}
	for i := range r.Violations[:min(shown, len(r.Violations))] {
		v := &r.Violations[i]
		g.First = append(g.First, fmt.Sprintf("packet %d: %s %s", v.Packet, v.Rule, v.Text))
	}
	return g
}
