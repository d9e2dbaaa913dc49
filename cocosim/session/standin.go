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
		s.source.add(&standin.Played{Endpoint: e, Clock: clock, Settings: s.settings()}, uint64(e.Received), e.String())
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
