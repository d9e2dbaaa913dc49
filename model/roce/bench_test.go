package roce_test

import (
	"syscall"
	"testing"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/roce/onwire"
	"hcacosim/model/wire"
)

// frames of a stream of WRITEs of four packets each, 1 KiB or nothing in a packet.
func writeStream(pmtu uint32, empty bool) (frames [][]byte) {
	cfg := roce.RequesterConfig{Service: ib.RC, PMTUBytes: pmtu}
	q := roce.NewRequester(&cfg)
	var out roce.Batch
	size := 4 * pmtu
	if empty {
		size = 0
	}
	for i := range uint64(64) {
		q.Post(roce.Work{ID: i, Verb: roce.Write, Len: size, VA: 4096, RKey: 7}, &out)
	}
	payload := make([]byte, pmtu)
	for q.Next(&out) {
		for _, e := range out {
			if e.Kind == roce.SendRequest {
				s := wire.Spec{Encap: wire.EncapRoCEv2IPv4, PKey: 0xFFFF}
				onwire.Put(&e.Packet, &s)
				frames = append(frames, s.Append(nil, payload[:e.Len]))
			}
		}
		out = out[:0]
	}
	return frames
}

var benchRegions = [roce.MaxRegions]roce.Region{{RKey: 7, Len: 1 << 40,
	Access: roce.RemoteRead | roce.RemoteWrite | roce.RemoteAtomic}}

// cpuTime is what the process has used of a core, in seconds: on a machine with other work the wall clock says little.
func cpuTime() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func perCore(b *testing.B, begun float64) {
	b.ReportMetric(float64(b.N)/(cpuTime()-begun)/1e6, "Mpackets/core-s")
}

// Parsing, ICRC and responder, per packet.
func BenchmarkResponder(b *testing.B) {
	for _, c := range []struct {
		name  string
		pmtu  uint32
		empty bool
	}{{"empty", 256, true}, {"256B", 256, false}, {"1KiB", 1024, false}, {"4KiB", 4096, false}} {
		b.Run(c.name, func(b *testing.B) {
			frames := writeStream(c.pmtu, c.empty)
			cfg := roce.ResponderConfig{Service: ib.RC, PMTUBytes: c.pmtu, Access: roce.RemoteWrite, Regions: benchRegions}
			r := roce.NewResponder(&cfg)
			var w wire.Packet
			var p roce.Packet
			var out roce.Batch
			b.ReportAllocs()
			b.SetBytes(int64(len(frames[0])))
			begun := cpuTime()
			for i := 0; b.Loop(); i++ {
				if i == len(frames) { // the stream begins again
					i, r = 0, roce.NewResponder(&cfg)
				}
				wire.Decode(wire.LinkEthernet, frames[i], &w)
				if w.ICRC() != wire.ICRCGood || !onwire.Take(&w, &p) {
					b.Fatal("bad frame")
				}
				out = out[:0]
				r.Step(&p, &out)
				for r.Next(&out) {
				}
			}
			perCore(b, begun)
		})
	}
}

// A request and, for every fourth, its ACK.
func BenchmarkRequester(b *testing.B) {
	cfg := roce.RequesterConfig{Service: ib.RC, PMTUBytes: 1024, Timeout: 14, RetryCount: 7}
	q := roce.NewRequester(&cfg)
	var out roce.Batch
	b.ReportAllocs()
	begun := cpuTime()
	for b.Loop() {
		out = out[:0]
		if !q.Ready() {
			q.Post(roce.Work{Verb: roce.Write, Len: 4096, VA: 4096, RKey: 7, Signaled: true}, &out)
		}
		q.Next(&out)
		if p := &out[len(out)-1].Packet; out[0].Packet.AckReq || p.AckReq {
			_, _, high := q.PSNs()
			q.Step(&roce.Packet{Op: 0x11, PSN: high.Add(-1), Syndrome: 31}, &out)
		}
	}
	perCore(b, begun)
}
