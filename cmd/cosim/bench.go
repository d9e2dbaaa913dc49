package main

import (
	"context"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/sigurn/crc16"
	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/model/wire"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:  "bench",
		Usage: "measure, side by side in one run, what the documents claim",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "pairs", Value: 10, Usage: "interleaved pairs of bare loop and bridge"},
			&cli.StringSliceFlag{Name: "only", Usage: "measure this `SECTION`: bridge, model, devices, alone, codec, vecgen"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object with all figures, each measured three times"},
			&cli.StringFlag{Name: "against", Usage: "say what got slower, by more than the spread, than what --json wrote to " +
				"`FILE`; exit code 1"},
			&cli.StringFlag{Name: "scapy", Usage: "a script that builds the same packets with scapy and prints " +
				"`packets_per_second N`"},
		},
		Action: bench,
	}
}

// records collects a scenario's packets in memory.
func records(name string, spec sim.StageSpec, count uint64) ([]sim.Offer, error) {
	s, err := scenario.Lookup(name)
	if err != nil {
		return nil, err
	}
	g, err := vectors.NewGenerated(s, spec, 1, count)
	if err != nil {
		return nil, err
	}
	var b sim.Offers
	var r sim.Offer
	for g.Next(&r) == nil {
		b.Append(r)
	}
	return b.Offers, nil
}

// benchBridge compares the bridge, and a whole run with its generator and its judge, with a bare C++ loop over the same
// image.
func benchBridge(c *cli.Context, w *benchOut) error {
	m, err := manifest.Find("icrc_check")
	if err != nil {
		return err
	}
	image, err := verilated.Build(c.Context, m, nil, verilated.Fast, logger(c))
	if err != nil {
		return err
	}
	spec, _ := stages.Lookup("icrc_check")
	fmt.Fprintf(w, "bridge against a bare C++ loop, same image (icrc_check, 512 bits, build %s), same records, outputs "+
		"hashed\n", image.BuildID)
	fmt.Fprintf(w, "  %-9s %9s %9s %13s %13s  %-21s %-21s %s\n", "scenario", "packets", "cycles", "bare cycles/s",
		"bridge", "bridge/bare [spread]", "simulator's CPU time", "whole run/bare")
	for _, b := range []struct {
		scenario string
		count    uint64
	}{{"valid", 100000}, {"minimum", 1000000}} {
		rs, err := records(b.scenario, spec, b.count)
		if err != nil {
			return err
		}
		if err := bridgeRow(c, w, image, spec, b.scenario, rs); err != nil {
			return err
		}
	}
	return nil
}

func bridgeRow(c *cli.Context, w *benchOut, image *verilated.Image, spec sim.StageSpec, name string,
	rs []sim.Offer) error {
	var bare, bridge, ratios, cpu, wholes []float64
	var cycles uint64
	for range (c.Int("pairs") + 1) / 2 {
		pairs, err := verilated.BenchBridge(c.Context, image, rs, 2) // each goes first once
		if err != nil {
			return err
		}
		whole, err := wholeRun(c.Context, image, spec, name, uint64(len(rs)))
		if err != nil {
			return err
		}
		for _, p := range pairs {
			cycles = p.Bare.Cycles
			bare = append(bare, p.Bare.CyclesPerSecond())
			bridge = append(bridge, p.Bridge.CyclesPerSecond())
			ratios = append(ratios, p.Ratio())
			cpu = append(cpu, p.CPURatio())
		}
		wholes = append(wholes, whole/pairs[1].Bare.CyclesPerSecond())
	}
	w.record(name+": bridge/bare", "ratio", ratios)
	w.record(name+": whole run/bare", "ratio", wholes)
	fmt.Fprintf(w, "  %-9s %9d %9d %13.0f %13.0f  %-21s %-21s %s\n", name, len(rs), cycles, median(bare), median(bridge),
		spread(ratios), spread(cpu), spread(wholes))
	return nil
}

