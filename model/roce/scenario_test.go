package roce_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// A scenario is a page of commands with what follows from each below it. -update rewrites the pages: read the
// difference. What the commands are is in testdata/scenarios/README.md.
func TestScenarios(t *testing.T) {
	pages, err := filepath.Glob("testdata/scenarios/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, path := range pages {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			require.NoError(t, err)
			generated(t, path, newStage().play(string(raw)))
		})
	}
}

// stage is a requester and a responder with a link between that only commands move.
type stage struct {
	q                   roce.Requester
	r                   roce.Responder
	qcfg                roce.RequesterConfig
	rcfg                roce.ResponderConfig
	requests, responses []roce.Effect
	mem                 memory
	ids, receives       uint64
	begun               bool
	without             string // a field of profile qib that is taken back
	b                   strings.Builder
	out                 roce.Batch
}

func newStage() *stage {
	s := &stage{mem: memory{}}
	all := everything
	s.qcfg = roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, MaxReads: 2, Timeout: 14, RetryCount: 7,
		RNRRetry: 7}
	s.rcfg = roce.ResponderConfig{Service: ib.RC, PMTUBytes: 256, StartPSN: 100, MaxReads: 2, Access: all, RNRTimer: 12,
		Regions: [roce.MaxRegions]roce.Region{{RKey: 7, LKey: 70, VA: 0x1000, Len: 0x10000,
			Access: all | roce.LocalWrite | roce.WindowBind}, {RKey: 8, VA: 0x1000, Len: 0x1000, Access: all, Window: true}}}
	return s
}

