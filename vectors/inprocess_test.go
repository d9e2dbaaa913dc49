package vectors

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/vectors/scenario"
)

// BenchmarkInProcess makes a scenario's records with what the model expects of each, and keeps none: what a bench in
// the same process pays. Packets per second of processor time, and the mean size of what goes in.
func BenchmarkInProcess(b *testing.B) {
	const records = 100_000
	for _, c := range inProcess() {
		s, err := scenario.Lookup(c.scenario)
		require.NoError(b, err)
		stage := stageNamed(b, c.dut)
		b.Run(c.scenario+"/"+c.dut, func(b *testing.B) {
			b.ReportAllocs()
			var bytes, packets uint64
			perCore(b, records, func() {
				n, size := makeAll(b, s, stage, records)
				packets, bytes = packets+n, bytes+size
			})
			b.ReportMetric(float64(bytes)/float64(packets), "bytes/record")
		})
	}
}

type scenarioAndDUT struct{ scenario, dut string }

// inProcess is the scenarios of packets that everyone pays for, and every scenario of records with its first stage.
func inProcess() []scenarioAndDUT {
	all := []scenarioAndDUT{
		{"minimum", "icrc_check"}, {"mix", "icrc_check"}, {"minimum", "roce_parse"}, {"mix", "roce_parse"},
		{"parse", "roce_parse"}, {"vcrc", "vcrc_check"}, {"insert", "icrc_insert"},
	}
	for _, s := range scenario.All() {
		if s.Input == sim.Fields {
			all = append(all, scenarioAndDUT{s.Name, s.Stages[0]})
		}
	}
	return all
}

// makeAll makes count records and what is expected of them.
func makeAll(b *testing.B, s *scenario.Scenario, stage sim.StageSpec, count uint64) (records, bytes uint64) {
	source, err := NewGenerated(s, stage, 1, count)
	require.NoError(b, err)
	require.NoError(b, Predict(source, stage, nil, func(in *sim.Offer, _ []sim.Record) {
		if in != nil {
			records, bytes = records+1, bytes+uint64(len(in.Data))
		}
	}))
	return records, bytes
}
