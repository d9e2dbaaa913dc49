package cover

import (
	"bytes"
	_ "embed"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

//go:embed testdata/ucis.xsd
var ucisSchema []byte

// The parts of XML Schema that testdata/ucis.xsd uses.
type (
	schema struct {
		Root  schemaElement `xml:"element"`
		Types []schemaType  `xml:"complexType"`
	}
	schemaType struct {
		Name       string            `xml:"name,attr"`
		Mixed      bool              `xml:"mixed,attr"`
		Elements   []schemaElement   `xml:"sequence>element"`
		Attributes []schemaAttribute `xml:"attribute"`
	}
	schemaElement struct {
		Name string `xml:"name,attr"`
		Type string `xml:"type,attr"`
		Min  string `xml:"minOccurs,attr"`
		Max  string `xml:"maxOccurs,attr"`
	}
	schemaAttribute struct {
		Name string `xml:"name,attr"`
		Type string `xml:"type,attr"`
		Use  string `xml:"use,attr"`
	}
	node struct {
		XMLName  xml.Name
		Attrs    []xml.Attr `xml:",any,attr"`
		Text     string     `xml:",chardata"`
		Children []node     `xml:",any"`
	}
)

// check is what a node breaks of its type.
func (s *schema) check(n *node, typeName string) error {
	at := slices.IndexFunc(s.Types, func(t schemaType) bool { return t.Name == typeName })
	if at < 0 {
		return checkValue(n.XMLName.Local, typeName, n.Text)
	}
	t := &s.Types[at]
	if err := t.checkAttributes(n); err != nil {
		return err
	}
	if text := strings.TrimSpace(n.Text); text != "" && !t.Mixed {
		return fmt.Errorf("%s: text %q", n.XMLName.Local, text)
	}
	left := n.Children
	for _, e := range t.Elements {
		count := 0
		for len(left) > 0 && left[0].XMLName.Local == e.Name && (e.Max == "unbounded" || count < 1) {
			if err := s.check(&left[0], e.Type); err != nil {
				return fmt.Errorf("%s: %w", n.XMLName.Local, err)
			}
			left = left[1:]
			count++
		}
		if count == 0 && e.Min != "0" {
			return fmt.Errorf("%s: no %s, or in another place", n.XMLName.Local, e.Name)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("%s: %s is not allowed here", n.XMLName.Local, left[0].XMLName.Local)
	}
	return nil
}

func (t *schemaType) checkAttributes(n *node) error {
	for _, a := range n.Attrs {
		at := slices.IndexFunc(t.Attributes, func(s schemaAttribute) bool { return s.Name == a.Name.Local })
		if at < 0 {
			return fmt.Errorf("%s: attribute %s is not allowed", n.XMLName.Local, a.Name.Local)
		}
		if err := checkValue(a.Name.Local, t.Attributes[at].Type, a.Value); err != nil {
			return err
		}
	}
	for _, s := range t.Attributes {
		if s.Use == "required" && !slices.ContainsFunc(n.Attrs, func(a xml.Attr) bool { return a.Name.Local == s.Name }) {
			return fmt.Errorf("%s: no attribute %s", n.XMLName.Local, s.Name)
		}
	}
	return nil
}

func checkValue(name, kind, value string) (err error) {
	var n uint64
	var i int64
	switch kind {
	case "xs:positiveInteger":
		if _, err = fmt.Sscan(value, &n); err == nil && n == 0 {
			err = fmt.Errorf("0")
		}
	case "xs:nonNegativeInteger":
		_, err = fmt.Sscan(value, &n)
	case "xs:integer":
		_, err = fmt.Sscan(value, &i)
	case "xs:boolean":
		if value != "true" && value != "false" {
			err = fmt.Errorf("%q", value)
		}
	case "xs:dateTime":
		_, err = time.Parse("2006-01-02T15:04:05", value)
	case "xs:string":
	default:
		err = fmt.Errorf("the schema has no type %s", kind)
	}
	if err != nil {
		return fmt.Errorf("%s is no %s: %w", name, kind, err)
	}
	return nil
}

func heldAgainst(t *testing.T, s *schema, doc []byte) error {
	t.Helper()
	var root node
	require.NoError(t, xml.Unmarshal(doc, &root))
	if root.XMLName.Local != s.Root.Name {
		return fmt.Errorf("the root is %s", root.XMLName.Local)
	}
	return s.check(&root, s.Root.Type)
}

// What WriteUCIS writes of every stage keeps to the schema, and the schema refuses what does not.
func TestUCISKeepsToItsSchema(t *testing.T) {
	var s schema
	require.NoError(t, xml.Unmarshal(ucisSchema, &s))
	write := func(specs ...sim.StageSpec) *bytes.Buffer {
		var sheets []*Sheet
		for _, spec := range specs {
			o := New(&spec, nil)
			o.Begin("cosim run --dut " + spec.Name)
			sheets = append(sheets, o.Sheet)
		}
		var b bytes.Buffer
		require.NoError(t, WriteUCIS(&b, sheets))
		require.NoError(t, heldAgainst(t, &s, b.Bytes()))
		return &b
	}
	write(stages.All()...)
	b := write(stages.All()[:1]...)
	doc := b.String()
	for from, to := range map[string]string{ // each is a mistake, and found
		` coverageCount="0"`:       ``,
		`<range from="0"`:          `<range from="a"`,
		` writtenTime="`:           ` writtenAt="`,
		`<options></options>`:      ``,
		`<sourceFiles fileName=`:   `<historyNodes fileName=`,
		`<coverpoint name=`:        `<cross name=`,
		`</UCIS>`:                  `<more/></UCIS>`,
		`testStatus="true"`:        `testStatus="yes"`,
		`</contents>`:              `text</contents>`,
		`<cgId cgName=`:            `<cgId inlineCount="1" cgName=`,
		`inlineCount="1"></cgSour`: `inlineCount="0"></cgSour`,
	} {
		require.Contains(t, doc, from)
		bad := strings.Replace(doc, from, to, 1)
		if strings.HasPrefix(to, "<cross") {
			bad = strings.Replace(bad, "</coverpoint>", "</cross>", 1)
		}
		if strings.HasPrefix(to, "<historyNodes") {
			bad = strings.Replace(bad, "</sourceFiles>", "</historyNodes>", 1)
		}
		require.Error(t, heldAgainst(t, &s, []byte(bad)), "%s to %s", from, to)
	}
}
