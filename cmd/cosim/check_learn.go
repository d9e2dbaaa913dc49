package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/field"
	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// maxLearnFrames is how many frames of each capture are learnt from: they are judged once for every field.
const maxLearnFrames = 1 << 15

// learn proposes the fields of a profile that would explain captures.
func learn(c *cli.Context, jobs []checkJob) error {
	base, err := profileFor(c.String("profile"), nil)
	if err != nil {
		return err
	}
	for i := range jobs {
		if capture.IsStream(jobs[i].paths[0]) {
			return cocosim.Errorf(cocosim.BadInput, "--learn reads a capture many times: it takes files")
		}
	}
	lessons, rest, err := field.Learn(base, func(p roce.Profile) ([]flow.Finding, error) {
		var all []flow.Finding
		for _, job := range jobs {
			if c.Context.Err() != nil {
				return nil, cocosim.Errorf(cocosim.Inconclusive, "interrupted")
			}
			found, err := judgeBy(c, job, p)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
		return all, nil
	})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return json.NewEncoder(c.App.Writer).Encode(map[string]any{"base": base.Name, "learnt": lessons, "unexplained": rest})
	}
	printLessons(c.App.Writer, base.Name, c.Int("show"), lessons, rest)
	if len(rest) > 0 {
		return command.Silent(cocosim.Mismatch)
	}
	return nil
}

// judgeBy judges the start of a capture by a profile.
func judgeBy(c *cli.Context, job checkJob, p roce.Profile) ([]flow.Finding, error) {
	in, err := job.open(c)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	in.opt.Profile = p
	checker, err := flow.New(in.opt)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	var w wire.Packet
	for range maxLearnFrames {
		f, err := in.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		wire.DecodeCut(f.Link, f.Data, f.OrigLen, &w)
		icrc := wire.ICRCNone
		if w.Encap != wire.EncapNone {
			icrc = w.ICRC()
		}
		checker.Take(&f, &w, icrc)
	}
	return checker.Finish().Violations, nil
}

func printLessons(w io.Writer, base string, show int, lessons []field.Lesson, rest []flow.Finding) {
	if len(lessons) == 0 && len(rest) == 0 {
		fmt.Fprintf(w, "profile %s explains everything\n", base)
		return
	}
	for _, l := range lessons {
		fmt.Fprintf(w, "%s: %v explains %d, %d remain: %s\n", l.Field, l.Value, len(l.Solves), l.Remain, l.Meaning)
		for i, x := range l.Solves {
			if i == show {
				fmt.Fprintf(w, "    and %d more\n", len(l.Solves)-i)
				break
			}
			fmt.Fprintf(w, "    packet %-7d %-7s %s\n", x.Packet, x.Rule, x.Text)
		}
		if len(l.Another) > 0 {
			fmt.Fprintf(w, "    these would explain as many: %v\n", l.Another)
		}
	}
	if len(rest) > 0 {
		fmt.Fprintf(w, "%d findings are explained by no field: the first is packet %d, %s: %s\n", len(rest), rest[0].Packet,
			rest[0].Rule,
			rest[0].Text)
	}
	if len(lessons) > 0 {
		fmt.Fprintf(w, "as a profile (--profile my.yaml):\n%s", field.LearntYAML(base, lessons))
	}
}
