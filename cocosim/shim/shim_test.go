package shim_test

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/design"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/shim"
)

// gated is a manifest with a setup, whose valid and ready pins may be inverted: two inputs, one without ready, and an
// output.
const gated = `
name: t
top: t
sources: [t.v]
clock: clk
setup:
  bus: plain
  width: 8
  address: 8
  pins: {address: a, write: w, wdata: d}
  steps: [{write: 0, value: 1}]
ports:
  - {name: s, dir: in, kind: axis, width: 8, pins: {data: sd, last: sl, valid: "%[1]ssv", ready: "%[1]ssr"}}
  - {name: r, dir: in, kind: axis, width: 8, pins: {data: rd, last: rl, valid: "%[1]srv"}}
  - {name: m, dir: out, kind: axis, width: 8, pins: {data: md, last: ml, valid: "%[1]smv", ready: "%[1]smr"}}
`

// pins are those of the design that the manifest is for.
func pins() *design.Top {
	top := &design.Top{Name: "t"}
	for dir, names := range map[string]string{"input": "clk a w d sd sl sv rd rl rv mr", "output": "sr md ml mv"} {
		for _, name := range strings.Fields(names) {
			bits := 1
			if strings.Contains(" a d sd rd md ", " "+name+" ") {
				bits = 8
			}
			top.Pins = append(top.Pins, design.Pin{Name: name, Dir: dir, Bits: bits})
		}
	}
	return top
}

// driven is what a module drives a pin with, another pin and the end of the setup being as they are said to be.
func driven(t *testing.T, module, pin, by string, high, done bool) bool {
	found := regexp.MustCompile(`assign ` + pin + `(?:\[0:0\])? = (.*);`).FindStringSubmatch(module)
	require.NotNil(t, found, "nothing drives %s:\n%s", pin, module)
	expr := strings.NewReplacer("[0:0]", "", "~", "!", "&", "&&", by, fmt.Sprint(high), "setup_done",
		fmt.Sprint(done)).Replace(found[1])
	x, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expr)
	require.NoError(t, err, found[1])
	return constant.BoolVal(x.Value)
}

// Until the setup is done no beat passes any port, whether its pins are inverted or not: on neither side valid or ready
// says that one does. Then they say what those of the other side say.
func TestNoBeatPassesBeforeTheSetup(t *testing.T) {
	for _, not := range []string{"", "~"} {
		file := filepath.Join(t.TempDir(), "t.yaml")
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, gated, not), 0o666))
		m, err := manifest.Load(file)
		require.NoError(t, err)
		m, err = m.Resolve(nil)
		require.NoError(t, err)
		module, err := shim.Make(m, pins(), true)
		require.NoError(t, err)
		for _, n := range []int{0b00, 0b01, 0b10, 0b11} {
			high, done := n&1 != 0, n>>1 != 0
			for pin, by := range map[string]string{"d_sv": "p0_valid", "d_rv": "p1_valid", "d_mr": "p2_ready"} {
				require.Equal(t, (high && done) != (not != ""), driven(t, module, pin, by, high, done), "%s%s, %v, setup done %v",
					not, pin, high, done)
			}
			for pin, by := range map[string]string{"p0_ready": "d_sr", "p2_valid": "d_mv"} {
				require.Equal(t, (high != (not != "")) && done, driven(t, module, pin, by, high, done), "%s of %s%s, %v, "+
					"setup done %v", pin, not, by, high, done)
			}
			require.Equal(t, done, driven(t, module, "p1_ready", "-", high, done), "a port that has no ready")
		}
	}
}
