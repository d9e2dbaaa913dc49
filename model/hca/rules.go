package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// RulesOf appends the rules that decided an output of a stage: those that docs/vectors.md names for it. in is the
// record that led to the output, nil where that is long past. A stage whose rules are not told has none.
func RulesOf(stage string, in, out *sim.Record, rules []sim.Rule) []sim.Rule {
	switch stage {
	case "icrc_check", "icrc_insert":
		return icrcRules(out.User, rules)
	case "psn_window":
		return psnWindowRules(in, rules)
	case "roce_parse":
		if out.Port == portHeader {
			return parseRules(out, rules)
		}
	case "resp_psn_check":
		return respRules(in, out, rules)
	case "req_ack_check":
		return reqRules(out, rules)
	case "retx_timer":
		return retxRules(in, out, rules)
	}
	return rules
}

// reasonRules are what a frame breaks. A frame that ends inside of a header breaks no rule of its own.
var reasonRules = [...]sim.Rule{
	wire.Fragment: "END-1", wire.Short: "END-1", wire.Length: "END-1", wire.Truncated: "END-1", wire.Trailer: "END-1",
	wire.TVer: "ADM-2", wire.UnknownOpcode: "OPC-1", wire.HeaderCut: "OPC-2", wire.PadTooLong: "LEN-1",
	wire.PayloadLength: "LEN-1",
	wire.Unaligned:     "LEN-1",
}

// maskRules say what the ICRC of an encapsulation leaves out.
var maskRules = [...]sim.Rule{
	wire.EncapIBLocal: "ICRC-1", wire.EncapIBGlobal: "ICRC-2", wire.EncapRoCEv1: "ICRC-3", wire.EncapRoCEv2IPv4: "ICRC-4",
	wire.EncapRoCEv2IPv6: "ICRC-5",
}

// add appends the entry of a table, where it has one.
func add(rules []sim.Rule, table []sim.Rule, at uint32) []sim.Rule {
	if int(at) < len(table) && table[at] != "" {
		return append(rules, table[at])
	}
	return rules
}

// icrcRules reads m_axis_tuser: an ICRC that was judged or written is one of its encapsulation.
func icrcRules(user uint32, rules []sim.Rule) []sim.Rule {
	if user&3 != 0 {
		rules = add(rules, maskRules[:], user>>4&7)
	}
	return add(rules, reasonRules[:], user>>8&15)
}

func psnWindowRules(in *sim.Record, rules []sim.Rule) []sim.Rule {
	if in == nil {
		return rules
	}
	if q := ParsePSNQuery(in.Data); q.Requester {
		return append(rules, "PSN-1", "PSN-3")
	}
	return append(rules, "PSN-1", "PSN-2")
}

func parseRules(out *sim.Record, rules []sim.Rule) []sim.Rule {
	reason, encap := out.Data[0]&15, wire.Encap(out.Data[0]>>4&7)
	switch {
	case reason != 0:
		return add(rules, reasonRules[:], uint32(reason))
	case encap == wire.EncapNone || encap == wire.EncapRaw:
		return rules
	}
	return append(rules, "OPC-1", "OPC-2")
}

// respRules are the rule of the reason; of what was executed, the rules of what it did.
func respRules(in, out *sim.Record, rules []sim.Rule) []sim.Rule {
	r := ParseRespResult(out.Data)
	switch {
	case r.Why == roce.RespBadContext:
		return append(rules, "ECC-3")
	case r.Op == RespInject && r.Verdict == roce.RespDone:
		return append(rules, "ECC-4")
	case r.Op == RespCounts && r.Verdict == roce.RespDone:
		return append(rules, "ECC-5")
	case r.Op != RespPacket:
		return append(rules, "RSP-15")
	}
	if in == nil {
		return rules
	}
	q := ParseRespQuery(in.Data)
	service := ib.RC
	if i := ib.Lookup(q.Opcode); i != nil {
		service = i.Transport
	}
	if r.Why != roce.RespGood {
		rules = append(rules, r.Why.Rule(service))
		if r.ToError {
			rules = append(rules, "RSP-10")
		}
		return rules
	}
	switch {
	case service == ib.UC:
		return append(rules, "RSP-3")
	case service == ib.UD:
		return append(rules, "RSP-4")
	}
	rules = append(rules, "PSN-2", "PSN-4", "RSP-1")
	if r.Last {
		rules = append(rules, "RSP-11")
	}
	if r.Answer == roce.RespAck {
		rules = append(rules, "RSP-13")
	}
	return rules
}

// reqRules are the rule of the reason; of what was taken, the rules of what it did.
func reqRules(out *sim.Record, rules []sim.Rule) []sim.Rule {
	a := ParseReqAnswer(out.Data)
	if rule := a.Why.Rule(); rule != "" {
		return append(rules, rule)
	}
	if a.Progress {
		rules = append(rules, "REQ-1")
	}
	if a.Data {
		rules = append(rules, "REQ-2")
	}
	if a.Credits {
		rules = append(rules, "CRD-2")
	}
	return rules
}

// retxRules are those of the counter and of the timer that an operation is about, and of a timer that ended.
func retxRules(in, out *sim.Record, rules []sim.Rule) []sim.Rule {
	if out.Port == retxPortExpiry {
		if ParseRetxExpiry(out.Data).RNR {
			return append(rules, "TMR-4", "TMR-6")
		}
		return append(rules, "TMR-1", "TMR-6")
	}
	a := ParseRetxAnswer(out.Data)
	if in == nil || a.NoQP {
		return rules
	}
	if !a.Changed && a.State == RetxRNR {
		return append(rules, "TMR-5")
	}
	switch ParseRetxOp(in.Data).Op {
	case RetxStart, RetxStop:
		rules = append(rules, "TMR-2")
	case RetxProgress:
		rules = append(rules, "TMR-2", "TMR-3", "TMR-4")
	case RetxNAK, RetxTimeout:
		rules = append(rules, "TMR-3")
	case RetxWait, RetxResume:
		rules = append(rules, "TMR-4")
	}
	return rules
}
