package mutate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/manifest"
)

const reasonOf = `open:
- {file: top.sv, operator: constant, old: "x ^ 8'h80", new: "x ^ 8'h81", reason: it does the same}
`

// TestReasons: a reason finds its mutant, goes to its outcome where that is open, and is told of where it is not. One
// that fits no mutant, or has no words, is an error.
func TestReasons(t *testing.T) {
	d := read(t, small)
	for i := range d.Mutants {
		d.Mutants[i].File = "top.sv"
	}
	by, err := d.readReasons([]byte(reasonOf))
	require.NoError(t, err)
	require.Len(t, by, 1)
	var id int
	for id = range by {
	}
	require.Equal(t, "x ^ 8'h81", d.Mutants[id-1].New)

	out := []Outcome{{Mutant: d.Mutants[id-1], Class: Survived, Run: -1}}
	require.Empty(t, Explain(out, by))
	require.Equal(t, "it does the same", out[0].Reason)
	s := Summarize(d, nil, out)
	require.Equal(t, []int{1, 0}, []int{s.Open, s.Unknown})
	out[0].Class = Killed
	require.Len(t, Explain(out, by), 1)

	_, err = d.readReasons([]byte("open: [{file: top.sv, operator: constant, old: a, new: b, reason: gone}]"))
	require.ErrorContains(t, err, "there is no mutant top.sv")
	_, err = d.readReasons([]byte("open: [{file: top.sv, operator: constant, old: a, new: b}]"))
	require.ErrorContains(t, err, "no reason")
	_, err = d.readReasons([]byte("open: [{file: top.sv, why: b}]"))
	require.ErrorContains(t, err, "why")
}

// TestReasonsFit: each reason beside a block fits a mutant of it.
func TestReasonsFit(t *testing.T) {
	all, err := manifest.Embedded()
	require.NoError(t, err)
	n := 0
	for _, m := range all {
		m, err := m.Resolve(nil)
		require.NoError(t, err)
		d, err := Read(m)
		require.NoError(t, err)
		by, err := d.Reasons()
		require.NoError(t, err)
		n += len(by)
	}
	require.NotZero(t, n)
}

// TestSettled: the score leaves out what is proved, what is settled counts it.
func TestSettled(t *testing.T) {
	out := []Outcome{{Class: Killed, Run: -1}, {Class: Killed, Run: -1}, {Class: Equivalent, Run: -1},
		{Class: Survived, Run: -1}, {Class: NotBuilt, Run: -1}}
	s := Summarize(read(t, small), nil, out)
	require.InDelta(t, 2.0/3, s.Score, 1e-9)
	require.InDelta(t, 3.0/4, s.Settled, 1e-9)
}

// TestBitsOfAMember: Yosys 0.23 takes $bits of a struct's member for that of the struct. Such a mutant has no proof.
func TestBitsOfAMember(t *testing.T) {
	require.False(t, foreignBits.MatchString("(a) & ~(($bits(from_base))'(1) << ($bits(from_base) / 3))"))
	require.True(t, foreignBits.MatchString("(a) & ~(($bits(facts.left))'(1) << 3)"))
	require.True(t, foreignBits.MatchString("$bits(a[3:0])"))
}
