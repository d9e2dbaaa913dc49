// Package forecast says how much a workload comes to in hca_rx and when: by the timed model of model/hca/timed, and, to
// judge that, by simulated RTL with the same stimulus. docs/predict.md has the fields of a workload.
package forecast

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"hcacosim/cocosim"
	"hcacosim/model/hca"
	"hcacosim/model/hca/timed"
	"hcacosim/model/wire"
)

// Workload is what peers send, and what hca_rx is set to. It says all that decides the result.
type Workload struct {
	Name      string  `yaml:"name" json:"name"`
	ClockMHz  float64 `yaml:"clock_mhz" json:"clock_mhz"`
	DataWidth int     `yaml:"data_width" json:"data_width"` // bits of a beat; 512
	NumQPs    int     `yaml:"num_qps" json:"num_qps"`       // places for QPs in the adapter; 4096
	Seed      uint64  `yaml:"seed" json:"seed"`
	Messages  int     `yaml:"messages" json:"messages"`
	QPs       int     `yaml:"qps" json:"qps"`
	Encap     string  `yaml:"encap" json:"encap"`
	VLANs     int     `yaml:"vlans" json:"vlans"` // tags of an Ethernet frame: 0 to 2
	PMTU      int     `yaml:"pmtu" json:"pmtu"`
	// Order is in which order QPs send: "round-robin" or "random".
	Order string `yaml:"order" json:"order"`
	// Interleave sends packets of messages of several QPs in turn; else a message is sent whole.
	Interleave bool `yaml:"interleave" json:"interleave"`
	// Reads is how many READs and atomics a QP has under way at most.
	Reads int   `yaml:"reads" json:"reads"`
	Mix   []Mix `yaml:"mix" json:"mix"`
	// Load is the share of the beats of s_axis that frames take, above 0 to 1; Burst is how many frames come
	// back to back.
	Load  float64 `yaml:"load" json:"load"`
	Burst int     `yaml:"burst" json:"burst"`
	// Damaged is the share of frames that come once with a bit wrong, before they come as they are.
	Damaged float64 `yaml:"damaged" json:"damaged"`
	// Strangers is how many frames for a QP that is not there come before each frame, on average.
	Strangers float64 `yaml:"strangers" json:"strangers"`
	// Backpressure and Idle are those of `cosim run`: docs/bridge.md.
	Backpressure float64 `yaml:"backpressure" json:"backpressure"`
	Idle         float64 `yaml:"idle" json:"idle"`
	Host         Host    `yaml:"host" json:"host"`
	// Queues are depths that differ from those of hca_rx, by name: what if.
	Queues map[string]int `yaml:"queues" json:"queues,omitempty"`
}

// Mix is a kind of message.
type Mix struct {
	Op    string `yaml:"op" json:"op"`       // "send", "write", "read", "fetch-add" or "cmp-swap"
	Bytes int    `yaml:"bytes" json:"bytes"` // of a message; an atomic has 8, whatever it says
	Share int    `yaml:"share" json:"share"` // of all messages, against the other shares
	// Ack is what asks for an ACK: "last" packet of a message, "every" packet, or "none". A READ or atomic is answered
	// whatever it says.
	Ack string `yaml:"ack" json:"ack"`
}

// Host is the latency of memory outside the adapter: docs/predict.md, "Host and memory".
type Host struct {
	PCIeReadNs         float64 `yaml:"pcie_read_ns" json:"pcie_read_ns"`
	ContextMissNs      float64 `yaml:"context_miss_ns" json:"context_miss_ns"`
	ContextEntries     int     `yaml:"context_entries" json:"context_entries"`
	TranslationMissNs  float64 `yaml:"translation_miss_ns" json:"translation_miss_ns"`
	TranslationEntries int     `yaml:"translation_entries" json:"translation_entries"`
	// ReadNs is from a piece of a READ, or the read of an atomic, to what memory gives; WriteNs from a write to its
	// acknowledgement.
	ReadNs  float64 `yaml:"read_ns" json:"read_ns"`
	WriteNs float64 `yaml:"write_ns" json:"write_ns"`
}

// The choices of fields that have some.
var (
	encaps = map[string]wire.Encap{"rocev1": wire.EncapRoCEv1, "rocev2-ipv4": wire.EncapRoCEv2IPv4,
		"rocev2-ipv6": wire.EncapRoCEv2IPv6, "ib-local": wire.EncapIBLocal, "ib-global": wire.EncapIBGlobal}
	orders = []string{"round-robin", "random"}
	ops    = []string{"send", "write", "read", "fetch-add", "cmp-swap"}
	acks   = []string{"last", "every", "none"}
)

const (
	mostMessages = 1_000_000
	mostBytes    = 1 << 20   // of a message: what a receive WQE of hca_rx holds
	mostTraffic  = 256 << 20 // bytes of all messages: they are held in memory
)

// Default is a workload of which a file needs to name the mix only.
func Default() *Workload {
	return &Workload{ClockMHz: 250, DataWidth: 512, NumQPs: 4096, Seed: 1, Messages: 2000, QPs: 16, Encap: "rocev2-ipv4",
		PMTU: 1024, Order: "round-robin", Load: 1, Burst: 1, Reads: hca.HcaRxReplaySlots,
		Host: Host{ReadNs: 1000, WriteNs: 1000}}
}

// Read reads a workload from a file. An error names the file, the line, the field and the reason.
func Read(file string) (*Workload, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	w, err := Parse(text)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%s%v", file, err)
	}
	return w, nil
}

// problem is what is wrong with a field, and where: ":12: mix[0].bytes: ...".
type problem struct {
	line  int
	field string
	why   string
}

