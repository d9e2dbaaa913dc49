package verilated

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"

	"hcacosim/cocosim"
)

// Toggles are how often each bit of a design changed, over many runs: by the path of its signal below the top, with
// its index, as u_queue.mem[3][17].
type Toggles map[string]uint64

// ReadCoverage adds the changes in a file that a simulator of the flavour Toggle wrote (Options.Coverage).
func (t Toggles) ReadCoverage(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return &cocosim.Error{Exit: cocosim.BadInput, What: "cannot read coverage " + file, Err: cocosim.Cause(err)}
	}
	defer f.Close()
	return t.read(f, file)
}

func (t Toggles) read(r io.Reader, name string) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if !strings.Contains(text, "\x01page\x02v_toggle") {
			continue
		}
		bit, count, ok := parseToggle(text)
		if !ok {
			return cocosim.Errorf(cocosim.BadInput, "%s:%d: not a count of changes: %q", name, n, text)
		}
		t[bit] += count
	}
	return lines.Err()
}

// parseToggle takes a line apart, as parseCoverage does: the signal stands behind o, the instance behind h.
func parseToggle(text string) (bit string, count uint64, ok bool) {
	body, found := strings.CutPrefix(text, "C '")
	end := strings.LastIndex(body, "' ")
	if !found || end < 0 {
		return "", 0, false
	}
	count, err := strconv.ParseUint(body[end+2:], 10, 64)
	path := ""
	for _, item := range strings.Split(body[:end], "\x01") {
		key, value, _ := strings.Cut(item, "\x02")
		switch key {
		case "o":
			bit = value
		case "h": // TOP.top.u_queue
			path = strings.TrimPrefix(value, "TOP")
			path = strings.TrimPrefix(path, ".")
		}
	}
	if _, below, inside := strings.Cut(path, "."); inside {
		bit = below + "." + bit
	}
	return bit, count, err == nil && bit != ""
}
