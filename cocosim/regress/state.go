package regress

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hcacosim/cocosim/verilated"
)

// State is what a regression did to the registers of a device, at all sizes together.
type State struct {
	Dut     string
	Runs    int
	Toggles verilated.Toggles
}

// States are those of all devices that were run.
type States []*State

func (s *States) of(dut string) *State {
	for _, x := range *s {
		if x.Dut == dut {
			return x
		}
	}
	x := &State{Dut: dut, Toggles: verilated.Toggles{}}
	*s = append(*s, x)
	return x
}

// Still are bits of one signal that never changed.
type Still struct {
	Signal string // path below the top; elements of an array that have the same bits still are one: mem[*]
	Bits   []int  // from the lowest; none for a signal of one bit
	Times  int    // how many elements
}

// String is the signal with its bits: count_q[11:3,1].
func (s Still) String() string {
	text := s.Signal
	if len(s.Bits) > 0 {
		text += "[" + spans(s.Bits) + "]"
	}
	if s.Times > 1 {
		text += fmt.Sprintf(", %d of them", s.Times)
	}
	return text
}

// stateName is a register or a memory, and a port of the top.
var (
	stateName = regexp.MustCompile(`(?:^|\.)\w*(?:_q\d*|mem)(?:[.\[][^ ]*)?$`)
	portName  = regexp.MustCompile(`^\w+_(?:i|o)(?:\[\d+\])?$`)
	lastIndex = regexp.MustCompile(`^(.*)\[(\d+)\]$`)
	anyIndex  = regexp.MustCompile(`\[\d+\]`)
)

// IsState reports whether a bit is one of a register, a memory or a port of the top, by the names that our RTL has. Of
// a design in which nothing is called so every bit is.
func (s *State) IsState() func(bit string) bool {
	named := func(bit string) bool { return stateName.MatchString(bit) }
	for bit := range s.Toggles {
		if named(bit) {
			return func(bit string) bool { return named(bit) || portName.MatchString(bit) }
		}
	}
	return func(string) bool { return true }
}

// few is how often a bit changes in a run that nothing has to do with: it begins with anything, and is reset.
const few = 4

// Still are the bits of state that never changed, or so seldom that it may be the beginning of the runs. Those that
// skip takes are counted apart; all is how many bits there are.
func (s *State) Still(skip func(signal string, bit int) bool) (still []Still, all, skipped int) {
	isState := s.IsState()
	bits := map[string][]int{}
	for bit, n := range s.Toggles {
		if !isState(bit) {
			continue
		}
		all++
		if n > few*uint64(s.Runs) {
			continue
		}
		name, at := bit, -1
		if m := lastIndex.FindStringSubmatch(bit); m != nil {
			name = m[1]
			at, _ = strconv.Atoi(m[2])
		}
		if skip != nil && skip(anyIndex.ReplaceAllString(name, "[*]"), at) {
			skipped++
			continue
		}
		bits[name] = append(bits[name], at)
	}
	return gather(bits), all, skipped
}

// gather puts elements of an array together that have the same bits still.
func gather(bits map[string][]int) (still []Still) {
	at := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(bits)) {
		b := bits[name]
		slices.Sort(b)
		if b[0] < 0 {
			b = nil
		}
		x := Still{Signal: anyIndex.ReplaceAllString(name, "[*]"), Bits: b, Times: 1}
		key := x.String()
		if i, ok := at[key]; ok {
			still[i].Times++
			continue
		}
		at[key] = len(still)
		still = append(still, x)
	}
	slices.SortStableFunc(still, func(a, b Still) int { return cmp.Compare(a.Signal, b.Signal) })
	return still
}

// spans writes numbers as ranges, the highest first: 11:8,3.
func spans(bits []int) string {
	var parts []string
	for i := len(bits) - 1; i >= 0; i-- {
		from := i
		for i > 0 && bits[i-1] == bits[i]-1 {
			i--
		}
		if i == from {
			parts = append(parts, strconv.Itoa(bits[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d:%d", bits[from], bits[i]))
		}
	}
	return strings.Join(parts, ",")
}
