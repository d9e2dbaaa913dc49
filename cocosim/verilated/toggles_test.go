package verilated

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadToggles(t *testing.T) {
	line := func(items, count string) string {
		return "C '" + strings.NewReplacer("{", "\x01", "=", "\x02").Replace(items) + "' " + count + "\n"
	}
	text := "# SystemC::Coverage-3\n" +
		line("{f=a.sv{l=12{n=3{page=v_line/a{o=block{S=12,14-16{h=TOP.a", "7") +
		line("{f=a.sv{l=3{n=3{page=v_toggle/a{o=count_q[2]{h=TOP.a", "5") +
		line("{f=b.sv{l=3{n=3{page=v_toggle/b{o=mem[1][2]{h=TOP.a.u_b", "1") +
		line("{f=b.sv{l=3{n=3{page=v_toggle/b{o=mem[1][2]{h=TOP.a.u_c", "0")
	toggles := Toggles{}
	require.NoError(t, toggles.read(strings.NewReader(text), "some.dat"))
	require.NoError(t, toggles.read(strings.NewReader(text), "some.dat"))
	require.Equal(t, Toggles{"count_q[2]": 10, "u_b.mem[1][2]": 2, "u_c.mem[1][2]": 0}, toggles)
	require.ErrorContains(t, toggles.read(strings.NewReader("C '\x01page\x02v_toggle/a' 3\n"), "some.dat"),
		"some.dat:1: not a coverage count", "a bit without a name")
}
