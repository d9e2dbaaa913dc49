package recovery

// Stage is a part of the way that a record takes through hca_top, in clocks at 512 bits with all queues empty.
type Stage struct {
	Name   string
	Clocks int
}

// The ways of docs/transmit.md, "Latencies", stage by stage. Host reads are not in them: they are the host's.
var (
	// Post is from a post to the first beat of its packet.
	Post = []Stage{{"sq_scheduler", 6}, {"tx_turn, with tx_packetizer", 10}, {"tx_frame, to host memory", 3},
		{"tx_frame, data", 15}, {"tx_arbiter", 2}, {"icrc_insert", 16}}
	// Again is from the last beat of a NAK to the first beat of what goes out again.
	Again = []Stage{{"icrc_check", 11}, {"icrc_gate", 3}, {"roce_parse", 14}, {"rx_classify", 5}, {"req_ack_check", 5},
		{"retry_ctl", 5}, {"tx_packetizer", 5}, {"sq_scheduler", 6}, {"tx_turn, with tx_packetizer", 10},
		{"tx_frame, to host memory", 3}, {"tx_frame, data", 15}, {"tx_arbiter", 2}, {"icrc_insert", 16}}
	// Answer is from the last beat of a request to that of its ACK or NAK, as the timed model of hca_rx has it, and the
	// arbiter behind it.
	Answer = []Stage{{"hca_rx", 92}, {"tx_arbiter", 2}}
)

// Clocks is the sum of a way.
func Clocks(way []Stage) (n int) {
	for _, s := range way {
		n += s.Clocks
	}
	return n
}

// ns is how long a way takes in the adapter of a workload.
func (w *Workload) ns(way []Stage) float64 {
	if w.Adapter == "model" {
		return 0
	}
	return float64(Clocks(way)) * 1000 / w.ClockMHz
}
