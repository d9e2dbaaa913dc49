// Package report says what a run found: as text, and as JSON.
package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Report is a finished run with the names that a reader needs.
type Report struct {
	Dut       string         `json:"dut"`
	Device    string         `json:"device"` // rtl, model or recording
	Build     string         `json:"build"`
	Params    map[string]int `json:"parameters,omitempty"`
	Source    string         `json:"source"` // what the stimulus was made of
	Seed      uint64         `json:"seed"`
	Reproduce string         `json:"reproduce"`
	// LeftOut is how many records of the stimulus the device cannot take by its manifest, and so was not given.
	LeftOut    uint64   `json:"left_out,omitempty"`
	LeftOutWhy string   `json:"left_out_why,omitempty"`
	StateSeed  uint64   `json:"state_seed,omitempty"` // of what no reset reaches; RTL only
	Warnings   []string `json:"warnings,omitempty"`   // of the tools that built the device
	Hints      []string `json:"hints,omitempty"`      // what may have caused a mismatch
	Show       int      `json:"-"`                    // how many mismatches are printed

	// Tools are the versions of what the device was built with, by the tool's name; RTL only.
	Tools map[string]string `json:"-"`

	Ports []sim.PortSpec `json:"-"`
	// Manifest tells the fields of records; nil where there is none.
	Manifest *manifest.Manifest  `json:"-"`
	Origin   func(uint64) string `json:"-"`
	// Describe prints a packet field by field; user is the sideband that it went in with. Nil prints nothing.
	Describe func(w io.Writer, indent string, packet []byte, user uint32) `json:"-"`
	// Link is that of a packet that went in with a sideband; nil where none does.
	Link   func(user uint32) wire.Link           `json:"-"`
	User   func(port string, user uint32) string `json:"-"`
	Result *cocosim.Result                       `json:"-"`
	// Err is why the run could not be finished; nil when it was.
	Err error `json:"-"`
}

// Forget drops what describes a packet, and with it the stimulus that the run had: some megabytes. Of a run that agreed
// no packet is printed.
func (r *Report) Forget() {
	r.Origin, r.Describe, r.Link, r.User, r.Manifest, r.Ports = nil, nil, nil, nil, nil, nil
}

// Exit is the exit code of the run.
func (r *Report) Exit() cocosim.Exit {
	if r.Result.Mismatched > 0 {
		return cocosim.Mismatch
	}
	if r.Err != nil {
		return cocosim.ExitOf(r.Err)
	}
	if exit := r.Result.Exit(); exit != cocosim.Agreed || !r.hardlyAny() {
		return exit
	}
	return cocosim.Inconclusive
}

// FewestRecords is how many records the device must have been given where not one in a hundred is one that it takes.
// With fewer what it is for was not seen.
const FewestRecords = 20

func (r *Report) hardlyAny() bool {
	n := r.Result.Packets
	return n < FewestRecords && r.LeftOut > 99*n
}

// Verdict is the exit code in words.
func (r *Report) Verdict() string { return verdicts[r.Exit()] }

// VerdictOf is an exit code in words.
func VerdictOf(exit cocosim.Exit) string { return verdicts[exit] }

var verdicts = map[cocosim.Exit]string{
	cocosim.Agreed: "AGREED", cocosim.Mismatch: "MISMATCH", cocosim.BadInput: "BAD INPUT",
	cocosim.BuildFailed: "BUILD FAILED",
	cocosim.SimFailed:   "SIMULATOR FAILED", cocosim.BridgeFailed: "BRIDGE FAILED", cocosim.Inconclusive: "INCONCLUSIVE",
}

// JSON is the object that `cosim run --json` prints.
type JSON struct {
	*Report
	Packets     uint64       `json:"packets"`
	Agreed      uint64       `json:"agreed"`
	Mismatched  uint64       `json:"mismatched"`
	Cycles      uint64       `json:"cycles"`
	Bytes       uint64       `json:"bytes"`
	Seconds     float64      `json:"seconds"`
	Digest      string       `json:"digest"`
	TimedDigest string       `json:"timed_digest"`
	CycleError  []TimeJSON   `json:"cycle_error,omitempty"`
	Expected    uint64       `json:"expected"`
	Withheld    uint64       `json:"withheld,omitempty"` // must not come, by passes
	Untaken     bool         `json:"untaken,omitempty"`  // the last record, which waits for what belongs to it
	Drain       uint64       `json:"drain_cycles"`
	Mismatches  []MissJSON   `json:"mismatches,omitempty"` // the earliest
	Counts      []CountJSON  `json:"mismatch_counts,omitempty"`
	Prints      []PrintJSON  `json:"prints,omitempty"` // of the design; the first and the last
	PrintCount  uint64       `json:"print_count,omitempty"`
	Error       string       `json:"error,omitempty"`
	Verdict     string       `json:"verdict"`
	ExitCode    cocosim.Exit `json:"exit"`
}