// play runs a page and returns it with its output.
func (s *stage) play(page string) string {
	var out strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(page), "\n\n") {
		commands, _, _ := strings.Cut(block, "\n----")
		s.b.Reset()
		for line := range strings.SplitSeq(commands, "\n") {
			if line != "" && line[0] != '#' {
				s.do(strings.Fields(line))
			}
		}
		out.WriteString(commands)
		if s.b.Len() > 0 {
			out.WriteString("\n----\n" + strings.TrimRight(s.b.String(), "\n"))
		}
		out.WriteString("\n\n")
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

// option is the value of key=value among words, or a default.
func option(words []string, key string, otherwise uint64) uint64 {
	for _, w := range words {
		if v, ok := strings.CutPrefix(w, key+"="); ok {
			n, err := strconv.ParseUint(v, 0, 64)
			if err != nil {
				panic(w)
			}
			return n
		}
	}
	return otherwise
}

func (s *stage) begin() {
	if !s.begun {
		s.begun = true
		s.q, s.r = roce.NewRequester(&s.qcfg), roce.NewResponder(&s.rcfg)
	}
}

func (s *stage) do(words []string) {
	if words[0] == "config" {
		s.config(words[1:])
		return
	}
	s.begin()
	s.out = s.out[:0]
	switch words[0] {
	case "post":
		s.post(words[1:])
	case "receive":
		for range option(words, "n", 1) {
			s.receives++
			s.r.PostReceive(roce.Receive{ID: s.receives, Len: uint32(option(words, "len", 4096))})
		}
	case "send":
		s.send(int(option(words, "n", 1000)), slices.Contains(words, "brief"))
	case "deliver":
		s.deliver(option(words, "n", 1000))
	case "return":
		for n := option(words, "n", 1000); n > 0 && len(s.responses) > 0; n-- {
			p := s.responses[0].Packet
			s.responses = s.responses[1:]
			s.q.Step(&p, &s.out)
			s.show()
		}
	case "answer":
		for n := option(words, "n", 1000); n > 0 && s.r.Next(&s.out); n-- {
			s.responses = append(s.responses, s.out[len(s.out)-1])
			s.show()
		}
	case "lose":
		s.lose(words[1], int(option(words, "i", 0)))
	case "double":
		s.requests = slices.Insert(s.requests, 0, s.requests[0])
	case "late": // the first request comes last
		s.requests = append(s.requests[1:], s.requests[0])
	case "expire":
		s.q.Expire(map[string]roce.Timer{"transport": roce.Transport, "RNR": roce.RNR}[words[1]], &s.out)
		s.show()
	case "request", "response":
		s.inject(words)
	default:
		s.set(words)
	}
}

// send has the requester send up to n packets; of many, briefly, the last is shown.
func (s *stage) send(n int, briefly bool) {
	brief := 0
	for ; n > 0 && s.q.Next(&s.out); n-- {
		if s.local() {
			continue
		}
		s.requests = append(s.requests, s.out[len(s.out)-1])
		if e := s.out[0]; e.Kind == roce.SendRequest && len(s.out) > 1 { // the timer was started behind it
			s.requests[len(s.requests)-1] = e
		}
		if s.show(); briefly {
			brief++
		}
	}
	if lines := strings.Split(strings.TrimSpace(s.b.String()), "\n"); brief > 0 {
		s.b.Reset()
		fmt.Fprintf(&s.b, "%d packets, the last: %s\n", brief, lines[len(lines)-1])
	}
}

// set does the words that look at the QPs or put them into a state.
func (s *stage) set(words []string) {
	switch words[0] {
	case "state":
		s.state()
	case "drained":
		s.r.Drained()
	case "error":
		if words[1] == "requester" {
			s.q.SetError(&s.out)
		} else {
			s.r.SetError(&s.out)
		}
		s.show()
	case "again": // two new QPs, configured like the last
		s.begun, s.requests, s.responses, s.ids, s.receives = false, nil, nil, 0, 0
	case "requester":
		if words[1] == "SQE" {
			s.q.SetSendError(&s.out)
			s.show()
		} else {
			s.q.State = map[string]roce.QPState{"RTS": roce.RTS, "SQD": roce.SQD}[words[1]]
		}
	case "responder":
		s.r.State = map[string]roce.QPState{"INIT": roce.Init, "RTR": roce.RTR, "RTS": roce.RTS, "SQD": roce.SQD,
			"SQE": roce.SQE}[words[1]]
	case "epsn":
		n, _ := strconv.ParseUint(words[1], 0, 24)
		fmt.Fprintln(&s.b, "taken:", s.r.SetEPSN(psn.PSN(n)))
	case "memory":
		n, _ := strconv.ParseUint(words[2], 0, 64)
		va, _ := strconv.ParseUint(words[1], 0, 64)
		s.mem.write(va, binary.LittleEndian.AppendUint64(nil, n))
	default:
		panic(words[0])
	}
}

func (s *stage) config(words []string) {
	for _, c := range []struct {
		key string
		set func(n uint64)
	}{
		{"pmtu", func(n uint64) { s.qcfg.PMTUBytes, s.rcfg.PMTUBytes = uint32(n), uint32(n) }},
		{"psn", func(n uint64) { s.qcfg.StartPSN, s.rcfg.StartPSN = psn.PSN(n), psn.PSN(n) }},
		{"reads", func(n uint64) { s.qcfg.MaxReads, s.rcfg.MaxReads = uint8(n), uint8(n) }},
		{"peer_reads", func(n uint64) { s.rcfg.MaxReads = uint8(n) }},
		{"retry", func(n uint64) { s.qcfg.RetryCount = uint8(n) }},
		{"rnr", func(n uint64) { s.qcfg.RNRRetry = uint8(n) }},
		{"timeout", func(n uint64) { s.qcfg.Timeout = uint8(n) }},
		{"window", func(n uint64) { s.qcfg.Window = uint32(n) }},
		{"rnr_timer", func(n uint64) { s.rcfg.RNRTimer = uint8(n) }},
		{"srq", func(n uint64) { s.rcfg.XRCSRQ = uint32(n) }},
		{"busy_us", func(n uint64) { s.qcfg.BusyNs = n * 1000 }},
		{"region_access", func(n uint64) { s.rcfg.Regions[0].Access = roce.Access(n) }},
		{"qkey", func(n uint64) { s.rcfg.QKey = uint32(n) }},
		{"region_len", func(n uint64) { s.rcfg.Regions[0].Len = n }},
		{"pd", func(n uint64) { s.rcfg.PD = uint32(n) }},
		{"region_pd", func(n uint64) { s.rcfg.Regions[0].PD = uint32(n) }},
		{"access", func(n uint64) { s.rcfg.Access = roce.Access(n) }},
		{"limited", func(n uint64) { s.qcfg.Limited = n != 0 }},
		{"message_restart", func(n uint64) { s.qcfg.Profile.MessageRestart = n != 0 }},
		{"whole_read", func(n uint64) { s.qcfg.Profile.WholeRead = n != 0 }},
		{"ack_per_request", func(n uint64) { s.rcfg.Profile.AckPerRequest = n != 0 }},
	} {
		if n := option(words, c.key, 1<<63); n != 1<<63 {
			c.set(n)
		}
	}
	for _, w := range words {
		switch w {
		case "rxe":
			s.qcfg.Profile, s.rcfg.Profile = roce.Rxe, roce.Rxe
		case "qib":
			p := roce.Qib
			if s.without != "" {
				p = without(p, s.without)
			}
			s.qcfg.Profile, s.rcfg.Profile = p, p
		case "XRC":
			s.qcfg.Service, s.rcfg.Service = ib.XRC, ib.XRC
		case "UC":
			s.qcfg.Service, s.rcfg.Service = ib.UC, ib.UC
		case "UD":
			s.qcfg.Service, s.rcfg.Service = ib.UD, ib.UD
		}
	}
}

// local does at home what the requester asks for: its host is then the responder's too.
func (s *stage) local() bool {
	e, good := s.out[0], false
	switch p := &e.Packet; e.Kind {
	case roce.BindWindow:
		good = s.r.Bind(roce.Region{RKey: p.RKey, VA: e.VA, Len: uint64(e.Len), Access: e.Access}, e.LKey)
	case roce.InvalidateKey:
		good = s.r.Unbind(p.RKey)
	default:
		return false
	}
	s.q.Done(good, &s.out)
	s.show()
	return true
}

func (s *stage) post(words []string) {
	s.ids++
	w := roce.Work{ID: s.ids, Len: uint32(option(words, "len", 0)), VA: option(words, "va", 0x1000),
		RKey:     uint32(option(words, "key", 7)),
		Signaled: !slices.Contains(words, "unsignaled"), Solicited: slices.Contains(words, "solicited"),
		QKey:    uint32(option(words, "qkey", 0)),
		SwapAdd: option(words, "add", option(words, "swap", 0)), Compare: option(words, "compare", 0),
		WithImm: slices.Contains(words, "immediate"), Invalidate: slices.Contains(words, "invalidate"),
		Imm: uint32(option(words, "imm", 0))}
	w.Verb = map[string]roce.Verb{"SEND": roce.Send, "WRITE": roce.Write, "READ": roce.Read, "CMP&SWAP": roce.CmpSwap,
		"FETCH&ADD":    roce.FetchAdd,
		"ATOMIC-WRITE": roce.AtomicWrite, "FLUSH": roce.Flush, "BIND": roce.Bind,
		"INVALIDATE": roce.LocalInvalidate}[words[0]]
	if w.Verb.Atomic() || w.Verb == roce.AtomicWrite {
		w.Len = uint32(option(words, "len", 8))
	}
	w.FETH, w.LKey, w.Access = uint8(option(words, "feth", 0)), uint32(option(words, "lkey", 0)),
		roce.Access(option(words, "access", 0))
	w.XRCSRQ = uint32(option(words, "srq", 0))
	if !s.q.Post(w, &s.out) {
		fmt.Fprintln(&s.b, "not taken")
	}
	s.show()
}

func (s *stage) deliver(n uint64) {
	for ; n > 0 && len(s.requests) > 0; n-- {
		p := s.requests[0].Packet
		s.requests = s.requests[1:]
		s.toResponder(&p)
	}
}

func (s *stage) toResponder(p *roce.Packet) {
	s.r.Step(p, &s.out)
	for i := range s.out {
		if e := &s.out[i]; e.Kind == roce.AtomicMemory {
			s.r.Result(e.Slot, s.mem.atomic(&e.Packet))
		}
	}
	s.show()
}

func (s *stage) lose(which string, i int) {
	link := &s.requests
	if which == "response" {
		link = &s.responses
	}
	if which == "all" {
		s.requests, s.responses = nil, nil
		return
	}
	fmt.Fprintf(&s.b, "lost: %s PSN %d\n", ib.Lookup((*link)[i].Packet.Op).Name, uint32((*link)[i].Packet.PSN))
	*link = slices.Delete(*link, i, i+1)
}

// inject gives a machine a packet of the page's making: request|response OPCODE key=value...
func (s *stage) inject(words []string) {
	op, err := strconv.ParseUint(words[1], 16, 8)
	if err != nil {
		panic(err)
	}
	p := roce.Packet{Op: ib.Opcode(op), PSN: psn.PSN(option(words, "psn", 100)), Len: uint32(option(words, "len", 0)),
		AckReq: slices.Contains(words, "ackreq"), VA: option(words, "va", 0x1000), RKey: uint32(option(words, "key", 7)),
		DMALen: uint32(option(words, "dmalen", 0)), Pad: uint8(option(words, "pad", 0)),
		QKey:     uint32(option(words, "qkey", 0)),
		Syndrome: ib.Syndrome(option(words, "syndrome", 31)), MSN: uint32(option(words, "msn", 0)), Original: option(words,
			"original", 0),
		SwapAdd: option(words, "add", 0), Compare: option(words, "compare", 0), FETH: uint8(option(words, "feth", 0)),
		XRCSRQ: uint32(option(words, "srq", 0))}
	if words[0] == "response" {
		s.q.Step(&p, &s.out)
		s.show()
		return
	}
	s.toResponder(&p)
}

func (s *stage) state() {
	una, next, high := s.q.PSNs()
	fmt.Fprintf(&s.b, "requester %v: oldest unacknowledged %d, next %d, high-water mark %d\n", s.q.State, una, next, high)
	fmt.Fprintf(&s.b, "responder %v: ePSN %d, MSN %d\n", s.r.State, s.r.EPSN(), s.r.MSN())
}

// show writes the effects as sentences.
func (s *stage) show() {
	for i := range s.out {
		fmt.Fprintln(&s.b, sentence(&s.out[i]))
	}
	s.out = s.out[:0]
}

func sentence(e *roce.Effect) string {
	switch e.Kind {
	case roce.Drop:
		return fmt.Sprintf("  %s", e.Why)
	case roce.SendRequest, roce.SendResponse:
		return describe(e)
	case roce.Deliver:
		return fmt.Sprintf("  %d bytes to receive %d from byte %d", e.Len, e.ID, e.Off)
	case roce.WriteMemory:
		return fmt.Sprintf("  %d bytes to %Xh", e.Len, e.VA)
	case roce.ReadReturned:
		if e.Packet.Op&0x1F == 0x12 {
			return fmt.Sprintf("  message %d got %d", e.ID, e.Packet.Original)
		}
		return fmt.Sprintf("  %d bytes to message %d from byte %d", e.Len, e.ID, e.Off)
	case roce.BindWindow:
		return fmt.Sprintf("  bind key %d to %d bytes at %Xh of region %d", e.Packet.RKey, e.Len, e.VA, e.LKey)
	case roce.InvalidateKey:
		return fmt.Sprintf("  take key %d away", e.Packet.RKey)
	case roce.FlushMemory:
		if e.Packet.FETH>>4 == 1 {
			return fmt.Sprintf("  flush all of key %d, placement %d", e.Packet.RKey, e.Packet.FETH&15)
		}
		if e.Packet.FETH != 0 {
			return fmt.Sprintf("  flush %d bytes at %Xh, placement %d", e.Len, e.VA, e.Packet.FETH&15)
		}
		return fmt.Sprintf("  flush %d bytes at %Xh", e.Len, e.VA)
	case roce.AtomicMemory:
		return fmt.Sprintf("  atomic on %Xh", e.VA)
	case roce.Invalidate:
		return fmt.Sprintf("  key %d is invalid", e.Packet.RKey)
	case roce.Complete:
		text := fmt.Sprintf("  complete %d: %v, %d bytes", e.ID, e.Status, e.Len)
		if e.Packet.SE {
			text += ", solicited"
		}
		if e.Packet.Imm != 0 {
			text += fmt.Sprintf(", immediate %d", e.Packet.Imm)
		}
		return text
	case roce.Arm:
		return fmt.Sprintf("  %v timer: %d ticks", e.Timer, e.Ticks)
	case roce.Disarm:
		return fmt.Sprintf("  %v timer stopped", e.Timer)
	case roce.EnterError:
		return fmt.Sprintf("  to error: %s", e.Why)
	case roce.GoBack:
		return fmt.Sprintf("  back to PSN %d: %s", e.Packet.PSN, e.Why)
	}
	return e.Kind.String()
}

func describe(e *roce.Effect) string {
	p, info := &e.Packet, ib.Lookup(e.Packet.Op)
	text := fmt.Sprintf("%s PSN %d", info.Name, p.PSN)
	if p.Len > 0 {
		text += fmt.Sprintf(", %d bytes", p.Len)
	}
	if info.Headers.Has(ib.RETH) {
		text += fmt.Sprintf(", %d bytes of %Xh", p.DMALen, p.VA)
	}
	if info.Headers.Has(ib.FETH) {
		text += fmt.Sprintf(", FETH %02Xh", p.FETH)
	}
	if info.Headers.Has(ib.AETH) {
		text += fmt.Sprintf(", %v, MSN %d", p.Syndrome, p.MSN)
	}
	if info.Headers.Has(ib.AtomicAckETH) {
		text += fmt.Sprintf(", original %d", p.Original)
	}
	if p.AckReq {
		text += ", AckReq"
	}
	if p.SE {
		text += ", solicited"
	}
	return text
}
