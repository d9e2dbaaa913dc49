package mode

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the section of docs/deviations.md")

// Every field of Mode is in the list, in order, and every line of the list is a field.
func TestListHasEveryField(t *testing.T) {
	typ := reflect.TypeOf(Mode{})
	require.Equal(t, typ.NumField()-1, len(List))
	for i, c := range List {
		require.Equal(t, typ.Field(i+1).Name, c.Field)
		for _, s := range []string{c.What, c.Zero, c.Set, c.Who} {
			require.NotEmpty(t, s, c.Field)
			require.NotContains(t, s, "|")
		}
	}
	require.Equal(t, Mode{Name: "spec"}, Spec)
	oracle := Oracle()
	require.True(t, Peer.OWNPause && !oracle.OWNPause)
}

// Every field has its test TestMode<Field> in a package under model/falcon.
func TestEveryFieldHasATest(t *testing.T) {
	has := map[string]bool{}
	paths, err := filepath.Glob("../*/*_test.go")
	require.NoError(t, err)
	more, err := filepath.Glob("../*_test.go")
	require.NoError(t, err)
	for _, path := range append(paths, more...) {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^func TestMode(\w+)\(`).FindAllStringSubmatch(string(raw), -1) {
			has[m[1]] = true
		}
	}
	for _, c := range List {
		if !has[c.Field] {
			t.Errorf("%s: no TestMode%s", c.Field, c.Field)
		}
	}
}

// docs/deviations.md ends with the section that the list makes.
func TestDeviationsSection(t *testing.T) {
	const path = "../../../docs/deviations.md"
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	before, have, _ := strings.Cut(string(raw), "\n## Falcon: ")
	want := Section()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(before+"\n"+want), 0o644))
		return
	}
	require.Equal(t, want, "## Falcon: "+have, "out of date: go test ./model/falcon/mode -update")
}
