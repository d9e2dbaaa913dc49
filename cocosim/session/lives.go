package session

import (
	"math/rand/v2"

	"hcacosim/cocosim"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// lifeKey makes the draws of the lives others than those of the stimulus.
const lifeKey = 0x6C69_7665_7321_2121 // "lives!!!"

// lifeShares are the shares of stalls and of idle cycles of those lives that do not have the run's.
var lifeShares = [...]float64{0, 0.1, 0.35, 0.7}

// lives are the traffic before the run's own, each ended by a reset of the pin: `Resets` of them, drawn from the seed.
// A life plays the run's scenario, or the stage's default, under another seed, stalled in its own way: half of them by
// the run's shares, half by others, so that a free run too is reset with its queues full. The reset that ends it comes
// in any state: before the device has taken anything, in the cycle behind any record, or while it waits, full, with
// more offered.
func (s *Session) lives() (all []cocosim.Life, err error) {
	if s.spec.device() != RTL || s.spec.Resets == 0 {
		return nil, nil
	}
	if s.manifest.Reset.Pin == "" || !s.manifest.Reset.MidTraffic {
		return nil, cocosim.Errorf(cocosim.BadInput, "--resets %d: %s does not say that it takes a reset in the middle of "+
			"traffic: reset: {..., mid_traffic: true}", s.spec.Resets, s.manifest.Path())
	}
	for i := range s.spec.Resets {
		sc := scenario.Default(s.stage.Name)
		if s.spec.Scenario != "" {
			if sc, err = scenario.Lookup(s.spec.Scenario); err != nil {
				return nil, err
			}
		}
		rng := rand.New(rand.NewPCG(s.spec.Seed^lifeKey, uint64(i)))
		life := drawLife(rng, s.manifest.Reset.Cycles)
		g, err := vectors.NewGenerated(sc, s.stage, rng.Uint64(), uint64(life.Records+life.More))
		if err != nil {
			return nil, err
		}
		life.Seed, life.Backpressure, life.Idle = rng.Uint64(), s.spec.Backpressure, s.spec.Idle
		if rng.IntN(2) == 0 {
			life.Backpressure, life.Idle = lifeShares[rng.IntN(len(lifeShares))], lifeShares[rng.IntN(len(lifeShares))]
		}
		other := *s // judged by its own stalls
		other.spec.Seed, other.spec.Backpressure, other.spec.Idle = life.Seed, life.Backpressure, life.Idle
		g.SetPace(other.pace())
		life.Checker, life.Stimulus = other.checker(), s.view.Stimulus(g)
		all = append(all, life)
	}
	return all, nil
}

// drawLife draws how a life begins and ends. Half of the resets are as short as the device takes.
func drawLife(rng *rand.Rand, shortest int) (life cocosim.Life) {
	life.More = rng.IntN(24)
	switch rng.IntN(4) {
	case 0: // while it begins
		life.Cycles = logarithmic(rng, 12)
	case 1: // at once
		life.Records = 1 + int(logarithmic(rng, 10))
	default:
		life.Records = 1 + int(logarithmic(rng, 10))
		life.Cycles = logarithmic(rng, 6)
	}
	if rng.IntN(2) == 0 {
		life.Hold = max(1, shortest) + int(logarithmic(rng, 8))
	}
	return life
}

// logarithmic draws a number below 2^bits whose size is as likely as another: 0, 1, 2 to 3, 4 to 7.
func logarithmic(rng *rand.Rand, bits int) uint64 {
	return rng.Uint64N(1 << rng.IntN(bits+1))
}