func (p *problem) Error() string {
	at := ""
	if p.line > 0 {
		at = ":" + strconv.Itoa(p.line)
	}
	if p.field == "" {
		return at + ": " + p.why
	}
	return at + ": " + p.field + ": " + p.why
}

// Parse reads a workload. What is wrong begins with a colon and the line, to stand behind a file's name.
func Parse(text []byte) (*Workload, error) {
	w := Default()
	if err := decode(text, w); err != nil {
		return nil, err
	}
	for i := range w.Mix {
		if w.Mix[i].Ack == "" {
			w.Mix[i].Ack = "last"
		}
	}
	if p := w.check(); p != nil {
		p.line = lineOf(text, p.field)
		return nil, p
	}
	return w, nil
}

// decode reads YAML whose fields are all known.
func decode(text []byte, into any) error {
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	dec.KnownFields(true)
	err := dec.Decode(into)
	if errors.Is(err, io.EOF) {
		return &problem{line: 1, why: "the file is empty"}
	}
	if err == nil {
		if dec.Decode(new(yaml.Node)) != io.EOF {
			return &problem{why: "a second document follows the first; a file is one workload"}
		}
		return nil
	}
	return asProblem(err)
}

// yamlLine is how the YAML reader names a line.
var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

// asProblem is the first thing that the YAML reader did not like.
func asProblem(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var typed *yaml.TypeError
	if errors.As(err, &typed) && len(typed.Errors) > 0 {
		text = typed.Errors[0]
	}
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[1])
		return &problem{line: line, why: strings.NewReplacer(" in type forecast.Workload", "", " in type forecast.Mix", "",
			" in type forecast.Host", "", " in type forecast.Ranges", "").Replace(m[2])}
	}
	return &problem{why: text}
}

// lineOf is the line that a field stands in; of one that is left out that of what it would be in; 0 where nothing says.
func lineOf(text []byte, field string) int {
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil || len(doc.Content) == 0 {
		return 0
	}
	at, line := doc.Content[0], 1
	for _, name := range strings.FieldsFunc(field, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		next := child(at, name)
		if next == nil {
			break
		}
		at, line = next, next.Line
	}
	return line
}

// child is the value of a field of a mapping, or the element of a list.
func child(n *yaml.Node, name string) *yaml.Node {
	if i, err := strconv.Atoi(name); err == nil && n.Kind == yaml.SequenceNode && i < len(n.Content) {
		return n.Content[i]
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// clocksOf are whole clocks that cover a time.
func (w *Workload) clocksOf(ns float64) uint64 { return uint64(math.Ceil(ns * w.ClockMHz / 1000)) }

// timing is the host in clocks.
func (w *Workload) timing() timed.Host {
	h := &w.Host
	return timed.Host{ContextEntries: uint32(h.ContextEntries), TranslationEntries: uint32(h.TranslationEntries),
		ContextMiss:     w.clocksOf(h.PCIeReadNs + h.ContextMissNs),
		TranslationMiss: w.clocksOf(h.PCIeReadNs + h.TranslationMissNs)}
}

// AsBuilt reports whether the workload asks for what the RTL is: nothing waits for the host's memory, and queues are as
// deep as they are.
func (w *Workload) AsBuilt() bool {
	return w.Host.ContextEntries == 0 && w.Host.TranslationEntries == 0 && len(w.Queues) == 0
}

// model is how the timed model is made.
func (w *Workload) model() timed.Config {
	sizes := timed.Queues()
	queues := map[string]timed.Size{}
	for name, depth := range w.Queues {
		queues[name] = timed.Size{Latency: sizes[name].Latency, Depth: depth}
	}
	return timed.Config{DataWidth: w.DataWidth, NumQPs: uint32(w.NumQPs), Host: w.timing(), Held: Held(w.config()),
		Queues: queues}
}

// isAtomic reports whether a message is a CMP & SWAP or a FETCH & ADD.
func (m *Mix) isAtomic() bool { return m.Op == "fetch-add" || m.Op == "cmp-swap" }

// asks reports whether a message is a READ or an atomic.
func (m *Mix) asks() bool { return m.Op == "read" || m.isAtomic() }

// Name is what a message is called.
func (m *Mix) Name() string {
	if m.isAtomic() {
		return m.Op
	}
	return fmt.Sprintf("%s of %d", m.Op, m.Bytes)
}

// Bytes are those of all messages, about.
func (w *Workload) Bytes() (n float64) {
	shares := 0
	for _, m := range w.Mix {
		shares += m.Share
		n += float64(m.Share) * float64(m.Bytes)
	}
	return n * float64(w.Messages) / float64(max(1, shares))
}

// String says in a line what is special about it.
func (w *Workload) String() string {
	var mix []string
	for _, m := range w.Mix {
		switch {
		case m.isAtomic():
			mix = append(mix, fmt.Sprintf("%d x %s", m.Share, m.Op))
		case m.Op == "read":
			mix = append(mix, fmt.Sprintf("%d x read of %d", m.Share, m.Bytes))
		default:
			mix = append(mix, fmt.Sprintf("%d x %s of %d, ACK %s", m.Share, m.Op, m.Bytes, m.Ack))
		}
	}
	return fmt.Sprintf("%d QPs, %s, PMTU %d, %s: %s", w.QPs, w.Encap, w.PMTU, w.Order, strings.Join(mix, "; "))
}

// pmtuCode is the code of resp_psn_check for a path MTU; 0 is none.
func pmtuCode(pmtu int) uint8 {
	for code := uint8(1); code <= 5; code++ {
		if 128<<code == pmtu {
			return code
		}
	}
	return 0
}
