// Package strict reads YAML of which every key must be known.
package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// unknown is how the YAML reader says that nothing takes a key.
var unknown = regexp.MustCompile(`^(line \d+): field (.*) not found in type .*`)

// Decode reads one document into what is pointed to. Of several things that are wrong its error names the first, by
// its line, and counts the others. A second document is an error: nobody would read it. A file that is empty is io.EOF.
func Decode(text []byte, into any) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	err := dec.Decode(into)
	var wrong *yaml.TypeError
	if err == nil {
		return OnlyOne(dec)
	}
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if !errors.As(err, &wrong) || len(wrong.Errors) == 0 {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	first := unknown.ReplaceAllString(wrong.Errors[0], `$1: unknown key "$2"`)
	if more := len(wrong.Errors) - 1; more > 0 {
		return fmt.Errorf("%s, and %d more that are wrong", first, more)
	}
	return errors.New(first)
}

// OnlyOne is an error if another document follows.
func OnlyOne(dec *yaml.Decoder) error {
	var second yaml.Node
	if dec.Decode(&second) == io.EOF {
		return nil
	}
	if len(second.Content) > 0 {
		return fmt.Errorf("line %d: a second document begins; a file has one", second.Content[0].Line)
	}
	return errors.New("a second document begins; a file has one")
}
