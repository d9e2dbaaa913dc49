package cover

import (
	"strings"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

func init() { declarations["resp_psn_check"] = declareResponder }

var respReasons = Axis{"good", "no QP", "not ready", "opcode of no service", "gap", "RNR NAK pending",
	"order of opcodes",
	"not supported", "too many READs", "no receive WQE", "no access", "misaligned", "length", "sum of a WRITE", "too long",
	"own error", "Q_Key", "broken message", "duplicate message", "duplicate READ", "duplicate atomic", "21",
	"no such operation", "wrong bits in the word"}

var respOutcomes = Axis{"executed", "duplicate", "refused", "dropped", "done", "ignored"}

// respMayBe is what a reason can come to, by the document: r refused, d dropped, i ignored and so on.
var respMayBe = [...]string{"xo", "di", "di", "d", "rd", "d", "r", "rd", "ri", "rd", "rd", "r", "rd", "rd", "rd", "rd",
	"d", "d", "ud", "u", "u", "", "i", "di"}

var respLetters = [...]string{"x", "u", "r", "d", "o", "i"}

// operations names the operations of an opcode, and what has none.
var operations = Axis{"SEND First", "SEND Middle", "SEND Last", "SEND Last imm", "SEND Only", "SEND Only imm",
	"WRITE First", "WRITE Middle", "WRITE Last", "WRITE Last imm", "WRITE Only", "WRITE Only imm", "READ request",
	"READ response First", "READ response Middle", "READ response Last", "READ response Only", "ACK", "ATOMIC ACK",
	"CMP & SWAP", "FETCH & ADD", "RESYNC", "SEND Last inv", "SEND Only inv", "18h", "19h", "1Ah", "1Bh", "FLUSH",
	"ATOMIC WRITE", "1Eh", "1Fh"}

// notRequests are the operations that no request has: their situations are ignored but in the group of opcodes.
func notRequest(op int) bool {
	return op >= 13 && op <= 18 || op == 21 || op >= 24 && op <= 27 || op >= 30
}

var respRegions = Axis{"expected", "duplicate", "out of sequence"}

// respStates are what a QP is in when a packet comes.
var respStates = Axis{"not there", "initialized", "idle", "message open", "NAK sent", "RNR NAK sent", "error"}

// respTrack is what the observer knows of a QP.
type respTrack struct {
	state   int
	service hca.RespService
	pmtu    int
	msn     uint32
	profile hca.RespProfile
	lastEnd uint64
	known   bool

	inMessage, naked bool // a message is open; a gap was NAKed
	behind           int  // what came last
	ended            int  // what ended the silence about the last gap, behindSilence while nothing has
}

type responder struct {
	*Observer
	qps map[uint32]*respTrack

	more *respSituations

	reasons, situations, syndromes, distances, gaps, msn, lengths, profiles, services *Group
}

func declareResponder(o *Observer, settings sim.Settings) {
	r := &responder{Observer: o, qps: map[uint32]*respTrack{}}
	r.reasons = o.cross("rule: reason x outcome", func(at []int, b *Bin) {
		if rule := roce.RespReason(at[0]).Rule(ib.RC); rule != "" {
			b.Rules = []string{string(rule)}
		}
		if !strings.Contains(respMayBe[at[0]], respLetters[at[1]]) {
			b.Illegal = "the document has no such outcome"
		} else if roce.RespReason(at[0]) == roce.RespBadContext && settings.Get("Ecc", 0) == 0 {
			b.Ignored = "the memory has no code"
		}
	}, respReasons, respOutcomes)
	r.situations = o.cross("opcode x PSN region x QP state", func(at []int, b *Bin) {
		switch {
		case notRequest(at[0]):
			b.Ignored = unwaited + "no opcode of a request: refused before the PSN is looked at"
		case at[2] < 2 && at[1] != 0:
			b.Ignored = "a QP that is not ready has no expected PSN"
		}
	}, operations, respRegions, respStates)
	r.services = o.cross("service x opcode", func(at []int, b *Bin) {
		if notRequest(at[1]) {
			b.Ignored = unwaited + "no opcode of a request"
		}
	}, Axis{"RC", "UC", "UD"}, operations)
	kinds := Axis{"ACK, credit code", "RNR NAK, timer code"}
	r.syndromes = o.cross("syndromes", nil, kinds, numbers(32))
	naks := o.cross("NAK codes", func(at []int, b *Bin) {
		if at[0] == 4 {
			b.Ignored = "RD only"
		}
	}, Axis{"sequence", "invalid request", "remote access", "remote operation", "invalid RD"})
	r.distances = o.cross("PSN against the expected one", nil, distances)
	r.gaps = o.cross("cycles since the QP's last record", nil, distancesInTime)
	r.msn = o.cross("MSN: the highest bit that a step turned", nil, bitNames(24))
	r.lengths = o.cross("PMTU x payload", nil, Axis{"256", "512", "1024", "2048", "4096"}, lengths)
	r.profiles = o.cross("profile switches", nil, Axis{"dup_keeps_nak", "nak_while_rnr", "dup_ack_by_ack_req",
		"length_before_rkey", "too_long_is_remote_op", "room_unchecked", "stray_payload_taken", "flush_unchecked"},
		Axis{"off", "on"})
	r.more = o.newRespSituations()
	o.restart = append(o.restart, func() { clear(r.qps) })
	o.pair = func(in, out *sim.Record) { r.count(in, out, naks) }
	o.blame = func(in *sim.Record, want []byte) string {
		q, a := hca.ParseRespQuery(in.Data), hca.ParseRespResult(want)
		service := ib.RC
		if t := r.qps[q.QPN]; t != nil && t.service == hca.RespUC {
			service = ib.UC
		}
		return string(a.Why.Rule(service))
	}
}

func (r *responder) count(in, out *sim.Record, naks *Group) {
	q, a := hca.ParseRespQuery(in.Data), hca.ParseRespResult(out.Data)
	t := r.qps[q.QPN]
	if t == nil {
		t = &respTrack{}
		r.qps[q.QPN] = t
	}
	r.hit(r.reasons, int(a.Why), int(a.Verdict))
	if q.Op >= hca.RespInject && a.Verdict == roce.RespDone {
		return // of a memory with a code, and not of the QP
	}
	if t.known {
		r.hit(r.gaps, gapOf(in.Start-t.lastEnd-1))
	}
	t.known, t.lastEnd = true, in.End
	if q.Op == hca.RespPacket && a.Why != roce.RespBadContext {
		r.packet(&q, &a, t, naks)
	}
	t.follow(&q, &a)
}

func (r *responder) packet(q *hca.RespQuery, a *hca.RespResult, t *respTrack, naks *Group) {
	op := int(q.Opcode & 0x1F)
	region := 0
	if t.state >= 2 { // else no PSN is expected
		region = int(psn.Arrive(q.PSN, a.Before))
	}
	r.hit(r.situations, op, region, t.state)
	if t.state == 0 {
		return
	}
	r.more.count(q, a, t)
	r.hit(r.services, int(t.service), op)
	r.hit(r.distances, distanceOf(q.PSN.Diff(a.Before)))
	r.hit(r.lengths, t.pmtu-1, lengthOf(int(q.Payload), 128<<t.pmtu))
	for bit := range 8 {
		r.hit(r.profiles, bit, int(t.profile>>bit&1))
	}
	switch {
	case a.Answer == roce.RespNoAnswer:
	case a.Syndrome.Kind() == ib.KindAck:
		r.hit(r.syndromes, 0, int(a.Syndrome.Code()))
	case a.Syndrome.Kind() == ib.KindRNR:
		r.hit(r.syndromes, 1, int(a.Syndrome.Code()))
	case a.Answer == roce.RespNak:
		r.hit(naks, int(a.Syndrome.Code()))
	}
	if turned := t.msn ^ a.MSN; turned != 0 {
		r.hit(r.msn, highestBit(turned))
	}
}

// follow moves what is known of a QP on.
func (t *respTrack) follow(q *hca.RespQuery, a *hca.RespResult) {
	t.msn = a.MSN
	done := a.Verdict == roce.RespDone
	switch {
	case a.Why == roce.RespBadContext && t.pmtu == 0: // never set: as if it were not there
	case a.ToError || q.Op == hca.RespError && done:
		t.state = 6
	case q.Op == hca.RespReset && done:
		*t = respTrack{}
	case q.Op == hca.RespSet && done:
		t.state, t.service, t.pmtu, t.profile = 1, q.Service, int(q.PMTU), q.Profile
	case q.Op == hca.RespReady && done:
		t.state = 2
	case q.Op != hca.RespPacket:
	case a.Verdict == roce.RespRefused && a.Syndrome.Kind() == ib.KindRNR:
		t.state = 5
	case a.Verdict == roce.RespRefused:
		t.state = 4
	case a.Verdict == roce.RespExecute && a.Last:
		t.state = 2
	case a.Verdict == roce.RespExecute:
		t.state = 3
	}
}
