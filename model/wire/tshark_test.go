package wire

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
)

// linked is a frame with what it starts with and where it is from.
type linked struct {
	link  Link
	frame []byte
	from  string
}

// tsharkFields are compared as numbers, or as bytes where both sides have the same text.
var tsharkFields = strings.Fields(`vlan.id vlan.priority ip.version ip.dsfield ip.len ip.id ip.ttl ip.src ip.dst ip.checksum
	ipv6.tclass ipv6.flow ipv6.plen ipv6.hlim udp.srcport udp.length udp.checksum
	infiniband.lrh.vl infiniband.lrh.lver infiniband.lrh.sl infiniband.lrh.reserved2 infiniband.lrh.lnh infiniband.lrh.dlid infiniband.lrh.reserved5
	infiniband.lrh.pktlen infiniband.lrh.slid
	infiniband.grh.ipver infiniband.grh.tclass infiniband.grh.flowlabel infiniband.grh.paylen infiniband.grh.nxthdr infiniband.grh.hoplmt
	infiniband.rwh.etype
	infiniband.bth infiniband.bth.opcode infiniband.bth.se infiniband.bth.m infiniband.bth.padcnt infiniband.bth.tver infiniband.bth.p_key
	infiniband.bth.destqp infiniband.bth.a infiniband.bth.reserved7 infiniband.bth.psn
	infiniband.rdeth infiniband.rdeth.eecnxt infiniband.deth infiniband.deth.q_key infiniband.deth.srcqp
	infiniband.reth infiniband.reth.va infiniband.reth.r_key infiniband.reth.dmalen
	infiniband.atomiceth infiniband.atomiceth.swapdt infiniband.atomiceth.cmpdt
	infiniband.aeth infiniband.aeth.syndrome infiniband.aeth.msn infiniband.atomicacketh infiniband.atomicacketh.origremdt
	infiniband.immdt infiniband.ieth data.data infiniband.invariant.crc infiniband.variant.crc
	ip.checksum.status udp.checksum.status`)

// tshark decodes frames in one run and returns a row of fields for each.
func tshark(t *testing.T, frames []linked) []map[string]string {
	program, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed: apt-get install tshark")
	}
	file := filepath.Join(t.TempDir(), "frames.pcapng")
	writePcapng(t, file, frames)
	args := []string{"-n", "-r", file, "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-o",
		"ip.defragment:FALSE",
		"-o", `uat:user_dlts:"User 0 (DLT=147)","infiniband","0","","0",""`, "-T", "fields", "-E", "occurrence=f"}
	for _, guess := range strings.Fields("rpcordma iser nvme-rdma lnet smb_direct infiniband_sdp fcoib infiniband.eoib " +
		"smc drbd") {
		args = append(args, "--disable-protocol", guess) // it would take payloads for these
	}
	for _, f := range tsharkFields {
		args = append(args, "-e", f)
	}
	cmd := exec.Command(program, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	require.Len(t, lines, len(frames))
	rows := make([]map[string]string, len(lines))
	for i, line := range lines {
		rows[i] = map[string]string{}
		for k, v := range strings.Split(line, "\t") {
			rows[i][tsharkFields[k]] = v
		}
	}
	return rows
}

// tsharkIB is a link type for users: tshark 4.0 has no decoder for 247, but one that can be bound to this.
const tsharkIB = 147

func writePcapng(t *testing.T, file string, frames []linked) {
	f, err := os.Create(file)
	require.NoError(t, err)
	defer f.Close()
	w, err := pcapgo.NewNgWriter(f, layers.LinkTypeEthernet)
	require.NoError(t, err)
	_, err = w.AddInterface(pcapgo.NgInterface{LinkType: tsharkIB})
	require.NoError(t, err)
	for i, l := range frames {
		info := gopacket.CaptureInfo{Timestamp: time.Unix(int64(i), 0), CaptureLength: len(l.frame), Length: len(l.frame),
			InterfaceIndex: int(l.link)}
		require.NoError(t, w.WritePacket(info, l.frame))
	}
	require.NoError(t, w.Flush())
}

