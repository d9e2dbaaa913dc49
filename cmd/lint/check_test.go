package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func lines(n int) string { return strings.Repeat("\tx = 1;\n", n) }

func goFunction(n int) string { return "package p\n\nfunc (t *T) f() {\n" + lines(n-2) + "}\n" }

// goTable is a function of n lines beside its table of 80 rows.
func goTable(n int) string {
	return "package p\n\nfunc f() {\n\t_ = []T{\n" + strings.Repeat("\t\t{1},\n", 80) + "\t}\n" + lines(n-4) + "}\n"
}

func verilogTask(n int) string {
	return "module m;\n  function automatic logic [7:0] f(logic a);\n" + lines(n-2) + "  endfunction\nendmodule\n"
}

// cppMethod has braces and parentheses in strings and comments, which do not count.
func cppMethod(n int) string {
	return "namespace a {\nstruct B {\n  int c = f({1});\n\n  // (\n  int f(int x) const {\n  g(\"}\"); // }\n" +
		lines(n-3) + "  }\n};\n}\n"
}

// Every size is found one beyond what it may be, and nothing is found at it.
func TestSizes(t *testing.T) {
	for _, c := range []struct{ name, text, finds string }{
		{"a.go", strings.Repeat("\n", 500), ""},
		{"a.go", strings.Repeat("\n", 501), "a.go:501: 501 lines, over 500"},
		{"a.sh", "\t" + strings.Repeat("ü", 119), ""},
		{"a.sh", "\n\t" + strings.Repeat("ü", 120), "a.sh:2: 121 columns, over 120"},
		{"a.go", "package p\n\nvar s = `\n" + strings.Repeat("x", 200) + "\n`\n", ""},
		{"a.go", "package p\n\nvar s = `" + strings.Repeat("x", 200) + "`\n", "a.go:3: 210 columns, over 120"},
		{"a.go", goFunction(60), ""},
		{"a.go", goFunction(61), "a.go:3: f has 61 lines, over 60"},
		{"a.go", goTable(60), ""},
		{"a.go", goTable(61), "a.go:3: f has 61 lines, over 60"},
		{"a.sv", verilogTask(60), ""},
		{"a.sv", verilogTask(61), "a.sv:2: f has 61 lines, over 60"},
		{"a.h", cppMethod(60), ""},
		{"a.h", cppMethod(61), "a.h:6: f has 61 lines, over 60"},
	} {
		require.Equal(t, c.finds, strings.Join(check(c.name, c.text), "\n"), "%s of %d bytes", c.name, len(c.text))
	}
}

// A file in conflict, of which git has three versions, is looked at once.
func TestNames(t *testing.T) {
	require.Equal(t, []string{"a.go", "b.go", "c.go"}, names("b.go\nb.go\nb.go\nc.go\na.go\n"))
}

// A function that was divided leaves the list.
func TestListOfLongFunctionsShrinks(t *testing.T) {
	longFunctions["x.go:f"] = true
	defer delete(longFunctions, "x.go:f")
	require.Empty(t, check("x.go", goFunction(61)))
	require.Contains(t, check("x.go", goFunction(60))[0], "x.go:3: f is not too long any more")
}

func TestExemptionsHaveReasons(t *testing.T) {
	for _, e := range exemptions {
		require.NotEmpty(t, e.reason, e.under)
	}
	require.True(t, exempt("docs/examples/a.v"))
	require.False(t, exempt("rtl/rx/roce_parse.sv"))
}
