package field

import (
	"encoding/json"
	"errors"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/falconflow"
	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// sideStats is what the sidecar counts from the frames of one capture, by other code.
type sideStats struct {
	Frames, Tx, Rx uint64
	TxOpcodes      map[string]uint64 `json:"tx_opcodes"`
	RxOpcodes      map[string]uint64 `json:"rx_opcodes"`
	TxSyndromes    map[string]uint64 `json:"tx_syndromes"`
	RxSyndromes    map[string]uint64 `json:"rx_syndromes"`
	RxBadICRC      uint64            `json:"rx_bad_icrc"`
	Again          uint64            `json:"request_retransmissions"`
	Causes         map[string]uint64 `json:"retransmission_causes"`
}

type wireStats struct {
	Tx, Rx    uint64
	Identical uint64 `json:"rx_identical"`
	NotIntact uint64 `json:"tx_not_received_intact"`
}

type sideEnd struct {
	IP       string
	Counters map[string]uint64 `json:"hw_counters_delta"`
}

type sideFile struct {
	QPType string `json:"qp_type"`
	A, B   sideEnd
	Stats  struct {
		A, B   sideStats
		WireAB wireStats `json:"wire_a2b"`
		WireBA wireStats `json:"wire_b2a"`
	}
	Gaps []struct {
		Side  string
		PSN   uint32
		Frame uint64
	} `json:"retransmit_gaps"`
}

func (s *sideFile) end(side string) (*sideEnd, *sideStats) {
	if side == "a" {
		return &s.A, &s.Stats.A
	}
	return &s.B, &s.Stats.B
}

// observed is a capture with what its sidecar says.
type observed struct {
	name, side string
	o          *Observer
	report     *flow.Report
	file       *sideFile
}

func captureDir(t testing.TB) string {
	dir := os.Getenv("HCACOSIM_CAPTURES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "captures")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no captures in %s (set HCACOSIM_CAPTURES)", dir)
	}
	return dir
}

func readSide(t testing.TB, path string) *sideFile {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	s := new(sideFile)
	require.NoError(t, json.Unmarshal(text, s))
	return s
}

// observe reads a capture of an end with its sidecar, as `cosim check` does; observeBy does by another profile.
func observe(t testing.TB, path string, onWire bool) *observed {
	return observeAs(t, path, onWire, roce.Rxe)
}

func observeBy(t testing.TB, path string, p roce.Profile) *observed {
	return observeAs(t, path, false, p)
}

func observeAs(t testing.TB, path string, onWire bool, profile roce.Profile) *observed {
	return observeAt(t, path, strings.TrimSuffix(path, ".pcap")[len(path)-6:], onWire, profile)
}

// observeAt takes a capture for that of a side.
func observeAt(t testing.TB, path, side string, onWire bool, profile roce.Profile) *observed {
	name := strings.TrimSuffix(filepath.Base(path), ".pcap")
	name = name[:len(name)-2]
	x := &observed{name: name, side: side, file: readSide(t, filepath.Join(filepath.Dir(path), name+".json"))}
	scan, err := flow.ScanCapture(path)
	require.NoError(t, err)
	opt := flow.Options{Profile: profile, Scan: scan}
	names := map[netip.Addr]string{netip.MustParseAddr(x.file.A.IP): "A", netip.MustParseAddr(x.file.B.IP): "B"}
	fopt := Options{Names: names, Scan: scan}
	if !onWire {
		s, err := flow.ReadSidecar(filepath.Join(filepath.Dir(path), name+".json"))
		require.NoError(t, err)
		opt.Sidecar, opt.At = s, strings.ToUpper(side)
		fopt.PMTUBytes = s.PathMTU
		fopt.StartPSN = func(src, dst netip.Addr, qpn uint32) (uint32, bool) {
			for _, e := range []*flow.End{&s.A, &s.B} {
				if src.String() == e.IP {
					return e.SQPSN, true
				}
			}
			return 0, false
		}
		end, _ := x.file.end(side)
		fopt.Own = netip.MustParseAddr(end.IP)
	}
	checker, err := flow.New(opt)
	require.NoError(t, err)
	x.o = New(fopt)
	in, err := capture.Open(path)
	require.NoError(t, err)
	defer in.Close()
	var p wire.Packet
	for {
		f, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		wire.DecodeCut(f.Link, f.Data, f.OrigLen, &p)
		icrc := wire.ICRCNone
		if p.Encap != wire.EncapNone && !p.Undecided() {
			icrc = p.ICRC()
		}
		v := checker.Take(&f, &p, icrc)
		x.o.Take(&f, &p, icrc, &v)
	}
	x.report = checker.Finish()
	return x
}

func forEachCapture(t *testing.T, onWire bool, f func(t *testing.T, x *observed)) {
	paths, err := filepath.Glob(filepath.Join(captureDir(t), "*.pcap"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { f(t, observe(t, path, onWire)) })
	}
}

