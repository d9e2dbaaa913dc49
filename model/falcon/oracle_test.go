package falcon_test

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
)

// oracleDir is the folder of the traces of Falcon's reference simulator: that of HCACOSIM_FALCON_ORACLE, where it is
// relative from the repository on.
func oracleDir() string {
	dir := cmp.Or(os.Getenv("HCACOSIM_FALCON_ORACLE"), "../shared/falcon-oracle")
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join("..", "..", dir)
}

// line is one of a trace: a word, the time, sometimes a second word, and name=value pairs.
type line struct {
	number int
	word   string
	timeNs int64
	second string
	values map[string]string
}

func (l *line) n(t testing.TB, name string, base int) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(l.values[name], base, 64)
	require.NoError(t, err, "line %d: %s", l.number, name)
	return v
}

func (l *line) psn(t testing.TB, name string) falcon.PSN { return falcon.PSN(l.n(t, name, 10)) }

func (l *line) bitmap(t testing.TB, name string) (b falcon.Bitmap) {
	t.Helper()
	hex := l.values[name]
	hex = strings.Repeat("0", max(0, 32-len(hex))) + hex
	var err error
	b.Hi, err = strconv.ParseUint(hex[:16], 16, 64)
	require.NoError(t, err, "line %d", l.number)
	b.Lo, err = strconv.ParseUint(hex[16:], 16, 64)
	require.NoError(t, err, "line %d", l.number)
	return b
}

// parseLine takes one line apart.
func parseLine(t testing.TB, number int, text string) line {
	cells := strings.Split(strings.TrimSpace(text), ",")
	l := line{number: number, word: cells[0], values: map[string]string{}}
	var err error
	l.timeNs, err = strconv.ParseInt(cells[1], 10, 64)
	require.NoError(t, err, "line %d", number)
	for _, c := range cells[2:] {
		if name, value, ok := strings.Cut(c, "="); ok {
			l.values[name] = value
		} else {
			l.second = c
		}
	}
	return l
}

// scenarios reads a trace: every scenario begins with a line of that word.
func scenarios(t testing.TB, file, word string) (all [][]line) {
	path := filepath.Join(oracleDir(), file)
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	in := bufio.NewScanner(f)
	for number := 1; in.Scan(); number++ {
		if strings.TrimSpace(in.Text()) == "" {
			continue
		}
		l := parseLine(t, number, in.Text())
		if l.word == word {
			all = append(all, nil)
		}
		require.NotEmpty(t, all, "line %d stands before the first %s", number, word)
		all[len(all)-1] = append(all[len(all)-1], l)
	}
	require.NoError(t, in.Err())
	return all
}

// traces are the files *.txt of the oracle folder whose scenarios begin with a word. The test is skipped where there is
// none.
func traces(t testing.TB, word string) (files []string) {
	paths, err := filepath.Glob(filepath.Join(oracleDir(), "*.txt"))
	require.NoError(t, err)
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		if strings.HasPrefix(strings.TrimSpace(string(raw)), word+",") {
			files = append(files, filepath.Base(path))
		}
	}
	if len(files) == 0 {
		t.Skipf("no trace with a %s in %s: set HCACOSIM_FALCON_ORACLE to the folder of the oracle's traces", word,
			oracleDir())
	}
	return files
}

// sentAck is an ACK with its time.
type sentAck struct {
	timeNs int64
	ack    falcon.Ack
}

func (s sentAck) String() string {
	a := &s.ack
	return fmt.Sprintf("at %d ns EACK %v bases %d %d OWN %v %v dack %016x%016x drx %016x%016x req %016x", s.timeNs, a.EACK,
		a.RequestBase,
		a.DataBase, a.RequestOWN, a.DataOWN, a.DataAck.Hi, a.DataAck.Lo, a.DataRx.Hi, a.DataRx.Lo, a.Request.Lo)
}

// Every packet of the oracle's receivers is taken as the peer took it, and every ACK is sent with the same fields and,
// within 2 ns, at the same time. FAL-D2, FAL-D3, FAL-D4, FAL-D5, FAL-D6, FAL-D7.
func TestOracleReceiver(t *testing.T) {
	for _, file := range traces(t, "rxscenario") {
		acks, exact := 0, 0
		for i, s := range scenarios(t, file, "rxscenario") {
			want := wantedAcks(t, s)
			got := runReceiver(t, s)
			require.Len(t, got, len(want), "%s scenario %d: ACKs", file, i)
			for k := range want {
				require.InDelta(t, want[k].timeNs, got[k].timeNs, 2, "%s scenario %d, ACK %d: want %v, have %v", file, i, k,
					want[k], got[k])
				require.Equal(t, want[k].ack, got[k].ack, "%s scenario %d, ACK %d", file, i, k)
				if want[k].timeNs == got[k].timeNs {
					exact++
				}
			}
			acks += len(want)
		}
		t.Logf("%s: %d ACKs, all fields the same, %d at exactly the same time", file, acks, exact)
	}
}

