// Package hca is the pipeline of the host channel adapter, stage by stage. Stage = Go file = SystemVerilog module =
// document under docs/blocks = test of the same name.
package hca

import "hcacosim/model/sim"

// Stages lists every stage in the order of the pipeline.
func Stages() []sim.StageSpec { return stages }

// Lookup finds a stage by name.
func Lookup(name string) (sim.StageSpec, bool) {
	for _, s := range stages {
		if s.Name == name {
			return s, true
		}
	}
	return sim.StageSpec{}, false
}

var stages = settled([]sim.StageSpec{
	icrcCheckSpec, icrcInsertSpec, icrcGateSpec, vcrcCheckSpec, psnWindowSpec, roceParseSpec, rxClassifySpec,
	rxIssueSpec, mrLookupSpec, msgTrackerSpec, rqHeadSpec, replayFIFOSpec, atomicEngineSpec, ackGenSpec,
	reqAckCheckSpec, respPSNCheckSpec, rxDMASpec, retxTimerSpec, retryCtlSpec, cnpGenSpec, qpCtlSpec, qpCtlAxilSpec,
	txArbiterSpec, sqRetireSpec, sqSchedulerSpec, txPacketizerSpec, txFrameSpec, hcaRxSpec,
	readEngineSpec, rateLimiterSpec, readPlaceSpec, hcaTxSpec, hcaTopSpec,
})
