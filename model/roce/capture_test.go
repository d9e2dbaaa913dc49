package roce_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/roce/onwire"
	"hcacosim/model/wire"
)

// sidecar is what is known about a capture besides its frames; captures/README.md explains the fields.
type sidecar struct {
	Name    string `json:"name"`
	QPType  string `json:"qp_type"`
	PathMTU uint32 `json:"path_mtu"`
	QKey    uint32 `json:"qkey"`
	A, B    peer
	Ops     []struct {
		Side      string
		Op        string
		Len       uint32
		Opts      string
		LocalAddr uint64 `json:"local_addr"`
		Remote    uint64 `json:"remote_addr"`
		RKey      uint32
		InvRKey   uint32 `json:"inv_rkey"`
		Imm       uint32
		Compare   string
		SwapAdd   string `json:"swap_or_add"`
		Init      string
		PostNS    int64 `json:"t_post_ns"`
		Status    int   `json:"wc_status"`
		Signaled  int
	}
	Recvs []struct {
		Side    string
		Len     uint32
		PostNS  int64  `json:"t_post_ns"`
		Status  int    `json:"wc_status"`
		ByteLen uint32 `json:"byte_len"`
	}
}

type peer struct {
	QPN         uint32
	SQPSN       uint32 `json:"sq_psn"`
	RQPSN       uint32 `json:"rq_psn"`
	Timeout     uint8
	RetryCnt    uint8  `json:"retry_cnt"`
	RNRRetry    uint8  `json:"rnr_retry"`
	MinRNR      uint8  `json:"min_rnr_timer"`
	MaxRd       uint8  `json:"max_rd_atomic"`
	MaxDestRd   uint8  `json:"max_dest_rd_atomic"`
	MRAddr      uint64 `json:"mr_iova"`
	MRLen       uint64 `json:"mr_len"`
	RKey        uint32
	MWRKey      uint32 `json:"mw_rkey"`
	MWAddr      uint64 `json:"mw_addr"`
	MWLen       uint64 `json:"mw_len"`
	MWAccess    uint8  `json:"mw_access"`
	TargetState int    `json:"target_state"`
	FinalState  string `json:"final_qp_state"`
	Access      uint8
}

func (s *sidecar) end(side string) *peer {
	if side == "A" {
		return &s.A
	}
	return &s.B
}

// service is the transport base of the capture's QPs.
func (s *sidecar) service() ib.Transport {
	return map[string]ib.Transport{"RC": ib.RC, "UC": ib.UC, "UD": ib.UD}[s.QPType]
}

// event is a frame as an endpoint's transport saw it.
type event struct {
	number  uint64
	timeNS  int64
	sent    bool
	packet  roce.Packet
	payload []byte
}

func captureDir(t testing.TB) string {
	dir := os.Getenv("HCACOSIM_CAPTURES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "captures")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no captures: set HCACOSIM_CAPTURES")
	}
	return dir
}

