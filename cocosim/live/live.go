// Package live runs the golden model against a real peer: whole Ethernet frames over a Unix stream socket, as QEMU's
// -netdev stream has them, or over a tap device. docs/live.md shows it with a Linux guest.
//
// The model has no clock. This package tells it how many nanoseconds have passed since the session began.
package live

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/loop"
)

// Config is a session.
type Config struct {
	// Peer is where frames come from: socket:PATH, listen:PATH or tap:NAME; Port, if set, is used in its place.
	Peer string
	Port Port
	// File says what the adapter is and does: Load reads one.
	File *File
	// Halves of the adapter that are devices; without any it is the model.
	Halves loop.Halves
	// Capture, if set, gets every frame of both directions as a pcap with nanoseconds.
	Capture io.Writer
	// Log, if set, is told what happens, a line each.
	Log func(format string, args ...any)
}

// Report is what came of a session.
type Report struct {
	Ended   string            `json:"ended"` // why
	Seconds float64           `json:"seconds"`
	In      uint64            `json:"frames_in"`
	Out     uint64            `json:"frames_out"`
	Asked   uint64            `json:"neighbour_answers"` // ARP and neighbour discovery
	Lost    uint64            `json:"lost"`              // on purpose, both ways: loss of the file
	CNPs    uint64            `json:"cnps"`
	Retries map[string]uint64 `json:"retries"` // of ours, by the rule that asked for them
	Dropped map[string]uint64 `json:"dropped"` // by the rule that let them fall
	QPs     []QPReport        `json:"qps"`
	Judged  loop.Judgment     `json:"judged"`
	Failed  []string          `json:"failed,omitempty"` // completions in error, the first few
}

// QPReport is what a queue pair did.
type QPReport struct {
	Number    uint32            `json:"number"`
	Posted    uint64            `json:"posted"`
	Left      uint64            `json:"left"` // to post, or under way
	Done      map[string]uint64 `json:"done"` // our work by the status that it ended with
	Received  map[string]uint64 `json:"received"`
	Bytes     uint64            `json:"bytes"`     // of ours that ended well
	BytesIn   uint64            `json:"bytes_in"`  // of SENDs that came in
	State     string            `json:"state"`     // of the QP
	Expecting uint64            `json:"expecting"` // SENDs that were expected and have not come
}

// Exit is the exit code of the session: a mismatch where a rule was broken or work ended in error, inconclusive where
// work is left.
func (r *Report) Exit() cocosim.Exit {
	if r.Judged.Certain > 0 || len(r.Failed) > 0 {
		return cocosim.Mismatch
	}
	for i := range r.QPs {
		if r.QPs[i].Left+r.QPs[i].Expecting > 0 {
			return cocosim.Inconclusive
		}
	}
	return cocosim.Agreed
}

// Run runs a session to its end. Errors of the framing have exit code 5.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	cfg.Halves.Free = true
	if err := cfg.File.fits(&cfg.Halves); err != nil {
		return nil, err
	}
	s, err := newSession(&cfg)
	if err != nil {
		return nil, err
	}
	ctx, stop := s.limit(ctx)
	defer stop()
	port := cfg.Port
	if port == nil {
		if port, err = Open(ctx, cfg.Peer); err != nil {
			return nil, err
		}
	}
	return s.run(ctx, port)
}

// Print writes the report for people.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintf(w, "%s after %.2f s: %d frames in, %d out, %d neighbour answers\n", r.Ended, r.Seconds, r.In, r.Out,
		r.Asked)
	for i := range r.QPs {
		q := &r.QPs[i]
		fmt.Fprintf(w, "QP %06Xh  posted %d, %d bytes: %s; received %d bytes: %s; state %s\n", q.Number, q.Posted, q.Bytes,
			counted(q.Done), q.BytesIn, counted(q.Received), q.State)
		if q.Left+q.Expecting > 0 {
			fmt.Fprintf(w, "            %d left to do, %d SENDs did not come\n", q.Left, q.Expecting)
		}
	}
	for _, line := range r.Failed {
		fmt.Fprintln(w, "failed:", line)
	}
	fmt.Fprintf(w, "retries: %s; dropped: %s; CNPs: %d; lost on purpose: %d\n", counted(r.Retries), counted(r.Dropped),
		r.CNPs, r.Lost)
	fmt.Fprintf(w, "judged: %d packets, %d certain violations, %d possible\n", r.Judged.Packets, r.Judged.Certain,
		r.Judged.Possible)
	for _, line := range r.Judged.First {
		fmt.Fprintln(w, "  "+line)
	}
}

// PrintJSON writes the report for programs, with the exit code.
func (r *Report) PrintJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		*Report
		Exit cocosim.Exit `json:"exit"`
	}{r, r.Exit()})
}

// counted lists counts as "3 success, 1 retry exceeded".
func counted(counts map[string]uint64) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%d %s", counts[name], name))
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}
