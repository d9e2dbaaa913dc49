package field

// The kinds of latencies.
const (
	NAKGap     = iota // from the first request behind a missing one to the sequence NAK
	ResendGap         // from a sequence NAK to the first request that is sent again
	RNRGap            // from an RNR NAK to the request that is sent again; the window is what the NAK asks for
	TimeoutGap        // from a request to itself, sent again because nothing came; the window is the queue pair's timeout
	CNPSpacing        // between CNPs of one queue pair
	AckTurn           // from a request that asks for an ACK to that ACK
	ReadTime          // from a READ or atomic to its first response
	numLatencies
)

// LatencyNames are the keys of JSON.
var LatencyNames = [numLatencies]string{"nak_gap", "resend_gap", "rnr_gap", "timeout_gap", "cnp_spacing", "ack_turn",
	"read_time"}

// LatencyWords are for people.
var LatencyWords = [numLatencies]string{"gap to the sequence NAK", "sequence NAK to resend", "RNR NAK to resend",
	"timeout to resend",
	"CNP spacing", "ACK turn-round", "READ response"}

// Latencies are those that were seen, by their names in JSON.
func (o *Observer) Latencies() map[string]*Quantiles {
	m := map[string]*Quantiles{}
	for i := range o.Latency {
		if o.Latency[i].Count > 0 {
			m[LatencyNames[i]] = &o.Latency[i]
		}
	}
	return m
}
