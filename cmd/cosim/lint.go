package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/adapt"
	"hcacosim/cocosim/design"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
	"hcacosim/vectors"
)

func lintCommand() *cli.Command {
	return &cli.Command{
		Name:      "lint",
		Usage:     "hold a manifest against its design and its stage, without building",
		ArgsUsage: "MANIFEST...",
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return cocosim.Errorf(cocosim.BadInput, "cosim lint needs a manifest")
			}
			for _, name := range c.Args().Slice() {
				if err := lintManifest(c, name); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// lintManifest checks a manifest at its own parameters and at every size that it names.
func lintManifest(c *cli.Context, name string) error {
	m, err := manifest.Find(name)
	if err != nil {
		return err
	}
	stage, ok := vectors.Lookup(m.Model)
	if !ok {
		return session.NoStage(m)
	}
	var first *design.Top
	for _, params := range append([]map[string]int{{}}, m.Sizes...) {
		resolved, err := m.Resolve(params)
		if err != nil {
			return err
		}
		settings, err := resolved.Settings(nil)
		if err != nil {
			return err
		}
		if _, err := adapt.New(resolved, stage.At(settings)); err != nil {
			return err
		}
		top, err := verilated.Lint(c.Context, m, params)
		if err != nil {
			return err
		}
		if first == nil {
			first = top
		}
	}
	w := c.App.Writer
	fmt.Fprintf(w, "%s: %d ports of %s, %d pins of %s, %d sizes: fits\n", m.Path(), len(m.Ports), m.Model, len(first.Pins),
		m.Top, 1+len(m.Sizes))
	for _, line := range lintNotes(m, first) {
		fmt.Fprintf(w, "  - %s\n", line)
	}
	return nil
}

// lintNotes are what a run will not look at.
func lintNotes(m *manifest.Manifest, top *design.Top) (notes []string) {
	if vectors.IsView(m.Model) {
		notes = append(notes, "not run: "+m.Model+" is a view for vector sets; "+session.ViewUse)
	}
	named := map[string]bool{}
	for _, u := range m.PinUses() {
		if e, ok := manifest.ParsePin(u.Pin); ok {
			named[e.Name] = true
		}
	}
	var unread []string
	for _, p := range top.Pins {
		if p.Dir == "output" && !named[p.Name] {
			unread = append(unread, p.Name)
		}
	}
	if len(unread) > 0 {
		notes = append(notes, "not looked at: "+strings.Join(unread, ", "))
	}
	return append(notes, notCompared(m)...)
}

// notCompared are what a manifest leaves out of the comparison, in words.
func notCompared(m *manifest.Manifest) (notes []string) {
	if len(m.Without) > 0 {
		notes = append(notes, "not compared: "+strings.Join(m.Without, ", "))
	}
	for _, p := range m.Ports {
		if c := p.Compare; c != nil {
			switch {
			case c.User != nil && *c.User == 0:
				notes = append(notes, "not compared: the sideband of "+p.Name)
			case c.User != nil:
				notes = append(notes, fmt.Sprintf("compared of the sideband of %s: the bits of %#x", p.Name, *c.User))
			case len(c.Not) > 0:
				notes = append(notes, "not compared: "+strings.Join(c.Not, ", ")+" of "+p.Name)
			}
		}
	}
	return notes
}
