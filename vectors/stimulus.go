package vectors

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
	"hcacosim/vectors/scenario"
)

// packetPort is the port that packets enter a stage by: its first AXI-Stream input.
func packetPort(stage sim.StageSpec) (sim.Port, error) {
	for i, p := range stage.Ports {
		if p.Input && p.Kind == sim.Axis {
			return sim.Port(i), nil
		}
	}
	return 0, &capture.Error{File: stage.Name, Offset: -1, What: "has no port that packets enter by"}
}

// Generated is a scenario as a stimulus for a stage.
type Generated struct {
	generator    *scenario.Generator
	name         string // of the scenario
	seed         uint64
	port         sim.Port
	ports        []sim.PortSpec
	userBits     int
	index, count uint64
	seqs         []uint64 // by port
	c            scenario.Case
}

// recordPort is the port that the records of a scenario enter its stage by: its first input for records.
func recordPort(s *scenario.Scenario, stage sim.StageSpec) (sim.Port, error) {
	for i, p := range stage.Ports {
		if p.Input && p.Kind == sim.Fields && s.IsFor(stage.Name) {
			return sim.Port(i), nil
		}
	}
	return 0, &capture.Error{File: stage.Name, Offset: -1, What: "cannot take the records of scenario " + s.Name,
		Do: "it is for " + strings.Join(s.Stages, ", ")}
}

// NewGenerated starts count packets or records of a scenario.
func NewGenerated(s *scenario.Scenario, stage sim.StageSpec, seed, count uint64) (*Generated, error) {
	port, err := packetPort(stage)
	if s.Input == sim.Fields {
		port, err = recordPort(s, stage)
	}
	if err != nil {
		return nil, err
	}
	return &Generated{generator: scenario.NewGenerator(s, seed), name: s.Name, seed: seed,
		port: port, ports: stage.Ports, userBits: stage.Ports[port].UserBits, count: count,
		seqs: make([]uint64, len(stage.Ports)), c: scenario.Case{Mute: true}}, nil
}

// NewGeneratedFrom starts count packets or records of a scenario with one behind its first.
func NewGeneratedFrom(s *scenario.Scenario, stage sim.StageSpec, seed, from, count uint64) (*Generated, error) {
	g, err := NewGenerated(s, stage, seed, from+count)
	if err == nil {
		g.index = from
	}
	return g, err
}

// SetPace tells how fast the device can be. It is set before the first Next.
func (s *Generated) SetPace(p scenario.Pace) { s.generator.SetPace(p) }

// SetWeights has the scenario do what it does as often as w says. It is called before the first Next.
func (s *Generated) SetWeights(w *scenario.Weights) error { return s.generator.SetWeights(w) }

// Next sets o to the next packet, or returns io.EOF. Data is valid until the next call.
func (s *Generated) Next(o *sim.Offer) error {
	if s.index == s.count {
		return io.EOF
	}
	s.generator.Make(s.index, &s.c)
	port := s.port
	if s.c.Port != 0 {
		port = s.c.Port
	}
	o.NotBefore, o.Port, o.Seq, o.Key, o.User = s.c.NotBefore, port, s.seqs[port], 0, s.c.User
	o.Data = s.c.Frame
	if s.c.HasUser {
		o.User &= uint32(1<<s.ports[port].UserBits - 1)
	} else {
		o.User = hca.Sideband(s.userBits, s.c.Link, s.c.Frame)
	}
	s.seqs[port]++
	s.index++
	return nil
}

// Why is the reason of the packet that Next returned last; valid until the next call.
func (s *Generated) Why() []byte {
	if s.c.Mute { // until somebody asks
		s.c.Mute = false
		s.generator.Make(s.index-1, &s.c)
	}
	return s.c.Why
}

// Origin says where packet i came from. It may be called at any time.
func (s *Generated) Origin(i uint64) string {
	var c scenario.Case
	s.generator.Make(i, &c)
	return fmt.Sprintf("scenario %s, seed %d, packet %d: %s", s.name, s.seed, i, c.Why)
}

// Played is a capture as a stimulus for a stage.
type Played struct {
	open     func() (*capture.Reader, error)
	in       *capture.Reader
	port     sim.Port
	userBits int
	seq      uint64
	frame    capture.Frame
	why      []byte
}

// NewPlayed starts the capture that open opens. Left out is what no device was ever given, frames that a snap length
// cut, and what the stage cannot take: empty frames, and frames of a link that it does not have.
func NewPlayed(open func() (*capture.Reader, error), stage sim.StageSpec) (*Played, error) {
	port, err := packetPort(stage)
	if err != nil {
		return nil, err
	}
	in, err := open()
	if err != nil {
		return nil, err
	}
	return &Played{open: open, in: in, port: port, userBits: stage.Ports[port].UserBits}, nil
}

// Next sets o to the next packet, or returns io.EOF. Data is valid until the next call.
func (s *Played) Next(o *sim.Offer) (err error) {
	if s.frame, err = nextFor(s.in, s.userBits); err != nil {
		return err
	}
	*o = sim.Offer{Port: s.port, Seq: s.seq, User: hca.Sideband(s.userBits, s.frame.Link, s.frame.Data),
		Data: s.frame.Data}
	s.seq++
	return nil
}

// nextFor returns the next frame that a stage can take: a beat without bytes does not exist, and a stage without a
// sideband cannot be told the link, so it takes IB native packets only.
func nextFor(c *capture.Reader, userBits int) (capture.Frame, error) {
	for {
		f, err := c.Next()
		if err != nil || len(f.Data) > 0 && !f.Cut() && (userBits > 0 || f.Link == wire.LinkIB) {
			return f, err
		}
	}
}

// Why is the comment of the packet that Next returned last, or its number; valid until the next call.
func (s *Played) Why() []byte {
	if len(s.frame.Comment) > 0 {
		return s.frame.Comment
	}
	s.why = strconv.AppendUint(append(s.why[:0], "captured packet "...), s.frame.Number, 10)
	return s.why
}

// Origin says where packet i came from. It reads the capture again from its start.
func (s *Played) Origin(i uint64) string {
	c, err := s.open()
	if err != nil {
		return fmt.Sprintf("packet %d", i)
	}
	defer c.Close()
	for left := i; ; left-- {
		f, err := nextFor(c, s.userBits)
		if err != nil {
			return fmt.Sprintf("%s, packet %d", c.Name(), i)
		}
		if left == 0 {
			return fmt.Sprintf("%s, packet %d", c.Name(), f.Number)
		}
	}
}

// Close closes the capture.
func (s *Played) Close() error { return s.in.Close() }
