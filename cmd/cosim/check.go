package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// tally is what check found in one capture.
type tally struct {
	File      string      `json:"file"`
	Packets   uint64      `json:"packets"`   // frames
	RoCE      uint64      `json:"roce"`      // frames that are RoCEv1 or RoCEv2
	IB        uint64      `json:"ib"`        // IB native transport packets
	ICRCBad   uint64      `json:"icrc_bad"`  // of roce and ib
	Malformed uint64      `json:"malformed"` // of roce and ib
	Undecided uint64      `json:"undecided"` // cut by the snap length before an answer
	Violation []violation `json:"violations"`
	Error     string      `json:"error,omitempty"` // why reading stopped early
}

// violation is a packet that breaks a rule of the transport. Decode and ICRC alone raise none: a bad ICRC is a finding.
type violation struct {
	Packet uint64 `json:"packet"` // from 1
	Rule   string `json:"rule"`
	Text   string `json:"text"`
}

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "decode every packet of captures and judge its ICRC",
		ArgsUsage: "CAPTURE...",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "one JSON object on stdout"},
			&cli.IntFlag{Name: "show", Value: 5, Usage: "list this many findings of each capture"},
		},
		Action: check,
	}
}

func check(c *cli.Context) error {
	if c.NArg() == 0 {
		return cocosim.Errorf(cocosim.BadInput, "no capture named (see `cosim check --help`)")
	}
	w := c.App.Writer
	list := printer{w: w, left: c.Int("show")}
	if c.Bool("json") {
		list.w = io.Discard
	} else {
		fmt.Fprintf(w, "%9s %9s %9s %9s %9s %9s  %s\n", "packets", "RoCE", "IB", "bad ICRC", "malformed", "undecided", "capture")
	}
	var tallies []*tally
	var failed error
	for _, path := range c.Args().Slice() {
		if c.Context.Err() != nil {
			return cocosim.Errorf(cocosim.Inconclusive, "interrupted before %s", path)
		}
		list.left = c.Int("show")
		t, err := checkCapture(path, &list)
		if err != nil {
			t.Error = err.Error()
			fmt.Fprintln(c.App.ErrWriter, "cosim:", err)
			failed = command.Silent(cocosim.BadInput)
		}
		list.row(t)
		tallies = append(tallies, t)
	}
	if len(tallies) > 1 {
		list.row(total(tallies))
	}
	if c.Bool("json") {
		if err := json.NewEncoder(w).Encode(map[string]any{"captures": tallies}); err != nil {
			return err
		}
	}
	return failed
}

// checkCapture judges one file. On an error the tally holds what was read before it.
func checkCapture(path string, list *printer) (*tally, error) {
	t := &tally{File: path, Violation: []violation{}}
	capture, err := vectors.OpenCapture(path)
	if err != nil {
		return t, err
	}
	defer capture.Close()
	var p wire.Packet
	for {
		f, err := capture.Next()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return t, nil
		}
		if err != nil {
			return t, err
		}
		t.count(&f, &p, list)
	}
}

func (t *tally) count(f *vectors.Frame, p *wire.Packet, list *printer) {
	t.Packets++
	wire.DecodeCut(f.Link, f.Data, f.OrigLen, p)
	switch p.Encap {
	case wire.EncapNone:
	case wire.EncapRoCEv1, wire.EncapRoCEv2IPv4, wire.EncapRoCEv2IPv6:
		t.RoCE++
	default:
		t.IB++
	}
	if p.Undecided() {
		t.Undecided++
		return
	}
	if p.Encap == wire.EncapNone {
		return
	}
	if p.ICRC() == wire.ICRCBad {
		t.ICRCBad++
		list.finding(f, p, "bad ICRC")
	}
	if p.Bad.Reason != wire.WellFormed {
		t.Malformed++
		list.finding(f, p, p.Bad.String())
	}
}

func total(ts []*tally) *tally {
	sum := &tally{File: "total"}
	for _, t := range ts {
		sum.Packets += t.Packets
		sum.RoCE += t.RoCE
		sum.IB += t.IB
		sum.ICRCBad += t.ICRCBad
		sum.Malformed += t.Malformed
		sum.Undecided += t.Undecided
	}
	return sum
}

// printer writes the table and the first findings of each capture above its row.
type printer struct {
	w    io.Writer
	left int
}

func (p *printer) finding(f *vectors.Frame, pkt *wire.Packet, text string) {
	if p.left--; p.left < 0 {
		return
	}
	fmt.Fprintf(p.w, "    packet %d, %s: %s\n", f.Number, pkt.Encap, text)
}

func (p *printer) row(t *tally) {
	fmt.Fprintf(p.w, "%9d %9d %9d %9d %9d %9d  %s\n", t.Packets, t.RoCE, t.IB, t.ICRCBad, t.Malformed, t.Undecided, t.File)
}