// wantedAcks are the ACKs that the peer sent. Of a BACK the trace has no bitmaps.
func wantedAcks(t *testing.T, s []line) (acks []sentAck) {
	for _, l := range s {
		if l.word != "tx" {
			continue
		}
		a := falcon.Ack{EACK: l.second == "EACK", RequestBase: l.psn(t, "rrb"), DataBase: l.psn(t, "rdb")}
		a.RequestOWN, a.DataOWN = l.values["rown"] == "1", l.values["down"] == "1"
		if a.EACK {
			a.DataAck, a.DataRx, a.Request = l.bitmap(t, "dack"), l.bitmap(t, "drx"), l.bitmap(t, "req")
		}
		acks = append(acks, sentAck{l.timeNs, a})
	}
	return acks
}

var arrivalNames = map[falcon.Arrival]string{falcon.Received: "OK", falcon.Old: "ALREADY_EXISTS",
	falcon.Duplicate: "ALREADY_EXISTS",
	falcon.Beyond:    "OUT_OF_RANGE"}

// runReceiver gives a scenario's packets to a receiver.
func runReceiver(t *testing.T, s []line) (acks []sentAck) {
	m := mode.Oracle()
	timeout, err := strconv.ParseInt(s[0].values["timeout_ns"], 10, 64)
	require.NoError(t, err)
	r := falcon.NewReceiver(&falcon.ReceiverConfig{Mode: &m, RequestBase: s[0].psn(t, "rrb0"), DataBase: s[0].psn(t,
		"rdb0"),
		AckCount: uint16(s[0].n(t, "thr", 10)), AckTimeoutNs: timeout})
	var out falcon.RxResult
	note := func(ns int64) {
		if out.HasAck {
			acks = append(acks, sentAck{ns, out.Ack})
		}
	}
	timer := func(until int64) {
		for at, runs := r.TimerNs(); runs && at <= until; at, runs = r.TimerNs() {
			r.Expire(at, &out)
			note(at)
		}
	}
	for _, l := range s[1:] {
		switch l.word {
		case "rx":
			timer(l.timeNs)
			kind, known := map[string]falcon.Kind{"PULLREQ": falcon.PullRequest, "PUSH": falcon.PushData}[l.second]
			require.True(t, known, "line %d: a packet of type %s", l.number, l.second)
			p := falcon.Packet{Kind: kind, Of: kind, PSN: l.psn(t, "psn"), AR: l.values["ar"] == "1"}
			r.Receive(&p, falcon.Facts{}, l.timeNs, &out)
			require.Equal(t, l.values["res"], arrivalNames[out.Arrival], "line %d", l.number)
			require.Equal(t, l.psn(t, "rrb"), r.Window(falcon.Requests).Base, "line %d", l.number)
			require.Equal(t, l.psn(t, "rdb"), r.Window(falcon.Data).Base, "line %d", l.number)
			note(l.timeNs)
		case "ulpack":
			timer(l.timeNs)
			r.Acknowledge(l.psn(t, "psn"), l.timeNs, &out)
			note(l.timeNs)
		default:
			require.Equal(t, "tx", l.word, "line %d", l.number)
		}
	}
	timer(1 << 60)
	return acks
}

// Every set of packets that the oracle's transmitters sent again early is chosen, in mode peer; of mode spec the share
// is told. FAL-D15, FAL-D16, FAL-D17.
func TestOracleTransmitter(t *testing.T) {
	for _, file := range traces(t, "txscenario") {
		all := scenarios(t, file, "txscenario")
		oracle := mode.Oracle()
		sets, same := 0, 0
		for i, s := range all {
			n, k := runTransmitter(t, s, &oracle, false, func(l *line, want, got map[falcon.PSN]bool) {
				require.Equal(t, want, got, "%s scenario %d, line %d: the set of PSNs that are sent again", file, i, l.number)
			})
			sets, same = sets+n, same+k
		}
		require.Equal(t, sets, same)
		strict, instant := 0, 0
		for _, s := range all {
			_, k := runTransmitter(t, s, &mode.Spec, false, nil)
			_, n := runTransmitter(t, s, &mode.Spec, true, nil)
			strict, instant = strict+k, instant+n
		}
		t.Logf("%s: %d sets, all the same in mode peer; %d in mode spec, %d with each EACK's own RTT in it", file, sets,
			strict, instant)
		if sets >= manySets {
			require.Less(t, instant, sets, "the modes do not differ")
		}
	}
}

