package swift

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/rue"
)

// oracleDir is the folder of HCACOSIM_FALCON_ORACLE, or ../shared/falcon-oracle beside the repository.
func oracleDir(t *testing.T) string {
	dir := os.Getenv("HCACOSIM_FALCON_ORACLE")
	if dir == "" {
		dir = "../shared/falcon-oracle"
	}
	if !filepath.IsAbs(dir) {
		root, err := os.Getwd()
		require.NoError(t, err)
		for !exists(filepath.Join(root, "go.mod")) {
			require.NotEqual(t, "/", root, "no go.mod above the test")
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, dir)
	}
	if !exists(dir) {
		t.Skipf("no oracle traces: there is no folder %s; set HCACOSIM_FALCON_ORACLE", dir)
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readConfig reads a .cfg of the oracle: "name: value" words, and alpha and beta as name=value.
func readConfig(t *testing.T, path string) (c Config, alpha, beta float64) {
	raw, err := os.ReadFile(path)
	require.NoError(t, err, "a trace has its configuration beside it")
	c = Default()
	floats := map[string]*float64{"max_fabric_congestion_window": &c.MaxFcwnd, "min_fabric_congestion_window": &c.MinFcwnd,
		"fabric_additive_increment_factor":      &c.FcwndIncrease,
		"fabric_multiplicative_decrease_factor": &c.FcwndDecreaseFactor,
		"max_fabric_multiplicative_decrease":    &c.MaxFcwndDecrease, "max_nic_congestion_window": &c.MaxNcwnd,
		"min_nic_congestion_window": &c.MinNcwnd, "nic_additive_increment_factor": &c.NcwndIncrease,
		"nic_multiplicative_decrease_factor": &c.NcwndDecreaseFactor,
		"max_nic_multiplicative_decrease":    &c.MaxNcwndDecrease, "rtt_smoothing_alpha": &c.RTTAlpha,
		"delay_smoothing_alpha": &c.DelayAlpha, "retransmit_timeout_scalar": &c.RTOScalar,
		"min_flow_scaling_window": &c.MinFlowScalingWindow, "max_flow_scaling_window": &c.MaxFlowScalingWindow,
		"ipg_time_scalar": &c.IPGScalar, "plb_target_rtt_multiplier": &c.PLBTargetMultiplier,
		"plb_congestion_threshold": &c.PLBCongestionThreshold, "alpha": &alpha, "beta": &beta}
	whole := map[string]func(uint64){"target_rx_buffer_level": func(v uint64) { c.TargetLevel = uint8(v) },
		"topo_scaling_per_hop":   func(v uint64) { c.PerHop = uint32(v) },
		"min_retransmit_timeout": func(v uint64) { c.MinRTO = uint32(v) },
		"retransmit_limit":       func(v uint64) { c.RetxLimit = uint8(v) },
		"max_flow_scaling":       func(v uint64) { c.MaxFlowScaling = uint32(v) },
		"ipg_bits":               func(v uint64) { c.IPGBits = uint8(v) },
		"plb_attempt_threshold":  func(v uint64) { c.PLBAttemptThreshold = uint8(v) },
		"fabric_base_delay":      func(v uint64) { c.BaseDelay = uint32(v) }}
	flags := map[string]*bool{"calc_rtt_smooth": &c.RTTSmooth, "randomize_path": &c.RandomizePath,
		"max_decrease_on_eack_nack_drop": &c.MaxDecreaseOnEACKNack}
	// Of the peer's own machinery, without a part in this.
	other := map[string]bool{"flow_label_rng_seed": true, "backpressure_alpha": true,
		"backpressure_retransmit_alpha": true}

	words := strings.Fields(strings.NewReplacer("=", " ", ":", " ").Replace(strings.TrimPrefix(string(raw), "cfg:")))
	require.Zero(t, len(words)%2, path)
	for i := 0; i < len(words); i += 2 {
		name, v := words[i], words[i+1]
		switch {
		case floats[name] != nil:
			*floats[name], err = strconv.ParseFloat(v, 64)
		case whole[name] != nil:
			var n uint64
			n, err = strconv.ParseUint(v, 10, 32)
			whole[name](n)
		case flags[name] != nil:
			*flags[name], err = strconv.ParseBool(v)
		default:
			require.True(t, other[name], "%s: %s is not known", path, name)
		}
		require.NoError(t, err, "%s: %s", path, name)
	}
	return c, alpha, beta
}

// row is a line of a trace by column.
type row map[string]uint32

func readRows(t *testing.T, path string) (rows []row) {
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	var names []string
	for line := range strings.Lines(string(raw)) {
		cells := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(",| \r\n", r) })
		if names == nil {
			names = cells
			continue
		}
		require.Len(t, cells, len(names), "%s: %s", path, line)
		r := row{}
		for i, c := range cells {
			v, err := strconv.ParseUint(c, 10, 32)
			require.NoError(t, err, "%s: %s", path, line)
			r[names[i]] = uint32(v)
		}
		rows = append(rows, r)
	}
	return rows
}

