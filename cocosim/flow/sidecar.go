package flow

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// Sidecar is what is known about a capture besides its frames: NAME.json beside NAME.a.pcap and NAME.b.pcap, or a file
// given by hand with any of the fields. docs/check.md explains them.
type Sidecar struct {
	QPType  string `json:"qp_type"`
	PathMTU uint32 `json:"path_mtu"`
	QKey    uint32 `json:"qkey"`
	A, B    End
	Ops     []Op
	Recvs   []Recv
	// Stats count the frames of the capture at each end, and Env those that were dropped when it was taken.
	Stats struct{ A, B *FrameCount }
	Env   struct {
		DroppedA *uint64 `json:"tcpdump_dropped_a"`
		DroppedB *uint64 `json:"tcpdump_dropped_b"`
	}
	unsurePMTU bool // the packets show that it is another, and not which
}

// FrameCount counts what an end sent and received.
type FrameCount struct{ Tx, Rx uint64 }

// End is one queue pair of a sidecar.
type End struct {
	Dev         string
	IP          string
	MAC         string
	QPN         uint32
	DestQPN     uint32 `json:"dest_qpn"`
	SQPSN       uint32 `json:"sq_psn"`
	RQPSN       uint32 `json:"rq_psn"`
	Timeout     *uint8 // absent: not known
	RetryCnt    *uint8 `json:"retry_cnt"`
	RNRRetry    *uint8 `json:"rnr_retry"`
	MinRNR      uint8  `json:"min_rnr_timer"`
	MaxRd       uint8  `json:"max_rd_atomic"`
	MaxDestRd   uint8  `json:"max_dest_rd_atomic"`
	MRAddr      uint64 `json:"mr_iova"`
	MRLen       uint64 `json:"mr_len"`
	RKey        uint32
	MWRKey      uint32 `json:"mw_rkey"`
	MWAddr      uint64 `json:"mw_addr"`
	MWLen       uint64 `json:"mw_len"`
	MWAccess    uint16 `json:"mw_access"`
	TargetState int    `json:"target_state"`
	FinalState  string `json:"final_qp_state"`
	// Access is the memory region's; QPAccess the queue pair's, absent: everything that its service has.
	Access   uint16
	QPAccess *uint16 `json:"qp_access"`
	PKey     *uint16 // at the queue pair's index; absent: FFFFh
}

// Op is a work request that an end was given.
type Op struct {
	Side   string
	Op     string
	Len    uint32
	Opts   string
	Remote uint64 `json:"remote_addr"`
	Init   string
	PostRC int   `json:"post_rc"` // not 0: it was refused
	Status *int  `json:"wc_status"`
	PostNS int64 `json:"t_post_ns"` // when it was posted, by the clock of the capture; 0: not known
	DoneNS int64 `json:"t_wc_ns"`   // when its completion came, likewise
	DataOK *int  `json:"data_ok"`   // 0: what came is not what the peer had
	// What the packets must carry; absent: not known.
	RKey    number
	Imm     number
	Compare number
	Swap    number `json:"swap_or_add"`
}

// number is a value as a number, or as text in any base; anything else is not known.
type number struct {
	v     uint64
	known bool
}

// UnmarshalJSON takes what makers of sidecars write: big numbers often as text.
func (n *number) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseUint(strings.Trim(string(text), `"`), 0, 64)
	*n = number{v, err == nil}
	return nil
}

// differs reports whether something else was sent than what is known.
func (n number) differs(sent uint64) bool { return n.known && n.v != sent }

// Recv is a receive WQE that an end was given.
type Recv struct {
	Side   string
	Len    uint32
	PostNS int64 `json:"t_post_ns"`
}

// ReadSidecar reads a sidecar file.
func ReadSidecar(path string) (*Sidecar, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := new(Sidecar)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: not a sidecar: %w", path, err)
	}
	if _, ok := services[s.QPType]; !ok {
		return nil, fmt.Errorf("%s: qp_type is %q, not RC, UC or UD", path, s.QPType)
	}
	if !ib.ValidPMTU(int(s.PathMTU)) {
		return nil, fmt.Errorf("%s: path_mtu %d is not 256, 512, 1024, 2048 or 4096", path, s.PathMTU)
	}
	for _, e := range []*End{&s.A, &s.B} {
		if _, err := netip.ParseAddr(e.IP); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return s, nil
}

// FindSidecar returns the sidecar beside a capture and the side that the capture was taken at, by their names.
func FindSidecar(capture string) (path, side string, ok bool) {
	for _, side := range []string{"A", "B"} {
		for _, ext := range []string{".pcap", ".pcapng"} {
			name, found := strings.CutSuffix(capture, "."+strings.ToLower(side)+ext)
			if !found {
				continue
			}
			path = name + ".json"
			if _, err := os.Stat(path); err == nil {
				return path, side, true
			}
		}
	}
	return "", "", false
}

