package main

import (
	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/html"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/model/sim"
)

// writeRunPage writes the page of a run, if one was asked for.
func writeRunPage(c *cli.Context, spec session.Spec, rep *report.Report) error {
	file := c.String("html")
	if file == "" {
		return nil
	}
	var given []sim.Record
	if rep.Exit() == cocosim.Mismatch {
		given, _ = html.Around(c.Context, spec, nil, rep) // without it the page has no ladder
	}
	return writePage(file, html.RunPage(rep, given))
}
