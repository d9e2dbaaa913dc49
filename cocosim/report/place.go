package report

import "hcacosim/model/psn"

// places tell where the PSN of an input lies, from what the model says of it, by the model's stage. wraps: 0 lies
// between it and the PSN that it is compared with. Empty where the record has no PSN, or the PSN does not matter.
var places = map[string]func(in, want values) (place string, wraps bool){
	"psn_window":     placeInWindow,
	"resp_psn_check": placeOfRequest,
	"req_ack_check":  placeOfResponse,
	"falcon_window":  placeInFalcon,
}

// Names of docs/blocks/psn_window.md; PSN-2 and PSN-3.
var (
	arrivals = map[psn.Arrival]string{psn.Expected: "expected", psn.Duplicate: "duplicate",
		psn.OutOfSequence: "out of sequence"}
	responses = map[psn.Answer]string{psn.Unacked: "unacked", psn.Stale: "acked", psn.Ghost: "ghost"}
)

func (v values) psn(name string) psn.PSN {
	n, _ := v.number(name)
	return psn.New(uint32(n))
}

// across reports whether 0 lies between two PSNs.
func across(p, q psn.PSN) bool { return (p < q) != p.Before(q) && p != q }

func placeInWindow(in, _ values) (string, bool) {
	p, base := in.psn("psn"), in.psn("base")
	if side, _ := in.number("requester"); side == 0 {
		return arrivals[psn.Arrive(p, base)], across(p, base)
	}
	next := in.psn("next")
	return responses[psn.Respond(p, base, next)], across(p, base) || across(base, next)
}

// Whys of docs/blocks/resp_psn_check.md with which nothing is said of the PSN.
const (
	respNoQP    = 1
	respQPState = 2
	respOpcode  = 3
)

func placeOfRequest(in, want values) (string, bool) {
	op, _ := in.number("op")
	why, _ := want.number("why")
	if op != 0 || why == respNoQP || why == respQPState || why == respOpcode {
		return "", false
	}
	p, expected := in.psn("psn"), want.psn("epsn_before")
	return arrivals[psn.Arrive(p, expected)], across(p, expected)
}

func placeOfResponse(in, want values) (string, bool) {
	region, _ := want.number("region")
	if region == 0 {
		return "", false
	}
	p, una := in.psn("psn"), want.psn("una_before")
	return [...]string{"", "unacked", "acked", "ghost"}[region&3], across(p, una)
}

// Operations and whys of docs/blocks/falcon_window.md.
const (
	falconPacket = 0
	falconBack   = 4
	falconEACK   = 5
)

func placeInFalcon(in, want values) (string, bool) {
	op, _ := in.number("op")
	why, ok := want.number("why")
	names := map[uint64]string{}
	switch {
	case !ok:
	case op == falconPacket:
		names = map[uint64]string{0: "in window", 1: "in window", 2: "old", 3: "duplicate", 4: "beyond", 12: "in window"}
	case op == falconBack || op == falconEACK:
		names = map[uint64]string{0: "in window", 8: "old", 9: "beyond"}
	}
	return names[why], false
}
