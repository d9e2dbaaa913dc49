package scenario

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"hcacosim/model/wire"
)

// secondReading is docs/blocks/roce_parse.md read again, on bytes and offsets alone: nothing of model/wire and model/ib
// is used.
func secondReading(link wire.Link, f []byte) parseResult {
	p := &reading{f: f, out: map[string]string{}}
	if link == wire.LinkIB {
		p.readIB()
	} else {
		p.readEthernet()
	}
	return parseResult{p.out, p.payload}
}

type reading struct {
	f       []byte
	out     map[string]string
	payload []byte
}

func (p *reading) has(n int) bool { return len(p.f) >= n }

func (p *reading) number(at, bytes int) int64 {
	v := int64(0)
	for _, b := range p.f[at : at+bytes] {
		v = v<<8 | int64(b)
	}
	return v
}

func (p *reading) set(name string, v int64) {
	if v != 0 {
		p.out[name] = strconv.FormatInt(v, 16)
	}
}

// copy sets a field to the number that stands at a place.
func (p *reading) copy(name string, at, bytes int) {
	if v := new(big.Int).SetBytes(p.f[at : at+bytes]); v.Sign() != 0 {
		p.out[name] = v.Text(16)
	}
}

func (p *reading) stop(encap, reason int) {
	p.set("encap", int64(encap))
	p.set("reason", int64(reason))
}

const (
	runt, badHeader, fragment, short, length, truncated, trailer = 1, 2, 3, 4, 5, 6, 7
	tver, unknownOpcode, headerCut, badPad, overlong, unaligned  = 9, 10, 11, 12, 13, 14
)

func (p *reading) readIB() {
	if !p.has(8) {
		p.stop(0, runt)
		return
	}
	lnh := p.f[1] & 3
	end := int(p.number(4, 2)&0x7FF) * 4
	if lnh == 3 {
		if !p.has(48) {
			p.stop(0, runt)
			return
		}
		if p.f[8]>>4 != 6 || p.f[14] != 0x1B {
			p.stop(0, 0)
			return
		}
		p.grh(8)
	}
	p.set("sl", int64(p.f[1]>>4))
	p.copy("dlid", 2, 2)
	p.copy("slid", 6, 2)
	switch lnh {
	case 2:
		p.judge(4, 8, end, 24, end, false, true)
	case 3:
		p.judge(5, 48, end, 64, end, false, 48+int(p.number(12, 2)) == end)
	default:
		p.stop(6, 0)
	}
}

func (p *reading) grh(at int) {
	p.set("tclass", p.number(at, 2)>>4&0xFF)
	p.copy("src", at+8, 16)
	p.copy("dst", at+24, 16)
}

func (p *reading) readEthernet() {
	net, tags, ok := p.skipTags()
	if !ok {
		return
	}
	encap := map[int64]int{0x0800: 2, 0x86DD: 3, 0x8915: 1}[p.number(net-2, 2)]
	if encap == 0 {
		p.stop(0, 0)
		return
	}
	head, ok := p.readNetwork(encap, net)
	if !ok {
		return
	}
	bth, agree, isFragment := net+head, true, false
	field := int(p.number(net+4, 2))
	end, least := net+40+field, 16
	if encap == 2 {
		field = int(p.number(net+2, 2))
		end, least = net+field, head+24
		isFragment = p.number(net+6, 2)&0x3FFF != 0
	}
	if encap != 1 {
		udp := net + head
		if !p.has(udp + 8) {
			p.stop(0, runt)
			return
		}
		if p.number(udp+2, 2) != 4791 {
			p.stop(0, 0)
			return
		}
		agree = int(p.number(udp+4, 2)) == end-udp
		bth = udp + 8
		p.copy("udp_src_port", udp, 2)
	}
	if encap == 3 {
		least = 24
	}
	if encap == 2 {
		p.copy("src", net+12, 4)
		p.copy("dst", net+16, 4)
		p.copy("tclass", net+1, 1)
	} else {
		p.grh(net)
	}
	p.set("tags", int64(tags))
	for i := range tags {
		p.copy(fmt.Sprintf("vlan%d", i), 12+4*i, 4)
	}
	p.judge(encap, bth, field, least, end, isFragment, agree)
}

