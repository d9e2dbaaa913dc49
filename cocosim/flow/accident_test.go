package flow_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// accident does to a capture what the way, or a capture that misses frames, may do: packets lost, doubled, delayed past
// others; the start or the end missing. No frame is changed.
func accident(rng *rand.Rand, list []vectors.Frame) []vectors.Frame {
	out := slices.Clone(list)
	if rng.IntN(4) == 0 {
		out = out[rng.IntN(len(out)/2+1):]
	}
	if rng.IntN(4) == 0 {
		out = out[:len(out)-rng.IntN(len(out)/2+1)]
	}
	for range 1 + rng.IntN(6) {
		if len(out) < 3 {
			break
		}
		i := rng.IntN(len(out))
		switch rng.IntN(4) {
		case 0: // lost, perhaps several in a row
			out = slices.Delete(out, i, min(len(out), i+1+rng.IntN(3)))
		case 1: // doubled: the copy comes later
			at := min(len(out), i+1+rng.IntN(8))
			out = slices.Insert(out, at, out[i])
		case 2: // delayed
			at := min(len(out)-1, i+1+rng.IntN(8))
			f := out[i]
			out = slices.Insert(slices.Delete(out, i, i+1), at, f)
		case 3: // all of one kind lost
			var w wire.Packet
			nth, every := 0, 2+rng.IntN(9)
			responses := rng.IntN(2) == 0
			out = slices.DeleteFunc(slices.Clone(out), func(f vectors.Frame) bool {
				wire.Decode(f.Link, f.Data, &w)
				if w.Op == nil || w.Op.Response != responses {
					return false
				}
				nth++
				return nth%every == 0
			})
		}
	}
	for i := range out {
		out[i].Number = uint64(i + 1)
	}
	return out
}

// On the wire nothing is certain that an accident explains: the clean captures, with accidents at random.
func TestAccidentsAreNotCertain(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	clean := []string{"rc_atomic_dup30", "rc_v6_loss5", "rc_mix_loss10_both", "sx_drop_req_mid", "sx_rd_drop_mid",
		"rnr_t14", "rc_atomics",
		"rc_read_sizes", "rc_send_sizes", "rc_mtu2048", "rc_read_loss5_b2a", "sx_wrap_drop_ack", "rc_delay_jitter",
		"uc_loss8"}
	made := 0
	for _, name := range clean {
		for _, side := range []string{"a", "b"} {
			path := filepath.Join(filepath.Dir(captureFiles(t)[0]), name+"."+side+".pcap")
			list := frames(t, path)
			opt := options(t, path, roce.Spec, true)
			for range min(150, 1+60_000/len(list)) {
				wrong := accident(rng, list)
				r := judge(t, wrong, opt)
				require.Zero(t, r.Certain, "%s: %v", path, r.Violations[:min(3, len(r.Violations))])
				made++
			}
		}
	}
	t.Logf("%d captures with accidents", made)
}

// And several accidents do not hide what a sender does wrong again and again: a reserved syndrome in every ACK is
// certain.
func TestCertainOnTheWire(t *testing.T) {
	path := capturePath(t, "rc_send_sizes.b")
	for name, x := range map[string]struct {
		is   func(*wire.Packet) bool
		do   func(*wire.Packet)
		rule roce.Rule
	}{
		"syndrome": {isAck, func(w *wire.Packet) { w.AETH()[0] = 0x5F }, "OPC-2"},
		"MSN": {func(w *wire.Packet) bool { return isAck(w) && w.AETH().MSN() > 3 },
			func(w *wire.Packet) { addMSN(w, 0xFFFFFE) }, "RSP-11"},
		"opcode": {isAck, func(w *wire.Packet) { w.BTH()[0] = 0x10 }, "RSP-7"},
	} {
		list := frames(t, path)
		for i := range list {
			var w wire.Packet
			wire.Decode(list[i].Link, list[i].Data, &w)
			if x.is(&w) {
				list = edit(list, i, x.do)
			}
		}
		r := judge(t, list, options(t, path, roce.Spec, true))
		require.NotZero(t, r.Certain, name)
		require.Equal(t, x.rule, r.Violations[0].Rule, name)
	}
}

// What a direction does wrong is certain from the third time on, however often it does so.
func TestCertainHoweverOften(t *testing.T) {
	for _, times := range []int{2, 3, 255, 256, 300, 600} {
		var d hosts
		for n := range times {
			at := time.Duration(n) * time.Millisecond
			d.say('A', at, 0x1100, wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: psn.PSN(n), AckReq: true}, nil)
			d.say('B', at+time.Microsecond, 0x100, wire.Spec{Opcode: ib.Join(ib.RC, ib.Ack), PSN: psn.PSN(n), Syndrome: 0x5F,
				MSN: uint32(n + 1)}, nil)
		}
		r := judgeAt(t, d.sorted(), "", false)
		require.EqualValues(t, []int{2, times - 2}, []int{int(r.Possible), int(r.Certain)}, "%d reserved syndromes", times)
	}
}
