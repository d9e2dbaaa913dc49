package field

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
)

// Lesson is a field of the profile that explains something.
type Lesson struct {
	Field   string         `json:"field"`
	Value   any            `json:"value"`
	Solves  []flow.Finding `json:"solves"` // findings that are none with it
	Remain  int            `json:"remain"` // findings after it
	Another []string       `json:"another,omitempty"`
	Meaning string         `json:"meaning"`

	back bool // to what the specification says
}

// better reports whether a field explains more, or as much by something that a device does instead of by judging less:
// what a profile states and the specification leaves open.
func (l *Lesson) better(than *Lesson) bool {
	if l.Remain != than.Remain {
		return l.Remain < than.Remain
	}
	return than.back && !l.back
}

// Judge judges captures by a profile and lists all findings.
type Judge func(p roce.Profile) ([]flow.Finding, error)

// Learn looks for the fewest fields of a profile that explain captures: it takes the field that explains most, then the
// one that explains most of the rest, until nothing is left or no field helps. all reports whether nothing is left. A
// field is tried with the values that the profiles with a name have for it.
func Learn(base roce.Profile, judge Judge) (lessons []Lesson, rest []flow.Finding, err error) {
	p := base
	rest, err = judge(p)
	for err == nil && len(rest) > 0 {
		best, ok := Lesson{}, false
		var bestRest []flow.Finding
		for _, d := range roce.Deviations {
			for _, value := range valuesOf(p, d.Field) {
				left, bad := judge(with(p, d.Field, value))
				if bad != nil {
					return lessons, rest, bad
				}
				l := Lesson{Field: d.Field, Value: value.Interface(), Remain: len(left), Meaning: meaning(&d, value),
					back: value.IsZero()}
				switch {
				case len(left) >= len(rest) || ok && !l.better(&best) && l.Remain != best.Remain:
				case !ok || l.better(&best):
					if ok && l.Remain == best.Remain {
						l.Another = append(best.Another, best.Field)
					}
					best, bestRest, ok = l, left, true
				case best.Field != l.Field:
					best.Another = append(best.Another, l.Field)
				}
			}
		}
		if !ok {
			break
		}
		best.Solves = less(rest, bestRest)
		lessons, rest = append(lessons, best), bestRest
		p = with(p, best.Field, reflect.ValueOf(best.Value))
	}
	return lessons, rest, err
}

// less are the findings of a list that another does not have.
func less(a, b []flow.Finding) []flow.Finding {
	return slices.DeleteFunc(slices.Clone(a), func(x flow.Finding) bool {
		return slices.ContainsFunc(b, func(y flow.Finding) bool { return x.Packet == y.Packet && x.Rule == y.Rule })
	})
}

// valuesOf are the values that a field has in some profile and not in this one.
func valuesOf(p roce.Profile, field string) (list []reflect.Value) {
	have := reflect.ValueOf(p).FieldByName(field)
	seen := map[any]bool{have.Interface(): true}
	try := func(v reflect.Value) {
		if !seen[v.Interface()] {
			seen[v.Interface()] = true
			list = append(list, v)
		}
	}
	for _, other := range []roce.Profile{roce.Spec, roce.Rxe, roce.Qib, roce.ConnectX} {
		try(reflect.ValueOf(other).FieldByName(field))
	}
	if have.Kind() == reflect.Bool {
		try(reflect.ValueOf(!have.Bool()))
	}
	return list
}

func with(p roce.Profile, field string, value reflect.Value) roce.Profile {
	reflect.ValueOf(&p).Elem().FieldByName(field).Set(value)
	return p
}

// meaning is what the field's value says, in words.
func meaning(d *roce.Deviation, value reflect.Value) string {
	answer := d.Else
	if value.IsZero() {
		answer = d.Spec
	}
	return fmt.Sprintf("%s (%s): %s", d.What, d.Rule, answer)
}

// LearntYAML is the profile file that says what was learnt.
func LearntYAML(base string, lessons []Lesson) string {
	var b strings.Builder
	fmt.Fprintf(&b, "base: %s\n", base)
	for _, l := range slices.SortedFunc(slices.Values(lessons), func(a, b Lesson) int {
		return cmp.Compare(a.Field,
			b.Field)
	}) {
		fmt.Fprintf(&b, "%s: %v\n", l.Field, l.Value)
	}
	return b.String()
}
