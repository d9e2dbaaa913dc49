package scenario

// Configurations are settings of configuration inputs under which the scenarios for a stage mean what they say, beside
// the manifest's. A regression runs each. Time must not pass much slower than at the default of a tick in four clocks:
// a run waits for the longest timer.
func Configurations(stage string) []map[string]uint64 {
	switch stage {
	case "retry_ctl":
		return []map[string]uint64{{"retry7_forever_i": 1}}
	case "retx_timer":
		return timerConfigurations
	case "hca_tx", "hca_top":
		return requesterConfigurations
	}
	return nil
}

// Ticks stay about as long as they are: silences are for timers of that.
var requesterConfigurations = []map[string]uint64{
	{"retry7_forever_i": 1},
	{"cycles_per_tick_i": 30000, "tick_step_i": 2},
}

var timerConfigurations = []map[string]uint64{
	{"retry7_forever_i": 1},
	{"cycles_per_tick_i": 1},
	{"cycles_per_tick_i": 0}, // counts as 1
	{"cycles_per_tick_i": 300, "tick_step_i": 75},
	{"cycles_per_tick_i": 40000, "tick_step_i": 10000},
	{"cycles_per_tick_i": 64, "tick_step_i": 1 << 30},
	{"cycles_per_tick_i": 512, "tick_step_i": 1 << 31},
	{"cycles_per_tick_i": 4, "tick_step_i": 255, "retry7_forever_i": 1},
}
