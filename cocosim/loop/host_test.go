package loop

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/endpoint"
	"hcacosim/model/roce"
)

// What a host looks at can be wrong in each of these ways, and each is a finding.
func TestHostsFindWhatIsWrong(t *testing.T) {
	traffic := &Traffic{QPs: 1, Packets: 4000, PMTU: 1024, Depth: 4, Receives: 4, Seed: 3}
	span := make([]byte, spanBytes)
	s := newStream(traffic, 0, baseVA, baseKey)
	s.initial(span)
	end, err := endpoint.New(endpoint.Config{})
	require.NoError(t, err)
	for !s.over() {
		m := s.next()
		bad := &Findings{}
		h := newHost(traffic, "A", end, 0, bad)
		h.add(firstQP, s, newStream(traffic, 0, baseVA, baseKey))
		c := h.links[0]
		c.dead = true // nothing more is posted
		switch {
		case m.work.Verb == roce.Read && m.work.Len > 0:
			m.payload = append([]byte(nil), s.read(&m)...)
			m.payload[m.work.Len-1] ^= 1
		case m.work.Verb.Atomic():
			m.payload = make([]byte, 8)
			m.payload[7] = byte(m.before>>56) ^ 1
		default:
			continue
		}
		c.posted = []message{m}
		h.sent(&endpoint.Completion{QPN: firstQP, ID: m.work.ID}, c)
		require.EqualValues(t, 1, bad.Count, "%v", m.work.Verb)
		h.sent(&endpoint.Completion{QPN: firstQP, ID: m.work.ID}, c)
		require.EqualValues(t, 2, bad.Count, "it ends twice")
	}
}

// A receive WQE out of its turn, of another length, with none or another immediate, or another byte is a finding, a
// right one none.
func TestReceivesAreHeldAgainstTheirPeer(t *testing.T) {
	traffic := &Traffic{QPs: 1, Packets: 4000, PMTU: 1024, Depth: 4, Receives: 4, Seed: 5}
	end, err := endpoint.New(endpoint.Config{})
	require.NoError(t, err)
	for name, spoil := range map[string]func(e *endpoint.Completion, b []byte){
		"":          func(*endpoint.Completion, []byte) {},
		"order":     func(e *endpoint.Completion, _ []byte) { e.ID = 1 },
		"length":    func(e *endpoint.Completion, _ []byte) { e.Len++ },
		"none":      func(e *endpoint.Completion, _ []byte) { e.HasImm = false },
		"immediate": func(e *endpoint.Completion, _ []byte) { e.Imm ^= 1 },
		"byte":      func(_ *endpoint.Completion, b []byte) { b[0] ^= 1 },
	} {
		bad := &Findings{}
		h := newHost(traffic, "A", end, 0, bad)
		ahead := newStream(traffic, 1, baseVA, baseKey)
		m := ahead.next()
		for m.work.Verb != roce.Send || m.work.Len == 0 || !m.work.WithImm { // those before it have no receive WQE
			require.False(t, m.takesReceive(), "another seed")
			m = ahead.next()
		}
		h.add(firstQP, ahead, newStream(traffic, 1, baseVA, baseKey))
		c := h.links[0]
		b := append(append([]byte(nil), m.payload...), 0)
		e := endpoint.Completion{QPN: firstQP, Receive: true, Len: m.work.Len, HasImm: m.work.WithImm, Imm: m.work.Imm}
		spoil(&e, b)
		c.buffers[e.ID] = b
		h.received(0, &e, c)
		require.Equal(t, name != "", bad.Count > 0, name)
	}
}

// Memory differs by a byte or a word.
func TestMemoryIsHeldAgainstTheMessages(t *testing.T) {
	traffic := &Traffic{QPs: 1, Packets: 400, PMTU: 1024, Seed: 1}
	s := newStream(traffic, 0, baseVA, baseKey)
	span := make([]byte, spanBytes)
	require.True(t, s.held(span))
	for _, at := range []int{0, writeBytes - 1, writeBytes + readBytes, spanBytes - 1} {
		span[at] ^= 0x80
		require.False(t, s.held(span), at)
		span[at] ^= 0x80
	}
}
