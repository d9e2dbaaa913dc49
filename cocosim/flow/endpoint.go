package flow

import "hcacosim/model/roce"

// Responder is the configuration of the responder of an end, "A" or "B", under a profile.
func (s *Sidecar) Responder(side string, profile *roce.Profile) roce.ResponderConfig {
	return s.responder(side, profile)
}

// Ends are an end, "A" or "B", and its peer.
func (s *Sidecar) Ends(side string) (own, peer *End) { return s.end(side), s.end(otherSide(side)) }