// skipTags finds the network header behind the VLAN tags. Not ok: the frame ends before.
func (p *reading) skipTags() (net, tags int, ok bool) {
	if !p.has(14) {
		p.stop(0, runt)
		return 0, 0, false
	}
	at := 12
	isTag := func() bool { return p.number(at, 2) == 0x8100 || p.number(at, 2) == 0x88A8 }
	for tags < 2 && isTag() {
		at, tags = at+4, tags+1
		if !p.has(at + 2) {
			p.stop(0, runt)
			return 0, 0, false
		}
	}
	return at + 2, tags, true
}

// readNetwork says how long the network header is. Not ok: it is none that RoCE goes on behind.
func (p *reading) readNetwork(encap, net int) (head int, ok bool) {
	unit := map[int]int{1: 40, 2: 20, 3: 40}[encap]
	if !p.has(net + unit) {
		p.stop(0, runt)
		return 0, false
	}
	version, ihl := p.f[net]>>4, int(p.f[net]&15)
	want, next := byte(6), p.f[net+6]
	head = 40
	if encap == 2 {
		want, next, head = 4, p.f[net+9], 4*ihl
	}
	if version != want {
		p.stop(0, 0)
		return 0, false
	}
	if encap == 2 && ihl < 5 {
		p.stop(0, badHeader)
		return 0, false
	}
	if next != map[int]byte{1: 0x1B, 2: 17, 3: 17}[encap] {
		p.stop(0, 0)
		return 0, false
	}
	return head, true
}

func (p *reading) judge(encap, bth, field, least, end int, isFragment, agree bool) {
	if field < least {
		p.set("short", 1)
	}
	if end > len(p.f) {
		p.set("cut", 1)
	}
	reason := 0
	switch {
	case isFragment:
		reason = fragment
	case field < least:
		reason = short
	case !agree:
		reason = length
	case end > len(p.f):
		reason = truncated
	case len(p.f)-end > 46:
		reason = trailer
	}
	if reason == 0 {
		reason = p.transport(bth, end-4)
	}
	p.stop(encap, reason)
}

// transport reads BTH and what follows, up to the ICRC.
func (p *reading) transport(at, icrc int) int {
	f := p.f[at:]
	p.copy("opcode", at, 1)
	p.set("se", int64(f[1]>>7))
	p.set("mig_req", int64(f[1]>>6&1))
	p.set("pad", int64(f[1]>>4&3))
	p.set("tver", int64(f[1]&15))
	p.copy("pkey", at+2, 2)
	p.set("fecn", int64(f[4]>>7))
	p.set("becn", int64(f[4]>>6&1))
	p.copy("dest_qp", at+5, 3)
	p.set("ack_req", int64(f[8]>>7))
	p.copy("psn", at+9, 3)
	headers, known := headersOf(f[0])
	bytes := 0
	for _, h := range headers {
		bytes += map[string]int{"RDETH": 4, "DETH": 8, "XRCETH": 4, "FETH": 4, "RETH": 16, "AtomicETH": 28, "AETH": 4,
			"AtomicAckETH": 8, "IETH": 4, "ImmDt": 4}[h]
	}
	start := at + 12 + bytes
	pad := int(f[1] >> 4 & 3)
	there := known && start <= icrc
	if there {
		p.extensions(at+12, headers)
		if start+pad <= icrc {
			p.set("payload_bytes", int64(icrc-start-pad))
		}
	}
	switch {
	case f[1]&15 != 0:
		return tver
	case !known:
		return unknownOpcode
	case !there:
		return headerCut
	case start+pad > icrc:
		return badPad
	case (icrc-start)%4 != 0:
		return unaligned
	case icrc-start-pad > 4096:
		return overlong
	}
	if icrc-start-pad > 0 && !bareOpcode(f[0]) {
		p.payload = p.f[start : icrc-pad]
	}
	return 0
}

