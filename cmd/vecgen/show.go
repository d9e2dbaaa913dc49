package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim/cover"
	"hcacosim/cocosim/falconflow"
	"hcacosim/model/hca"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
	"hcacosim/vectors/known"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "prove a vector set intact: hashes, counts, every record, and the expected results again",
		ArgsUsage: "DIR",
		Action:    check,
	}
}

func check(c *cli.Context) error {
	dir, err := oneArg(c, "directory")
	if err != nil {
		return err
	}
	set, err := vectors.OpenSet(dir)
	if err != nil {
		return err
	}
	spec, err := set.Stage()
	if err != nil {
		return err
	}
	if err := set.CheckBins(cover.NewFollower(&spec, set.Configuration)); err != nil {
		return err
	}
	inputs := "as its seed gives them"
	if can, why := set.MadeAgain(); !can {
		inputs = "not made again, as " + why
	}
	fmt.Fprintf(c.App.Writer, "%s  intact: %d files, %d records in (%s), %d expected of %s as the model has it\n",
		dir, len(set.Files)+1, set.StimulusRecords, inputs, set.ExpectRecords, set.Dut)
	return nil
}

func showCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "a line a packet, or one packet field by field",
		ArgsUsage: "DIR|CAPTURE (known/NAME is one that is built in)",
		Flags: append(command.FalconFlags(),
			&cli.Uint64Flag{Name: "packet", Usage: "show packet `N`, counted from 1, field by field"},
		),
		Action: show,
	}
}

func show(c *cli.Context) error {
	path, err := oneArg(c, "vector set or capture")
	if err != nil {
		return err
	}
	if c.IsSet("packet") && c.Uint64("packet") == 0 {
		return fmt.Errorf("show: packets are counted from 1")
	}
	w := bufio.NewWriter(c.App.Writer)
	defer w.Flush()
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return showSet(w, path, c.Uint64("packet"))
	}
	in, err := openCapture(path)
	if err != nil {
		return err
	}
	defer in.Close()
	falcon, err := command.FalconOptions(c)
	if err != nil {
		return err
	}
	return showCapture(w, path, in, c.Uint64("packet"), falconflow.New(falcon))
}

// openCapture opens a file, or one that is built in where there is no file of that name.
func openCapture(path string) (*capture.Reader, error) {
	if _, err := os.Stat(path); err != nil && strings.HasPrefix(path, "known/") {
		return known.Open(strings.TrimPrefix(path, "known/"))
	}
	return capture.Open(path)
}

func showCapture(w io.Writer, path string, in *capture.Reader, only uint64, falcon *falconflow.Decoder) error {
	var p wire.Packet
	var q falconflow.Packet
	for {
		f, err := in.Next()
		if err == io.EOF {
			return noSuchPacket(path, only)
		}
		if err != nil {
			return err
		}
		if only != 0 && only != f.Number {
			continue
		}
		falcon.Decode(f.Link, f.Data, f.OrigLen, &q)
		switch {
		case only == 0:
			wire.DecodeCut(f.Link, f.Data, f.OrigLen, &p)
			text := vectors.Summary(&p)
			if q.State != falconflow.NotFalcon {
				text = q.Summary()
			}
			fmt.Fprintf(w, "%6d  %5d  %s\n", f.Number, f.OrigLen, text)
		case only == f.Number:
			head(w, path, f.Number, f.Data, f.Comment)
			if q.State != falconflow.NotFalcon {
				q.Describe(w, "", f.Data)
				return nil
			}
			vectors.Describe(w, "", f.Link, f.Data, f.OrigLen)
			return nil
		}
	}
}

func noSuchPacket(path string, only uint64) error {
	if only == 0 {
		return nil
	}
	return fmt.Errorf("%s: no packet %d", path, only)
}

func head(w io.Writer, path string, number uint64, data, comment []byte) {
	fmt.Fprintf(w, "%s, packet %d, %d bytes\n", path, number, len(data))
	if len(comment) > 0 {
		fmt.Fprintf(w, "%s\n", comment)
	}
}

func showSet(w io.Writer, dir string, only uint64) error {
	set, err := vectors.OpenSet(dir)
	if err != nil {
		return err
	}
	stimulus, err := set.Stimulus()
	if err != nil {
		return err
	}
	defer stimulus.Close()
	if only != 0 {
		return showSetPacket(w, set, stimulus, only)
	}
	fmt.Fprintf(w, "name      %s\ndut       %s\ncommand   %s\nrecords   %d in, %d expected\n",
		set.Name, set.Dut, set.Command, set.StimulusRecords, set.ExpectRecords)
	for n := uint64(1); ; n++ {
		var r sim.Offer
		if err := stimulus.Next(&r); err != nil {
			return ended(err)
		}
		fmt.Fprintf(w, "%6d  %5d  %s\n", n, len(r.Data), stimulus.Why())
	}
}

// showSetPacket shows an input record and what is expected because of it.
func showSetPacket(w io.Writer, set *vectors.Set, stimulus *vectors.Stimulus, only uint64) error {
	var r sim.Offer
	for range only {
		if err := stimulus.Next(&r); err == io.EOF {
			return noSuchPacket(set.Dir, only)
		} else if err != nil {
			return err
		}
	}
	head(w, filepath.Join(set.Dir, "stimulus.pcapng"), only, r.Data, stimulus.Why())
	vectors.Describe(w, "", set.LinkOf(r.Port, r.User), r.Data, len(r.Data))
	expected, err := set.Expected()
	if err != nil {
		return err
	}
	defer expected.Close()
	for {
		var e sim.Record
		if err := expected.Next(&e); err != nil || e.Cause > r.Seq {
			return ended(err)
		}
		if e.Cause == r.Seq {
			fmt.Fprintf(w, "expected  %s %d, %d bytes, user %03xh  %s\n", set.Ports[e.Port].Name, e.Seq, len(e.Data), e.User,
				hca.VerdictText(set.Dut, e.User))
		}
	}
}

// ended takes the end of a file for no error.
func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