// bytesFields are those that tshark shows as hex digits without 0x.
var bytesFields = strings.Fields(`infiniband.bth infiniband.rdeth infiniband.deth infiniband.reth infiniband.atomiceth infiniband.aeth
	infiniband.atomicacketh infiniband.immdt infiniband.ieth data.data`)

// asNumber makes 0x1f and 31 comparable; what is no number stays as it is.
func asNumber(name, s string) string {
	if n, err := strconv.ParseUint(s, 0, 64); err == nil && !slices.Contains(bytesFields, name) {
		return strconv.FormatUint(n, 10)
	}
	return s
}

// fields are tshark's, by their names.
type fields map[string]string

func (row fields) num(name string, v uint64) { row[name] = strconv.FormatUint(v, 10) }

func (row fields) raw(name string, b []byte) {
	if b != nil {
		row[name] = hex.EncodeToString(b)
	}
}

// shown is what we say to tshark's fields; what is not there is left out.
func shown(p *Packet) map[string]string {
	row := fields{}
	row.showInternet(p)
	row.showLink(p)
	row.showTransport(p)
	row.showExtensions(p)
	if len(p.Payload) > 0 {
		row.raw("data.data", p.Payload[:len(p.Payload)+p.BTH().Pad()]) // tshark shows the pad with it
	}
	if b := p.ICRCBytes(); b != nil {
		row.num("infiniband.invariant.crc", uint64(be32(b)))
	}
	if b := p.VCRCBytes(); b != nil {
		row.num("infiniband.variant.crc", uint64(be16(b)))
	}
	return row
}

func (row fields) showInternet(p *Packet) {
	if h := p.VLAN(0); h != nil {
		row.num("vlan.id", uint64(h.TCI()&0xFFF))
		row.num("vlan.priority", uint64(h.TCI()>>13))
	}
	if h := p.IPv4(); h != nil {
		row.num("ip.version", 4)
		row.num("ip.dsfield", uint64(h.TOS()))
		row.num("ip.len", uint64(h.TotalLength()))
		row.num("ip.id", uint64(h.ID()))
		row.num("ip.ttl", uint64(h.TTL()))
		row.num("ip.checksum", uint64(h.Checksum()))
		row.num("ip.checksum.status", uint64(bit(h.ChecksumGood())))
		row["ip.src"] = fmt.Sprintf("%d.%d.%d.%d", h.Src()[0], h.Src()[1], h.Src()[2], h.Src()[3])
		row["ip.dst"] = fmt.Sprintf("%d.%d.%d.%d", h.Dst()[0], h.Dst()[1], h.Dst()[2], h.Dst()[3])
	}
	if h := p.UDP(); h != nil {
		row.num("udp.checksum.status", udpChecksumStatus(p))
	}
	if h := p.IPv6(); h != nil && p.Encap == EncapRoCEv2IPv6 {
		row.num("ip.version", 6)
		row.num("ipv6.tclass", uint64(h.TClass()))
		row.num("ipv6.flow", uint64(h.FlowLabel()))
		row.num("ipv6.plen", uint64(h.PayLen()))
		row.num("ipv6.hlim", uint64(h.HopLimit()))
	}
	if h := p.UDP(); h != nil {
		row.num("udp.srcport", uint64(h.SrcPort()))
		row.num("udp.length", uint64(h.Length()))
		row.num("udp.checksum", uint64(h.Checksum()))
	}
}

