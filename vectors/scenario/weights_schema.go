package scenario

import (
	"encoding/json"
	"slices"
)

// WeightsSchema is the JSON schema (2020-12) of files of weights: vectors/schema/weights.schema.json.
func WeightsSchema() []byte {
	var each []any
	for i := range scenarios {
		s := &scenarios[i]
		if all := knobsOf(s.Name); len(all) > 0 {
			properties := map[string]any{"scenario": map[string]any{"const": s.Name}}
			for _, k := range all {
				properties[k.name] = k.schema()
			}
			each = append(each, map[string]any{"properties": properties, "additionalProperties": false,
				"required": []string{"scenario"}})
		}
	}
	text, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "weights, shares and ranges of a scenario (docs/vectors.md)",
		"type":    "object",
		"oneOf":   each,
	}, "", "  ")
	if err != nil {
		panic(err)
	}
	return append(text, '\n')
}

// schema is what a knob may be set to. That a choice has a weight above 0, and that a range does not end before it
// begins, no schema of this form says.
func (k *knob) schema() map[string]any {
	whole := func(low, high int) map[string]any {
		return map[string]any{"type": "integer", "minimum": low, "maximum": high}
	}
	s := map[string]any{"description": k.what}
	switch k.kind {
	case isShare:
		s["type"], s["minimum"], s["maximum"] = "number", 0, k.most
	case isRange:
		s["type"], s["minItems"], s["maxItems"], s["items"] = "array", 2, 2, whole(k.low, k.high)
	default:
		weights := map[string]any{}
		for _, v := range slices.Sorted(slices.Values(k.values)) {
			weights[v] = whole(0, mostWeight)
		}
		s["type"], s["minProperties"], s["properties"], s["additionalProperties"] = "object", 1, weights, false
	}
	return s
}
