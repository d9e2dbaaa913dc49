package field

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var resendText = regexp.MustCompile(`^([\d.]+) % of what (A|B) sends to QP ([0-9A-F]+)h ` +
	`is sent again \((\d+) of (\d+)\)`)

// requestsOf are the requests among opcodes that a sidecar counts.
func requestsOf(opcodes map[string]uint64) (n uint64) {
	for op, k := range opcodes {
		if !strings.Contains(op, "ACK") && !strings.Contains(op, "RDRSP") {
			n += k
		}
	}
	return n
}

func rnrsOf(syndromes map[string]uint64) (n uint64) {
	for s, k := range syndromes {
		if strings.HasPrefix(s, "RNR") {
			n += k
		}
	}
	return n
}

// The numbers of a headline are those that the sidecar counts by other code, at the end that it is about.
func TestHeadlineNumbersAreTheSidecars(t *testing.T) {
	said := map[string]int{}
	forEachCapture(t, false, func(t *testing.T, x *observed) {
		_, s := x.file.end(x.side)
		lost, came := x.file.Stats.WireBA.NotIntact, s.Rx
		if x.side == "b" {
			lost = x.file.Stats.WireAB.NotIntact
		}
		for _, tr := range x.o.Troubles() {
			said[tr.Kind]++
			switch tr.Kind {
			case "resends", "retransmission storm":
				checkResends(t, x.name, &tr, s)
			case "RNR", "RNR storm":
				require.Equal(t, rnrsOf(s.TxSyndromes)+rnrsOf(s.RxSyndromes), tr.Facts["rnr_naks"], tr.Text)
			case "no answer":
				want := requestsOf(s.TxOpcodes)
				if x.side == "b" {
					want = requestsOf(s.RxOpcodes)
				}
				require.Equal(t, want, tr.Facts["requests"], tr.Text)
			case "bad ICRC":
				require.Equal(t, s.RxBadICRC, tr.Facts["bad_icrc"], tr.Text)
			case "loss":
				require.LessOrEqual(t, tr.Facts["lost"], lost, "at least: %s", tr.Text)
				require.LessOrEqual(t, tr.Facts["came"], came, tr.Text)
			case "fatal NAK":
				require.GreaterOrEqual(t, fatalNAKsOf(s.TxSyndromes)+fatalNAKsOf(s.RxSyndromes), tr.Facts["naks"], tr.Text)
			}
		}
	})
	t.Log(said)
	for _, kind := range []string{"retransmission storm", "resends", "RNR storm", "no answer", "bad ICRC", "loss",
		"fatal NAK", "small PMTU", "window"} {
		require.Positive(t, said[kind], kind)
	}
}

// checkResends holds a headline about requests sent again against what the sidecar counts at that end.
func checkResends(t *testing.T, capture string, tr *Trouble, s *sideStats) {
	m := resendText.FindStringSubmatch(tr.Text)
	if m == nil {
		require.Contains(t, tr.Text, "is seen here to send")
		return
	}
	require.Equal(t, fmt.Sprint(s.Again), m[4], tr.Text)
	require.Equal(t, fmt.Sprint(requestsOf(s.TxOpcodes)), m[5], tr.Text)
	share, err := strconv.ParseFloat(m[1], 64)
	require.NoError(t, err)
	require.InDelta(t, 100*float64(s.Again)/float64(requestsOf(s.TxOpcodes)), share, 0.5, tr.Text)
	f := tr.Facts
	require.Equal(t, s.Again, f["nak"]+f["timeout"]+f["rnr"]+f["implied"]+f["unexplained"], "every packet has a cause")
	if causesDiffer[capture] == "" {
		require.Equal(t, s.Causes["nak_seq"], f["nak"], tr.Text)
		require.Equal(t, s.Causes["timeout_or_implied"], f["timeout"]+f["implied"]+f["unexplained"], tr.Text)
	}
}

// fatalNAKsOf counts, of these syndromes, the NAKs that end a QP's service.
func fatalNAKsOf(syndromes map[string]uint64) (n uint64) {
	for syndrome, k := range syndromes {
		if !strings.HasPrefix(syndrome, "ACK") && !strings.HasPrefix(syndrome, "RNR") &&
			!strings.Contains(syndrome, "PSN_SEQ") {
			n += k
		}
	}
	return n
}

// causesDiffer are captures whose sidecar gives single packets another cause than the go-back that they belong to. Its
// causes are hints: each packet is judged by itself there, by what came since it was sent last.
var causesDiffer = map[string]string{
	"px_psn_plus5":         "behind the packet that the NAK names another follows",
	"px_resp_nak_seq_same": "the same",
	"rc_delay_jitter":      "NAKs that come while a retry is under way",
	"rc_mix_everything":    "the same",
	"rc_mix_loss10_both":   "the last packet went out 0.3 ms before, behind the others of its go-back",
	"rc_send_corrupt10":    "NAKs that come while a retry is under way",
	"rc_v6_loss5":          "a response to a later request than the READ that misses one is an implied NAK",
	"rnr_exhausted":        "what follows the packet that had the RNR NAK",
}

// Where both ends are captured, what was lost between them is what the cable's own log says.
func TestBetweenIsTheCables(t *testing.T) {
	forEachPair(t, func(t *testing.T, name string, w *Way, s *sideFile) {
		for _, d := range w.Directions {
			want := s.Stats.WireAB
			switch {
			case d.Src == s.A.IP && d.Dst == s.B.IP:
			case d.Src == s.B.IP && d.Dst == s.A.IP:
				want = s.Stats.WireBA
			default:
				continue // an address was damaged
			}
			if wayDiffers[name] {
				require.GreaterOrEqual(t, d.Intact, want.Identical)
				require.LessOrEqual(t, d.Lost, want.NotIntact)
				continue
			}
			require.Equal(t, want.Tx, d.Sent, "%s: sent by %s", name, d.Src)
			require.Equal(t, want.Identical, d.Intact, "%s: %s", name, d.Src)
			require.Equal(t, want.NotIntact, d.Lost, "%s: %s", name, d.Src)
		}
	})
}

// wayDiffers are captures in which a bit flipped that routers may change too, or that is below IP.
var wayDiffers = map[string]bool{"rc_mix_corrupt3": true, "rc_send_corrupt10": true, "rc_v6_corrupt3": true,
	"uc_corrupt": true, "uc_corrupt25": true,
	"uc_v6_corrupt25": true, "ud_corrupt25": true}