// eachCapture calls do for every capture at either endpoint.
func eachCapture(t *testing.T, do func(t *testing.T, s *sidecar, side string, events []event)) {
	dir := captureDir(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	sort.Strings(files)
	for _, f := range files {
		raw, err := os.ReadFile(f)
		require.NoError(t, err)
		s := new(sidecar)
		require.NoError(t, json.Unmarshal(raw, s), f)
		for _, side := range []string{"A", "B"} {
			events := readEvents(t, strings.TrimSuffix(f, ".json")+"."+strings.ToLower(side)+".pcap", s, side)
			do(t, s, side, events)
		}
	}
}

// readEvents keeps what the endpoint sent and what reached its QP: good ICRC, good IPv4 header checksum, destination
// MAC its own or with the multicast bit; then P_Key (membership bit ignored) and destination QP.
func readEvents(t testing.TB, path string, s *sidecar, side string) (events []event) {
	own := []byte{2, 0, 0, 0, 0, 0x0a}
	if side == "B" {
		own[5] = 0x0b
	}
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	c, err := pcapgo.NewReader(bufio.NewReader(f))
	require.NoError(t, err)
	for n := uint64(1); ; n++ {
		frame, info, err := c.ReadPacketData()
		if err == io.EOF {
			return events
		}
		require.NoError(t, err)
		var w wire.Packet
		wire.Decode(wire.LinkEthernet, frame, &w)
		eth := w.Ethernet()
		if eth == nil {
			continue
		}
		e := event{number: n, timeNS: info.Timestamp.UnixNano()}
		e.sent = bytes.Equal(eth.Src(), own) && !bytes.Equal(eth.Dst(), own)
		switch {
		case w.ICRC() != wire.ICRCGood, !onwire.Take(&w, &e.packet):
			continue
		case e.sent:
		case !bytes.Equal(eth.Dst(), own) && eth.Dst()[0]&1 == 0,
			w.IPv4() != nil && !w.IPv4().ChecksumGood(),
			w.BTH().PKey()&0x7FFF != 0x7FFF,
			w.BTH().DestQP() != s.end(side).QPN:
			continue
		}
		e.payload = w.Payload
		events = append(events, e)
	}
}

// memory is a peer's registered memory, as far as anybody touched it.
type memory map[uint64]byte

func (m memory) write(va uint64, b []byte) {
	for i, v := range b {
		m[va+uint64(i)] = v
	}
}

func (m memory) read(va uint64, n uint32) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = m[va+uint64(i)]
	}
	return b
}

// atomic does an atomic in the host's byte order, which is x86's (RSP-12).
func (m memory) atomic(p *roce.Packet) uint64 {
	old := binary.LittleEndian.Uint64(m.read(p.VA, 8))
	v := old + p.SwapAdd
	if ib.Operation(p.Op&0x1F) == ib.CmpSwap {
		if v = old; old == p.Compare {
			v = p.SwapAdd
		}
	}
	m.write(p.VA, binary.LittleEndian.AppendUint64(nil, v))
	return old
}

// memoryOf is what lay in a peer's memory when the capture began.
func memoryOf(s *sidecar, side string) memory {
	m := memory{}
	seen := map[uint64]bool{}
	for k, op := range s.Ops {
		switch {
		case op.Side == side:
		case op.Op == "READ":
			for i := range uint64(op.Len) {
				m[op.Remote+i] = byte(uint64(k)*131 + i*7 + (i>>8)*13 + 1)
			}
		case op.Init != "" && !strings.Contains(op.Opts, "same") && !seen[op.Remote]:
			seen[op.Remote] = true
			m.write(op.Remote, binary.LittleEndian.AppendUint64(nil, number(op.Init)))
		}
	}
	return m
}

func number(s string) uint64 {
	n, _ := strconv.ParseUint(s, 0, 64)
	return n
}

// responderOf is the configuration of a peer's responder.
func responderOf(s *sidecar, side string, profile roce.Profile) *roce.ResponderConfig {
	p, pmtu := s.end(side), s.PathMTU
	if s.QPType == "UD" {
		pmtu = ib.MaxPMTU // a datagram has no path: its limit is the port's
	}
	return &roce.ResponderConfig{Service: s.service(), Profile: profile, PMTUBytes: pmtu, StartPSN: psn.PSN(p.RQPSN),
		MaxReads: p.MaxDestRd, Access: roce.Access(p.Access), RNRTimer: p.MinRNR, QKey: s.QKey,
		Regions: [roce.MaxRegions]roce.Region{
			{RKey: p.RKey, VA: p.MRAddr, Len: p.MRLen, Access: roce.Access(p.Access)},
			{RKey: p.MWRKey, VA: p.MWAddr, Len: p.MWLen, Access: roce.Access(p.MWAccess), Window: true},
		}}
}

// stateOf is the QP state that a capture's peer was brought to.
func stateOf(p *peer) roce.QPState {
	return map[int]roce.QPState{1: roce.Init, 2: roce.RTR, 3: roce.RTS}[p.TargetState]
}