// Every counter that a capture tells reads what the driver's own did, or has its reason here.
func TestCountersAreTheDrivers(t *testing.T) {
	told, excused := 0, 0
	forEachCapture(t, false, func(t *testing.T, x *observed) {
		end, _ := x.file.end(x.side)
		x.o.Hosts(func(h *Host) {
			require.Equal(t, end.IP, h.IP.String())
			for _, c := range h.Counters("rxe") {
				want, has := end.Counters[c.Name]
				require.True(t, has, c.Name)
				if !c.Told() {
					continue
				}
				if why := countersDiffer[x.name+"."+x.side+" "+c.Name]; why != "" {
					excused++
					require.NotEqual(t, want, c.Value, "%s.%s %s needs no reason", x.name, x.side, c.Name)
					continue
				}
				told++
				if want != c.Value {
					t.Errorf("%s.%s %s: driver %d, capture %d", x.name, x.side, c.Name, want, c.Value)
				}
			}
		})
	})
	t.Logf("%d counters are equal, %d have a reason", told, excused)
}

// countersDiffer says why a counter differs from the driver's.
var countersDiffer = func() map[string]string {
	m := map[string]string{
		"err_sendinv_bad.a sent_pkts":    whenRead,
		"to_t12_r7_infinite.a sent_pkts": whenRead,
		"err_sendinv_bad.b rcvd_pkts":    whenRead,
		"err_sendinv_bad.b duplicate_request": "its queue pair is in error after the bad key, and says nothing of it " +
			"(err_sendinv_bad)",
		"err_sendinv_bad.b rdma_recvs": "the SEND with the bad key is acknowledged and ends its receive WQE with " +
			"an error",
		"px_resp_nak_seq_plus1.a rcvd_seq_err": "the NAK names a packet that was sent behind the one it answers: " +
			overlapping,
		"rc_delay_jitter.a rcvd_seq_err":   overlapping,
		"rc_mix_everything.a rcvd_seq_err": overlapping,
		"rnr_exhausted.a rdma_sends":       ending,
		"rnr_zero_retry.a rdma_sends":      ending,
		"to_acks_lost_r2.a rdma_sends":     ending,
	}
	for _, name := range []string{"to_peer_init", "to_t08_r3", "to_t11_r3", "to_t12_r0", "to_t12_r3", "to_t13_r3",
		"to_t14_r3", "to_t15_r3",
		"to_t16_r3", "to_t17_r3"} {
		m[name+".a rdma_sends"] = ending
	}
	for _, name := range []string{"px_rdrsp_first_syn_rnr", "px_rdrsp_last_as_mid", "px_rdrsp_mid_as_first"} {
		m[name+".a rdma_sends"] = "the bad READ response puts the queue pair in error: " + inFlight
	}
	return m
}()

// What is counted of requests, NAKs and bad ICRCs is what the sidecar counts by other code: at each end of what that
// end sent and received.
func TestCountsAreTheSidecars(t *testing.T) {
	forEachCapture(t, false, func(t *testing.T, x *observed) {
		_, s := x.file.end(x.side)
		own := x.o.opt.Own
		var requests, again, seq, rnr, acks, peerSeq uint64
		x.o.each(func(c *Conn) {
			if c.Src == own {
				requests += c.Requests
				again += c.Again
				peerSeq += c.SequenceNAKs
			} else {
				seq += c.SequenceNAKs
				rnr += c.RNRs
				acks += c.Acks
			}
		})
		want := uint64(0)
		for op, n := range s.TxOpcodes {
			if !strings.Contains(op, "ACK") && !strings.Contains(op, "RDRSP") {
				want += n
			}
		}
		require.Equal(t, want, requests, "requests")
		require.Equal(t, s.Again, again, "sent again")
		require.Equal(t, s.RxBadICRC, x.o.BadICRC, "bad ICRC")
		require.Equal(t, s.TxSyndromes["NAK(0:PSN_SEQ)"], seq, "sequence NAKs sent")
		require.Equal(t, s.RxSyndromes["NAK(0:PSN_SEQ)"], peerSeq, "sequence NAKs received")
	})
}

// forEachPair compares the captures of both ends of every scenario.
func forEachPair(t *testing.T, f func(t *testing.T, name string, w *Way, s *sideFile)) {
	paths, err := filepath.Glob(filepath.Join(captureDir(t), "*.a.pcap"))
	require.NoError(t, err)
	for _, path := range paths {
		name := strings.TrimSuffix(path, ".a.pcap")
		m, err := capture.OpenMerged(t.Context(), []string{path, name + ".b.pcap"})
		require.NoError(t, err)
		w, err := Between(m, falconflow.New(falconflow.Options{}))
		m.Close()
		if err != nil {
			require.ErrorContains(t, err, "no frame in common")
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) { f(t, filepath.Base(name), w, readSide(t, name+".json")) })
	}
}
