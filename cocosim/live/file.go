package live

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"hcacosim/cocosim"
	"hcacosim/cocosim/strict"
	"hcacosim/model/wire"
)

// File is a session as its YAML file says it: docs/live.md has every key with its unit.
type File struct {
	MAC     MAC      `yaml:"mac"`
	Address Address  `yaml:"address"`
	Profile string   `yaml:"profile"` // of the model and of its judge; "" is spec
	PKeys   []uint16 `yaml:"pkeys"`   // none: FFFFh
	Peer    Peer     `yaml:"peer"`
	QPs     []QP     `yaml:"qps"`
	Regions []Region `yaml:"regions"`
	End     End      `yaml:"end"`
	Loss    Loss     `yaml:"loss"`

	path string
	root yaml.Node // for the line numbers of messages
}

// Peer is who is at the other end of every QP. Without a MAC it is asked for.
type Peer struct {
	Address Address `yaml:"address"`
	MAC     MAC     `yaml:"mac"`
}

// QP is a queue pair.
type QP struct {
	Number     uint32   `yaml:"number"`
	Peer       uint32   `yaml:"peer"`
	Service    string   `yaml:"service"`     // rc or uc; "" is rc
	PMTU       uint32   `yaml:"pmtu"`        // bytes
	SendPSN    uint32   `yaml:"send_psn"`    // of our first request
	ReceivePSN uint32   `yaml:"receive_psn"` // of the peer's first request
	Timeout    uint8    `yaml:"timeout"`     // code of the transport timer, 0: off
	Retries    uint8    `yaml:"retries"`
	RNRRetries uint8    `yaml:"rnr_retries"`
	RNRTimer   uint8    `yaml:"rnr_timer"` // code that our RNR NAKs carry
	Reads      uint8    `yaml:"reads"`     // READs and atomics under way, both ways
	Window     uint32   `yaml:"window"`    // packets under way; 0: what PSN-5 allows
	SrcPort    uint16   `yaml:"src_port"`  // UDP; 0: made of both numbers
	Access     []string `yaml:"access"`    // what the peer may do: write, read, atomic
	Receives   Receives `yaml:"receives"`
	Posts      []Post   `yaml:"posts"`
}

// Receives are the receive WQEs of a QP. A used one is posted again.
type Receives struct {
	Count int    `yaml:"count"`
	Bytes uint32 `yaml:"bytes"`
	// Into is the address of the first buffer; the others follow it. Absent: buffers that nobody sees.
	Into *uint64 `yaml:"into"`
	// Expect is how many SENDs the session waits for before it is done.
	Expect uint64 `yaml:"expect"`
}

// Post is work for a send queue.
type Post struct {
	Verb   string  `yaml:"verb"` // send, write, read, fetch_add or cmp_swap
	When   string  `yaml:"when"` // start, or receive: when a SEND has come in; "" is start
	After  uint64  `yaml:"after"`
	Count  uint64  `yaml:"count"` // so many times; 0 is once
	Local  uint64  `yaml:"local"` // address of our bytes
	Bytes  uint32  `yaml:"bytes"`
	Remote uint64  `yaml:"remote"`
	Key    uint32  `yaml:"key"`
	Step   uint64  `yaml:"step"` // bytes that both addresses move by, each time
	Imm    *uint32 `yaml:"imm"`
	Add    uint64  `yaml:"add"`
	Cmp    uint64  `yaml:"compare"`
	Swap   uint64  `yaml:"swap"`
}

// Region is memory. With a key the peer may use it as access says.
type Region struct {
	Key     uint32   `yaml:"key"`
	Address uint64   `yaml:"address"`
	Bytes   uint64   `yaml:"bytes"`
	Access  []string `yaml:"access"`
	// Fill is the file that memory has its first bytes from, and Save the one that gets all of it at the end. Pattern is a
	// byte that fills what Fill does not.
	Fill    string `yaml:"fill"`
	Save    string `yaml:"save"`
	Pattern uint8  `yaml:"pattern"`
}

// Loss lets RoCE frames fall between the model and its peer, both ways.
type Loss struct {
	Percent float64 `yaml:"percent"`
	Seed    uint64  `yaml:"seed"`
}

// End says when a session ends. The peer may always end it by closing the socket between two frames.
type End struct {
	When   string  `yaml:"when"`    // closed, or done: all is posted and ended and as many SENDs as expected came
	QuietS float64 `yaml:"quiet"`   // seconds without a frame behind that, for what the peer may have to send again
	LimitS float64 `yaml:"limit"`   // seconds; 0: none
	AskS   float64 `yaml:"resolve"` // seconds that the peer has to answer what its MAC is; 0: 60
}

