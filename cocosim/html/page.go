// Package html writes what a run, a regression or a check found as one page: a single file that needs no network, with
// ladders and plots that its own script draws.
package html

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"hcacosim/cocosim/bucket"
	"hcacosim/cocosim/ladder"
	"hcacosim/cocosim/report"
)

// Page is all that a page shows; what is empty is left out.
type Page struct {
	Title    string
	Verdict  string // "AGREED", "MISMATCH", or what a check says
	Good     bool   // the verdict is one
	Summary  []Pair
	Notes    []string // what an engineer would say first
	Buckets  []bucket.Bucket
	Failures []Failure
	Captures []Capture
	Coverage []Cover
	Runs     []Run
	MoreRuns int // that are not listed
}

// Pair is a line of a summary.
type Pair struct{ Name, Value string }

// Failure is the first mismatch of a run.
type Failure struct {
	Title     string // the signature
	Dut       string
	Facts     []Pair
	Fields    []report.FieldJSON // that differ
	Want, Got []report.Field     // the whole record
	State     []StateRow         // of the flow: before, and at the mismatch on both sides
	Bytes     []Pair             // the first bytes that differ
	Prints    []string           // of the design, with their cycles
	Hints     []string
	Reproduce []string
	Files     []Pair // beside the page: name and path
	Ladder    *ladder.Diagram
	Waves     Waves
}

// StateRow is a field of the state of a flow: at the last answer on which both agreed, as it should be, and as the
// device has it.
type StateRow struct{ Name, Before, Want, Got string }

// Differs reports whether the sides differ.
func (s StateRow) Differs() bool { return s.Want != s.Got }

// Capture is a capture that was judged.
type Capture struct {
	Name     string
	Summary  []Pair
	Notes    []string
	Findings []Finding
	More     int // findings that are not listed
	Ladder   *ladder.Diagram
}

// Finding is a violation in a capture.
type Finding struct {
	Packet   uint64
	When     string
	Rule     string
	Certain  bool
	Text     string
	Evidence string
}

// Cover is a line of the coverage of a device.
type Cover struct {
	Name       string
	Hit, Total int
}

// Run is a run of a regression.
type Run struct {
	Dut, Scenario, Size string
	Seed                uint64
	Records             uint64
	Mismatches          uint64
	Verdict             string
	Good                bool
	Line                string
}

//go:embed page.gohtml
var pageText string

//go:embed page.css
var styleText string

//go:embed plot.js
var plotText string

//go:embed page.js
var ladderText string

// scriptText is the script of the page.
var scriptText = plotText + ladderText

// view is a page with what the template needs beside it.
type view struct {
	*Page
	Policy string // Content-Security-Policy: nothing is fetched, and only the page's own style and script are used
	Style  template.CSS
	Script template.JS
}

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"packed":  func(d *ladder.Diagram) (template.JS, error) { return packed(d) },
	"percent": func(c Cover) string { return fmt.Sprintf("%.1f %%", 100*float64(c.Hit)/float64(max(1, c.Total))) },
	"drawn":   func(p *Picture) *drawn { return p.draw() },
	"id":      func(parts ...any) string { return fmt.Sprint(parts...) },
}).Parse(pageText))

// packed is a ladder as JSON that can stand in a script element: no "<" is left in it.
func packed(d *ladder.Diagram) (template.JS, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b) // escapes <, > and &
	err := e.Encode(d.Packed())
	return template.JS(b.String()), err
}

// Write writes the page.
func Write(w io.Writer, p *Page) error {
	style := string(paletteCSS()) + styleText
	v := view{Page: p, Style: template.CSS(style), Script: template.JS(scriptText)}
	v.Policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		hashOf(style), hashOf(scriptText))
	return pageTemplate.Execute(w, v)
}

// hashOf names a text in a Content-Security-Policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