// CountJSON is how often a rule was broken on a port.
type CountJSON struct {
	Rule  string `json:"rule"`
	Port  string `json:"port,omitempty"`
	Count uint64 `json:"count"`
	First uint64 `json:"first_cycle"`
}

// PrintJSON is a line that the design printed; without a cycle it came in reset.
type PrintJSON struct {
	Cycle *uint64 `json:"cycle,omitempty"`
	Text  string  `json:"text"`
}

func printJSON(p cocosim.Print) PrintJSON {
	if p.InReset {
		return PrintJSON{Text: p.Text}
	}
	return PrintJSON{&p.Cycle, p.Text}
}

// TimeJSON is the cycle error (device minus model) of an output port.
type TimeJSON struct {
	Port     string  `json:"port"`
	N        uint64  `json:"n"`
	Median   int64   `json:"median"`
	P1       int64   `json:"p1"`
	P99      int64   `json:"p99"`
	Least    int64   `json:"min"`
	Most     int64   `json:"max"`
	Within16 float64 `json:"within_16"` // share
}

func timeJSON(port string, h *cocosim.Histogram) TimeJSON {
	return TimeJSON{port, h.N(), h.Quantile(0.5), h.Quantile(0.01), h.Quantile(0.99), h.Quantile(0), h.Quantile(1),
		h.Within(16)}
}

// MissJSON is a violation.
type MissJSON struct {
	Rule     string  `json:"rule"`
	Port     string  `json:"port,omitempty"`
	Cycle    uint64  `json:"cycle"`
	Packet   *uint64 `json:"packet,omitempty"`
	Origin   string  `json:"origin,omitempty"`
	Text     string  `json:"text"`
	WantUser string  `json:"want_user,omitempty"`
	GotUser  string  `json:"got_user,omitempty"`
	// Fields are those of a record that differ.
	Fields []FieldJSON `json:"fields,omitempty"`
}

