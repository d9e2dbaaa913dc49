package report

import (
	"fmt"
	"strings"

	"hcacosim/cocosim"
)

// Signature names a violation by what differs, not by where it happened: rule, port, the fields of a record that are
// wrong, and what the record that went in asked for: its opcode or operation, and where its PSN lies, but no numbers.
// Two failures with one signature most likely have one cause.
//
//	DATA on m_rec: msn, epsn_after (RC SEND, PSN expected)
//	USER on m_axis: icrc good for bad
func (r *Report) Signature(v *cocosim.Violation) string {
	s := string(v.Rule)
	if v.Port != "" {
		s += " on " + v.Port
	}
	if what := r.whatDiffers(v); what != "" {
		s += ": " + what
	}
	if g := r.given(v); g.String() != "" {
		s += " (" + g.String() + ")"
	}
	return s
}

func (r *Report) whatDiffers(v *cocosim.Violation) string {
	if v.Want == nil || v.Got == nil {
		return ""
	}
	var names []string
	for _, d := range r.differences(v) {
		names = append(names, d.Name)
	}
	switch {
	case len(names) > 0:
		return strings.Join(names, ", ")
	case v.Want.User != v.Got.User:
		return fmt.Sprintf("%s for %s", r.User(v.Port, v.Got.User), r.User(v.Port, v.Want.User))
	case len(v.Want.Data) != len(v.Got.Data):
		return "length"
	case cocosim.FirstDifference(v.Want.Data, v.Got.Data) < len(v.Want.Data):
		return "bytes"
	}
	return ""
}
