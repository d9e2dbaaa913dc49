package verilated

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
)

// Verilator draws what no reset reaches from one stream, in the order of its variables: another flavour of the same
// design, or a build with another mutant in it, has other variables and so begins in another state. nameState makes
// each variable draw by its name instead: hca_state.h.
//
// `vlSelf->mem[__Vi0] = VL_RAND_RESET_I(27);` becomes `vlSelf->mem[__Vi0] = hca_state_i(vlSelf->name(), "mem", 27);`,
// the same with Q, and `VL_RAND_RESET_W(73, vlSelf->in_q);` becomes
// `hca_state_w(vlSelf->name(), "in_q", 73, vlSelf->in_q);`.
func nameState(obj string) error {
	names, err := filepath.Glob(filepath.Join(obj, "*__Slow.cpp"))
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if other := namedState(text); !bytes.Equal(other, text) {
			if err := os.WriteFile(name, other, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

var (
	scalarState = regexp.MustCompile(`(vlSelf->(\w+)(?:\[\w+\])*)(\s+)= VL_RAND_RESET_([IQ])\((\d+)\);`)
	wideState   = regexp.MustCompile(`VL_RAND_RESET_W\((\d+), (vlSelf->(\w+)(?:\[\w+\])*)\);`)
	lower       = map[string]string{"I": "i", "Q": "q"}
)

func namedState(text []byte) []byte {
	text = scalarState.ReplaceAllFunc(text, func(s []byte) []byte {
		m := scalarState.FindSubmatch(s)
		return []byte(string(m[1]) + string(m[3]) + "= hca_state_" + lower[string(m[4])] + "(vlSelf->name(), \"" +
			string(m[2]) + "\", " + string(m[5]) + ");")
	})
	return wideState.ReplaceAll(text, []byte(`hca_state_w(vlSelf->name(), "$3", $1, $2);`))
}