// FieldJSON is a field of a record in hex.
type FieldJSON struct {
	Name string `json:"name"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

// Object makes the JSON object of the report.
func (r *Report) Object() *JSON {
	res := r.Result
	o := &JSON{Report: r, Packets: res.Packets, Agreed: res.Agreed, Mismatched: res.Mismatched, Cycles: res.Cycles,
		Bytes:   res.Bytes,
		Seconds: res.Elapsed.Seconds(), Digest: fmt.Sprintf("%016x", res.Digest), TimedDigest: fmt.Sprintf("%016x",
			res.Timed),
		Expected: res.Score.Expected, Withheld: res.Score.Withheld, Untaken: res.Untaken,
		Drain: res.Drained, PrintCount: res.PrintCount, Verdict: verdicts[r.Exit()],
		ExitCode: r.Exit()}
	if err := r.stopped(); err != nil {
		o.Error = err.Error()
	}
	for i, p := range r.Ports {
		if h := r.cycleError(i); h != nil && !p.Input {
			o.CycleError = append(o.CycleError, timeJSON(p.Name, h))
		}
	}
	for _, v := range r.shown() {
		o.Mismatches = append(o.Mismatches, r.missJSON(v))
	}
	for _, c := range res.Counts {
		o.Counts = append(o.Counts, CountJSON{string(c.Rule), c.Port, c.N, c.First})
	}
	for _, p := range res.Prints {
		o.Prints = append(o.Prints, printJSON(p))
	}
	return o
}

func (r *Report) missJSON(v *cocosim.Violation) MissJSON {
	m := MissJSON{Rule: string(v.Rule), Port: v.Port, Cycle: v.Cycle, Text: v.Text}
	if v.Known {
		m.Packet, m.Origin = &v.Packet, r.origin(v)
	}
	for _, d := range r.differences(v) {
		m.Fields = append(m.Fields, FieldJSON(d))
	}
	if v.Want != nil {
		m.WantUser = r.User(v.Port, v.Want.User)
	}
	if v.Got != nil {
		m.GotUser = r.User(v.Port, v.Got.User)
	}
	return m
}

// origin says where the input that a violation concerns came from. With several inputs its number does not say on which
// port.
func (r *Report) origin(v *cocosim.Violation) string {
	inputs := 0
	for _, p := range r.Ports {
		if p.Input {
			inputs++
		}
	}
	if !v.Known || inputs != 1 {
		return ""
	}
	return r.Origin(v.Packet)
}

func (r *Report) stopped() error {
	if r.Err != nil {
		return r.Err
	}
	return r.Result.Stopped
}

func (r *Report) cycleError(port int) *cocosim.Histogram {
	if port >= len(r.Result.Score.CycleError) || r.Result.Score.CycleError[port].N() == 0 {
		return nil
	}
	return &r.Result.Score.CycleError[port]
}

// Print writes the report for a terminal.
func (r *Report) Print(w io.Writer) {
	res := r.Result
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(w, "cosim run   %s%s, %s, build %s\n", r.Dut, paramText(r.Params), r.Device, r.Build)
	line("stimulus", "%s", r.Source)
	if r.LeftOut > 0 {
		line("left out", "%-12d that the device cannot take: %s", r.LeftOut, r.LeftOutWhy)
	}
	line("packets", "%-12d agreed %-12d mismatched %d", res.Packets, res.Agreed, res.Mismatched)
	if res.Score.Withheld > 0 {
		line("withheld", "%-12d that the device must let fall by `passes`; %d were due", res.Score.Withheld,
			res.Score.Expected)
	}
	line("cycles", "%-12d bytes  %-12d seconds    %.2f", res.Cycles, res.Bytes, res.Elapsed.Seconds())
	if s := res.Elapsed.Seconds(); s > 0 {
		line("rates", "%s cycles/s, %s packets/s, %s bytes/s", si(float64(res.Cycles)/s), si(float64(res.Packets)/s),
			si(float64(res.Bytes)/s))
	}
	for i, p := range r.Ports {
		if h := r.cycleError(i); h != nil && !p.Input {
			t := timeJSON(p.Name, h)
			line("timing", "%-12s device minus model, cycles: median %+-5d p1 %+-5d p99 %+-5d all %+d to %+d, within 16: %.2f "+
				"%%", t.Port, t.Median, t.P1, t.P99, t.Least, t.Most, 100*t.Within16)
		}
	}
	line("seed", "%-12d digest %016x", r.Seed, res.Digest)
	if res.Untaken {
		line("untaken", "the last record: it waits for what belongs to it, behind the end of the stimulus")
	}
	if res.Drained > 0 {
		line("drain", "%d cycles after the last input", res.Drained)
	}
	r.printNotes(w)
	for i, v := range r.shown() {
		r.printViolation(w, i+1, v)
		if i == 0 {
			r.printPrints(w, v.Cycle)
		}
	}
	r.printCounts(w)
	if err := r.stopped(); err != nil && (r.Exit() == cocosim.Mismatch || r.Err == nil) {
		line("stopped", "%v", err)
	}
	for _, hint := range r.Hints {
		line("suspect", "%s", hint)
	}
	if r.hardlyAny() {
		line("suspect", "hardly a record is one that the device takes: see accepts in its manifest, which may name a field "+
			"that most records do not use")
	}
	if r.Exit() != cocosim.Agreed {
		line("reproduce", "%s", r.Reproduce)
	}
	line("verdict", "%s", verdicts[r.Exit()])
}

func (r *Report) printViolation(w io.Writer, n int, v *cocosim.Violation) {
	fmt.Fprintf(w, "\n  mismatch %d  %s at cycle %d: %s\n", n, onPort(string(v.Rule), v.Port), v.Cycle, v.Text)
	if origin := r.origin(v); origin != "" {
		fmt.Fprintf(w, "    input     %d: %s\n", v.Packet, origin)
	}
	if v.Input != nil {
		printFields(w, "given", fieldsOf(r.Manifest, r.Ports[v.Input.Port].Name, v.Input.Data))
	}
	if r.printRecords(w, v) {
		return
	}
	r.printPacket(w, "want", v.Port, v.Want)
	r.printPacket(w, "got", v.Port, v.Got)
	if v.Want != nil && v.Got != nil {
		printDifference(w, v.Want.Data, v.Got.Data)
	}
	if v.Want != nil && r.Describe != nil {
		r.Describe(w, "    ", v.Want.Data, v.User)
	}
}

// printPacket prints the length of a packet, and its sideband where the port has one.
func (r *Report) printPacket(w io.Writer, name, port string, p *sim.Record) {
	if p == nil {
		return
	}
	fmt.Fprintf(w, "    %-9s %4d bytes", name, len(p.Data))
	if r.Ports[p.Port].UserBits > 0 {
		fmt.Fprintf(w, "  user %03xh %s", p.User, r.User(port, p.User))
	}
	fmt.Fprintln(w)
}

func onPort(rule, port string) string {
	if port == "" {
		return rule
	}
	return rule + " on " + port
}

// shown are the mismatches that are printed.
func (r *Report) shown() []*cocosim.Violation {
	return r.Result.Violations[:min(r.Show, len(r.Result.Violations))]
}

const (
	notesShown  = 3 // warnings of a build, and lines that a design printed in a run that agreed
	printsShown = 4 // lines at either end: the first, and the last before the first mismatch
)

// printNotes prints the warnings of the build; and what the design printed where there is no mismatch that it could
// belong to.
func (r *Report) printNotes(w io.Writer) {
	for i, text := range r.Warnings {
		if i == notesShown {
			fmt.Fprintf(w, "  %-11s ... and %d more\n", "warning", len(r.Warnings)-notesShown)
			break
		}
		fmt.Fprintf(w, "  %-11s %s\n", "warning", text)
	}
	if len(r.shown()) > 0 {
		return
	}
	if r.Result.PrintCount > notesShown {
		fmt.Fprintf(w, "  %-11s %d lines; the first are these, --log-level info shows them as they come\n", "prints",
			r.Result.PrintCount)
	}
	for _, p := range r.Result.Prints[:min(notesShown, len(r.Result.Prints))] {
		printLine(w, p)
	}
}

func printLine(w io.Writer, p cocosim.Print) {
	when := "in reset"
	if !p.InReset {
		when = fmt.Sprintf("cycle %d", p.Cycle)
	}
	fmt.Fprintf(w, "    printed   %s: %s\n", when, shorten(p.Text))
}

// lineShown is how many bytes of a printed line are shown.
const lineShown = 160

func shorten(line string) string {
	if len(line) <= lineShown {
		return line
	}
	return strings.ToValidUTF8(line[:lineShown], "") + " ..."
}

// printPrints prints the first lines of the design and the last ones up to a cycle.
func (r *Report) printPrints(w io.Writer, cycle uint64) {
	prints := r.Result.Prints
	upTo := 0
	for upTo < len(prints) && (prints[upTo].InReset || prints[upTo].Cycle <= cycle) {
		upTo++
	}
	for i, p := range prints[:upTo] {
		if i < printsShown || i >= upTo-printsShown {
			printLine(w, p)
		}
	}
	if r.Result.PrintCount > 2*printsShown || uint64(upTo) < r.Result.PrintCount {
		fmt.Fprintf(w, "    printed   %d lines in all\n", r.Result.PrintCount)
	}
}

// printCounts says what the mismatches were, where not all are shown.
func (r *Report) printCounts(w io.Writer) {
	res := r.Result
	if more := res.Mismatched - min(res.Mismatched, uint64(len(r.shown()))); more > 0 && len(r.shown()) > 0 {
		fmt.Fprintf(w, "  ... and %d more\n", more)
	}
	if len(res.Counts) == 0 {
		return
	}
	fmt.Fprintln(w)
	for _, c := range res.Counts {
		fmt.Fprintf(w, "  %-11s %-28s first at cycle %d\n", "count", fmt.Sprintf("%d %s", c.N, onPort(string(c.Rule),
			c.Port)), c.First)
	}
	fmt.Fprintf(w, "  %-11s %d expected, %d agreed\n", "outputs", res.Score.Expected, res.Agreed)
}

// printDifference shows the first bytes that differ, 16 a side.
func printDifference(w io.Writer, want, got []byte) {
	at := cocosim.FirstDifference(want, got)
	if at == len(want) && at == len(got) {
		return
	}
	from := at &^ 15
	part := func(b []byte) string { return fmt.Sprintf("% x", b[min(from, len(b)):min(from+16, len(b))]) }
	fmt.Fprintf(w, "    byte %4d want %s\n", from, part(want))
	fmt.Fprintf(w, "              got %s\n", part(got))
}

func paramText(p map[string]int) string {
	if len(p) == 0 {
		return ""
	}
	var parts []string
	for _, k := range sortedKeys(p) {
		parts = append(parts, fmt.Sprintf("%s=%d", k, p[k]))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// si prints a rate with three digits and a prefix.
func si(v float64) string {
	for _, u := range []struct {
		over float64
		sign string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= u.over {
			return fmt.Sprintf("%.3g %s", v/u.over, u.sign)
		}
	}
	return fmt.Sprintf("%.3g ", v)
}

func sortedKeys(m map[string]int) []string {
	return slices.Sorted(maps.Keys(m))
}
