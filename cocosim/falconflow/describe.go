package falconflow

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	falconwire "hcacosim/model/falcon/wire"

	"hcacosim/model/falcon/psp"
	"hcacosim/model/wire"
)

// Summary is a packet in a few words: carrier, type, numbers, what is wrong; "" where it is neither Falcon nor PSP.
func (p *Packet) Summary() string {
	if p.State == NotFalcon {
		return ""
	}
	if p.Why == inESP {
		return "ESP: not judged"
	}
	s := "Falcon"
	if p.PSPAt != 0 {
		s = fmt.Sprintf("PSP SPI %Xh, Falcon", p.PSP.SPI)
	}
	k := &p.Falcon
	switch p.State {
	case OtherPSP:
		return fmt.Sprintf("PSP SPI %Xh, next header %d: not Falcon", p.PSP.SPI, p.PSP.NextHeader)
	case Read:
		s += fmt.Sprintf(", %v, CID %06Xh", k.Type, k.CID)
		switch k.Type {
		case falconwire.BACK, falconwire.EACK:
			s += fmt.Sprintf(", bases %d data, %d request", k.DataBase, k.RequestBase)
		case falconwire.NACK:
			s += fmt.Sprintf(", PSN %d, %v", k.NackPSN, k.NackCode)
		default:
			s += fmt.Sprintf(", PSN %d, RSN %d, payload %d", k.PSN, k.RSN, len(k.Payload))
		}
		if p.PSPAt != 0 {
			s += ", ICV good"
		}
		for f := range k.Flaws.All {
			s += ", " + f.Error()
		}
		return s
	}
	if p.PSPAt != 0 && p.PSP.NextHeader != nextFalcon {
		s = fmt.Sprintf("PSP SPI %Xh, tunnel", p.PSP.SPI)
	}
	if p.HasCID && p.State == NotJudged {
		s += fmt.Sprintf(", CID %06Xh", k.CID)
	}
	return s + ", " + p.Why.Error()
}

// describer prints fields as vectors.Describe does: byte offset, header, field, value.
type describer struct {
	w      io.Writer
	indent string
	header string
}

func (d *describer) begin(header string) { d.header = header }

func (d *describer) field(at int, name, format string, args ...any) {
	fmt.Fprintf(d.w, "%s%5d  %-12s  %-17s  %s\n", d.indent, at, d.header, name, fmt.Sprintf(format, args...))
	d.header = ""
}

// Describe prints a packet field by field, a line each: byte offset, header, field, value. frame is what was decoded.
func (p *Packet) Describe(w io.Writer, indent string, frame []byte) {
	d := describer{w: w, indent: indent}
	d.begin("IP")
	d.field(p.NetAt, "source", "%v", p.Src)
	d.field(p.NetAt, "destination", "%v", p.Dst)
	if p.UDPAt != 0 {
		udp := wire.UDP(frame[p.UDPAt:])
		d.begin("UDP")
		d.field(p.UDPAt, "source port", "%d", udp.SrcPort())
		d.field(p.UDPAt+2, "destination port", "%d", udp.DstPort())
		d.field(p.UDPAt+4, "length", "%d", udp.Length())
	}
	if p.PSPAt != 0 && (p.State != Malformed || p.PSP.IV != 0) {
		d.psp(p.PSPAt, &p.PSP)
	}
	if p.State == Read {
		d.falcon(p.FalconAt, &p.Falcon)
	} else if p.HasCID && p.State == NotJudged {
		d.begin("Falcon")
		d.field(p.FalconAt, "version", "%d", p.Falcon.Version)
		d.field(p.FalconAt+1, "CID", "%06Xh", p.Falcon.CID)
	}
	if p.Why != nil {
		d.begin("")
		d.field(max(p.UDPAt, p.NetAt), "not read", "%v", p.Why)
	}
	if p.State == Read {
		for f := range p.Falcon.Flaws.All {
			d.field(p.FalconAt, "wrong", "%v", f)
		}
	}
}

