package verilated

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"hcacosim/cocosim"
)

// keepLog turns a failed build into one line, and keeps the log that it points to.
func (b *build) keepLog(err error, log []byte) error {
	var t *toolError
	if !errors.As(err, &t) {
		return err
	}
	name := filepath.Join(b.cache, "failed", b.m.Name+"-"+b.key+".log")
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return cacheError(err)
	}
	if err := os.WriteFile(name, log, 0o666); err != nil {
		return cacheError(err)
	}
	return &cocosim.Error{Exit: cocosim.BuildFailed, What: fmt.Sprintf("%s does not build: %s", b.m.Name,
		firstErrors(log, t)), Do: "whole log: " + name}
}

// What tools say of an error, most telling first: Verilator's with a place, the C++ compiler's, the linker's, any of
// Verilator's or Yosys'.
var errorLines = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^%Error(?:-\w+)?: (\S+:\d+:.*)$`),
	regexp.MustCompile(`(?m)^(\S+:\d+(?::\d+)?: (?:fatal )?error: .*)$`),
	regexp.MustCompile(`(?m)^.*?(undefined reference to .*|multiple definition of .*|cannot find -l.*)$`),
	regexp.MustCompile(`(?m)^%Error(?:-\w+)?: (.*)$`),
	regexp.MustCompile(`(?m)^(?:\S+:\d+: )?ERROR: (.*)$`),
	regexp.MustCompile(`(?m)^make: \*\*\* (.*)$`),
}

// mostErrors is how many lines of a failed build are shown.
const mostErrors = 3

// firstErrors are the first lines that say what went wrong.
func firstErrors(log []byte, t *toolError) string {
	for _, re := range errorLines {
		var lines []string
		for _, found := range re.FindAllSubmatch(log, -1) {
			if line := strings.TrimSpace(string(found[1])); !slices.Contains(lines, line) && len(lines) < mostErrors {
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			return strings.Join(lines, "; ")
		}
	}
	return t.Error()
}

// notes are what is known of an image beside its program.
type notes struct {
	Warnings []string `json:"warnings"`
	Unnamed  []string `json:"unnamed_outputs"`
}

const (
	notesFile = "notes.json"
	// mostWarnings bounds what is kept of the tools' warnings.
	mostWarnings = 100
)

var (
	warningLine = regexp.MustCompile(`(?m)^%Warning-(\S+: .*)$`)
	driversLine = regexp.MustCompile(`(?m)^Warning: multiple conflicting drivers for (.*):$`)
)

// writeNotes keeps the warnings of a build beside the program.
func (b *build) writeNotes(dir string, log []byte) error {
	n := notes{Unnamed: b.unnamed}
	for _, found := range warningLine.FindAllSubmatch(log, -1) {
		n.add(strings.ReplaceAll(string(found[1]), dir+"/", ""))
	}
	for _, found := range driversLine.FindAllSubmatch(log, -1) {
		n.add("MULTIDRIVEN: several drivers of " + string(found[1]))
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, notesFile), text, 0o666)
}

func (n *notes) add(line string) {
	if len(n.Warnings) < mostWarnings && !slices.Contains(n.Warnings, line) {
		n.Warnings = append(n.Warnings, line)
	}
}

func (im *Image) readNotes() error {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(im.Program), notesFile))
	if err != nil {
		return cacheError(err)
	}
	var n notes
	if err := json.Unmarshal(text, &n); err != nil {
		return cacheError(err)
	}
	im.Warnings, im.Unnamed = n.Warnings, n.Unnamed
	return nil
}

// driversTimeout bounds the search for wires with several drivers.
const driversTimeout = 20 * time.Second

// findDrivers looks for wires with several drivers: Verilator takes the last and does not say so. Our own RTL is
// looked at by its lint; where Yosys is missing, or does not read the design, nothing is found.
func (b *build) findDrivers(ctx context.Context, dir string, log *bytes.Buffer) {
	if _, err := exec.LookPath("yosys"); err != nil || b.m.Embedded() || netlists[b.flavour] != "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, driversTimeout)
	defer cancel()
	var said bytes.Buffer
	if err := b.yosys(ctx, dir, b.read(b.place)+"; proc; check", &said); err == nil {
		log.Write(said.Bytes())
	}
}
