package regress

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"hcacosim/cocosim"
)

// The elements of JUnit's XML as build servers read it.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Seconds  string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	Seconds string     `xml:"time,attr"`
	Failure *junitText `xml:"failure,omitempty"`
	Error   *junitText `xml:"error,omitempty"`
	Skipped *junitText `xml:"skipped,omitempty"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the runs as JUnit's XML: a mismatch is a failure, what came to no verdict an error, what was not
// begun skipped.
func WriteJUnit(w io.Writer, runs []*Run) error {
	suite := junitSuite{Name: "cosim regress", Tests: len(runs)}
	seconds := 0.0
	for _, r := range runs {
		c := junitCase{Class: r.Spec.Dut, Name: strings.TrimPrefix(r.Spec.Line(), "cosim run "), Seconds: fmt.Sprintf("%.3f",
			r.Report.Seconds)}
		seconds += r.Report.Seconds
		switch {
		case !r.Done:
			suite.Skipped++
			c.Skipped = &junitText{Message: "not begun"}
		case r.Report.ExitCode == cocosim.Agreed:
		case r.Report.ExitCode == cocosim.Mismatch:
			suite.Failures++
			c.Failure = &junitText{fmt.Sprintf("%d mismatches", r.Report.Mismatched), r.details()}
		default:
			suite.Errors++
			c.Error = &junitText{r.Report.Verdict + ": " + r.Report.Error, r.details()}
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Seconds = fmt.Sprintf("%.3f", seconds)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// details are what one looks at first in a run that failed.
func (r *Run) details() string {
	var b strings.Builder
	for _, m := range r.Report.Mismatches {
		fmt.Fprintf(&b, "%s %s at cycle %d: %s\n", m.Rule, m.Port, m.Cycle, m.Text)
	}
	if r.Report.Report != nil {
		for _, hint := range r.Report.Hints {
			fmt.Fprintf(&b, "suspect: %s\n", hint)
		}
	}
	if r.Bundle != "" {
		fmt.Fprintf(&b, "bundle: %s\n", r.Bundle)
	}
	return b.String() + r.Spec.Line() + "\n"
}
