package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/falconflow"
	"hcacosim/cocosim/flow"
	"hcacosim/model/stages"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// Of a finding's packet, so many packets between its two hosts go with it, from among so many before it in the capture.
const (
	findingPackets = 32
	findingReach   = 4096
)

// planFinding takes --finding, --out and --dut.
func planFinding(c *cli.Context) error {
	switch {
	case !c.IsSet("finding") && !c.IsSet("out"):
		return nil
	case !c.IsSet("finding") || !c.IsSet("out"):
		return cocosim.Errorf(cocosim.BadInput, "--finding PACKET and --out DIR go together")
	case c.NArg() != 1 && !c.Bool("merge"):
		return cocosim.Errorf(cocosim.BadInput, "--finding takes one capture, not %d", c.NArg())
	}
	if _, ok := stages.Lookup(c.String("dut")); !ok {
		return cocosim.Errorf(cocosim.BadInput, "--dut %s: no such stage (see `cosim duts`)", c.String("dut"))
	}
	return nil
}

// finding finds what was found about a packet.
func (t *tally) finding(packet uint64) (*flow.Finding, error) {
	var about []string
	for _, list := range [][]flow.Finding{t.Violation, t.Possible, t.Odd} {
		for i := range list {
			if list[i].Packet == packet {
				return &list[i], nil
			}
			if len(about) < 4 {
				about = append(about, fmt.Sprint(list[i].Packet))
			}
		}
	}
	if about == nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "--finding %d: there are no findings in %s", packet, t.File)
	}
	return nil, cocosim.Errorf(cocosim.BadInput, "--finding %d: no finding is about that packet; there are some about %s",
		packet, strings.Join(about, ", "))
}

// exportFinding writes the packets of a finding as a capture and as a vector set.
func exportFinding(c *cli.Context, job checkJob, t *tally) error {
	x, err := t.finding(c.Uint64("finding"))
	if err != nil {
		return err
	}
	list, err := packetsBefore(c, job, x.Packet)
	if err != nil {
		return err
	}
	dir := filepath.Clean(c.String("out"))
	notes, err := newAnnotator(dir + ".pcapng")
	if err != nil {
		return cocosim.Errorf(cocosim.BadInput, "--out: %v", err)
	}
	for i := range list {
		comment := fmt.Sprintf("packet %d of %s", list[i].Number, filepath.Base(t.File))
		if list[i].Number == x.Packet {
			comment += fmt.Sprintf(": %s: %s", x.Rule, x.Text)
		}
		notes.add(&list[i], comment)
	}
	if err := notes.close(); err != nil {
		return err
	}
	stage, _ := stages.Lookup(c.String("dut"))
	set, err := vectors.ImportSet(dir, dir+".pcapng", stage, vectors.SetOptions{})
	if err != nil {
		return cocosim.Errorf(cocosim.BadInput, "--out: %v", err)
	}
	if !c.Bool("json") {
		fmt.Fprintf(c.App.Writer, "%s: %d packets up to packet %d, %d records for %s; cosim run --dut %s --vectors %s\n", dir,
			len(list), x.Packet, set.StimulusRecords, stage.Name, stage.Name, dir)
	}
	return nil
}

// packetsBefore reads the capture again up to a packet and keeps those between its two hosts.
func packetsBefore(c *cli.Context, job checkJob, packet uint64) ([]vectors.Frame, error) {
	falcon, err := command.FalconOptions(c)
	if err != nil {
		return nil, err
	}
	in, err := job.open(c)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if in.stream {
		return nil, cocosim.Errorf(cocosim.BadInput, "--finding takes a file, not standard input or a FIFO")
	}
	var recent []vectors.Frame
	for {
		f, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil, cocosim.Errorf(cocosim.BadInput, "--finding %d: the capture has no such packet", packet)
		}
		if err != nil {
			return nil, err
		}
		if f.Number+findingReach < packet {
			continue
		}
		whole := slices.Clone(f.Whole())
		f.Data = whole[min(f.Outer, len(whole)):][:len(f.Data)]
		recent = append(recent, f)
		if f.Number == packet {
			return between(recent, falconflow.New(falcon)), nil
		}
	}
}

// between keeps the last packets between the hosts of the last one.
func between(list []vectors.Frame, d *falconflow.Decoder) []vectors.Frame {
	a, b := hostsOf(&list[len(list)-1], d)
	list = slices.DeleteFunc(list, func(f vectors.Frame) bool {
		src, dst := hostsOf(&f, d)
		same := bytes.Equal(src, a) && bytes.Equal(dst, b) || bytes.Equal(src, b) && bytes.Equal(dst, a)
		return !same || src == nil
	})
	return list[max(0, len(list)-findingPackets):]
}

// hostsOf returns the addresses of a RoCE, InfiniBand or Falcon packet; nil for anything else.
func hostsOf(f *vectors.Frame, d *falconflow.Decoder) (src, dst []byte) {
	var p wire.Packet
	wire.DecodeCut(f.Link, f.Data, f.OrigLen, &p)
	switch {
	case p.Encap == wire.EncapNone:
		var q falconflow.Packet
		if d.Decode(f.Link, f.Data, f.OrigLen, &q); q.State != falconflow.NotFalcon {
			return q.Src.AsSlice(), q.Dst.AsSlice()
		}
	case p.IPv4() != nil:
		return p.IPv4().Src(), p.IPv4().Dst()
	case p.IPv6() != nil:
		return p.IPv6().Src(), p.IPv6().Dst()
	case p.GRH() != nil:
		return p.GRH().Src(), p.GRH().Dst()
	case p.LRH() != nil:
		s, d := p.LRH().SLID(), p.LRH().DLID()
		return []byte{byte(s >> 8), byte(s)}, []byte{byte(d >> 8), byte(d)}
	}
	return nil, nil
}
