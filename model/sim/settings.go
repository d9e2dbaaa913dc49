package sim

// Settings are the parameters and configuration inputs of a device by the names that its manifest gives them:
// DataWidth, ticks_i. A name that is missing has the value that the manifest states.
type Settings map[string]uint64

// Get returns a setting, or otherwise where it is missing; otherwise is the manifest's value.
func (s Settings) Get(name string, otherwise uint64) uint64 {
	if v, ok := s[name]; ok {
		return v
	}
	return otherwise
}
