package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/html"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/model/sim"
)

// writeRunPage writes the page of a run, if one was asked for. That it cannot be written does not change the verdict.
func writeRunPage(c *cli.Context, spec session.Spec, rep *report.Report) {
	file := c.String("html")
	if file == "" {
		return
	}
	var given []sim.Record
	if rep.Exit() == cocosim.Mismatch {
		given, _ = html.Around(c.Context, spec, nil, rep) // without it the page has no ladder
	}
	page := html.RunPage(rep, given)
	if err := writePage(file, page); err != nil {
		fmt.Fprintln(c.App.ErrWriter, "cosim:", err)
	}
}