// showLink is of InfiniBand's own headers before the BTH.
func (row fields) showLink(p *Packet) {
	if h := p.LRH(); h != nil {
		row.num("infiniband.lrh.vl", uint64(h.VL()))
		row.num("infiniband.lrh.lver", uint64(h.LVer()))
		row.num("infiniband.lrh.sl", uint64(h.SL()))
		row.num("infiniband.lrh.reserved2", uint64(h.Resv2()))
		row.num("infiniband.lrh.lnh", uint64(h.LNH()))
		row.num("infiniband.lrh.dlid", uint64(h.DLID()))
		row.num("infiniband.lrh.reserved5", uint64(h.Resv5()))
		row.num("infiniband.lrh.pktlen", uint64(h.PktBytes()/4))
		row.num("infiniband.lrh.slid", uint64(h.SLID()))
	}
	if h := p.GRH(); h != nil {
		row.num("infiniband.grh.ipver", uint64(h.Version()))
		row.num("infiniband.grh.tclass", uint64(h.TClass()))
		row.num("infiniband.grh.flowlabel", uint64(h.FlowLabel()))
		row.num("infiniband.grh.paylen", uint64(h.PayLen()))
		row.num("infiniband.grh.nxthdr", uint64(h.NextHeader()))
		row.num("infiniband.grh.hoplmt", uint64(h.HopLimit()))
	}
	if h := p.RWH(); h != nil {
		row.num("infiniband.rwh.etype", uint64(h.Type()))
	}
}

func (row fields) showTransport(p *Packet) {
	if h := p.BTH(); h != nil {
		row.raw("infiniband.bth", h)
		row.num("infiniband.bth.opcode", uint64(h.Opcode()))
		row.num("infiniband.bth.se", uint64(bit(h.SE())))
		row.num("infiniband.bth.m", uint64(bit(h.MigReq())))
		row.num("infiniband.bth.padcnt", uint64(h.Pad()))
		row.num("infiniband.bth.tver", uint64(h.TVer()))
		row.num("infiniband.bth.p_key", uint64(h.PKey()))
		row.num("infiniband.bth.destqp", uint64(h.DestQP()))
		row.num("infiniband.bth.a", uint64(bit(h.AckReq())))
		row.num("infiniband.bth.reserved7", uint64(h.Resv7()))
		row.num("infiniband.bth.psn", uint64(h.PSN()))
	}
	if h := p.RDETH(); h != nil {
		row.raw("infiniband.rdeth", h)
		row.num("infiniband.rdeth.eecnxt", uint64(h.EEContext()))
	}
	if h := p.DETH(); h != nil {
		row.raw("infiniband.deth", h)
		row.num("infiniband.deth.q_key", uint64(h.QKey()))
		row.num("infiniband.deth.srcqp", uint64(h.SrcQP()))
	}
}

func (row fields) showExtensions(p *Packet) {
	if h := p.RETH(); h != nil {
		row.raw("infiniband.reth", h)
		row.num("infiniband.reth.va", h.VA())
		row.num("infiniband.reth.r_key", uint64(h.RKey()))
		row.num("infiniband.reth.dmalen", uint64(h.DMALen()))
	}
	if h := p.AtomicETH(); h != nil {
		row.raw("infiniband.atomiceth", h)
		row.num("infiniband.reth.va", h.VA())
		row.num("infiniband.reth.r_key", uint64(h.RKey()))
		row.num("infiniband.atomiceth.swapdt", h.SwapAdd())
		row.num("infiniband.atomiceth.cmpdt", h.Compare())
	}
	if h := p.AETH(); h != nil {
		row.raw("infiniband.aeth", h)
		row.num("infiniband.aeth.syndrome", uint64(h.Syndrome()))
		row.num("infiniband.aeth.msn", uint64(h.MSN()))
	}
	if h := p.AtomicAckETH(); h != nil {
		row.raw("infiniband.atomicacketh", h)
		row.num("infiniband.atomicacketh.origremdt", h.Original())
	}
	row.raw("infiniband.immdt", p.ImmDt())
	row.raw("infiniband.ieth", p.IETH())
}

// udpChecksumStatus is what tshark has to find in frames of ours: a good checksum, or none, which IPv6 does not like.
func udpChecksumStatus(p *Packet) uint64 {
	const good, notPresent, illegal = 1, 3, 4
	switch {
	case p.UDP().Checksum() != 0:
		return good
	case p.IPv4() != nil:
		return notPresent
	default:
		return illegal
	}
}

