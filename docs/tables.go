package docs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Field is a field of a record: a row of a document's table, or a part of one ("| 11, 12 | se, mig_req |").
type Field struct {
	Name      string
	Low, High int
}

func (f Field) String() string { return fmt.Sprintf("%s %d:%d", f.Name, f.High, f.Low) }

// Table is a table of a document whose first two columns are bits and fields.
type Table struct {
	Before string // the text since the table before it, the head of the table included
	Fields []Field
}

var tableHead = regexp.MustCompile(`^\|[^|]*\bbits \| field \|`)

// Tables reads the tables of a document.
func Tables(text string) (tables []Table, err error) {
	var before strings.Builder
	inTable := false
	for line := range strings.Lines(text) {
		switch {
		case tableHead.MatchString(line):
			before.WriteString(line)
			tables = append(tables, Table{Before: before.String()})
			before.Reset()
			inTable = true
		case !inTable:
			before.WriteString(line)
		case !strings.HasPrefix(line, "|"):
			inTable = false
		case !strings.HasPrefix(line, "|---"):
			fields, err := tableRow(line)
			if err != nil {
				return nil, err
			}
			t := &tables[len(tables)-1]
			t.Fields = append(t.Fields, fields...)
		}
	}
	return tables, nil
}

// tableRow reads a row: "| 23:16 | opcode |", "| 7 | cut |", or bits and fields as lists.
func tableRow(line string) (fields []Field, err error) {
	cells := strings.Split(line, "|")
	if strings.TrimSpace(cells[1]) == "" { // more about the field above
		return nil, nil
	}
	places, names := strings.Split(cells[1], ","), strings.Split(cells[2], ",")
	if len(places) != len(names) {
		return nil, fmt.Errorf("%d places and %d names: %s", len(places), len(names), line)
	}
	for i, place := range places {
		high, low, isRange := strings.Cut(strings.TrimSpace(place), ":")
		if !isRange {
			low = high
		}
		f := Field{Name: strings.TrimSpace(names[i])}
		if f.High, err = strconv.Atoi(high); err != nil {
			return nil, err
		}
		if f.Low, err = strconv.Atoi(low); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	return fields, nil
}
