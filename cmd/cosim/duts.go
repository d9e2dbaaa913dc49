package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim/manifest"
	"hcacosim/vectors/scenario"
)

func dutsCommand() *cli.Command {
	return &cli.Command{
		Name:  "duts",
		Usage: "the devices that come with cosim; your own is named by the path of its manifest",
		Action: func(c *cli.Context) error {
			all, err := manifest.Embedded()
			if err != nil {
				return err
			}
			w := c.App.Writer
			fmt.Fprintf(w, "%-14s %-14s %-23s %-15s %s\n", "device", "model stage", "parameters", "scenario", "")
			for _, m := range all {
				fmt.Fprintf(w, "%-14s %-14s %-23s %-15s %s\n", m.Name, m.Model, parameterText(m.Parameters),
					scenario.Default(m.Model).Name, m.Summary)
			}
			return nil
		},
	}
}

func parameterText(p map[string]int) string {
	var parts []string
	for _, name := range sortedKeys(p) {
		parts = append(parts, fmt.Sprintf("%s=%d", name, p[name]))
	}
	return strings.Join(parts, " ")
}
