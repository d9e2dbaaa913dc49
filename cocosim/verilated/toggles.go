package verilated

import (
	"io"
	"strings"
)

// Toggles are how often each bit of a design changed, over many runs: by the path of its signal below the top, with
// its index, as u_queue.mem[3][17].
type Toggles map[string]uint64

// ReadCoverage adds the changes in a file that a simulator of the flavour Toggle wrote (Options.Coverage). Lines and
// branches in it are left out.
func (t Toggles) ReadCoverage(file string) error { return readCounts(file, t.read) }

func (t Toggles) read(r io.Reader, name string) error {
	return eachCount(r, name, func(items string, count uint64) bool {
		if !strings.Contains(items, "\x01page\x02v_toggle") {
			return true
		}
		bit := toggledBit(items)
		t[bit] += count
		return bit != ""
	})
}

// toggledBit is the bit of a point; its instance is named from TOP on, as TOP.top.u_queue.
func toggledBit(items string) (bit string) {
	path := ""
	eachItem(items, func(key, value string) {
		switch key {
		case "o":
			bit = value
		case "h":
			path = strings.TrimPrefix(strings.TrimPrefix(value, "TOP"), ".")
		}
	})
	if _, below, inside := strings.Cut(path, "."); inside {
		bit = below + "." + bit
	}
	return bit
}
