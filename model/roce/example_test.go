package roce_test

import (
	"fmt"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// A responder takes a SEND, misses one, and answers the one behind the gap with a sequence NAK, once (RSP-4).
func ExampleResponder() {
	cfg := roce.ResponderConfig{Service: ib.RC, PMTUBytes: 1024, StartPSN: 0xFFFFFF}
	r := roce.NewResponder(&cfg)
	r.PostReceive(roce.Receive{ID: 1, Len: 4096})
	r.PostReceive(roce.Receive{ID: 2, Len: 4096})
	var out roce.Batch
	for _, p := range []roce.Packet{
		{Op: ib.Join(ib.RC, ib.SendOnly), PSN: 0xFFFFFF, AckReq: true, Len: 100},
		{Op: ib.Join(ib.RC, ib.SendOnly), PSN: 1, AckReq: true, Len: 100}, // 0 is missing
		{Op: ib.Join(ib.RC, ib.SendOnly), PSN: 2, AckReq: true, Len: 100},
	} {
		out = out[:0]
		r.Step(&p, &out)
		for r.Next(&out) {
		}
		fmt.Printf("PSN %d:", p.PSN)
		for _, e := range out {
			if e.Kind == roce.SendResponse {
				fmt.Printf(" %v of PSN %d", e.Packet.Syndrome, e.Packet.PSN)
			}
		}
		fmt.Println()
	}
	// Output:
	// PSN 16777215: ACK, 1 credits of PSN 16777215
	// PSN 1: NAK PSN sequence error of PSN 0
	// PSN 2:
}
