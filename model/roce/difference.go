package roce

import (
	"fmt"
	"strings"

	"hcacosim/model/ib"
)

// Difference names what in a packet is not what it should be.
func Difference(want, got *Packet) string {
	var list []string
	note := func(name, format string, want, got any) {
		if want != got {
			list = append(list, fmt.Sprintf("%s "+format+" in place of "+format, name, got, want))
		}
	}
	if want.Op != got.Op {
		list = append(list, fmt.Sprintf("%s in place of %s", nameOf(got.Op), nameOf(want.Op)))
	}
	note("payload", "%d", want.Len, got.Len)
	note("pad", "%d", want.Pad, got.Pad)
	note("AckReq", "%v", want.AckReq, got.AckReq)
	note("SE", "%v", want.SE, got.SE)
	note("address", "%Xh", want.VA, got.VA)
	note("R_Key", "%Xh", want.RKey, got.RKey)
	note("length", "%d", want.DMALen, got.DMALen)
	note("swap or add", "%Xh", want.SwapAdd, got.SwapAdd)
	note("compare", "%Xh", want.Compare, got.Compare)
	note("immediate", "%Xh", want.Imm, got.Imm)
	note("syndrome", "%v", want.Syndrome, got.Syndrome)
	note("MSN", "%d", want.MSN, got.MSN)
	note("original", "%Xh", want.Original, got.Original)
	note("Q_Key", "%Xh", want.QKey, got.QKey)
	if len(list) == 0 {
		list = append(list, "a header that its message does not have")
	}
	return fmt.Sprintf("%s PSN %06Xh: %s", nameOf(got.Op), uint32(got.PSN), strings.Join(list, ", "))
}

func nameOf(op ib.Opcode) string {
	if info := ib.Lookup(op); info != nil {
		return info.Name
	}
	return fmt.Sprintf("opcode %02Xh", uint8(op))
}