// wholeRun is what a user gets: generate, drive, judge; in cycles a second, start of the simulator included.
func wholeRun(ctx context.Context, image *verilated.Image, spec sim.StageSpec, name string, count uint64) (float64,
	error) {
	s, err := scenario.Lookup(name)
	if err != nil {
		return 0, err
	}
	g, err := vectors.NewGenerated(s, spec, 1, count)
	if err != nil {
		return 0, err
	}
	d, err := image.Open(ctx, verilated.Options{})
	if err != nil {
		return 0, err
	}
	res, err := cocosim.Run(ctx, cocosim.RunConfig{Device: d, Stimulus: g, Checker: cocosim.NewStageChecker(spec, nil,
		make([]cocosim.Policy, len(spec.Ports)))})
	if err != nil {
		return 0, err
	}
	if res.Exit() != cocosim.Agreed {
		return 0, cocosim.Errorf(res.Exit(), "bench: the run of %s did not agree", name)
	}
	return float64(res.Cycles) / res.Elapsed.Seconds(), nil
}

func median(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)/2] }

func spread(v []float64) string {
	return fmt.Sprintf("%.3f [%.3f-%.3f]", median(v), slices.Min(v), slices.Max(v))
}

// measure prints ns and allocations of one operation.
func measure(w *benchOut, name string, op func()) (ns float64) {
	r := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			op()
		}
	})
	ns = float64(r.T.Nanoseconds()) / float64(r.N)
	fmt.Fprintf(w, "  %-44s %9.1f ns %12.0f /s %6d allocations\n", name, ns, 1e9/ns, r.AllocsPerOp())
	all := []float64{ns}
	for len(all) < w.repeats {
		r := testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				op()
			}
		})
		all = append(all, float64(r.T.Nanoseconds())/float64(r.N))
	}
	w.record(name, "ns", all)
	return ns
}

// benchModel measures the stages of the golden model on the packets of mix.
func benchModel(_ *cli.Context, w *benchOut) error {
	fmt.Fprintln(w, "golden model, a packet, one core (packets of mix, in memory)")
	for _, spec := range stages.All() {
		offers, err := records(scenario.Default(spec.Name).Name, spec, 10000)
		if err != nil {
			return err
		}
		rs := make([]sim.Record, len(offers))
		for i := range offers {
			rs[i] = offers[i].Accepted(0, 0)
		}
		stage, i := spec.New(nil), 0
		var out []sim.Record
		measure(w, spec.Name, func() {
			out = stage.Advance(0, rs[i:i+1], out[:0])
			i = (i + 1) % len(rs)
		})
	}
	return nil
}

// benchSpec is a RoCEv2 packet as NICs send it.
func benchSpec() *wire.Spec {
	return &wire.Spec{Encap: wire.EncapRoCEv2IPv4, HopLimit: 64, SrcPort: 49152, Opcode: ib.Join(ib.RC, ib.SendOnly),
		PKey: 0xFFFF, DestQP: 0x11}
}

// benchCodec measures parsing, building and the CRCs, each beside what it could cost at least.
func benchCodec(_ *cli.Context, w *benchOut) error {
	fmt.Fprintln(w, "codec, a packet (RC SEND Only, RoCEv2 over IPv4)")
	for _, payload := range []int{16, 1024} {
		s, body, buf := benchSpec(), make([]byte, payload), make([]byte, 0, 8192)
		frame := s.Append(nil, body)
		loc := wire.Locate(wire.LinkEthernet, frame)
		covered := frame[loc.Net : loc.End-4]
		size := fmt.Sprintf(", %d B frame", len(frame))
		var p wire.Packet
		measure(w, "parse"+size, func() { wire.Decode(wire.LinkEthernet, frame, &p) })
		s.NoICRC = true
		measure(w, "build without ICRC"+size, func() { buf = s.Append(buf[:0], body) })
		s.NoICRC = false
		measure(w, "build"+size, func() { buf = s.Append(buf[:0], body) })
		own := measure(w, "ICRC"+size, func() { loc.ICRC(frame) })
		raw := measure(w, "  raw hash/crc32 over the same bytes", func() { crc32.ChecksumIEEE(covered) })
		fmt.Fprintf(w, "  %-44s %9.2f\n", "  raw/ICRC", raw/own)
		fast := measure(w, "VCRC"+size, func() { wire.VCRC(frame) })
		table := crc16.MakeTable(crc16.Params{Poly: 0x100B, Init: 0xFFFF, RefIn: true, RefOut: true, XorOut: 0xFFFF,
			Check: 0x0A3D})
		ref := measure(w, "  sigurn/crc16 over the same bytes", func() { crc16.Checksum(frame, table) })
		fmt.Fprintf(w, "  %-44s %9.2f\n", "  VCRC faster by", ref/fast)
	}
	return nil
}
