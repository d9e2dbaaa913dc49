package strict

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDecode(t *testing.T) {
	var into struct {
		Name string
		N    int
	}
	require.NoError(t, Decode([]byte("name: a\nn: 1\n"), &into))
	require.Equal(t, "a", into.Name)
	require.ErrorIs(t, Decode(nil, &into), io.EOF)
	for text, says := range map[string]string{
		"name: a\nfoo: 1\n":         `line 2: unknown key "foo"`,
		"foo: 1\nname: a\nbar: 2\n": `line 1: unknown key "foo", and 1 more that are wrong`,
		"n: 1\n---\n\nn: 2\n":       "line 4: a second document begins; a file has one",
		"n: {":                      "line 1: did not find expected node content",
		"n: 1\n---\nn: {":           "a second document begins; a file has one",
		"n: x\n":                    "line 1: cannot unmarshal !!str `x` into int",
	} {
		require.EqualError(t, Decode([]byte(text), &into), says)
	}
}
