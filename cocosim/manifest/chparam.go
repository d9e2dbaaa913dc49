package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Chparam is the Yosys command that sets the device's parameters, with what separates it from the next one; "" where
// there are none. It sets all at once: after each by itself Yosys would elaborate the design with values that do not
// belong together, and a design that checks its parameters would refuse them.
func (m *Manifest) Chparam() string {
	if len(m.Parameters) == 0 {
		return ""
	}
	var set strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
		fmt.Fprintf(&set, " -set %s %d", name, m.Parameters[name])
	}
	return fmt.Sprintf("chparam%s %s; ", &set, m.Top)
}
