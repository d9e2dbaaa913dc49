package standin_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"hcacosim/cocosim"
	"hcacosim/cocosim/field"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/standin"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

var (
	long   = flag.Bool("long", false, "play every capture, under both profiles")
	update = flag.Bool("update", false, "with -long, write docs/generated/hca_rx-captures.md")
	asked  = flag.Bool("model", false, "ask the model alone what hca_rx answers: in a minute, and no word of RTL")
)

const captures = "../../../shared/captures"

// answers is the port of hca_rx that they leave by.
const answers = 8

// TestCaptures plays what the endpoints of real captures received into RTL and model of hca_rx: they agree, and the
// answers are held against those that the kernel gave.
func TestCaptures(t *testing.T) {
	for _, tool := range []string{"verilator", "g++", "make"} {
		if _, err := exec.LookPath(tool); err != nil && !*asked {
			t.Skipf("skipped: %s is not installed, RTL cannot be built", tool)
		}
	}
	files, err := filepath.Glob(filepath.Join(captures, "*.pcap"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skipf("skipped: no captures in %s", captures)
	}
	profiles := []string{"rxe"}
	if *long {
		profiles = []string{"spec", "rxe"}
	} else {
		files = slices.DeleteFunc(files, func(f string) bool {
			return !slices.Contains([]string{"rc_v6_loss5.b.pcap", "sx_flip_payload.b.pcap",
				"sx_rd_drop_mid.b.pcap"}, filepath.Base(f))
		})
	}
	results := map[string]*tally{}
	for _, profile := range profiles {
		results[profile] = playAll(t, files, profile)
		t.Logf("%s: %s", profile, results[profile])
		if profile == "rxe" && !*long {
			require.GreaterOrEqual(t, results[profile].same, 22, "of 25")
		}
	}
	if *asked && *long {
		t.Log(page(results))
	}
	if *update && *long {
		require.NoError(t, os.WriteFile("../../docs/generated/hca_rx-captures.md", []byte(page(results)), 0o644))
	}
}

// tally is what came of the captures under a profile.
type tally struct {
	silent, captures, received, theirs, ours, same int

	why map[string][]string // frames, by what tells them apart
}

func (n *tally) String() string {
	return fmt.Sprintf("%d captures at an end that received something (%d more at one that did not), %d frames received, "+
		"%d answers of the kernel, %d of them byte for byte, "+
		"%d more but for %s, %d answers of hca_rx",
		n.captures, n.silent, n.received, n.theirs, n.same, len(n.why[made]), made, n.ours)
}

// together is how many captures a run plays, one behind the other: each run costs the time in which memories are made
// zero, and that in which nothing may come at its end.
const together = 40

func playAll(t *testing.T, files []string, profile string) *tally {
	n := &tally{why: map[string][]string{}}
	p, err := field.Profile(profile)
	require.NoError(t, err)
	plays := make([]play, len(files))
	var heard []*play // of an end that received something
	for i, file := range files {
		plays[i].Endpoint, err = standin.Open(file, "", "", &p)
		require.NoError(t, err)
		if plays[i].Received > 0 {
			heard = append(heard, &plays[i])
		}
	}
	var group errgroup.Group
	group.SetLimit(2)
	for list := range slices.Chunk(heard, together) {
		group.Go(func() error { return playTogether(list, profile) })
	}
	require.NoError(t, group.Wait())
	for i := range plays {
		n.add(&plays[i])
	}
	return n
}

// play is what came of a capture.
type play struct {
	*standin.Endpoint
	pairs []standin.Pair
	ours  int
}

// playTogether plays captures: each alone into the model, then all, one behind the other, into RTL. That run has
// to agree with the model, and each capture to have the answers that it has alone.
func playTogether(list []*play, profile string) error {
	var files []string
	var alone [][][]byte
	for _, p := range list {
		answers, err := answersOf(session.Model, profile, p.File)
		if err != nil {
			return err
		}
		files, alone = append(files, p.File), append(alone, answers)
	}
	given := slices.Concat(alone...)
	if !*asked {
		var err error
		if given, err = answersOf("", profile, files...); err != nil {
			return err
		}
	}
	for i, p := range list {
		of := given[:min(len(alone[i]), len(given))]
		given = given[len(of):]
		if !slices.EqualFunc(of, alone[i], bytes.Equal) || i == len(list)-1 && len(given) > 0 {
			return fmt.Errorf("%s under %s: hca_rx answers otherwise behind %d captures than alone", p.File, profile, i)
		}
		theirs, numbers, err := p.Answers()
		if err != nil {
			return err
		}
		p.ours, p.pairs = len(of), standin.Compare(theirs, numbers, of)
	}
	return nil
}

// answersOf are the answers of a device in a run over captures, which has to agree with the model.
func answersOf(device, profile string, files ...string) (list [][]byte, err error) {
	flavour := verilated.Debug // the build that other tests have
	if *long {
		flavour = verilated.Fast
	}
	rep, err := session.Run(context.Background(), session.Spec{Dut: "hca_rx", Captures: files, Flavour: flavour,
		Device: device, Profile: profile, Seed: 1, Show: 1, Drain: 40_000}, session.Options{Tap: func(r *sim.Record) {
		if r.Port == answers {
			list = append(list, slices.Clone(r.Data))
		}
	}})
	if err == nil && rep.Object().ExitCode != cocosim.Agreed {
		err = fmt.Errorf("%s under %s: exit %d: %+v", strings.Join(files, " "), profile, rep.Object().ExitCode,
			rep.Object())
	}
	return list, err
}

// made are the fields in which answers over IPv4 differ of which one end counts the identification and the other does
// not.
const made = "identification, IP checksum, ICRC"

func (n *tally) add(p *play) {
	if p.Received == 0 {
		n.silent++
		return
	}
	n.captures++
	n.received += p.Received
	n.theirs += len(p.pairs)
	n.ours += p.ours
	for _, pair := range p.pairs {
		if pair.Why == "" {
			n.same++
			continue
		}
		n.why[pair.Why] = append(n.why[pair.Why], fmt.Sprintf("%s %d", filepath.Base(p.File), pair.Number))
	}
}

// fields are the fields of docs/deviations.md by which these frames differ: named, or those that their captures show.
func fields(why string, frames []string) string {
	if field, _, found := strings.Cut(why, ": "); found {
		return field
	}
	var names []string
	for _, d := range roce.Deviations {
		for _, frame := range frames {
			name, _, _ := strings.Cut(frame, ".")
			if why != made && slices.Contains(d.Shown, name) && !slices.Contains(names, d.Field) {
				names = append(names, d.Field)
			}
		}
	}
	return strings.Join(names, ", ")
}

// page is what was seen.
func page(results map[string]*tally) string {
	var b strings.Builder
	flags, played := "-long -update", "RTL and model, bad frames\nand all; they agree in every one"
	if *asked {
		flags, played = "-long -model -update",
			"the model, bad frames\nand all; **RTL was not asked for this page** (without `-model` it is)"
	}
	fmt.Fprintf(&b, "# What endpoints received, played into `hca_rx`\n\n"+
		"Made by `go test ./cocosim/standin -run 'TestCaptures$' %s -timeout 60m`. Every capture of a Linux "+
		"Soft-RoCE endpoint is played into %s. The ACKs, NAKs, "+
		"READ responses and answers of atomics are held against those that the kernel gave.\n", flags, played)
	b.WriteString("Memory holds what the " +
		"kernel answered READs and atomics with, so a payload that is the same says that it went the right way, " +
		"not that memory was right. The fields are those of [deviations.md](../deviations.md) that name the capture: " +
		"what a kernel does that way is not in RTL, but for the eight that resp_psn_check's profile has.\n")
	for _, profile := range []string{"spec", "rxe"} {
		n := results[profile]
		fmt.Fprintf(&b, "\n## Profile `%s`\n\n%s.\n\n"+
			"| the kernel's answer and ours differ in | answers | fields that these captures show | frames |\n"+
			"|---|---|---|---|\n",
			profile, n)
		reasons := make([]string, 0, len(n.why))
		for why := range n.why {
			reasons = append(reasons, why)
		}
		sort.Slice(reasons, func(i, j int) bool {
			a, b := n.why[reasons[i]], n.why[reasons[j]]
			return len(a) > len(b) || len(a) == len(b) && reasons[i] < reasons[j]
		})
		for _, why := range reasons {
			list := n.why[why]
			fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", why, len(list), fields(why, list), strings.Join(list, ", "))
		}
	}
	return b.String()
}
