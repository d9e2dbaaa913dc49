package field

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hcacosim/cocosim/strict"
	"hcacosim/model/roce"
)

// profiles are the profiles that have a name.
var profiles = map[string]*roce.Profile{"spec": &roce.Spec, "rxe": &roce.Rxe, "qib": &roce.Qib,
	"connectx": &roce.ConnectX}

const profileNames = "spec, rxe, qib or connectx"

// Profile returns a profile by its name, or reads one from a YAML file: "base" names the profile that it starts from,
// "name" what it is called, and every other key is a field of roce.Profile, in any case.
//
//	base: rxe
//	GapWaits: false
//	WindowPackets: 64
func Profile(name string) (roce.Profile, error) {
	if p := profiles[name]; p != nil {
		return *p, nil
	}
	if !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
		return roce.Profile{}, fmt.Errorf("%s: not %s, nor a .yaml file", name, profileNames)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return roce.Profile{}, err
	}
	p, err := readProfile(text)
	if err != nil {
		return p, fmt.Errorf("%s: %w", name, err)
	}
	if p.Name == "" || profiles[p.Name] != nil {
		p.Name = name
	}
	return p, nil
}

// readProfile reads the YAML of a profile.
func readProfile(text []byte) (p roce.Profile, err error) {
	var doc yaml.Node
	if err := strict.Decode(text, &doc); err != nil && !errors.Is(err, io.EOF) {
		return p, err
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return p, errors.New("not a list of KEY: VALUE")
	}
	pairs := doc.Content[0].Content
	p = roce.Spec
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i].Value == "base" {
			base := profiles[pairs[i+1].Value]
			if base == nil {
				return p, fmt.Errorf("line %d: base %q is not %s", pairs[i+1].Line, pairs[i+1].Value, profileNames)
			}
			p = *base
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i].Value == "base" {
			continue
		}
		field := fieldOf(&p, pairs[i].Value)
		if !field.IsValid() {
			return p, fmt.Errorf("line %d: no field %q (did you mean %s?)", pairs[i].Line, pairs[i].Value,
				nearest(pairs[i].Value, profileFields()))
		}
		if err := pairs[i+1].Decode(field.Addr().Interface()); err != nil {
			return p, fmt.Errorf("line %d: %s: %q is not a %s", pairs[i+1].Line, pairs[i].Value, pairs[i+1].Value, field.Kind())
		}
	}
	return p, nil
}

// fieldOf finds a field by its name in any case.
func fieldOf(p *roce.Profile, name string) reflect.Value {
	return reflect.ValueOf(p).Elem().FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
}

func profileFields() []string {
	list := []string{"base", "Name"}
	for _, d := range roce.Deviations {
		list = append(list, d.Field)
	}
	return list
}

// nearest is the word of a list that a misspelt one is most like.
func nearest(word string, list []string) string {
	return slices.MinFunc(list, func(a, b string) int { return Distance(word, a) - Distance(word, b) })
}

// Distance is how many letters must be put in, taken out or changed.
func Distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
