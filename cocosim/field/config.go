package field

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hcacosim/cocosim/flow"
	"hcacosim/model/ib"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// ReadConfig reads what is known of a capture's connection: a sidecar (docs/check.md), of which every key must be
// known; the JSON of `rdma -jd resource show qp`; or what a program of perftest printed. at is what --at says; where it
// says nothing, and the file tells whose it is, at becomes that.
func ReadConfig(path, captured string, at *string) (*flow.Sidecar, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s *flow.Sidecar
	switch b := bytes.TrimSpace(text); {
	case bytes.HasPrefix(b, []byte("[")):
		s, err = fromResources(b, captured, at)
	case bytes.Contains(b, []byte("local address:")):
		s, err = fromPerftest(string(b), captured, at)
	default:
		if err := knownKeys(b); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return flow.ReadSidecar(path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Keys that captures made for this project have and that say nothing to the checker.
var idleKeys = map[string][]string{
	"": {"name", "file", "files", "config", "meta", "kernel", "description", "ip_version", "t_start_ns", "t_end_ns",
		"grh_hop_limit",
		"grh_traffic_class", "steps", "all_ops_success", "payload_pattern", "stats", "retransmit_gaps",
		"retransmit_gaps_total", "how_to_read",
		"completion_summary", "wire_log", "wire_rules", "netem", "cable", "scenario", "environment", "impairment",
		"async_events", "mtu",
		"capture", "captures", "timestamps", "provenance", "wire", "profile", "notes", "warnings", "dmesg", "rules", "host",
		"guest"},
	"end": {"gid_index", "lkey", "async_events", "hw_counters_delta", "mw_type", "gid", "state", "port", "hw_counters",
		"mac", "mr_access"},
}

// knownKeys holds the keys of a sidecar against what is read, so that a misspelt one is not taken for one that is
// absent.
func knownKeys(text []byte) error {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(text, &top); err != nil {
		return fmt.Errorf("not a sidecar: %w", err)
	}
	if _, made := top["stats"]; made {
		return nil // a capture's own sidecar, made by a program
	}
	if err := keysOf("", top, keysRead(reflect.TypeFor[flow.Sidecar](), idleKeys[""])); err != nil {
		return err
	}
	for _, side := range []string{"A", "B"} {
		var end map[string]json.RawMessage
		if json.Unmarshal(top[side], &end) != nil {
			continue
		}
		if err := keysOf(side+".", end, keysRead(reflect.TypeFor[flow.End](), idleKeys["end"])); err != nil {
			return err
		}
	}
	return nil
}

func keysOf(where string, have map[string]json.RawMessage, known []string) error {
	for key := range have {
		if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, key) }) {
			return fmt.Errorf("unknown key %q (did you mean %s%s?)", where+key, where, nearest(key, known))
		}
	}
	return nil
}

// keysRead are the keys that a type reads from JSON, and those that it may leave.
func keysRead(t reflect.Type, idle []string) []string {
	var list []string
	for i := range t.NumField() {
		name := t.Field(i).Name
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag != "" {
			name = tag
		}
		list = append(list, strings.ToLower(name))
	}
	return append(list, idle...)
}

// resource is one queue pair of `rdma -jd resource show qp`. Numbers are of the host that was asked.
type resource struct {
	IfName string `json:"ifname"`
	LQPN   uint32 `json:"lqpn"`
	RQPN   uint32 `json:"rqpn"`
	Type   string `json:"type"`
	RQPSN  uint32 `json:"rq-psn"`
	SQPSN  uint32 `json:"sq-psn"`
	State  string `json:"state"`
}

// fromResources finds the queue pair of a list that the capture is of.
func fromResources(text []byte, captured string, at *string) (*flow.Sidecar, error) {
	var list []resource
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("not the JSON of `rdma -jd resource show qp`: %w", err)
	}
	looked, err := lookAt(captured)
	if err != nil {
		return nil, err
	}
	var found []*flow.Sidecar
	for i := range list {
		if s := looked.match(&list[i], *at); s != nil {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("none of its %s is one that the capture shows: both lqpn and rqpn must be seen",
			plural(uint64(len(list)), "queue pair"))
	case 1:
	default:
		return nil, fmt.Errorf("%s of it are in the capture: leave one (`rdma -jd resource show qp lqpn N`)",
			plural(uint64(len(found)), "queue pair"))
	}
	if *at == "" || *at == found[0].A.IP {
		*at = "A"
	}
	return found[0], nil
}

// looked is what the first frames of a capture tell of its queue pairs.
type looked struct {
	asked map[connKey]bool
	pmtu  map[[2]addr]uint32
}

const lookFrames = 1 << 16