func (p *reading) extensions(at int, headers []string) {
	for _, h := range headers {
		switch h {
		case "RDETH":
			p.copy("ee_context", at+1, 3)
			at += 4
		case "DETH":
			p.copy("qkey", at, 4)
			p.copy("src_qp", at+5, 3)
			at += 8
		case "XRCETH":
			p.copy("xrcsrq", at+1, 3)
			at += 4
		case "FETH":
			p.set("flush_sel", p.number(at+3, 1)>>4&3)
			p.set("flush_plt", p.number(at+3, 1)&15)
			at += 4
		case "RETH":
			p.copy("va", at, 8)
			p.copy("rkey", at+8, 4)
			p.copy("dma_len", at+12, 4)
			at += 16
		case "AtomicETH":
			p.copy("va", at, 8)
			p.copy("rkey", at+8, 4)
			p.copy("swap_add", at+12, 8)
			p.copy("compare", at+20, 8)
			at += 28
		case "AETH":
			p.copy("syndrome", at, 1)
			p.copy("msn", at+1, 3)
			at += 4
		case "AtomicAckETH":
			p.copy("original", at, 8)
			at += 8
		case "IETH":
			p.copy("inv_rkey", at, 4)
			at += 4
		case "ImmDt":
			p.copy("immediate", at, 4)
			at += 4
		}
	}
}

// headersOf is OPC-1 and OPC-2 once more, sentence by sentence.
func headersOf(opcode byte) (headers []string, known bool) {
	switch {
	case opcode == 0x81:
		return nil, true
	case !isKnown(opcode):
		return nil, false
	}
	return append(headersOfService(opcode), headersOfOperation(opcode&0x1F)...), true
}

func isKnown(opcode byte) bool {
	op := opcode & 0x1F
	atMost := func(last byte, more ...byte) bool {
		for _, m := range more {
			if op == m {
				return true
			}
		}
		return op <= last
	}
	switch opcode >> 5 {
	case 0:
		return atMost(0x14, 0x16, 0x17, 0x1C, 0x1D)
	case 1:
		return atMost(0x0B)
	case 2:
		return atMost(0x15, 0x1C)
	case 3:
		return op == 4 || op == 5
	case 5:
		return atMost(0x14, 0x16, 0x17)
	}
	return false
}

func headersOfService(opcode byte) (headers []string) {
	op := opcode & 0x1F
	isResponse := op >= 0x0D && op <= 0x12
	switch opcode >> 5 {
	case 2:
		headers = append(headers, "RDETH")
		if !isResponse {
			headers = append(headers, "DETH")
		}
	case 3:
		headers = append(headers, "DETH")
	case 5:
		if !isResponse {
			headers = append(headers, "XRCETH")
		}
	}
	return headers
}

func headersOfOperation(op byte) []string {
	switch op {
	case 0x06, 0x0A, 0x0C, 0x1D:
		return []string{"RETH"}
	case 0x0B:
		return []string{"RETH", "ImmDt"}
	case 0x03, 0x05, 0x09:
		return []string{"ImmDt"}
	case 0x0D, 0x0F, 0x10, 0x11:
		return []string{"AETH"}
	case 0x12:
		return []string{"AETH", "AtomicAckETH"}
	case 0x13, 0x14:
		return []string{"AtomicETH"}
	case 0x16, 0x17:
		return []string{"IETH"}
	case 0x1C:
		return []string{"FETH", "RETH"}
	}
	return nil
}

// bareOpcode is OPC-2's last sentence: READ request, ACK, ATOMIC ACK, CMP & SWAP, FETCH & ADD, RESYNC and FLUSH.
func bareOpcode(opcode byte) bool {
	return opcode != 0x81 && strings.ContainsRune("\x0C\x11\x12\x13\x14\x15\x1C", rune(opcode&0x1F))
}
