package propose

import (
	"regexp"
	"slices"
	"strings"
)

// role is what a pin is to its port.
type role string

const (
	data   role = "data"
	keep   role = "keep"
	last   role = "last"
	user   role = "user"
	valid  role = "valid"
	ready  role = "ready"
	start  role = "start of packet"
	length role = "length"
	empty  role = "empty"
	dest   role = "routing"
)

// roles are the words by which pins are known; the longest that fits the end of a name decides.
var roles = map[string]role{
	"tdata": data, "data": data, "dat": data, "tkeep": keep, "keep": keep, "tstrb": keep, "strb": keep, "be": keep,
	"tlast": last, "last": last, "eop": last,
	"eof": last, "tuser": user, "user": user, "tvalid": valid, "valid": valid, "vld": valid, "dv": valid, "tready": ready,
	"ready": ready, "rdy": ready,
	"sop": start, "sof": start, "len": length, "length": length, "empty": empty, "mod": empty, "tid": dest, "tdest": dest,
}

// glued are the words that are known without a separator before them: RXDATA.
var glued = []string{"tdata", "tkeep", "tstrb", "tlast", "tuser", "tvalid", "tready", "valid", "ready", "data", "keep",
	"last", "user"}

var camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// words are the parts of a pin's name in lower case, without those that say its direction.
func words(name string) []string {
	if name != strings.ToUpper(name) {
		name = camel.ReplaceAllString(name, "${1}_$2")
	}
	list := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '$' })
	if n := len(list); n > 1 && slices.Contains([]string{"i", "o", "in", "out"}, list[n-1]) {
		list = list[:n-1]
	}
	if len(list) > 1 && (list[0] == "i" || list[0] == "o") {
		list = list[1:]
	}
	return list
}

// classify splits a pin's name into the stem that names its port and its role there; role is "" where there is none.
func classify(name string) (stem string, r role) {
	list := words(name)
	if len(list) == 0 {
		return "", ""
	}
	tail := list[len(list)-1]
	if r, ok := roles[tail]; ok {
		return strings.Join(list[:len(list)-1], "_"), r
	}
	for _, g := range glued {
		if rest, ok := strings.CutSuffix(tail, g); ok && rest != "" {
			return strings.Join(append(slices.Clone(list[:len(list)-1]), rest), "_"), roles[g]
		}
	}
	return strings.Join(list, "_"), ""
}

var (
	clockName = regexp.MustCompile(`(?i)(^|_)(a?clk|clock|ck|aclk)(_|\d|$)|clk`)
	resetName = regexp.MustCompile(`(?i)rst|reset|clear|(^|_)(clr|por)(_|$)`)
	lowName   = regexp.MustCompile(`(?i)(_n|_ni|_n_i|_b|_l|rstn|resetn|nrst|nreset|rst_x|_bar)(_i)?$|^n_?(rst|reset)`)
)

// axiLite are the words of a register bus.
var axiLite = []string{"awaddr", "awvalid", "awready", "awprot", "wdata", "wstrb", "wvalid", "wready", "bvalid",
	"bready", "bresp", "araddr", "arvalid",
	"arready", "arprot", "rdata", "rvalid", "rready", "rresp"}

// busRole is a pin of an AXI4-Lite bus: the stem of the bus and the role, or "".
func busRole(name string) (stem, r string) {
	list := words(name)
	if len(list) == 0 {
		return "", ""
	}
	tail := list[len(list)-1]
	for _, w := range axiLite {
		if tail == w {
			return strings.Join(list[:len(list)-1], "_"), w
		}
	}
	return "", ""
}

// plainRoles are the words of a plain register bus.
var plainRoles = map[string]string{"addr": "address", "address": "address", "wdata": "wdata", "writedata": "wdata",
	"wr": "write", "write": "write", "we": "write",
	"wen": "write", "rd": "read", "read": "read", "re": "read", "rdata": "rdata", "readdata": "rdata", "ack": "ack"}

func plainRole(name string) (stem, r string) {
	list := words(name)
	tail := list[len(list)-1]
	if r, ok := plainRoles[tail]; ok && len(list) > 1 {
		return strings.Join(list[:len(list)-1], "_"), r
	}
	return "", ""
}

// means guesses what a bit of a verdict says from its name; "" where its name says nothing.
func means(field string) string {
	for _, w := range words(field) {
		switch w {
		case "ok", "good", "pass", "passed", "match":
			return "good"
		case "bad", "err", "error", "fail", "failed", "mismatch":
			return "bad"
		}
	}
	return ""
}
