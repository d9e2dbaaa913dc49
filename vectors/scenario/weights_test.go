package scenario

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"hcacosim/model/hca"
	"hcacosim/model/wire"
)

var updateSchema = flag.Bool("update-schema", false, "write the schema of weights anew")

const schemaFile = "../schema/weights.schema.json"

func weightsSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(schemaFile)
	require.NoError(t, err)
	return s
}

// fits holds YAML against the schema.
func fits(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	var v any
	require.NoError(t, yaml.Unmarshal([]byte(text), &v))
	asJSON, err := json.Marshal(named(v))
	require.NoError(t, err)
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	require.NoError(t, err)
	return s.Validate(instance)
}

// named has the keys of maps as JSON has them.
func named(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = named(v[k])
		}
	case map[any]any:
		m := map[string]any{}
		for k := range v {
			m[fmt.Sprint(k)] = named(v[k])
		}
		return m
	}
	return v
}

// TestWeightsFitTheSchema: the committed schema is that of the knobs; what each scenario prints fits it, is read, and
// of choices alone makes the same records.
func TestWeightsFitTheSchema(t *testing.T) {
	if *updateSchema {
		require.NoError(t, os.WriteFile(schemaFile, WeightsSchema(), 0o666))
	}
	have, err := os.ReadFile(schemaFile)
	require.NoError(t, err)
	require.Equal(t, string(WeightsSchema()), string(have), "go test ./vectors/scenario -run Weights -update-schema")
	schema, some := weightsSchema(t), 0
	for i := range scenarios {
		if s := &scenarios[i]; len(knobsOf(s.Name)) > 0 {
			some++
			text := DescribeWeights(s)
			require.NoError(t, fits(t, schema, text), s.Name)
			_, err := ParseWeights("w.yaml", []byte(text))
			require.NoError(t, err, s.Name)
		}
	}
	require.Greater(t, some, 12)
}

// TestWeightsAsTheyAre: choices that are set to what they are change nothing, nor does the file that each scenario
// prints.
func TestWeightsAsTheyAre(t *testing.T) {
	text := "scenario: mix\nparts: {valid: 6, bit-errors: 3, masked-fields: 2, covered-fields: 3, padding: 2, " +
		"malformed: 3, minimum: 1}\n"
	plain, other := made(t, "mix", "", 300), strings.Replace(text, "valid: 6", "valid: 5", 1)
	require.True(t, slices.Equal(plain, made(t, "mix", text, 300)))
	require.False(t, slices.Equal(plain, made(t, "mix", other, 300)))
	for i := range scenarios {
		if s := &scenarios[i]; len(knobsOf(s.Name)) > 0 {
			require.True(t, slices.Equal(made(t, s.Name, "", 300), made(t, s.Name, DescribeWeights(s), 300)), s.Name)
		}
	}
}

func made(t *testing.T, name, text string, n uint64) (all []string) {
	t.Helper()
	play(t, name, text, n, func(c *Case) { all = append(all, string(c.Frame)+string(c.Why)) })
	return all
}

// play makes the first n of a scenario under weights.
func play(t *testing.T, name, text string, n uint64, what func(c *Case)) {
	t.Helper()
	s, err := Lookup(name)
	require.NoError(t, err)
	g := NewGenerator(s, 3)
	if text != "" {
		w, err := ParseWeights("w.yaml", []byte(text))
		require.NoError(t, err)
		require.NoError(t, g.SetWeights(w))
	}
	var c Case
	for i := range n {
		g.Make(i, &c)
		what(&c)
	}
}

// TestWeightsMatter: every knob of every scenario, turned to its end, makes other records.
func TestWeightsMatter(t *testing.T) {
	for i := range scenarios {
		s := &scenarios[i]
		if name := s.Name; len(knobsOf(name)) == 0 || name == "hca-rx-many" { // rounds of 20,000
			continue
		}
		plain := made(t, s.Name, "", 2400)
		for _, k := range knobsOf(s.Name) {
			ends := map[knobKind][]string{isShare: {"0", fmt.Sprint(k.most)}, isRange: {"[3, 5]"}}[k.kind]
			if k.kind == isChoice {
				ends = []string{"{" + k.values[0] + ": 1}", "{" + k.values[len(k.values)-1] + ": 1}"}
			}
			matters := slices.ContainsFunc(ends, func(end string) bool {
				return !slices.Equal(plain, made(t, s.Name, "scenario: "+s.Name+"\n"+k.name+": "+end, 2400))
			})
			require.True(t, matters, "%s: %s", s.Name, k.name)
		}
	}
}

// TestWeightsOfFramesDoWhatTheySay: turned up, tags, options and an encapsulation are seen on more frames than turned
// off, in each scenario that takes such a weight.
func TestWeightsOfFramesDoWhatTheySay(t *testing.T) {
	tagged := func(c *Case) bool {
		return c.Link == wire.LinkEthernet && len(c.Frame) > 13 && c.Frame[12] == 0x81 && c.Frame[13] == 0
	}
	options := func(c *Case) bool {
		at := 12
		for at+4 < len(c.Frame) && c.Frame[at] == 0x81 && c.Frame[at+1] == 0 {
			at += 4
		}
		return c.Link == wire.LinkEthernet && len(c.Frame) > at+2 && c.Frame[at] == 8 && c.Frame[at+1] == 0 &&
			c.Frame[at+2] > 0x45
	}
	native := func(c *Case) bool { return c.Link == wire.LinkIB }
	for _, s := range drawnFrames {
		for _, x := range []struct {
			knob    *knob
			off, on string
			shows   func(*Case) bool
		}{
			{frameTags, "0", "1", tagged},
			{frameIHL, "0", "1", options},
			{frameEncap, "{RoCEv1: 1}", "{IB-local: 1}", native},
		} {
			if !slices.Contains(x.knob.scenarios, s) {
				continue
			}
			count := func(value string) (n int) {
				play(t, s, "scenario: "+s+"\n"+x.knob.name+": "+value, 2400, func(c *Case) {
					if x.shows(c) {
						n++
					}
				})
				return n
			}
			require.Greater(t, count(x.on), count(x.off)+100, "%s: %s", s, x.knob.name)
		}
	}
}

