package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim/cover"
	"hcacosim/cocosim/guide"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
)

func coverCommand() *cli.Command {
	return &cli.Command{
		Name:      "cover",
		Usage:     "what vector sets exercise, by rule and bin, on the golden model (docs/coverage-by-rule.md)",
		ArgsUsage: "DIR...",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "open", Value: 5, Usage: "bins not met that are shown of each group"},
			&cli.StringFlag{Name: "o", Usage: "write the coverage to `FILE`; `cosim cover` merges it with that of runs"},
			&cli.StringFlag{Name: "html", Usage: "write a page to `FILE`"},
			&cli.StringFlag{Name: "ucis", Usage: "write UCIS XML to `FILE`; no second tool has read it"},
			&cli.BoolFlag{Name: "json", Usage: "print the coverage as JSON"},
		},
		Action: coverSets,
	}
}

func coverSets(c *cli.Context) error {
	if c.NArg() == 0 {
		return &capture.Error{File: "cover", Offset: -1, What: "no vector set", Do: "vecgen cover DIR..."}
	}
	var all []*cover.Sheet
	for _, dir := range c.Args().Slice() {
		sheet, err := coverSet(dir)
		if err == nil {
			all, err = cover.MergeAll(all, []*cover.Sheet{sheet})
		}
		if err != nil {
			return err
		}
	}
	for flag, write := range map[string]func(io.Writer, []*cover.Sheet) error{"o": cover.Write, "html": cover.WriteHTML,
		"ucis": cover.WriteUCIS} {
		if file := c.String(flag); file != "" {
			if err := cover.WriteFile(file, all, write); err != nil {
				return err
			}
		}
	}
	if c.Bool("json") {
		return cover.Write(c.App.Writer, all)
	}
	for _, s := range all {
		s.Print(c.App.Writer, c.Int("open"))
	}
	return nil
}

func coverSet(dir string) (*cover.Sheet, error) {
	set, err := vectors.OpenSet(dir)
	if err != nil {
		return nil, err
	}
	spec, err := set.Stage()
	if err != nil {
		return nil, err
	}
	if vectors.IsView(spec.Name) {
		return nil, &capture.Error{File: dir, Offset: -1, What: "the set is for " + spec.Name +
			", a view, and what counts as covered is said of stages only"}
	}
	in, err := set.Stimulus()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return guide.Count(guide.Target{Spec: spec, Settings: set.Configuration}, in, "vector set "+dir)
}
