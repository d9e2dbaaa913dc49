package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/loop"
)

var (
	rogueTime = flag.Duration("rogues", 0, "for how long RTL plays random links, seeds and peers that misbehave")
	rogueSeed = flag.Uint64("rogue-seed", 1, "of the first of them")
)

// Against RTL at end A each peer that misbehaves ends as it must: the right completion status, the queue pair in error
// where due, no hang. By default every third; -rogues 30m draws links, seeds and peers for so long.
func TestLinkRogues(t *testing.T) {
	needTools(t, "verilator")
	all := loop.Rogues()
	if *rogueTime == 0 {
		for i := 0; i < len(all); i += 3 {
			r := all[i]
			playRogue(t, []string{"--a", []string{txEnd, rxEnd}[i&1], "--b", rogueEnd + r.Name, "--count", "1500", "--qps", "3",
				"--late", "0", "--seed", "3", "--flavour", "debug"})
		}
		return
	}
	began, n := time.Now(), 0
	for seed := *rogueSeed; time.Since(began) < *rogueTime; seed++ {
		playRogue(t, drawRogue(seed, all))
		n++
	}
	t.Logf("%d loops in %s, seeds from %d", n, time.Since(began).Round(time.Second), *rogueSeed)
}

// drawRogue draws a loop: every second one with a link that does harm, every fourth with an honest peer.
func drawRogue(seed uint64, all []loop.Rogue) []string {
	r := rand.New(rand.NewPCG(seed, 7))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	b := rogueEnd + all[r.IntN(len(all))].Name
	if r.IntN(4) == 0 {
		b = "model"
	}
	args := []string{"--a", pick(txEnd, rxEnd), "--b", b, "--seed", fmt.Sprint(seed), "--qps", fmt.Sprint(1 + r.IntN(6)),
		"--count", fmt.Sprint(1500 + 500*r.IntN(5)), "--window", pick("16", "64", "64", "200"), "--pmtu",
		pick("256", "1024", "1024", "4096"), "--delay", pick("500ns", "2us", "2us", "9us"), "--late", "0"}
	if b == "model" {
		args = append(args, "--late", pick("0", "5", "30"))
	}
	if r.IntN(2) == 0 {
		for _, harm := range []string{"--loss", "--dup", "--reorder", "--corrupt"} {
			args = append(args, harm, pick("0", "0.5", "2", "5"))
		}
	}
	return args
}

func playRogue(t *testing.T, args []string) {
	code, out, errs := cosim(append([]string{"link", "--json"}, args...)...)
	var o loop.Outcome
	if code == cocosim.Agreed {
		require.NoError(t, json.Unmarshal([]byte(out), &o))
		return
	}
	_, words, _ := cosim(append([]string{"link"}, args...)...)
	t.Errorf("cosim link %s: exit %d\n%s%s", strings.Join(args, " "), code, words, errs)
}
