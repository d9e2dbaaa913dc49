package sim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

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

// Setting is a parameter or configuration input that a stage knows, and what the block's document allows.
type Setting struct {
	Name        string
	Least, Most uint64
	Power       bool   // a power of two
	Input       bool   // a configuration input, which a bench drives
	Value       uint64 // of a configuration input: what the block's manifest states
}

// Inputs are the configuration inputs that the stage knows, with the values that it has under these settings; nil where
// it knows none.
func (s StageSpec) Inputs(settings Settings) (all Settings) {
	for _, k := range s.Settings {
		if k.Input {
			if all == nil {
				all = Settings{}
			}
			all[k.Name] = settings.Get(k.Name, k.Value)
		}
	}
	return all
}

// ParseSetting reads NAME=NUMBER.
func ParseSetting(text string) (name string, n uint64, err error) {
	name, value, found := strings.Cut(text, "=")
	if n, err = strconv.ParseUint(value, 0, 64); !found || name == "" || err != nil {
		return "", 0, fmt.Errorf("%q: want NAME=NUMBER", text)
	}
	return name, n, nil
}

// Check says which of the settings the stage does not know, or the block's document does not allow.
func (s StageSpec) Check(settings Settings) error {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		at := slices.IndexFunc(s.Settings, func(known Setting) bool { return known.Name == name })
		if at < 0 {
			var known []string
			for _, k := range s.Settings {
				known = append(known, k.Name)
			}
			return fmt.Errorf("%s has no parameter or configuration input %q (it has %s)", s.Name, name,
				cmp.Or(strings.Join(known, ", "), "none"))
		}
		if k, n := s.Settings[at], settings[name]; n < k.Least || n > k.Most || k.Power && n&(n-1) != 0 {
			kind := map[bool]string{true: "a power of two from "}[k.Power]
			return fmt.Errorf("%s: %s=%d: want %s%d to %d", s.Name, name, n, kind, k.Least, k.Most)
		}
	}
	for _, refuses := range []func(Settings) string{s.Fits, s.Refuses} {
		if refuses == nil {
			continue
		}
		if why := refuses(settings); why != "" {
			return fmt.Errorf("%s: %s", s.Name, why)
		}
	}
	return nil
}
