package hca

import (
	"fmt"

	"hcacosim/model/wire"
)

// VerdictText says in words what the sideband of an output means; "" for a stage whose outputs carry no verdict. A
// device may give codes that no document has: they are shown as numbers.
func VerdictText(stage string, user uint32) string {
	name, answers := "icrc", []string{"none", "good", "bad"}
	switch stage {
	case "icrc_check":
	case "icrc_insert":
		answers = []string{"none", "written"}
	case "vcrc_check":
		name = "vcrc"
	default:
		return ""
	}
	encap, reason := user>>4&7, user>>8&15
	return fmt.Sprintf("%s=%s encap=%s reason=%s", name, nameOf(answers, user&3), nameOf(encapNames(), encap),
		nameOf(reasonNames(), reason))
}

func nameOf(names []string, code uint32) string {
	if int(code) < len(names) {
		return names[code]
	}
	return fmt.Sprintf("%d?", code)
}

func encapNames() (names []string) {
	for e := wire.EncapNone; e <= wire.EncapRaw; e++ {
		names = append(names, e.String())
	}
	return names
}

func reasonNames() (names []string) {
	for r := wire.WellFormed; r <= wire.Trailer; r++ {
		names = append(names, r.String())
	}
	return names
}
