package flow_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
)

// due has the rules that each kind of wrong packet breaks, by docs/rules.md; SIDECAR and FORM are those of
// docs/check.md. More than one where the change breaks another rule with another packet: a READ response that answers
// nothing is RSP-7's, an ACK RSP-13's.
var due = map[string]string{
	// Something is missing, too much, or not in its place: RSP-13 for responses and their order, RSP-2 and RSP-9 for the
	// NAKs, RSP-7 and RSP-8 for READs and atomics; PSN-4 for requests, and REQ-5 where a retry begins behind the oldest.
	"response dropped":       "RSP-13 RSP-2 RSP-9 RSP-7",
	"request dropped":        "PSN-4 REQ-5",
	"response doubled":       "RSP-13 RSP-2 RSP-9 RSP-7 RSP-8",
	"request doubled":        "TMR-1 REQ-5",
	"responses swapped":      "RSP-13 RSP-7",
	"READ responses swapped": "RSP-13 RSP-7",
	"requests swapped":       "PSN-4 REQ-5 TMR-1",
	"NAK repeated":           "RSP-2",
	"RNR NAK repeated":       "RSP-9",
	"NAK missing":            "RSP-2",
	// The PSN of another: LEN-1 where that is a READ of another length, RSP-11 where it was received, and an ACK of it
	// counts a message too few.
	"response PSN + 1":         "RSP-13 RSP-2 RSP-9 RSP-7 RSP-8 LEN-1 RSP-11",
	"response PSN + 800000h":   "RSP-13 RSP-2 RSP-9 RSP-7 RSP-8",
	"ACK beyond what was sent": "RSP-13",
	"ACK PSN - 1":              "RSP-13",
	"request PSN + 5":          "PSN-4 REQ-7",
	"request PSN + 800000h":    "PSN-4 PSN-7",
	"NAK PSN + 1":              "RSP-2",
	// AETH.
	"MSN + 1": "RSP-11", "MSN - 1": "RSP-11", "READ response MSN + 1": "RSP-11", "MSN stuck": "RSP-11",
	"MSN of a NAK + 1": "RSP-11", "MSN of an atomic response - 1": "RSP-11",
	"syndrome reserved": "OPC-2", "syndrome bit 7": "OPC-2",
	"NAK syndrome in a READ or atomic response": "OPC-2",
	"NAK as ATOMIC ACK":                         "OPC-2",
	"RNR timer code":                            "RSP-9",
	"credits":                                   "CRD-1",
	// Another answer than the request must have: RSP-1 says which NAK, RSP-2, RSP-9 and RSP-10 when there is one.
	"ACK turned into NAK 60h":     "RSP-2",
	"ACK turned into NAK 61h":     "RSP-1 RSP-10",
	"ACK turned into NAK 62h":     "RSP-1 RSP-10",
	"ACK turned into NAK 63h":     "RSP-1 RSP-10",
	"ACK turned into RNR NAK":     "RSP-9",
	"NAK 60h turned into 61h":     "RSP-1",
	"NAK 60h turned into an ACK":  "RSP-2 RSP-13",
	"NAK 60h turned into RNR NAK": "RSP-1 RSP-2 RSP-9",
	"RNR NAK turned into NAK 60h": "RSP-1 RSP-2 RSP-9",
	"MSN + 800000h":               "RSP-11", "MSN + 1 from here on": "RSP-11",
	"ACK turned into NAK 64h": "OPC-2 RSP-1 RSP-10",
	"RNR NAK to a READ":       "RSP-9 RSP-7",
	"P_Key membership":        "ADM-5",
	// What is carried.
	"WRITE as SEND": "SIDECAR REQ-5 LEN-1", "READ of length 0": "SIDECAR REQ-5 REQ-7",
	"R_Key of a retry": "REQ-5 REQ-7", "address of a retry": "REQ-5 REQ-7",
	"pad in an ACK":                      "LEN-1 OPC-2 END-1",
	"immediate in the other byte order":  "SIDECAR REQ-5",
	"ATOMIC ACK as READ response":        "RSP-7 RSP-8 RSP-13 LEN-1",
	"READ payload":                       "RSP-7",
	"request payload":                    "SIDECAR REQ-5",
	"payload of a retry":                 "REQ-5",
	"atomic with another value":          "RSP-12 RSP-8",
	"replayed atomic with another value": "RSP-8",
	"address":                            "SIDECAR REQ-7 REQ-5", "R_Key": "SIDECAR REQ-7 REQ-5",
	"RETH length":                       "SIDECAR LEN-1 REQ-7 REQ-5",
	"immediate":                         "SIDECAR REQ-5",
	"atomic operand":                    "SIDECAR REQ-5",
	"address of an atomic odd":          "SIDECAR RSP-12 REQ-5",
	"compare and swap as fetch and add": "SIDECAR REQ-5",
	"a message more than was posted":    "SIDECAR",
	// When.
	"retransmission below T":    "TMR-1 REQ-5",
	"RNR retry after 20 us":     "TMR-5",
	"one retry too many":        "TMR-3",
	"AckReq clear":              "RSP-13",
	"AckReq set":                "RSP-13",
	"opcode unknown":            "OPC-1",
	"UC opcode":                 "OPC-1",
	"TVer 1":                    "ADM-2",
	"P_Key":                     "ADM-5",
	"READ request as WRITE":     "LEN-1 SIDECAR REQ-5 PSN-4",
	"request Last as Middle":    "LEN-1 RSP-1 RSP-13 REQ-5 SIDECAR",
	"request Middle as Last":    "LEN-1 RSP-1 RSP-13 REQ-5 SIDECAR",
	"request First as Only":     "LEN-1 RSP-1 RSP-13 REQ-5 SIDECAR",
	"request Only as First":     "LEN-1 RSP-1 RSP-13 REQ-5 SIDECAR",
	"ACK as READ response Only": "RSP-7 RSP-13", "ATOMIC ACK as ACK": "OPC-2",
	"READ response First as Last": "RSP-7 LEN-1", "READ response Last as First": "RSP-7 LEN-1",
	"READ response Only as First": "RSP-7 LEN-1", "READ response Middle as Last": "RSP-7 LEN-1 OPC-2",
	"READ response First as Middle": "RSP-7 LEN-1", "READ response Last as Only": "RSP-7 LEN-1",
	"READ response Only as Last": "RSP-7 LEN-1",
	// Lengths.
	"pad + 1":                     "LEN-1 SIDECAR",
	"payload 4 bytes short":       "LEN-1 SIDECAR",
	"request 4 bytes long":        "LEN-1 SIDECAR",
	"READ response 4 bytes long":  "LEN-1",
	"Only beyond the PMTU":        "LEN-1",
	"READ request with a payload": "OPC-2",
	"ACK with a payload":          "OPC-2",
	"IPv4 fragment":               "END-1",
	"UDP length 4 short":          "END-1",
	// Form.
	"DestQP": "RSP-14", "response to another address": "RSP-14", "response from another address": "RSP-14",
	"IPv4 header checksum": "FORM", "reserved bits of BTH byte 4": "FORM", "reserved bits of BTH byte 8": "FORM",
	"solicited event in the middle": "REQ-11", "solicited event in a response": "REQ-11",
	"ICRC": "ICRC-4 ICRC-5", "ICRC with its bytes in the wrong order": "ICRC-4 ICRC-5",
	"ICRC from the BTH on": "ICRC-4 ICRC-5",
}

// rightly reports whether the first finding cites a rule that a kind breaks.
func rightly(r *flow.Report, kind string) bool {
	return slices.Contains(strings.Fields(due[kind]), string(r.Violations[0].Rule))
}

// Every kind has its rules, and no rule is one that nobody asks for.
func TestEveryKindHasARule(t *testing.T) {
	for _, k := range kinds {
		require.NotEmpty(t, due[k.name], k.name)
		if k.rule != "" {
			require.Contains(t, strings.Fields(due[k.name]), string(k.rule), k.name)
		}
	}
	require.Len(t, due, len(kinds))
}
