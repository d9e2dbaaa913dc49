package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim/flow"
	"hcacosim/cocosim/html"
	"hcacosim/cocosim/ladder"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// draws begins the ladder of a capture, if a page was asked for.
func (t *tally) draws(c *cli.Context) {
	if c.String("html") != "" {
		t.ladder = ladder.NewCapture(t.File)
	}
}

// draw adds a packet to the ladder.
func (t *tally) draw(f *vectors.Frame, p *wire.Packet, icrc wire.ICRCStatus, v *flow.Verdict) {
	if t.ladder != nil {
		name, _ := t.watched.LastFlow()
		t.ladder.Take(f, p, icrc, v, name)
	}
}

// findingsInPage are how many findings of a capture a page lists.
const findingsInPage = 500

// pageOf is a capture as the page shows it.
func (t *tally) pageOf() html.Capture {
	p := html.Capture{Name: filepath.Base(t.File), Notes: slices.Clone(t.Headline), Ladder: &t.ladder.Diagram,
		Summary: []html.Pair{{Name: "file", Value: t.File},
			{Name: "packets", Value: fmt.Sprint(t.Packets)}, {Name: "RoCE", Value: fmt.Sprint(t.RoCE)},
			{Name: "InfiniBand", Value: fmt.Sprint(t.IB)}, {Name: "bad ICRC", Value: fmt.Sprint(t.ICRCBad)},
			{Name: "malformed", Value: fmt.Sprint(t.Malformed)}, {Name: "judged", Value: fmt.Sprint(t.Judged)},
			{Name: "profile", Value: t.Profile}, {Name: "taken", Value: t.Where},
			{Name: "flows", Value: fmt.Sprint(len(t.Flows))}}}
	if r := t.Falcon; r != nil {
		p.Summary = append(p.Summary, html.Pair{Name: "Falcon", Value: fmt.Sprint(r.Packets)},
			html.Pair{Name: "Falcon, judged", Value: fmt.Sprint(r.Judged())})
		p.Notes = append(p.Notes, "Falcon packets are judged and listed, and not drawn")
	}
	if t.Error != "" {
		p.Notes = append(p.Notes, t.Error)
	}
	for _, list := range [][]flow.Finding{t.Violation, t.Possible} {
		for _, x := range list {
			if len(p.Findings) == findingsInPage {
				p.More++
				continue
			}
			p.Findings = append(p.Findings, html.Finding{Packet: x.Packet, When: t.when(x.Packet), Rule: string(x.Rule),
				Certain: x.Certain(), Text: x.Text, Evidence: x.Evidence})
		}
	}
	return p
}

// writeCheckPage writes the page of all captures that were judged.
func writeCheckPage(c *cli.Context, tallies []*tally) error {
	file := c.String("html")
	if file == "" {
		return nil
	}
	certain := uint64(0)
	page := &html.Page{Title: "cosim check"}
	for _, t := range tallies {
		if t.ladder == nil { // it could not be opened
			page.Notes = append(page.Notes, t.File+": "+t.Error)
			continue
		}
		certain += t.certain
		page.Captures = append(page.Captures, t.pageOf())
	}
	page.Verdict, page.Good = countOf(certain, "violation", "violations")+" for certain", certain == 0
	if len(tallies) == 1 {
		page.Title = "cosim check: " + filepath.Base(tallies[0].File)
	}
	return writePage(file, page)
}

// writePage writes a page whole or not at all.
func writePage(file string, page *html.Page) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".page-")
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	defer os.Remove(f.Name())
	err = html.Write(f, page)
	if bad := f.Close(); err == nil {
		err = bad
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}