// manySets are so many that the modes must differ somewhere: one set in five does.
const manySets = 200

// txTrace is a transmitter that follows a scenario.
type txTrace struct {
	tx          *falcon.Transmitter
	outstanding map[falcon.PSN]bool
}

// runTransmitter gives a scenario's EACKs to a transmitter and lets packets leave when the trace says so. It counts the
// EACKs, and those that choose the same packets: what is outstanding before and not behind the EACK, and what left with
// it. With instant the smoothed RTT is always that of the EACK.
func runTransmitter(t *testing.T, s []line, m *mode.Mode, instant bool, judge func(l *line, want,
	got map[falcon.PSN]bool)) (sets, same int) {
	rto, err := strconv.ParseInt(s[0].values["rto_ns"], 10, 64)
	require.NoError(t, err)
	x := txTrace{outstanding: map[falcon.PSN]bool{}, tx: falcon.NewTransmitter(&falcon.TransmitterConfig{Mode: m,
		Fcwnd: uint32(s[0].n(t, "fcwnd", 10)) * falcon.CwndOne,
		Ncwnd: uint16(s[0].n(t, "ncwnd", 10)), OOOThreshold: uint8(s[0].n(t, "ooo_threshold", 10)), MaxRetransmits: 200,
		RTONs: rto, ULPTimeoutNs: 5_000_000})}
	for i := range s[1:] {
		l := &s[1+i]
		switch l.word {
		case "send":
			out, gate := x.tx.Send(falcon.PushData, 0, l.timeNs)
			require.Equal(t, falcon.Open, gate, "line %d", l.number)
			require.Equal(t, l.psn(t, "psn"), out.PSN, "line %d", l.number)
			x.outstanding[out.PSN] = true
		case "retx":
			x.resend(l.psn(t, "psn"), l.timeNs)
		case "eack":
			got := x.eack(t, l, instant)
			want := x.wanted(t, s[2+i:])
			sets++
			if fmt.Sprint(want) == fmt.Sprint(got) {
				same++
			}
			if judge != nil {
				judge(l, want, got)
			}
		default:
			require.Equal(t, "state", l.word, "line %d", l.number)
		}
	}
	return sets, same
}

// resend lets packets leave again up to the one that the trace names. In another mode it may not be there.
func (x *txTrace) resend(p falcon.PSN, nowNs int64) {
	x.outstanding[p] = true
	x.tx.TransmittedAt(falcon.Data, p, nowNs)
}

// eack gives an EACK and returns what it chose.
func (x *txTrace) eack(t *testing.T, l *line, instant bool) map[falcon.PSN]bool {
	rtt := int64(l.n(t, "rtt_ns", 10))
	a := falcon.Ack{EACK: true, DataBase: l.psn(t, "rdb"), DataRx: l.bitmap(t, "drx"), DataOWN: l.values["down"] == "1"}
	var r falcon.TxResult
	if instant {
		x.tx.KnowRTT(rtt)
	}
	x.tx.Ack(&a, falcon.Times{T1Ns: l.timeNs - rtt}, l.timeNs, &r)
	require.Equal(t, falcon.AckTaken, r.Verdict, "line %d", l.number)
	for p := range x.outstanding {
		if p.Before(a.DataBase) {
			delete(x.outstanding, p)
		}
	}
	chosen := map[falcon.PSN]bool{}
	for bit := range uint32(128) {
		if r.Chosen[falcon.Data].Has(bit) {
			chosen[a.DataBase.Add(bit)] = true
		}
	}
	return chosen
}

// wanted is what the trace shows to be chosen: the packets that left with the EACK and those that the state behind it
// lacks.
func (x *txTrace) wanted(t *testing.T, rest []line) map[falcon.PSN]bool {
	want := map[falcon.PSN]bool{}
	for i := range rest {
		switch l := &rest[i]; l.word {
		case "retx":
			want[l.psn(t, "psn")] = true
		case "state":
			is := map[falcon.PSN]bool{}
			for _, f := range strings.Fields(l.values["outstanding"]) {
				n, err := strconv.ParseUint(f, 10, 32)
				require.NoError(t, err)
				is[falcon.PSN(n)] = true
			}
			for p := range x.outstanding {
				if !is[p] {
					want[p] = true
				}
			}
			return want
		}
	}
	t.Fatal("no state behind an EACK")
	return nil
}
