package vectors

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/vectors/scenario"
)

// BenchmarkInProcess makes a scenario's records with what the model expects of each, and keeps none: what a bench in
// the same process pays. Packets per second of processor time, and the mean size of what goes in. best/s takes every
// part of the records from the round in which it took least: other processes disturb it least.
func BenchmarkInProcess(b *testing.B) {
	const records = 100_000
	for _, c := range inProcess() {
		s, err := scenario.Lookup(c.scenario)
		require.NoError(b, err)
		stage := stageNamed(b, c.dut)
		b.Run(c.scenario+"/"+c.dut, func(b *testing.B) {
			b.ReportAllocs()
			var bytes, packets uint64
			best := make([]time.Duration, records/partRecords)
			perCore(b, records, func() {
				n, size := makeAll(b, s, stage, records, best)
				packets, bytes = packets+n, bytes+size
			})
			least := time.Duration(0)
			for _, took := range best {
				least += took
			}
			b.ReportMetric(records/least.Seconds(), "best/s")
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
		{"hca-rx", "hca_rx"}, {"hca-top", "hca_top"}, {"hca-top-sends", "hca_top"},
	}
	for _, s := range scenario.All() {
		if s.Input == sim.Fields {
			all = append(all, scenarioAndDUT{s.Name, s.Stages[0]})
		}
	}
	return all
}

// partRecords is how many records are timed together.
const partRecords = 2000

// makeAll makes count records and what is expected of them. best is the least that each part of them took so far.
func makeAll(b *testing.B, s *scenario.Scenario, stage sim.StageSpec, count uint64,
	best []time.Duration) (records, bytes uint64) {
	source, err := NewGenerated(s, stage, 1, count)
	require.NoError(b, err)
	began := time.Now()
	require.NoError(b, Predict(source, stage, nil, func(in *sim.Offer, _ []sim.Record) {
		if in == nil {
			return
		}
		if records, bytes = records+1, bytes+uint64(len(in.Data)); records%partRecords == 0 {
			now := time.Now()
			if part := &best[records/partRecords-1]; *part == 0 || now.Sub(began) < *part {
				*part = now.Sub(began)
			}
			began = now
		}
	}))
	return records, bytes
}
