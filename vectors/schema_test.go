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
				SetOptions{ReadmemhBits: 64, SVPackage: true, CHeader: true, Strict: strict})
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