// MAC is an Ethernet address, as 02:00:00:00:00:0a.
type MAC [6]byte

// UnmarshalYAML reads one.
func (m *MAC) UnmarshalYAML(n *yaml.Node) error {
	b, err := net.ParseMAC(n.Value)
	if err != nil || len(b) != len(m) {
		return fmt.Errorf("line %d: %q is no MAC: write it as 02:00:00:00:00:0a", n.Line, n.Value)
	}
	copy(m[:], b)
	return nil
}

func (m MAC) String() string { return net.HardwareAddr(m[:]).String() }

// Address is an IPv4 or IPv6 address.
type Address struct{ netip.Addr }

// UnmarshalYAML reads one.
func (a *Address) UnmarshalYAML(n *yaml.Node) (err error) {
	if a.Addr, err = netip.ParseAddr(n.Value); err != nil || a.Zone() != "" {
		return fmt.Errorf("line %d: %q is no IPv4 or IPv6 address", n.Line, n.Value)
	}
	a.Addr = a.Unmap()
	return nil
}

// gid is the address as packets and the model have it: IPv4 mapped.
func (a Address) gid() wire.GID { return wire.GID(a.As16()) }

// Load reads and checks a session's file. Each override is PATH=VALUE, as in qps.0.peer=0x12; it goes before the file.
// Files that it names are relative to its directory.
func Load(path string, overrides []string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "cannot read %s: %v", path, cocosim.Cause(err))
	}
	f, err := parse(path, text, overrides)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%s: %v", path, err)
	}
	return f, nil
}

func parse(path string, text []byte, overrides []string) (*File, error) {
	f := &File{}
	if err := decode(text, f); err != nil {
		return nil, err
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	if root.Kind == 0 {
		return nil, errors.New("it is empty")
	}
	for _, o := range overrides {
		if err := override(root.Content[0], o); err != nil {
			return nil, fmt.Errorf("override %s: %w", o, err)
		}
	}
	if len(overrides) > 0 {
		again, err := yaml.Marshal(&root)
		if err != nil {
			return nil, err
		}
		f = &File{}
		if err := decode(again, f); err != nil {
			return nil, fmt.Errorf("with the overrides: %w", err)
		}
	}
	f.path, f.root = path, *root.Content[0]
	return f, f.check()
}

// decode reads what has no key that nobody knows.
func decode(text []byte, f *File) error {
	err := strict.Decode(text, f)
	if errors.Is(err, io.EOF) {
		return errors.New("it is empty")
	}
	return err
}

// override puts a value into the tree, and makes the keys on its way.
func override(n *yaml.Node, text string) error {
	path, value, ok := strings.Cut(text, "=")
	if !ok {
		return errors.New("write it as KEY=VALUE, as in qps.0.peer=0x12")
	}
	for key := range strings.SplitSeq(path, ".") {
		next, err := child(n, key)
		if err != nil {
			return err
		}
		n = next
	}
	var v yaml.Node
	if err := yaml.Unmarshal([]byte(value), &v); err != nil || len(v.Content) != 1 {
		return fmt.Errorf("%q is no YAML", value)
	}
	line := n.Line
	*n = *v.Content[0]
	n.Line = line
	return nil
}

// child is what a key of a mapping or an index of a list names.
func child(n *yaml.Node, key string) (*yaml.Node, error) {
	if n.Kind == yaml.SequenceNode {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(n.Content) {
			return nil, fmt.Errorf("%q is no index of a list of %d", key, len(n.Content))
		}
		return n.Content[i], nil
	}
	if n.Kind != yaml.MappingNode {
		*n = yaml.Node{Kind: yaml.MappingNode, Line: n.Line}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1], nil
		}
	}
	v := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line}
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key, Line: n.Line}, v)
	return v, nil
}

// line is where a path stands in the file, or the nearest thing above it.
func (f *File) line(path string) int {
	n := &f.root
	line := max(1, n.Line)
	for key := range strings.SplitSeq(path, ".") {
		if n.Kind != yaml.SequenceNode && n.Kind != yaml.MappingNode {
			break
		}
		count := len(n.Content)
		next, err := child(n, key)
		if n.Content = n.Content[:count]; err != nil {
			break
		}
		n = next
		line = max(1, n.Line)
	}
	return line
}

// beside makes a path of the file relative to the file's directory.
func (f *File) beside(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.path), path)
}