// IsSoftRoCE reports whether both devices are Linux Soft-RoCE by their names.
func (s *Sidecar) IsSoftRoCE() bool {
	return strings.HasPrefix(s.A.Dev, "rxe") && strings.HasPrefix(s.B.Dev, "rxe")
}

var services = map[string]ib.Transport{"RC": ib.RC, "UC": ib.UC, "UD": ib.UD}

func (s *Sidecar) end(side string) *End {
	if side == "A" {
		return &s.A
	}
	return &s.B
}

func otherSide(side string) string {
	if side == "A" {
		return "B"
	}
	return "A"
}

func (e *End) addr() addr {
	a, _ := netip.ParseAddr(e.IP)
	return a.As16()
}

// dest is the queue pair that an end sends to: the peer's, unless the sidecar says otherwise.
func (s *Sidecar) dest(side string) uint32 {
	if n := s.end(side).DestQPN; n != 0 {
		return n
	}
	return s.end(otherSide(side)).QPN
}

// pmtu: a datagram has no path, its limit is the port's.
func (s *Sidecar) pmtu() uint32 {
	if s.QPType == "UD" {
		return ib.MaxPMTU
	}
	return s.PathMTU
}

// responder is the configuration of an end's responder.
func (s *Sidecar) responder(side string, profile *roce.Profile) roce.ResponderConfig {
	e := s.end(side)
	return roce.ResponderConfig{Service: services[s.QPType], Profile: *profile, PMTUBytes: s.pmtu(),
		StartPSN: psn.New(e.RQPSN),
		MaxReads: e.MaxDestRd, Access: s.qpAccess(e), RNRTimer: e.MinRNR, QKey: s.QKey,
		Regions: [roce.MaxRegions]roce.Region{
			{RKey: e.RKey, VA: e.MRAddr, Len: e.MRLen, Access: roce.Access(e.Access)},
			{RKey: e.MWRKey, VA: e.MWAddr, Len: e.MWLen, Access: roce.Access(e.MWAccess), Window: true},
		}}
}

// everyAccess is what a queue pair of a service may let its peer do.
var everyAccess = map[string]roce.Access{
	"UC": roce.RemoteWrite,
	"RC": roce.RemoteWrite | roce.RemoteRead | roce.RemoteAtomic | roce.FlushGlobal | roce.FlushPersistent,
}

// qpAccess is what an end's queue pair lets its peer do.
func (s *Sidecar) qpAccess(e *End) roce.Access {
	if e.QPAccess != nil {
		return roce.Access(*e.QPAccess)
	}
	return everyAccess[s.QPType]
}

// requester is the configuration of an end's requester. What the sidecar does not say allows the most.
func (s *Sidecar) requester(side string, profile *roce.Profile) roce.RequesterConfig {
	e := s.end(side)
	cfg := roce.RequesterConfig{Service: services[s.QPType], Profile: *profile, PMTUBytes: s.pmtu(),
		StartPSN: psn.New(e.SQPSN),
		MaxReads: e.MaxRd, Timeout: or(e.Timeout, 1), RetryCount: or(e.RetryCnt, 7), RNRRetry: or(e.RNRRetry, 7)}
	cfg.Profile.RetryForever7 = cfg.Profile.RetryForever7 || e.RetryCnt == nil
	return cfg
}

func or(given *uint8, otherwise uint8) uint8 {
	if given == nil {
		return otherwise
	}
	return *given
}

// pages reports whether an end's memory is paged on demand.
func (e *End) pages() bool { return roce.Access(e.Access|e.MWAccess)&roce.OnDemand != 0 }

// state is the QP state that an end was brought to.
func (e *End) state() roce.QPState {
	switch e.TargetState {
	case 1:
		return roce.Init
	case 3:
		return roce.RTS
	default:
		return roce.RTR
	}
}

// fills is what lay in an end's memory when the capture began: a READ's own pattern under every READ of the peer, the
// initial value under its atomics.
func (s *Sidecar) fills(side string) (list []fill) {
	seen := map[uint64]bool{}
	for k, op := range s.Ops {
		switch {
		case op.Side == side:
		case op.Op == "READ":
			list = append(list, fill{va: op.Remote, len: uint64(op.Len), op: k})
		case op.Init != "" && !strings.Contains(op.Opts, "same") && !seen[op.Remote]:
			seen[op.Remote] = true
			v, _ := strconv.ParseUint(op.Init, 0, 64)
			f := fill{va: op.Remote, len: 8, op: -1}
			binary.LittleEndian.PutUint64(f.value[:], v)
			list = append(list, f)
		}
	}
	return list
}

// pattern is byte i of the payload of operation k.
func pattern(k int, i uint64) byte { return byte(uint64(k)*131 + i*7 + (i>>8)*13 + 1) }