func lookAt(path string) (*looked, error) {
	if capture.IsStream(path) {
		return nil, errors.New("this kind of --config needs a capture in a file: addresses and PMTU are looked up in it")
	}
	in, err := capture.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	in.Decapsulate()
	l := &looked{asked: map[connKey]bool{}, pmtu: map[[2]addr]uint32{}}
	var w wire.Packet
	for range lookFrames {
		f, err := in.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return nil, err
		}
		wire.DecodeCut(f.Link, f.Data, f.OrigLen, &w)
		if w.Op == nil || w.ICRC() == wire.ICRCBad {
			continue
		}
		src, dst, _, _, _ := network(&w)
		l.asked[connKey{src: src, dst: dst, qpn: w.BTH().DestQP(), service: w.Op.Transport}] = true
		if n := uint32(len(w.Payload)); w.Op.Length == ib.WholePMTU && ib.ValidPMTU(int(n)) {
			l.pmtu[[2]addr{src, dst}] = n
		}
	}
	return l, nil
}

var serviceOf = map[string]ib.Transport{"RC": ib.RC, "UC": ib.UC}

// match makes a sidecar of a queue pair if the capture has packets to it and to its peer, between the same hosts.
func (l *looked) match(r *resource, at string) *flow.Sidecar {
	service, ok := serviceOf[r.Type]
	if !ok || r.RQPN == 0 {
		return nil
	}
	own, _ := netip.ParseAddr(at)
	for k := range l.asked {
		if k.service != service || k.qpn != r.RQPN || !l.asked[connKey{src: k.dst, dst: k.src, qpn: r.LQPN,
			service: service}] {
			continue
		}
		src := netip.AddrFrom16(k.src).Unmap()
		if own.IsValid() && src != own.Unmap() {
			continue
		}
		pmtu := max(l.pmtu[[2]addr{k.src, k.dst}], l.pmtu[[2]addr{k.dst, k.src}])
		if pmtu == 0 {
			pmtu = ib.MaxPMTU
		}
		s := &flow.Sidecar{QPType: r.Type, PathMTU: pmtu}
		s.A = flow.End{Dev: r.IfName, IP: src.String(), QPN: r.LQPN, DestQPN: r.RQPN, SQPSN: r.SQPSN, RQPSN: r.RQPSN,
			TargetState: 3}
		s.B = flow.End{IP: netip.AddrFrom16(k.dst).Unmap().String(), QPN: r.RQPN, DestQPN: r.LQPN, SQPSN: r.RQPSN,
			RQPSN: r.SQPSN, TargetState: 3}
		return s
	}
	return nil
}

var (
	perftestLine = regexp.MustCompile(`(local|remote) address:.*?QPN (0x[0-9a-fA-F]+).*?PSN (0x[0-9a-fA-F]+)` +
		`(?:.*?RKey (0x[0-9a-fA-F]+) VAddr (0x[0-9a-fA-F]+))?`)
	perftestGID  = regexp.MustCompile(`GID: ([0-9:]+)`)
	perftestMTU  = regexp.MustCompile(`Mtu\s*:\s*(\d+)`)
	perftestType = regexp.MustCompile(`Connection type\s*:\s*(\w+)`)
)

// fromPerftest reads what ib_send_bw and its like print at one host: A is that host. The first queue pair is taken.
func fromPerftest(text, captured string, at *string) (*flow.Sidecar, error) {
	s := &flow.Sidecar{QPType: "RC", PathMTU: ib.MaxPMTU}
	if m := perftestMTU.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseUint(m[1], 10, 32)
		s.PathMTU = uint32(n)
	}
	if m := perftestType.FindStringSubmatch(text); m != nil {
		s.QPType = m[1]
	}
	have := map[string]bool{}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		m := perftestLine.FindStringSubmatch(line)
		if m == nil || have[m[1]] {
			continue
		}
		have[m[1]] = true
		e := &s.A
		if m[1] == "remote" {
			e = &s.B
		}
		qpn, _ := strconv.ParseUint(m[2], 0, 32)
		start, _ := strconv.ParseUint(m[3], 0, 32)
		e.QPN, e.SQPSN, e.TargetState = uint32(qpn), uint32(start), 3
		if i+1 < len(lines) {
			e.IP = addressOfGID(lines[i+1])
		}
	}
	switch {
	case !have["local"] || !have["remote"]:
		return nil, errors.New("perftest: no line \"local address:\" with QPN and PSN, or no \"remote address:\"")
	case s.A.IP == "" || s.B.IP == "":
		return nil, errors.New("perftest: no GID under an address (use -x with a RoCE GID index)")
	}
	s.A.RQPSN, s.B.RQPSN = s.B.SQPSN, s.A.SQPSN
	if *at == "" || *at == s.A.IP {
		*at = "A"
	}
	return s, nil
}

// addressOfGID reads a GID as perftest prints it: sixteen decimal bytes.
func addressOfGID(line string) string {
	m := perftestGID.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	parts := strings.Split(m[1], ":")
	var a addr
	if len(parts) != len(a) {
		return ""
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil {
			return ""
		}
		a[i] = byte(n)
	}
	return netip.AddrFrom16(a).Unmap().String()
}
