package cover_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/cover"
	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// TestEveryVectorSaysItsBins: a set of every stage says which bins its vectors exercise, with rules, on input ports
// alone, as the schema has it; and the set is intact.
func TestEveryVectorSaysItsBins(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../vectors/schema/bins.schema.json")
	require.NoError(t, err)
	for _, stage := range vectors.Stages() {
		set := setWithBins(t, stage, cover.NewFollower(&stage, nil))
		require.NoError(t, set.CheckBins(cover.NewFollower(&stage, set.Configuration)), stage.Name)
		text, err := os.ReadFile(filepath.Join(set.Dir, "bins.jsonl"))
		require.NoError(t, err)
		lines, inputs := bufio.NewScanner(bytes.NewReader(text)), inputsOf(&stage)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(lines.Bytes()))
			require.NoError(t, err)
			require.NoError(t, schema.Validate(v), "%s: %s", stage.Name, lines.Text())
			require.True(t, inputs[strings.Split(lines.Text(), `"`)[3]], "%s: %s", stage.Name, lines.Text())
		}
		require.Equal(t, set.Files["bins.jsonl"].Records, uint64(bytes.Count(text, []byte("\n"))), stage.Name)
		if !vectors.IsView(stage.Name) {
			require.NotEmpty(t, text, stage.Name)
			require.Contains(t, string(text), `"rules":["`, stage.Name)
		}
	}
}

func inputsOf(stage *sim.StageSpec) map[string]bool {
	in := map[string]bool{}
	for _, p := range stage.Ports {
		if p.Input {
			in[p.Name] = true
		}
	}
	return in
}

func setWithBins(t *testing.T, stage sim.StageSpec, by vectors.Follower) *vectors.Set {
	t.Helper()
	set, err := vectors.GenerateSet(filepath.Join(t.TempDir(), "set"), scenario.Default(stage.Name), stage, 3, 1200,
		vectors.SetOptions{Bins: by})
	require.NoError(t, err, stage.Name)
	return set
}

// liar leaves out what one record exercises.
type liar struct {
	*cover.Follower
	at, left int
}

func (l *liar) Exercised() []vectors.Exercise {
	all := l.Follower.Exercised()
	if l.at += len(all); len(all) > 0 && l.at >= l.left {
		l.left = 1 << 30
		return all[1:]
	}
	return all
}

// TestWrongBinsAreFound: a line that is missing, in the middle and at the end, is found, and named.
func TestWrongBinsAreFound(t *testing.T) {
	stage, ok := vectors.Lookup("resp_psn_check")
	require.True(t, ok)
	for _, left := range []int{1, 700, 1200} {
		set := setWithBins(t, stage, &liar{Follower: cover.NewFollower(&stage, nil), left: left})
		require.NoError(t, set.Check(), "the file is as it was written")
		require.ErrorContains(t, set.CheckBins(cover.NewFollower(&stage, nil)), "line ", left)
	}
	set := setWithBins(t, stage, cover.NewFollower(&stage, nil))
	require.ErrorContains(t, set.CheckBins(&liar{Follower: cover.NewFollower(&stage, nil), left: 1200}), "a line more")
}
