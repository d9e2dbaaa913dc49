package field

import (
	"cmp"
	"maps"
	"slices"
)

// Counter is what a counter of a NIC should have risen by during the capture.
type Counter struct {
	Name  string `json:"name"`
	Value uint64 `json:"value"`
	// Why says why the capture cannot tell it; Value is then 0. Near says why it may differ by a few.
	Why  string `json:"unknown,omitempty"`
	Near string `json:"near,omitempty"`
}

// Told reports whether the capture tells the counter.
func (c *Counter) Told() bool { return c.Why == "" }

// CounterNames are the drivers under whose names counters are known.
var CounterNames = []string{"rxe", "mlx5"}

// reasons why a capture does not tell a counter.
const (
	notOnWire   = "no packet tells: a queue pair that gives up sends nothing"
	hostSide    = "no packet tells: it is between the NIC and its host"
	perService  = "for UC and UD no packet tells whether a receive WQE was there"
	overlapping = "a NAK or timeout that comes while a retry is under way counts and resends nothing"
	deviceOnly  = "the device's own state decides"
	inFlight    = "the driver drops what comes while its queue pair is in error"
	ending      = "a SEND that ends because its retries are used up counts too"
	whenRead    = "counted until the counters were read, which may be before the last packets"
)

// Counters are the counters of a host under a driver's names. At an end they are of that NIC; elsewhere of what came
// past.
func (h *Host) Counters(driver string) []Counter {
	if driver == "mlx5" {
		return h.mlx5()
	}
	return h.rxe()
}

// rxe: names of drivers/infiniband/sw/rxe/rxe_hw_counters.c.
func (h *Host) rxe() []Counter {
	return []Counter{
		{Name: "sent_pkts", Value: h.Sent, Near: whenRead},
		{Name: "rcvd_pkts", Value: h.Received, Near: inFlight},
		{Name: "duplicate_request", Value: h.Duplicates},
		{Name: "out_of_seq_request", Value: h.SequenceNAKsSent},
		{Name: "rcvd_rnr_err", Value: h.RNRReceived},
		{Name: "send_rnr_err", Value: h.RNRSent},
		{Name: "rcvd_seq_err", Value: h.SequenceNAKsMoved},
		{Name: "ack_deferred", Value: h.Responses, Near: inFlight},
		{Name: "retry_exceeded_err", Why: notOnWire},
		{Name: "retry_rnr_exceeded_err", Why: notOnWire},
		{Name: "completer_retry_err", Why: overlapping},
		{Name: "send_err", Why: hostSide},
		{Name: "link_downed", Why: hostSide},
		{Name: "rdma_sends", Value: h.Sends, Near: ending},
		h.receives(),
	}
}

func (h *Host) receives() Counter {
	if h.Unreliable > 0 {
		return Counter{Name: "rdma_recvs", Why: perService}
	}
	return Counter{Name: "rdma_recvs", Value: h.Receives}
}

// mlx5: names of drivers/infiniband/hw/mlx5/counters.c; ../shared has no capture of such a device.
func (h *Host) mlx5() []Counter {
	return []Counter{
		{Name: "rx_write_requests", Value: h.Writes},
		{Name: "rx_read_requests", Value: h.Reads},
		{Name: "rx_atomic_requests", Value: h.Atomic},
		{Name: "out_of_sequence", Value: h.OutOfSequence},
		{Name: "duplicate_request", Value: h.Duplicates},
		{Name: "rnr_nak_retry_err", Value: h.RNRReceived},
		{Name: "packet_seq_err", Value: h.SequenceNAKsReceived},
		{Name: "implied_nak_seq_err", Value: h.Implied},
		{Name: "local_ack_timeout_err", Value: h.Timeouts, Near: "the timer of a queue pair that gives up sends nothing"},
		{Name: "out_of_buffer", Value: h.RNRSent, Near: "UD and UC packets without a receive WQE count too and have no NAK"},
		{Name: "resp_remote_access_errors", Value: h.FatalSent[2]},
		{Name: "resp_local_length_error", Why: hostSide},
		{Name: "req_cqe_error", Why: hostSide},
		{Name: "resp_cqe_error", Why: hostSide},
		{Name: "req_transport_retries_exceeded", Why: notOnWire},
		{Name: "req_rnr_retries_exceeded", Why: notOnWire},
		{Name: "rx_icrc_encapsulated", Value: h.BadICRC},
		{Name: "np_cnp_sent", Value: h.CNPSent},
		{Name: "np_ecn_marked_roce_packets", Value: h.Marked},
		{Name: "rp_cnp_handled", Value: h.CNPReceived},
		{Name: "roce_adp_retrans", Why: deviceOnly},
		{Name: "roce_adp_retrans_to", Why: deviceOnly},
		{Name: "roce_slow_restart", Why: deviceOnly},
		{Name: "roce_slow_restart_cnps", Why: deviceOnly},
		{Name: "roce_slow_restart_trans", Why: deviceOnly},
	}
}

func sortedHosts(m map[addr]*Host) []*Host {
	return slices.SortedFunc(maps.Values(m), func(a, b *Host) int { return cmp.Or(a.IP.Compare(b.IP)) })
}
