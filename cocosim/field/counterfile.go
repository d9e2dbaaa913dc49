package field

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Compared is a counter that was read beside what the capture says it rose by.
type Compared struct {
	Name     string `json:"name"`
	Read     uint64 `json:"read"`
	Expected uint64 `json:"expected"`
	Told     bool   `json:"told"` // by the capture; else Expected is 0
	Remark   string `json:"remark,omitempty"`
}

// Capture is what the capture says, for people.
func (c *Compared) Capture() string {
	if !c.Told {
		return "-"
	}
	return fmt.Sprint(c.Expected)
}

// ReadCounters reads counters from one file, or from two as what they rose by. A file is what `rdma statistic` or
// `ethtool -S` printed, as text or (-j) JSON; of several devices or ports in it the values are added up.
func ReadCounters(files []string) (map[string]uint64, error) {
	if len(files) > 2 {
		return nil, fmt.Errorf("--counters: %d files; one, or two for before and after", len(files))
	}
	var read []map[string]uint64
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		m := parseCounters(text)
		if len(m) == 0 {
			return nil, fmt.Errorf("%s: no counters in it (rdma statistic show, or ethtool -S DEV)", name)
		}
		read = append(read, m)
	}
	if len(read) == 1 {
		return read[0], nil
	}
	for name, v := range read[0] {
		if after, has := read[1][name]; has {
			read[1][name] = after - v
		}
	}
	return read[1], nil
}

var counterText = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9_]*)(?::\s*|\s+)(\d+)(?:\s|$)`)

// parseCounters finds NAME VALUE (rdma statistic), NAME: VALUE (ethtool -S) and "NAME": VALUE (JSON).
func parseCounters(text []byte) map[string]uint64 {
	m := map[string]uint64{}
	var list []map[string]any
	if json.Unmarshal(text, &list) == nil {
		for _, link := range list {
			for name, v := range link {
				if n, is := v.(float64); is && name != "ifindex" && name != "port" {
					m[name] += uint64(n)
				}
			}
		}
		return m
	}
	for line := range strings.Lines(string(text)) {
		if _, rest, is := strings.Cut(line, "link "); is {
			_, rest, _ = strings.Cut(strings.TrimSpace(rest), " ") // the device's name
			line = rest
		}
		for _, x := range counterText.FindAllStringSubmatch(line, -1) {
			n, err := strconv.ParseUint(x[2], 10, 64)
			if err == nil {
				m[x[1]] += n
			}
		}
	}
	return m
}

// Compare holds counters that were read against what the capture says of the host: those of every driver whose names
// are among them.
func (h *Host) Compare(read map[string]uint64) []Compared {
	var list []Compared
	for _, driver := range driversOf(read) {
		for _, c := range h.Counters(driver) {
			v, has := read[c.Name]
			if !has {
				continue
			}
			x := Compared{Name: c.Name, Read: v, Told: c.Told(), Expected: c.Value}
			switch {
			case !x.Told:
				x.Remark = c.Why
			case v == c.Value:
				x.Remark = "equal"
			case v > c.Value:
				x.Remark = fmt.Sprintf("%d more than the capture shows: frames that it lost, other queue pairs, or other times",
					v-c.Value)
			default:
				x.Remark = fmt.Sprintf("%d fewer than the capture shows", c.Value-v)
			}
			if c.Near != "" && x.Told && v != c.Value {
				x.Remark += "; " + c.Near
			}
			list = append(list, x)
		}
	}
	return list
}

// driversOf is the driver that has most of the names.
func driversOf(read map[string]uint64) []string {
	best, most := "", 0
	for _, driver := range CounterNames {
		n := 0
		for _, c := range new(Host).Counters(driver) {
			if _, has := read[c.Name]; has {
				n++
			}
		}
		if n > most {
			best, most = driver, n
		}
	}
	if best == "" {
		return nil
	}
	return []string{best}
}
