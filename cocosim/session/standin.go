package session

import (
	"cmp"
	"fmt"
	"path/filepath"

	"hcacosim/cocosim"
	"hcacosim/cocosim/field"
	"hcacosim/cocosim/flow"
	"hcacosim/cocosim/standin"
	"hcacosim/model/roce"
)

// receiver is the stage that captures are played to as to the endpoint that they were taken at.
const receiver = "hca_rx"

// addEndpoints plays captures to hca_rx: each sets up its queue pair. One of which nobody knows whose it is is played
// with nothing set up.
func (s *Session) addEndpoints() error {
	if s.spec.Scenario != "" || s.spec.Known {
		return cocosim.Errorf(cocosim.BadInput, "--capture sets %s up, and so does --scenario: play them in two runs",
			receiver)
	}
	profile, err := field.Profile(cmp.Or(s.spec.Profile, roce.Spec.Name))
	if err != nil {
		return cocosim.Errorf(cocosim.BadInput, "--profile %v", err)
	}
	clock := &standin.Clock{Pace: s.pace()}
	for i, file := range s.spec.Captures {
		if _, _, ok := flow.FindSidecar(file); !ok && s.spec.PeerConfig == "" {
			s.addCaptures(filepath.Base(file)+", of which no sidecar says whose it is: nothing is set up",
				openers(s.spec.Captures[i:i+1]))
			continue
		}
		e, err := standin.Open(file, s.spec.PeerConfig, s.spec.At, &profile)
		if err != nil {
			return err
		}
		if err := s.receiveQueue(e); err != nil {
			return err
		}
		e.QP.PD = uint32(s.settings().Get("pd_i", 5))
		s.source.add(&standin.Played{Endpoint: e, Clock: clock}, uint64(e.Received), e.String())
	}
	return nil
}

// receiveQueue sets the configuration inputs that stand for the receive queue, unless the Spec does: they are the same
// for all captures of a run.
func (s *Session) receiveQueue(e *standin.Endpoint) error {
	present := uint64(0)
	if e.WQEPresent {
		present = 1
	}
	for name, v := range map[string]uint64{"wqe_present_i": present, "wqe_bytes_i": uint64(e.WQEBytes)} {
		if _, ok := s.spec.Config[name]; ok || name == "wqe_bytes_i" && !e.WQEPresent {
			continue
		}
		if had, ok := s.inputs[name]; ok && had != v {
			return cocosim.Errorf(cocosim.BadInput, "%s: its receive queue has %s %d, a capture before it %d: play them in two "+
				"runs, or give --config %s=%d", e.File, name, v, had, name, v)
		}
		s.inputs[name] = v
	}
	return nil
}

// checkEndpoints says which flags about captures no device but hca_rx can have.
func (s *Session) checkEndpoints() error {
	for flag, v := range map[string]string{"peer-config": s.spec.PeerConfig, "at": s.spec.At, "profile": s.spec.Profile} {
		if v != "" && (s.stage.Name != receiver || len(s.spec.Captures) == 0) {
			return cocosim.Errorf(cocosim.BadInput, "--%s is about captures that are played to %s: %s", flag, receiver,
				fmt.Sprintf("--dut %s --capture FILE", receiver))
		}
	}
	return nil
}
