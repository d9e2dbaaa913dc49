package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/mutate/fault"
	"hcacosim/vectors/scenario"
)

const faultsPath = "../../docs/faults.md"

// faultLine is a row of docs/faults.md: its first cell is a fault's name, its seventh how many packets were needed.
var faultLine = regexp.MustCompile(`^\| ([a-z][^ ]*) \|(?: [^|]* \|){5} (\d+) \|`)

// writeDocument writes docs/faults.md: rows of what this run found, and of what it did not play those that stand there.
func writeDocument(t *testing.T, all []fault.Fault, found []finding) {
	rows := knownRows(t)
	for _, f := range found {
		if delete(rows, f.Name); f.Check != "" { // one that is not found any more has no row
			in, _, _ := strings.Cut(f.File, "/")
			rows[f.Name] = fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %d | %s | %s | %d | %s |", f.Name, f.Kind, f.Area,
				f.Dut, in, f.File, f.Packets, f.Check, f.Run, scenario.GeneratorVersion, f.Why)
		}
	}
	var b strings.Builder
	b.WriteString("# Deliberate faults\n\n" +
		"Each of these is planted, one at a time, and the default regression must find it: the known captures for a device " +
		"that takes packets, then 20,000\n" +
		"records of its default scenario, seed 1, free and stalled; then its other scenarios and configurations; the " +
		"smallest size first, then the others.\nNo fault has a run of its own. `make faults` plants all and writes this " +
		"table; with `go test ./cmd/cosim -run 'TestFaultsAreFound/rtl/^X$' -faults -timeout 2h`\nthose of device X are " +
		"planted, and their rows written; with -new-faults too only those that have none. `make test` plants a few. " +
		"Packets needed counts to the one that the first mismatch is about; 0 where it is about none.\n" +
		"Generator is the version of the scenarios that a row was made with.\n\n" +
		"Faults in joints that leave every block right, and that a closed loop shows, have a list of their own: " +
		"[link.md](link.md#faults-in-a-loop).\n\n")
	writeDevices(&b, all, rows)
	b.WriteString("\n| fault | kind | area | device | in | file | packets needed | found by | run, where it is not the " +
		"first | generator | what it would do |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, f := range all {
		if row := rows[f.Name]; row != "" {
			b.WriteString(row + "\n")
		}
	}
	require.NoError(t, os.WriteFile(faultsPath, []byte(b.String()), 0o644))
}

// knownRows are the rows that stand in the document, by fault.
func knownRows(t *testing.T) map[string]string {
	text, err := os.ReadFile(faultsPath)
	require.NoError(t, err)
	rows := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if m := faultLine.FindStringSubmatch(line); m != nil {
			rows[m[1]] = line
		}
	}
	return rows
}

// writeDevices writes how many faults each device has, and how many packets were needed.
func writeDevices(b *strings.Builder, all []fault.Fault, rows map[string]string) {
	type device struct {
		faults  int
		packets []int
		missing []string
	}
	devices := map[string]*device{}
	for _, f := range all {
		d := devices[f.Dut]
		if d == nil {
			d = &device{}
			devices[f.Dut] = d
		}
		d.faults++
		var n int
		if m := faultLine.FindStringSubmatch(rows[f.Name]); m == nil {
			d.missing = append(d.missing, f.Name)
		} else if _, err := fmt.Sscan(m[2], &n); err == nil {
			d.packets = append(d.packets, n)
		}
	}
	total, found := 0, 0
	for _, d := range devices {
		total, found = total+d.faults, found+len(d.packets)
	}
	fmt.Fprintf(b, "**%d faults: %d are found, of %d none of the runs on record says so.**\n\n| device | faults | found "+
		"| packets needed, median | most | not found, or not played to the end |\n|---|---|---|---|---|---|\n", total, found,
		total-found)
	for _, f := range all {
		d := devices[f.Dut]
		if d == nil {
			continue
		}
		delete(devices, f.Dut)
		slices.Sort(d.packets)
		median, most, missing := 0, 0, strings.Join(d.missing, ", ")
		if n := len(d.packets); n > 0 {
			median, most = d.packets[n/2], d.packets[n-1]
		} else {
			missing = "no row of it was written"
		}
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %s |\n", f.Dut, d.faults, len(d.packets), median, most, missing)
	}
}
