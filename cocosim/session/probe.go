package session

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/report"
)

// stateSeed is that of what no reset reaches; never 0, which would be all zeros.
func (s *Spec) stateSeed() uint64 {
	if s.StateSeed != 0 {
		return s.StateSeed
	}
	return 2*s.Seed + 1
}

// probeTime bounds each run that looks for a reason.
const probeTime = 30 * time.Second

// probe adds to a report what may have caused it. A run that agreed is repeated as often as Spec.States says, with
// other unset state; if it does not agree then, that run is the result.
func (s *Session) probe(ctx context.Context, rep *report.Report, o Options) *report.Report {
	for k := range s.spec.States {
		if rep.Exit() != cocosim.Agreed {
			return rep
		}
		if other := s.again(ctx, s.otherState(k)); other != nil && other.Exit() != cocosim.Agreed {
			other.Hints = append(other.Hints, fmt.Sprintf("the result depends on state that no reset reaches: with "+
				"--state-seed %d the run agreed",
				s.spec.stateSeed()))
			return other
		}
	}
	if !o.Probe || rep.Exit() != cocosim.Mismatch {
		return rep
	}
	for _, hint := range []string{s.suspectReset(ctx, rep), s.suspectReady(), suspectFiles(rep), s.suspectState(ctx,
		rep)} {
		if hint != "" {
			rep.Hints = append(rep.Hints, hint)
		}
	}
	return rep
}

// again is the run with a change; nil where there is none.
func (s *Session) again(ctx context.Context, change func(*Session)) *report.Report {
	other := &Session{spec: s.spec, params: map[string]int{}, inputs: map[string]uint64{}}
	other.spec.Timeout, other.spec.Coverage = 0, ""
	change(other)
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if other.open(ctx) != nil {
		return nil
	}
	other.play(s.records)
	return other.Run(ctx, nil)
}

// otherState gives the k-th of other states.
func (s *Session) otherState(k int) func(*Session) {
	return func(other *Session) { other.spec.StateSeed = s.spec.stateSeed() + 2*uint64(k+1) }
}

// suspectReset tries the reset pin the other way round, where the device never gave anything right.
func (s *Session) suspectReset(ctx context.Context, rep *report.Report) string {
	pin := s.manifest.Reset.Pin
	if rep.Result.Agreed > 0 || pin == "" {
		return ""
	}
	other := s.again(ctx, func(other *Session) {
		other.invertReset = true
		other.spec.MaxMismatches = 100
	})
	if other == nil || other.Result.Agreed == 0 && (rep.Result.Packets > 0 || other.Result.Packets == 0) {
		return ""
	}
	right := map[string]string{"low": "high", "high": "low"}[s.manifest.Reset.Active]
	return fmt.Sprintf("wrong polarity of reset: with %s active %s the device takes %d packets and gives %d right (%s: "+
		"reset: active)",
		pin, right, other.Result.Packets, other.Result.Agreed, s.manifest.Path())
}

var readyName = regexp.MustCompile(`(?i)(ready|rdy|_ack|full|stall)`)

// suspectReady names outputs of the design that look like the ready of an input that has none in the manifest.
func (s *Session) suspectReady() string {
	var without, found []string
	for _, p := range s.manifest.Ports {
		if p.Pins.Ready == "" && p.Dir == manifest.DirIn {
			without = append(without, p.Name)
		}
	}
	for _, name := range s.image.Unnamed {
		if readyName.MatchString(name) {
			found = append(found, name)
		}
	}
	if len(without) == 0 || len(found) == 0 {
		return ""
	}
	return fmt.Sprintf("a forgotten ready: port %s has none in the manifest, and the design has an output %s that the "+
		"manifest does not name (%s: pins: ready)",
		strings.Join(without, ", "), strings.Join(found, ", "), s.manifest.Path())
}

// suspectFiles names a file that the design could not read.
func suspectFiles(rep *report.Report) string {
	for _, p := range rep.Result.Prints {
		if strings.Contains(p.Text, "file not found") {
			return "a file is missing that the design reads: " + strings.TrimPrefix(p.Text, "%Warning: ")
		}
	}
	return ""
}

// suspectState repeats the run with other unset state.
func (s *Session) suspectState(ctx context.Context, rep *report.Report) string {
	other := s.again(ctx, s.otherState(0))
	if other == nil || other.Err != nil || sameResult(rep, other) {
		return ""
	}
	return fmt.Sprintf("the result depends on state that no reset reaches (registers, memories, X): with --state-seed "+
		"%d it is %s, %d mismatches",
		other.StateSeed, other.Verdict(), other.Result.Mismatched)
}

// sameResult compares runs by their first mismatch, and by all that came out where both came to their end.
func sameResult(a, b *report.Report) bool {
	if a.Exit() != b.Exit() {
		return false
	}
	va, vb := a.Result.Violations, b.Result.Violations
	if len(va) > 0 && len(vb) > 0 && !sameViolation(va[0], vb[0]) {
		return false
	}
	ended := a.Result.Stopped == nil && b.Result.Stopped == nil
	return !ended || a.Result.Timed == b.Result.Timed && a.Result.Digest == b.Result.Digest
}

// sameViolation compares what was found. The text of one in a life names the life's own state, which is another one in
// each run.
func sameViolation(a, b *cocosim.Violation) bool {
	text := func(v *cocosim.Violation) string { return namedState.ReplaceAllString(v.Text, "") }
	return a.Rule == b.Rule && a.Cycle == b.Cycle && a.Life == b.Life && text(a) == text(b)
}

var namedState = regexp.MustCompile(`--state-seed \d+`)
