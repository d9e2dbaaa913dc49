// Package swift is the congestion control algorithm of the rate update engine: what a result says to an event. It works
// out the window of the fabric (fcwnd) from delays, that of the receiving NIC (ncwnd) from its buffer level, the gap
// between packets below one packet, the retransmission timeout, and when to try another path (PLB).
package swift

import "math"

// Decides FAL-C15.

// Config are the parameters of the algorithm. Times are in units of 131.072 ns, windows in packets.
type Config struct {
	MaxFcwnd, MinFcwnd  float64 // at most 11.10 fixed point: 2047.9990234375 and 0.0009765625
	FcwndIncrease       float64 // packets a round trip
	FcwndDecreaseFactor float64
	MaxFcwndDecrease    float64 // the most that is taken away at once: 0.5 is half

	MaxNcwnd, MinNcwnd  float64 // at most 2047
	NcwndIncrease       float64
	NcwndDecreaseFactor float64
	MaxNcwndDecrease    float64
	TargetLevel         uint8 // buffer level of the receiver, 0 to 31

	RTTAlpha, DelayAlpha float64 // average constants, see mode.EWMA
	RTTSmooth            bool    // gaps and markers take the smoothed round trip; guards the event's

	BaseDelay              uint32 // of the target, for events whose own is 0
	PerHop                 uint32 // at most 4095
	MaxFlowScaling         uint32 // the most that a small window adds to the target
	MinFlowScalingWindow   float64
	MaxFlowScalingWindow   float64
	MinRTO                 uint32
	RTOScalar              float64
	RetxLimit              uint8   // retransmissions that bring fcwnd to its minimum
	IPGScalar              float64 // units of the gap in 131.072 ns: 0.256 for gaps in 512 ns
	IPGBits                uint8   // where a gap saturates
	MaxDecreaseOnEACKNack  bool    // an EACK that tells of drops, and a NACK of the window, take away MaxFcwndDecrease
	RandomizePath          bool    // PLB is on
	PLBTargetMultiplier    float64 // delays above target x this are congestion
	PLBCongestionThreshold float64 // fraction of packets that makes a round trip congested
	PLBAttemptThreshold    uint8   // congested round trips that bring another path
}

// Default returns the defaults of the peer.
func Default() Config {
	return Config{
		MaxFcwnd: 256, MinFcwnd: 0.01, FcwndIncrease: 1, FcwndDecreaseFactor: 0.8, MaxFcwndDecrease: 0.5,
		MaxNcwnd: 256, MinNcwnd: 1, NcwndIncrease: 1, NcwndDecreaseFactor: 0.8, MaxNcwndDecrease: 0.5, TargetLevel: 15,
		RTTAlpha: 0.75, DelayAlpha: 0, BaseDelay: 191, PerHop: 8, MaxFlowScaling: 763, MinFlowScalingWindow: 0.1,
		MaxFlowScalingWindow: 256, MinRTO: 1907, RTOScalar: 2, RetxLimit: 3, IPGScalar: 0.256, IPGBits: 16,
		PLBTargetMultiplier: 1.01, PLBCongestionThreshold: 0.5, PLBAttemptThreshold: 5,
	}
}

// Limits of what the fixed point formats hold (FAL-C15).
const (
	FractionBits  = 10
	MaxFcwndLimit = 2047.9990234375
	MinFcwndLimit = 0.0009765625
	MaxNcwndLimit = 2047
	MaxLevel      = 31
	MaxPerHop     = 4095
	MaxTime       = 1<<24 - 1
	MaxAttempts   = 15
)

// InvalidConfig names a field whose value the formats cannot hold.
type InvalidConfig struct{ Field string }

func (e *InvalidConfig) Error() string { return "swift: " + e.Field + " is out of range" }

// Check returns an *InvalidConfig for the first field out of range (FAL-C15), or nil.
func (c *Config) Check() error {
	for _, x := range []struct {
		field string
		ok    bool
	}{
		{"MaxFcwnd", c.MaxFcwnd <= MaxFcwndLimit && c.MaxFcwnd >= c.MinFcwnd},
		{"MinFcwnd", c.MinFcwnd >= MinFcwndLimit},
		{"MaxNcwnd", c.MaxNcwnd <= MaxNcwndLimit && c.MaxNcwnd >= c.MinNcwnd},
		{"MinNcwnd", c.MinNcwnd >= MinFcwndLimit},
		{"MaxFcwndDecrease", c.MaxFcwndDecrease >= 0 && c.MaxFcwndDecrease <= 1},
		{"MaxNcwndDecrease", c.MaxNcwndDecrease >= 0 && c.MaxNcwndDecrease <= 1},
		{"TargetLevel", c.TargetLevel <= MaxLevel},
		{"RTTAlpha", c.RTTAlpha >= 0 && c.RTTAlpha <= 1},
		{"DelayAlpha", c.DelayAlpha >= 0 && c.DelayAlpha <= 1},
		{"PerHop", c.PerHop <= MaxPerHop},
		{"MinRTO", c.MinRTO <= MaxTime},
		{"IPGScalar", c.IPGScalar > 0},
		{"IPGBits", c.IPGBits <= 20},
		{"MinFlowScalingWindow", c.MinFlowScalingWindow > 0 && c.MinFlowScalingWindow < c.MaxFlowScalingWindow},
		{"PLBAttemptThreshold", c.PLBAttemptThreshold <= MaxAttempts},
	} {
		if !x.ok {
			return &InvalidConfig{x.field}
		}
	}
	return nil
}

// FlowScaling returns alpha and beta of the share that a small window adds to the target (FAL-C6). noReciprocals is
// mode.AlphaNoReciprocals.
func (c *Config) FlowScaling(noReciprocals bool) (alpha, beta float64) {
	low, high := math.Sqrt(c.MinFlowScalingWindow), math.Sqrt(c.MaxFlowScalingWindow)
	if noReciprocals {
		alpha = float64(c.MaxFlowScaling) / (low - high)
	} else {
		alpha = float64(c.MaxFlowScaling) / (1/low - 1/high)
	}
	return alpha, -alpha / math.Sqrt(c.MaxFlowScalingWindow)
}
