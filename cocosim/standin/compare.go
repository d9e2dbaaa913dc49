package standin

import (
	"bytes"
	"fmt"
	"strings"

	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// Pair is an answer that an endpoint sent, and the one that hca_rx gave in its place: nil without one.
type Pair struct {
	Number uint64 // of the frame in the capture
	Theirs []byte
	Ours   []byte
	// Why says what tells them apart: "" nothing, byte for byte.
	Why string
}

// Compare puts each answer that an endpoint sent beside one of hca_rx's: both keep their order, and as many as can be
// are alike in PSN, syndrome and MSN.
func Compare(theirs [][]byte, numbers []uint64, ours [][]byte) []Pair {
	a, b := make([]string, len(theirs)), make([]string, len(ours))
	for i, f := range theirs {
		a[i] = said(f)
	}
	for i, f := range ours {
		b[i] = said(f)
	}
	match := align(a, b)
	pairs := make([]Pair, len(theirs))
	next := 0 // of ours that is not behind what is matched
	for i, f := range theirs {
		pairs[i] = Pair{Number: numbers[i], Theirs: f}
		switch j := match[i]; {
		case j >= 0:
			pairs[i].Ours, pairs[i].Why, next = ours[j], differs(f, ours[j]), j+1
			if isReplay(f, ours[j]) {
				pairs[i].Why = replays
			}
		case len(a[i]) > 3 && ib.Syndrome(a[i][3]).Kind() == ib.KindRNR:
			pairs[i].Why = "an RNR NAK, where hca_rx has a receive WQE: stamps of posts are not exact"
		case len(a[i]) > 3 && a[i][:4] == "\xFF\xFF\xFF\x1F":
			pairs[i].Why = beginsAt
		default:
			pairs[i].Why = "no answer at this place"
			if j := samePSN(a[i], b[next:]); j >= 0 {
				pairs[i].Ours = ours[next+j]
				pairs[i].Why = fmt.Sprintf("%s in place of %s", meaning(b[next+j]), meaning(a[i]))
				if isReplay(f, ours[next+j]) {
					pairs[i].Why = replays
				}
			} else if j := skipped(f, ours[next:]); j >= 0 {
				pairs[i].Ours, pairs[i].Why, next = ours[next+j], skipsReads, next+j+1
			}
		}
	}
	return pairs
}

// said is PSN and AETH of an answer: 3 and 4 bytes, the AETH where it has one.
func said(frame []byte) string {
	var p wire.Packet
	wire.Decode(wire.LinkEthernet, frame, &p)
	switch {
	case p.BTH() == nil:
		return ""
	case p.AETH() == nil: // a READ response Middle
		return string(p.BTH()[9:12])
	}
	return string(p.BTH()[9:12]) + string(p.AETH()[:4])
}

// meaning is the syndrome of what was said, and its MSN.
func meaning(said string) string {
	if len(said) < 7 {
		return "something else"
	}
	return fmt.Sprintf("syndrome %02Xh, MSN %d", said[3], int(said[4])<<16|int(said[5])<<8|int(said[6]))
}

func samePSN(said string, list []string) int {
	for i, s := range list {
		if len(s) >= 3 && len(said) >= 3 && s[:3] == said[:3] {
			return i
		}
	}
	return -1
}

// align gives for each of a its place in b, or -1: the longest common subsequence.
func align(a, b []string) []int {
	length := make([][]int32, len(a)+1)
	for i := range length {
		length[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if length[i][j] = max(length[i+1][j], length[i][j+1]); a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	match := make([]int, len(a))
	for i, j := 0, 0; i < len(a); i++ {
		match[i] = -1
		for j < len(b) && a[i] != b[j] && length[i][j+1] >= length[i+1][j] && length[i][j] == length[i][j+1] {
			j++
		}
		if j < len(b) && a[i] == b[j] {
			match[i] = j
			j++
		}
	}
	return match
}

// fields are those of an answer over IP, from the start of its IP header on, in bytes.
var fields = map[int][]struct {
	name     string
	from, to int
}{
	4: {{"TOS", 1, 2}, {"IP length", 2, 4}, {"identification", 4, 6}, {"fragment", 6, 8}, {"TTL", 8, 9},
		{"IP checksum", 10, 12},
		{"addresses", 12, 20}, {"UDP source port", 20, 22}, {"UDP", 22, 28}, {"BTH", 28, 40}, {"AETH", 40, 44}},
	6: {{"traffic class, flow label", 0, 4}, {"IP length", 4, 6}, {"hop limit", 7, 8}, {"addresses", 8, 40},
		{"UDP source port", 40, 42}, {"UDP", 42, 48}, {"BTH", 48, 60}, {"AETH", 60, 64}},
}

// differs names the fields in which two answers differ.
func differs(theirs, ours []byte) string {
	if bytes.Equal(theirs, ours) {
		return ""
	}
	const ethernet = 14
	if len(theirs) != len(ours) || len(theirs) <= ethernet {
		return "length"
	}
	var names []string
	if !bytes.Equal(theirs[:ethernet], ours[:ethernet]) {
		names = append(names, "Ethernet header")
	}
	const icrc = 4
	list := fields[int(theirs[ethernet]>>4)]
	end := len(theirs) - icrc
	for _, f := range list {
		if !bytes.Equal(theirs[ethernet+f.from:ethernet+f.to], ours[ethernet+f.from:ethernet+f.to]) {
			names = append(names, f.name)
		}
	}
	if n := len(list); n > 0 { // a READ response or the answer of an atomic has more
		if at := min(ethernet+list[n-1].to, end); !bytes.Equal(theirs[at:end], ours[at:end]) {
			names = append(names, "payload")
		}
		if !bytes.Equal(theirs[end:], ours[end:]) {
			names = append(names, "ICRC")
		}
	}
	return strings.Join(names, ", ")
}
