package vectors

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"hcacosim/vectors/scenario"
)

func schemaOf(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("schema", name+".schema.json"))
	require.NoError(t, err)
	return s
}

// validate holds a line of JSON against a schema.
func validate(s *jsonschema.Schema, text []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// TestSetsFitTheSchemas: manifest and lines of a set of every stage, with every file that there can be.
func TestSetsFitTheSchemas(t *testing.T) {
	manifest, record := schemaOf(t, "manifest"), schemaOf(t, "record")
	seen := map[string]bool{}
	for _, stage := range Stages() {
		for _, strict := range []bool{false, true} {
			set := generate(t, scenario.Default(stage.Name).Name, stage.Name, 2, 500,
				SetOptions{ReadmemhBits: 64 * btoi(strict), SVPackage: strict, CHeader: strict, Strict: strict})
			require.NoError(t, validate(manifest, fileOf(t, set, manifestFile)), stage.Name)
			for line := range strings.Lines(string(fileOf(t, set, recordsFile))) {
				require.NoError(t, validate(record, []byte(line)), "%s: %s", stage.Name, line)
				for _, key := range []string{"after", "start", "need", "group", "by", "user", "data"} {
					seen[key] = seen[key] || strings.Contains(line, `,"`+key+`":`)
				}
			}
		}
	}
	require.Len(t, seen, 7)
	for key, was := range seen {
		require.True(t, was, key)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestSchemasTurnAway what no set has.
func TestSchemasTurnAway(t *testing.T) {
	manifest, record := schemaOf(t, "manifest"), schemaOf(t, "record")
	good := fileOf(t, generate(t, "valid", "icrc_check", 1, 3, SetOptions{}), manifestFile)
	for old, new := range map[string]string{
		`"format": 2`: `"format": 1`, `"flavour": "strict"`: `"flavour": "fair"`, `"xxh3": "`: `"xxh3": "0`,
		`"kind": "axis"`: `"kind": "bus"`, `"seed": 1`: `"seed": -1`, `"slack": 1000,`: ``,
		`"name": "valid-1"`: `"name": "valid-1", "more": 1`, `"records.jsonl"`: `"records.json"`,
	} {
		require.Contains(t, string(good), old)
		require.Error(t, validate(manifest, []byte(strings.Replace(string(good), old, new, 1))), new)
	}
	require.NoError(t, validate(record,
		[]byte(`{"port":"m","seq":0,"cause":0,"need":"one","group":1,"by":5,"data":"00ff"}`)))
	for _, line := range []string{
		`{"port":"m","seq":0}`, `{"port":"m","seq":0,"cause":0,"after":0}`, `{"port":"m","seq":0,"after":0,"by":3}`,
		`{"port":"m","seq":0,"cause":0,"need":"should"}`, `{"port":"m","seq":0,"cause":0,"data":"0"}`,
		`{"port":"m","seq":0,"cause":0,"need":"may","by":3}`, `{"port":"m","seq":0,"cause":0,"user":4294967296}`,
		`{"port":"m","seq":0.5,"cause":0}`, `{"port":"","seq":0,"cause":0}`, `{"port":"m","seq":0,"cause":0,"x":0}`,
	} {
		require.Error(t, validate(record, []byte(line)), line)
	}
}