// agree compares our row with tshark's, field by field.
func agree(fields []string, ours, theirs map[string]string) (differences []string) {
	for _, name := range fields {
		want, got := asNumber(name, theirs[name]), ours[name]
		if want != got {
			differences = append(differences, fmt.Sprintf("%s: tshark %q, we %q", name, theirs[name], got))
		}
	}
	return differences
}

// What we build of every opcode in every encapsulation, field by field.
func TestBuiltAgainstTshark(t *testing.T) {
	t.Parallel()
	var frames []linked
	for _, v := range knownVectors(t) {
		frames = append(frames, linked{v.link, v.frame, v.name})
	}
	r := newRand()
	for _, encap := range transportEncaps {
		for _, op := range allOpcodes() {
			for _, n := range legalLengths(op.Length) {
				s := randomSpec(r, encap, op.Opcode)
				s.NoVCRC = false
				s.SrcPort |= 0xC000 // below, and with odd options, tshark may see another protocol
				s.IPOptions = bytes.Repeat([]byte{1}, len(s.IPOptions))
				payload := randomBytes(r, n)
				if n > 0 {
					payload[0] = 0xF7 // tshark tries the first two bytes as an ethertype
				}
				frames = append(frames, linked{encap.Link(), s.Append(nil, payload), fmt.Sprintf("%v %s, %d bytes", encap, op.Name,
					n)})
			}
		}
	}
	compareWithTshark(t, frames)
}

// Every frame of every capture, field by field.
func TestCapturesAgainstTshark(t *testing.T) {
	t.Parallel()
	var frames []linked
	for _, file := range captureFiles(t) {
		for i, frame := range readCapture(t, file) {
			frames = append(frames, linked{LinkEthernet, frame, fmt.Sprintf("%s %d", filepath.Base(file), i+1)})
		}
	}
	compareWithTshark(t, frames)
}

func compareWithTshark(t *testing.T, frames []linked) {
	same, left, wrong := 0, map[string]int{}, 0
	for i, row := range tshark(t, frames) {
		var p Packet
		Decode(frames[i].link, frames[i].frame, &p)
		fields, why := fieldsToCompare(&p)
		if why != "" {
			left[why]++
		}
		if d := agree(fields, shown(&p), row); len(d) > 0 {
			if wrong++; wrong < 10 {
				t.Errorf("%s: %s", frames[i].from, strings.Join(d, "; "))
			}
			continue
		}
		if why == "" {
			same++
		}
	}
	t.Logf("%d frames agree in every field", same)
	for _, why := range slices.Sorted(maps.Keys(left)) {
		t.Logf("%d: %s", left[why], why)
	}
	if wrong > 0 {
		t.Errorf("%d frames disagree", wrong)
	}
}

// fieldsToCompare says what of a frame is compared, and why not all.
func fieldsToCompare(p *Packet) (fields []string, why string) {
	if p.ICRC() != ICRCGood {
		return nil, "not compared: ICRC " + p.ICRC().String()
	}
	if p.Encap.Link() == LinkIB && p.VCRCBytes() == nil {
		return nil, "not compared: no VCRC, tshark takes the end of the packet for one"
	}
	upTo := slices.Index(tsharkFields, "infiniband.rdeth")
	op := p.BTH().Opcode()
	switch i := ib.Lookup(op); {
	case i == nil:
		return tsharkFields[:upTo], fmt.Sprintf("compared up to the BTH: opcode %02Xh is unknown to both", uint8(op))
	case i.Transport == ib.RD: // first: so it does with RD FLUSH, of which it knows nothing but the transport
		bth := slices.Index(tsharkFields, "infiniband.bth")
		return slices.Concat(tsharkFields[:bth], tsharkFields[bth+1:upTo]),
			"compared up to the BTH: tshark takes 20 bytes for the BTH of RD"
	case op == ib.OpcodeCNP, i.Operation == ib.Flush, i.Operation == ib.AtomicWrite:
		return tsharkFields[:upTo], "compared up to the BTH: tshark does not know " + i.Name
	case i.Transport == ib.XRC:
		return tsharkFields[:upTo], "compared up to the BTH: tshark does not know XRC"
	}
	return tsharkFields, ""
}
