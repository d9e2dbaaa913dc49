package flow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// CNP-3: the form of a CNP is judged at the end that sends it, and nowhere else.
func TestFormOfCNP(t *testing.T) {
	zeros := make([]byte, 16)
	for _, c := range []struct {
		what    string
		change  func(*wire.Spec)
		payload []byte
		certain bool
	}{
		{"", func(*wire.Spec) {}, zeros, false},
		{"a CNP without BECN", func(s *wire.Spec) { s.BECN = false }, zeros, true},
		{"a CNP with AckReq", func(s *wire.Spec) { s.AckReq = true }, zeros, false},
		{"a CNP with PSN 000037h, which has none", func(s *wire.Spec) { s.PSN = 0x37 }, zeros, false},
		{"a CNP with 8 bytes behind the BTH, 16 zeros are to be there", func(*wire.Spec) {}, zeros[:8], true},
		{"a CNP whose bytes behind the BTH are not all zero", func(*wire.Spec) {}, []byte("0123456789012345"), true},
	} {
		for _, at := range []string{"10.1.0.1", "10.1.0.2", ""} {
			var k talk
			k.say('A', ib.SendOnly, 0, asks)
			s := wire.Spec{Opcode: ib.OpcodeCNP, BECN: true}
			c.change(&s)
			k.dialog.say('B', k.at+500, s, c.payload)
			k.say('B', ib.Ack, 0, counts(1))
			r := judge(t, k.list, flow.Options{Profile: roce.Spec, At: at, PMTUBytes: 256})
			if at != "10.1.0.2" || c.what == "" {
				require.Empty(t, r.Violations, "%s at %s", c.what, at)
				continue
			}
			require.Len(t, r.Violations, 1, c.what)
			require.EqualValues(t, "CNP-3", r.Violations[0].Rule)
			require.Equal(t, c.what, r.Violations[0].Text)
			require.Equal(t, c.certain, r.Violations[0].Certain(), c.what)
		}
	}
}
