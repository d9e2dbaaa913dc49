package loop

import (
	"hcacosim/model/endpoint"
	"hcacosim/model/roce"
)

// adapter is an end as its host sees it: package endpoint's, or one with halves of RTL.
type adapter interface {
	End
	// Post, PostReceive, Completions, Count, At and State are as those of endpoint.Endpoint.
	Post(nowNs uint64, qpn uint32, w roce.Work, data []byte) bool
	PostReceive(qpn uint32, id uint64, buffer []byte) bool
	Completions() []endpoint.Completion
	Count() *endpoint.Counters
	At(va uint64, length uint32) []byte
	State(qpn uint32) (requester, responder roce.QPState)
}
