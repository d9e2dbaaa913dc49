package hca

import (
	"fmt"
	"math/bits"

	"hcacosim/model/sim"
)

// What blocks have in common.
var (
	numQPs    = sim.Setting{Name: "NumQps", Least: 4, Most: 65536, Power: true}
	numQPsUp  = sim.Setting{Name: "NumQps", Least: 4, Most: 1 << 24, Power: true} // the document says only from where on
	dataWidth = sim.Setting{Name: "DataWidth", Least: 64, Most: 1024, Power: true}
	numReads  = sim.Setting{Name: "Reads", Least: 1, Most: 16}
	hasECC    = sim.Setting{Name: "Ecc", Most: 1}
	psnBits   = sim.Setting{Name: "HCA_PSN_BITS", Least: 3, Most: 24}
	psnField  = sim.Setting{Name: "PsnWidth", Least: 3, Most: 24}
	stamp     = sim.Setting{Name: "StampWidth", Least: 5, Most: 32}
	flow      = sim.Setting{Name: "FlowWidth", Least: 2, Most: 16}
	counter   = sim.Setting{Name: "CounterLow", Least: 1, Most: 32}
	tickStep  = sim.Setting{Name: "tick_step_i", Most: 1<<32 - 1, Input: true, Value: 1}
	forever   = sim.Setting{Name: "retry7_forever_i", Most: 1, Input: true}

	registerSettings = []sim.Setting{numQPs, counter, {Name: "CounterHigh", Least: 1, Most: 16}, flow}
)

// depth is a parameter of so many places, a power of two from 2 on.
func depth(name string, most uint64) sim.Setting {
	return sim.Setting{Name: name, Least: 2, Most: most, Power: true}
}

// stageSettings are the parameters and configuration inputs of each block, as its document has them.
var stageSettings = map[string][]sim.Setting{
	"icrc_check":     {dataWidth},
	"icrc_insert":    {dataWidth},
	"icrc_gate":      {dataWidth},
	"vcrc_check":     {dataWidth},
	"roce_parse":     {dataWidth},
	"read_engine":    {dataWidth},
	"rx_classify":    {numQPs, hasECC},
	"rx_issue":       {depth("Depth", 64)},
	"mr_lookup":      {numQPs, hasECC},
	"msg_tracker":    {numQPs, hasECC},
	"rq_head":        {numQPsUp, depth("Depth", 64), hasECC},
	"replay_fifo":    {numQPsUp, depth("Slots", 16), hasECC},
	"atomic_engine":  {depth("Slots", 64)},
	"ack_gen":        {numQPs, dataWidth},
	"tx_frame":       {numQPs, dataWidth},
	"req_ack_check":  {numQPs, numReads, hasECC, psnBits},
	"resp_psn_check": {numQPs, hasECC, psnBits},
	"rx_dma":         {dataWidth, depth("Depth", 256), numQPsUp},
	"retx_timer":     {numQPs, depth("Lanes", 65536), perTick(4), tickStep, forever},
	"retry_ctl":      {numQPs, forever},
	"cnp_gen":        {numQPs, stamp},
	"rate_limiter":   {numQPs, stamp},
	"qp_ctl":         registerSettings,
	"qp_ctl_axil":    registerSettings,
	"sq_retire":      {numQPsUp, depth("Depth", 64), psnField},
	"sq_scheduler":   {numQPs, depth("Turns", 64)},
	"tx_packetizer":  {numQPs, depth("Wqes", 64), psnField},
	"read_place":     {dataWidth, depth("Depth", 256), numQPs, numReads},
	"tx_arbiter":     arbiterSettings,
	"hca_rx": append(receiveSettings(4), hasECC, pin("m_resp_ready_i"), pin("m_cnp_ready_i"),
		pin("m_brings_tready_i")),
	"hca_tx": append([]sim.Setting{{Name: "NumQps", Least: 32, Most: 65536, Power: true}, dataWidth, psnBits},
		sendSettings...),
	"hca_top": append(append(receiveSettings(32), counter, flow), sendSettings...),
}

// arbiterSettings are those of tx_arbiter. Its sideband has two bits more when it leaves.
var arbiterSettings = []sim.Setting{{Name: "NumInputs", Least: 2, Most: TxInputs}, dataWidth, depth("Depth", 1<<16),
	{Name: "UserWidth", Least: 1, Most: 30}, {Name: "UserOnLast", Most: 1}}

// receiveSettings are those of a receive side of so many QPs at least.
func receiveSettings(least uint64) []sim.Setting {
	return []sim.Setting{{Name: "NumQps", Least: least, Most: 8192, Power: true}, dataWidth, depth("RqDepth", 64), psnBits}
}

// sendSettings are those of a send side.
var sendSettings = []sim.Setting{depth("SqDepth", 64), numReads, perTick(65535), tickStep, forever}

// perTick is how many cycles a tick has.
func perTick(value uint64) sim.Setting {
	return sim.Setting{Name: "cycles_per_tick_i", Most: 1<<16 - 1, Input: true, Value: value}
}

// pin is an input of one bit, which is 1 where nobody says otherwise.
func pin(name string) sim.Setting { return sim.Setting{Name: name, Most: 1, Input: true, Value: 1} }

// stageFits are what the documents say of several settings of a block.
var stageFits = map[string]func(sim.Settings) string{
	"rq_head":      fitsPlaces("Depth", 8),
	"replay_fifo":  fitsPlaces("Slots", 4),
	"sq_retire":    fitsPlaces("Depth", 8),
	"hca_rx":       fitsPlaces("RqDepth", HcaRxQueueDepth),
	"hca_tx":       fitsPlaces("SqDepth", HcaTxQueueDepth),
	"hca_top":      fitsBothQueues,
	"cnp_gen":      fitsStamp,
	"rate_limiter": fitsStamp,
	"retx_timer":   fitsLanes,
}

// maxPlaces is how many places the queues of all QPs have at most.
const maxPlaces = 65536

func fitsPlaces(name string, otherwise uint64) func(sim.Settings) string {
	return func(s sim.Settings) string {
		n, each := s.Get("NumQps", 4096), s.Get(name, otherwise)
		if n*each <= maxPlaces {
			return ""
		}
		return fmt.Sprintf("NumQps=%d with %s=%d: their product is %d at most", n, name, each, maxPlaces)
	}
}

func fitsBothQueues(s sim.Settings) string {
	if why := fitsPlaces("RqDepth", HcaRxQueueDepth)(s); why != "" {
		return why
	}
	return fitsPlaces("SqDepth", HcaTxQueueDepth)(s)
}

func fitsStamp(s sim.Settings) string {
	n, width := s.Get("NumQps", 4096), s.Get("StampWidth", 24)
	least := uint64(bits.Len64(n)) - 1 + 3
	if width >= least {
		return ""
	}
	return fmt.Sprintf("StampWidth=%d: want %d to 32 with NumQps=%d", width, least, n)
}

func fitsLanes(s sim.Settings) string {
	n, lanes := s.Get("NumQps", 65536), s.Get("Lanes", 8)
	if n >= 4*lanes {
		return ""
	}
	return fmt.Sprintf("NumQps=%d: want %d at least with Lanes=%d", n, 4*lanes, lanes)
}

// settled puts what a stage's settings are beside it.
func settled(specs []sim.StageSpec) []sim.StageSpec {
	for i := range specs {
		specs[i].Settings, specs[i].Fits = stageSettings[specs[i].Name], stageFits[specs[i].Name]
	}
	return specs
}