// TestWeightsDoWhatTheySay: only UC queue pairs of one path MTU where the file says so, from a PSN in the range; every
// request of half of the stream is lost where it says that.
func TestWeightsDoWhatTheySay(t *testing.T) {
	const text = "scenario: resp-psn-check\nservice: {UC: 1}\npath-mtu: {1024: 3}\nstart-psn: [16777210, 16777215]\n"
	sets, others := 0, 0
	play(t, "resp-psn-check", text, 20000, func(c *Case) {
		q := hca.ParseRespQuery(c.Frame)
		if q.Op != hca.RespSet || string(c.Why) != "set" {
			return
		}
		if q.Service == hca.RespUC && q.PMTU == 3 && q.PSN >= 16777210 {
			sets++
		} else {
			others++ // of episodes that go over all in turn
		}
	})
	require.Greater(t, sets, 100)
	lost := func(text string) (n int) {
		play(t, "req-ack-check", text, 20000, func(c *Case) {
			if strings.HasPrefix(string(c.Why), "transport timer") {
				n++
			}
		})
		return n
	}
	require.Greater(t, lost("scenario: req-ack-check\nnext: {timeout: 50, sent: 50}\n"), 5*lost(""))
}

// TestImpossibleWeights: what cannot be is refused, with line and reason; what a schema can say, the schema says too.
func TestImpossibleWeights(t *testing.T) {
	schema := weightsSchema(t)
	for _, x := range []struct {
		text, says string
		schema     bool
	}{
		{"scenario: nobody", `w.yaml:1: no scenario "nobody"`, true},
		{"lost: 0.5", "w.yaml:1: no scenario is named", true},
		{"scenario: retx-timer", "has no weights", true},
		{"scenario: resp-psn-check\n\nlots: 1", `w.yaml:3: scenario resp-psn-check has no "lots"`, true},
		{"scenario: resp-psn-check\nlost: 0.6", "w.yaml:2: lost 0.6: a share from 0 to 0.5", true},
		{"scenario: resp-psn-check\nlost: -1", "a share from 0 to 0.5", true},
		{"scenario: resp-psn-check\nlost: .nan", "is a share: a number", false},
		{"scenario: resp-psn-check\nlost: often", "is a share: a number", true},
		{"scenario: resp-psn-check\nservice: {RC: 0, UD: 0}", "all weights are 0", false},
		{"scenario: resp-psn-check\nservice: {XRC: 1}", `w.yaml:2: service has no value "XRC"`, true},
		{"scenario: resp-psn-check\nservice: {RC: 1.5}", "a whole number from 0 to 1000", true},
		{"scenario: resp-psn-check\nservice: {RC: 1001}", "a whole number from 0 to 1000", true},
		{"scenario: resp-psn-check\nservice: RC", "is a choice", true},
		{"scenario: resp-psn-check\nstart-psn: [9, 8]", "nothing lies between", false},
		{"scenario: resp-psn-check\nstart-psn: [0, 16777216]", "lies within [0, 16777215]", true},
		{"scenario: resp-psn-check\nstart-psn: 7", "is a range: [LOW, HIGH]", true},
		{"scenario: mix\npayload: [0]", "is a range: [LOW, HIGH]", true},
		{"scenario: vcrc\npayload: [0, 9]\nvlan-tags: 1", `w.yaml:3: scenario vcrc draws no "vlan-tags"`, true},
		{"scenario: vcrc\nipv4-options: 1", `w.yaml:2: scenario vcrc draws no "ipv4-options" (it has payload)`, true},
		{"scenario: vcrc\nencapsulation: {RoCEv1: 1}", `w.yaml:2: scenario vcrc draws no "encapsulation"`, true},
		{"- scenario", "no map of weights", true},
	} {
		_, err := ParseWeights("w.yaml", []byte(x.text))
		require.ErrorContains(t, err, x.says, x.text)
		require.Equal(t, x.schema, x.text != "scenario: resp-psn-check\nlost: .nan" && fits(t, schema, x.text) != nil, x.text)
	}
	_, err := ParseWeights("w.yaml", []byte("scenario: mix\nparts: {valid: 1}\nparts: {valid: 1}"))
	require.ErrorContains(t, err, "parts")
	_, err = ParseWeights("w.yaml", []byte("scenario: resp-psn-check\nservice:\n  RC: 1\n  RC: 2\n"))
	require.ErrorContains(t, err, "w.yaml:4: RC of service is there twice")
	_, err = ParseWeights("w.yaml", []byte("scenario: mix\n---\nscenario: mix\n"))
	require.ErrorContains(t, err, "w.yaml:2: a second document begins")
	_, err = ReadWeights(filepath.Join(t.TempDir(), "none.yaml"))
	require.ErrorContains(t, err, "none.yaml")
	s, err := Lookup("vcrc")
	require.NoError(t, err)
	w, err := ParseWeights("w.yaml", []byte("scenario: mix\npayload: [0, 9]"))
	require.NoError(t, err)
	require.ErrorContains(t, NewGenerator(s, 1).SetWeights(w), "for scenario mix, not vcrc")
}
