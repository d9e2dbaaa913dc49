// Package known holds a few small captures of real devices, built into the programs so that they run on real packets
// wherever they are. README.md says where each comes from.
package known

import (
	"bytes"
	"embed"
	"hcacosim/vectors/capture"
)

//go:embed *.pcap *.pcapng
var files embed.FS

// File is one of the captures.
type File struct {
	Name    string // as in this folder
	Shows   string
	Packets int
	ICRCBad int // as whoever made the capture counted them, not as our model does
}

// Files lists the captures.
func Files() []File { return list }

var list = []File{
	{"icrc_vectors.pcapng", "published packets with a good ICRC: RoCEv1, RoCEv2 over IPv4 and IPv6, IB local", 6, 0},
	{"rc_send_sizes.a.pcap", "RC SEND of many lengths, ACKs", 47, 0},
	{"rc_write_imm_sizes.a.pcap", "RC WRITE with immediate of many lengths, ACKs", 47, 0},
	{"rc_read_sizes.a.pcap", "RC READ requests and responses of many lengths", 47, 0},
	{"rc_atomics.a.pcap", "RC CMP & SWAP, FETCH & ADD, ATOMIC ACK", 22, 0},
	{"rc_send_inv.a.pcap", "RC SEND with invalidate", 7, 0},
	{"rc_v4_tos_ttl.a.pcap", "unusual TOS and TTL", 6, 0},
	{"rc_v6_loss5.a.pcap", "RC over IPv6 under loss: retransmission, sequence NAKs", 134, 0},
	{"rnr_t01.a.pcap", "RNR NAKs", 14, 0},
	{"sx_flip_payload.b.pcap", "one payload bit flipped on the way", 7, 1},
	{"uc_clean.a.pcap", "UC SEND and WRITE", 28, 0},
	{"uc_v6_corrupt25.b.pcap", "UC over IPv6, every fourth frame with a flipped bit", 120, 29},
	{"ud_clean.a.pcap", "UD SEND", 8, 0},
	{"ud_v6.a.pcap", "UD SEND over IPv6", 4, 0},
	{"ud_corrupt25.b.pcap", "UD, every fourth frame with a flipped bit", 80, 15},
}

// Bytes is how long the captures are together, as files.
func Bytes() (n int) {
	for _, f := range list {
		if data, err := files.ReadFile(f.Name); err == nil {
			n += len(data)
		}
	}
	return n
}

// Open opens one of the captures by name.
func Open(name string) (*capture.Reader, error) {
	data, err := files.ReadFile(name)
	if err != nil {
		return nil, &capture.Error{File: "known/" + name, Offset: -1, What: "no such capture", Err: err}
	}
	return capture.NewReader(bytes.NewReader(data), "known/"+name)
}