func (d *describer) psp(at int, h *psp.Header) {
	d.begin("PSP")
	d.field(at, "next header", "%d", h.NextHeader)
	d.field(at+1, "extension length", "%d", h.ExtLen)
	d.field(at+2, "crypt offset", "%d (%d bytes in clear)", h.CryptOffset, h.Clear())
	d.field(at+3, "S, D, version", "%t, %t, %d", h.Sample, h.Drop, h.Version)
	d.field(at+4, "SPI", "%08Xh", h.SPI)
	d.field(at+8, "IV", "%d", h.IV)
	if h.HasCookie {
		d.field(at+psp.HeaderBytes, "cookie", "%016Xh", h.Cookie)
	}
}

func (d *describer) falcon(at int, k *falconwire.Packet) {
	d.begin("Falcon")
	d.field(at, "version", "%d", k.Version)
	d.field(at+1, "CID", "%06Xh", k.CID)
	if !k.Type.HasBase() {
		d.ack(at, k)
		return
	}
	d.field(at+4, "function", "%06Xh", k.Function)
	d.field(at+7, "protocol", "%v", k.Protocol)
	d.field(at+7, "type", "%v", k.Type)
	d.field(at+7, "AR", "%t", k.AckReq)
	d.field(at+8, "data base", "%d", k.DataBase)
	d.field(at+12, "request base", "%d", k.RequestBase)
	d.field(at+16, "PSN", "%d", k.PSN)
	d.field(at+20, "RSN", "%d", k.RSN)
	switch k.Type {
	case falconwire.PullRequest, falconwire.PushData:
		d.field(at+26, "request length", "%d", k.RequestLength)
	case falconwire.Resync:
		d.field(at+24, "code", "%d, %v", uint8(k.ResyncCode), k.ResyncCode)
		d.field(at+25, "in place of", "%v", k.ResyncType)
		d.field(at+28, "vendor", "%08Xh", k.Vendor)
	}
	d.payload(at+k.Type.Bytes(), k.Payload)
}

func (d *describer) ack(at int, k *falconwire.Packet) {
	d.field(at+7, "type", "%v", k.Type)
	d.field(at+8, "data base", "%d", k.DataBase)
	d.field(at+12, "request base", "%d", k.RequestBase)
	d.field(at+16, "t1, t2", "%d, %d", k.T1, k.T2)
	d.field(at+24, "hops, level, ECN", "%d, %d, %d", k.HopCount, k.RxOccupancy, k.ECNCount)
	d.field(at+28, "RUE info", "%06Xh", k.RUEInfo)
	switch k.Type {
	case falconwire.NACK:
		d.field(at+32, "PSN", "%d", k.NackPSN)
		d.field(at+36, "code", "%d, %v", uint8(k.NackCode), k.NackCode)
		d.field(at+37, "RNR timeout", "%d: %.2f ms", k.RNRTimeout, float64(falconwire.RNRTimeoutNs(k.RNRTimeout))/1e6)
		window := "data"
		if k.NackOfRequest {
			window = "request"
		}
		d.field(at+38, "window", "%s", window)
		d.field(at+39, "ULP code", "%02Xh", k.ULPNack)
		return
	case falconwire.EACK:
		d.field(at+31, "R-OWN, D-OWN", "%t, %t", k.OWNRequest, k.OWNData)
		d.field(at+32, "data acked", "%016X%016Xh", k.DataAck.Hi, k.DataAck.Lo)
		d.field(at+48, "data received", "%016X%016Xh", k.DataRx.Hi, k.DataRx.Lo)
		d.field(at+64, "requests", "%016Xh", k.Request)
		return
	}
	d.field(at+31, "R-OWN, D-OWN", "%t, %t", k.OWNRequest, k.OWNData)
}

func (d *describer) payload(at int, b []byte) {
	if len(b) == 0 {
		return
	}
	const shown = 16
	text := strings.ToUpper(hex.EncodeToString(b[:min(shown, len(b))]))
	if len(b) > shown {
		text += "..."
	}
	d.begin("payload")
	d.field(at, fmt.Sprintf("%d bytes", len(b)), "%s", text)
}