func (r row) event() rue.Event {
	return rue.Event{Type: rue.EventType(r["type"]), T1: r["t1"], T2: r["t2"], T3: r["t3"], T4: r["t4"],
		RetxCount: uint8(r["retx_count"]), EarlyRetx: r["retx_reason"] != 0, NackCode: uint8(r["nack_code"]),
		Hops: uint8(r["hops"]), RxBuffer: uint8(r["rxbuf"]), Fcwnd: rue.Fixed(r["fcwnd"]), IPG: r["ipg"],
		Ncwnd: uint16(r["ncwnd"]), RTO: r["rto"], NumAcked: uint16(r["acked"]), EACK: r["eack"] != 0,
		EACKDrop: r["eack_drop"] != 0, DelaySelect: rue.DelaySelect(r["delay_sel"]), FcwndMarker: r["fmark"],
		NcwndMarker: r["nmark"], NcwndDirection: uint8(r["ndir"]), DelayState: r["delay_state"],
		RTTState: r["rtt_state"], CCOpaque: uint8(r["cc_opaque"])}
}

// answer is a result and the state behind it by column.
func answer(g *Engine, e *rue.Event, s *State, res *rue.Result) row {
	random := uint32(0)
	if res.RandomizePath {
		random = 1
	}
	return row{"o_rand": random, "o_fcwnd": uint32(res.Fcwnd), "o_ipg": res.IPG, "o_ncwnd": uint32(res.Ncwnd),
		"o_rto": res.RTO, "o_fmark": res.FcwndMarker, "o_nmark": res.NcwndMarker, "o_ndir": uint32(res.NcwndDirection),
		"o_delay_state": res.DelayState, "o_rtt_state": res.RTTState, "plb_out": s.PLB.Pack(),
		"ncfrac_out": uint32(s.NcwndFraction), "target_delay": g.TargetDelay(e.Fcwnd.Packets(), e)}
}

// swiftTraces are the files *.csv of a folder that begin as Swift's traces do.
func swiftTraces(t *testing.T, dir string) (paths []string) {
	all, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	require.NoError(t, err)
	for _, path := range all {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		if strings.HasPrefix(string(raw), "i,now,type,") {
			paths = append(paths, path)
		}
	}
	return paths
}

// FAL-C3, FAL-C6 to FAL-C13: every row of every trace of Swift is answered in every field as by the peer.
func TestSwiftOracle(t *testing.T) {
	paths := swiftTraces(t, oracleDir(t))
	if len(paths) == 0 {
		t.Skipf("no Swift traces: there is no *.csv in %s; set HCACOSIM_FALCON_ORACLE", oracleDir(t))
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { answersTrace(t, path) })
	}
}

// FAL-C3, FAL-C6 to FAL-C13: a second implementation, testdata/second/make.py, answers as this one does, with options
// and numbers that the oracle's traces do not have.
func TestSwiftSecondImplementation(t *testing.T) {
	paths := swiftTraces(t, "testdata/second")
	require.Len(t, paths, 6)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { answersTrace(t, path) })
	}
}

// answersTrace answers every row of a trace.
func answersTrace(t *testing.T, path string) {
	c, alpha, beta := readConfig(t, strings.TrimSuffix(path, ".csv")+".cfg")
	g, err := New(c, mode.Peer)
	require.NoError(t, err)
	require.Equal(t, []float64{alpha, beta}, []float64{g.alpha, g.beta})
	rows := readRows(t, path)
	if len(rows) == 0 {
		t.Skipf("%s has no rows", path)
	}
	wrong := 0
	for _, r := range rows {
		e := r.event()
		s := State{PLB: UnpackPLB(r["plb_in"]), NcwndFraction: uint16(r["ncfrac_in"])}
		var packed [rue.FormatBytes]byte
		e.Pack(&packed)
		e.Unpack(&packed)
		res := g.Process(r["now"], &e, &s)
		got := answer(g, &e, &s, &res)
		for name, want := range r {
			isAnswer := strings.HasPrefix(name, "o_") || strings.HasSuffix(name, "_out") || name == "target_delay"
			if isAnswer && got[name] != want {
				wrong++
				if wrong <= 10 {
					t.Errorf("row %d: %s is %d, the peer has %d", r["i"], name, got[name], want)
				}
			}
		}
		for name := range got {
			require.Contains(t, r, name)
		}
	}
	require.Zero(t, wrong, fmt.Sprintf("fields of %d rows", len(rows)))
}
