package live

import (
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"hcacosim/cocosim"
	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// judge sees every frame in the order in which the model does, and holds it against the rules, as `cosim check` does
// with a capture of our end that misses nothing.
type judge struct {
	checker *flow.Checker
	frame   vectors.Frame
	packet  wire.Packet
	began   time.Time
	pcap    *pcapgo.Writer
	err     error // of the capture
}

func newJudge(f *File, profile roce.Profile, capture io.Writer, began time.Time) (*judge, error) {
	pmtu := f.QPs[0].PMTU
	for i := range f.QPs {
		if f.QPs[i].PMTU != pmtu {
			pmtu = 0 // not one for all
		}
	}
	c, err := flow.New(flow.Options{Profile: profile, At: f.Address.String(), Complete: true, PMTUBytes: pmtu})
	if err != nil {
		return nil, err
	}
	j := &judge{checker: c, began: began}
	if capture != nil {
		j.pcap = pcapgo.NewWriterNanos(capture)
		j.err = j.pcap.WriteFileHeader(maxFrame, layers.LinkTypeEthernet)
	}
	return j, nil
}

func (j *judge) see(nowNs uint64, frame []byte) {
	f := &j.frame
	f.Number++
	f.Link, f.TimeNS, f.Data, f.OrigLen = wire.LinkEthernet, int64(nowNs), frame, len(frame)
	wire.Decode(wire.LinkEthernet, frame, &j.packet)
	j.checker.Take(f, &j.packet, j.packet.ICRC())
	if j.pcap != nil && j.err == nil {
		j.err = j.pcap.WritePacket(gopacket.CaptureInfo{Timestamp: j.began.Add(time.Duration(nowNs)),
			CaptureLength: len(frame), Length: len(frame)}, frame)
	}
}

func (j *judge) finish() (g Judgment, err error) {
	const shown = 10
	r := j.checker.Finish()
	g = Judgment{Packets: r.Judged, Certain: r.Certain, Possible: r.Possible}
	for i := range r.Violations[:min(shown, len(r.Violations))] {
		v := &r.Violations[i]
		g.First = append(g.First, fmt.Sprintf("frame %d: %s %s", v.Packet, v.Rule, v.Text))
	}
	if j.err != nil {
		err = cocosim.Errorf(cocosim.BadInput, "cannot write the capture: %v", j.err)
	}
	return g, err
}
