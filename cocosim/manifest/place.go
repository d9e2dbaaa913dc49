package manifest

import (
	"errors"
	"fmt"
	"hcacosim/cocosim"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	yamlLine    = regexp.MustCompile(`line (\d+): `)
	yamlUnknown = regexp.MustCompile(`field (\S+) not found in type (?:cocosim|manifest)\.(\w+)`)
	yamlType    = regexp.MustCompile("cannot unmarshal !!(\\w+) (?:`(.*)` )?into (\\S+)")
)

// yamlError turns the first complaint of the YAML package into one line with its place.
func (m *Manifest) yamlError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var many *yaml.TypeError
	if errors.As(err, &many) {
		text = many.Errors[0]
	}
	line := 1
	if at := yamlLine.FindStringSubmatch(text); at != nil {
		line, _ = strconv.Atoi(at[1])
		text = strings.Replace(text, at[0], "", 1)
	}
	if strings.HasPrefix(text, "did not find expected") { // the YAML parser, unlike its scanner, counts lines from 0
		line++
	}
	if u := yamlUnknown.FindStringSubmatch(text); u != nil {
		return m.ErrorAt(line, "use only "+strings.Join(keysOf(u[2]), ", "), "unknown key %q", u[1])
	}
	if t := yamlType.FindStringSubmatch(text); t != nil {
		return m.ErrorAt(line, "", "expected %s, found %s %q", plainType(t[3]), t[1], t[2])
	}
	if text == "EOF" {
		return m.ErrorAt(1, "start from one of the manifests under rtl/", "the manifest is empty")
	}
	return m.ErrorAt(line, "", "%s", text)
}

// keysOf lists the keys that a type of the manifest takes.
func keysOf(name string) []string {
	var keys []string
	for _, v := range []any{Manifest{}, ResetPin{}, Port{}, Pins{}, Field{}, ConfigPin{}, cocosim.Window{}, ClockPin{},
		Setup{}, SetupStep{}, Compare{}, Length{}, Accepts{},
		Range{}} {
		t := reflect.TypeOf(v)
		for i := 0; t.Name() == name && i < t.NumField(); i++ {
			if key := t.Field(i).Tag.Get("yaml"); key != "" {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func plainType(t string) string {
	switch {
	case strings.HasPrefix(t, "int"), strings.HasPrefix(t, "uint"):
		return "a number"
	case t == "bool":
		return "true or false"
	case t == "string":
		return "a text"
	case strings.HasPrefix(t, "[]"):
		return "a list"
	}
	return "a group of keys"
}

// ErrorAt is an error at a line of the manifest.
func (m *Manifest) ErrorAt(line int, do, format string, args ...any) error {
	return &cocosim.Error{Exit: cocosim.BadInput, What: fmt.Sprintf("%s:%d: ", m.path, line) + fmt.Sprintf(format,
		args...), Do: do}
}

// Line finds where a value stands: keys are strings, list items ints. Of a path that does not exist, the part that
// does.
func (m *Manifest) Line(at ...any) int {
	if m.root == nil || len(m.root.Content) == 0 {
		return 1
	}
	n, line := m.root.Content[0], 1
	for _, step := range at {
		next := nodeAt(n, step)
		if next == nil {
			return line
		}
		n, line = next, next.Line
	}
	return line
}

func nodeAt(n *yaml.Node, step any) *yaml.Node {
	switch s := step.(type) {
	case int:
		if n.Kind == yaml.SequenceNode && s < len(n.Content) {
			return n.Content[s]
		}
	case string:
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == s {
				return n.Content[i+1]
			}
		}
	}
	return nil
}
