// Package strict reads YAML of which every key must be known.
package strict

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// unknown is how the YAML reader says that nothing takes a key.
var unknown = regexp.MustCompile(`^(line \d+): field (.*) not found in type .*`)

// Decode reads one document into what is pointed to. Of several things that are wrong its error names the first, by
// its line, and counts the others. A file that is empty is io.EOF.
func Decode(text []byte, into any) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	err := dec.Decode(into)
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) || len(wrong.Errors) == 0 {
		return err
	}
	first := unknown.ReplaceAllString(wrong.Errors[0], `$1: unknown key "$2"`)
	if more := len(wrong.Errors) - 1; more > 0 {
		return fmt.Errorf("%s, and %d more that are wrong", first, more)
	}
	return errors.New(first)
}
