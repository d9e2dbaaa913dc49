package session

import (
	"math/rand/v2"

	"hcacosim/cocosim"
	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// lifeKey makes the draws of the lives others than those of the stimulus.
const lifeKey = 0x6C69_7665_7321_2121 // "lives!!!"

// starts are the lives that come before those, each from another first state of what no reset reaches: a register that
// its reset forgets begins with either value in some of them. They are short, as what a register begins with is soon
// gone.
const (
	starts         = 8
	startKey       = 0x7374_6172_7473_2121 // "starts!!"
	startRecords   = 128                   // half of it, up to one and a half times as many
	startSeedShift = 33                    // short enough to be typed
)

// longLife is how many records the first life with the run's seed has at least: QPs are then in every state.
const longLife = 512

// lifeShares are the shares of stalls and of idle cycles of those lives that do not have the run's.
var lifeShares = [...]float64{0, 0.1, 0.35, 0.7}

// fullShare is that of the outputs of a life in four, or in half of those of one output alone: the device is then full
// of what waits when its reset comes.
const fullShare = 0.95

// lives are the traffic before the run's own: the starts, then `Resets` of them that a reset of the pin ends, all drawn
// from the seed.
// A life plays the run's scenario, or the stage's default, stalled in its own way: half of them by the run's shares,
// half by others, so that a free run too is reset with its queues full. Which part of the scenario, drawPart says. The
// reset that ends a life comes in any state: before the device has taken anything, in the cycle behind any record, or
// while it waits, full, with more offered.
func (s *Session) lives() (all []cocosim.Life, err error) {
	if s.spec.device() != RTL || s.spec.Resets == 0 {
		return nil, nil
	}
	if s.manifest.Reset.Pin == "" || !s.manifest.Reset.MidTraffic {
		return nil, cocosim.Errorf(cocosim.BadInput, "--resets %d: %s does not say that it takes a reset in the middle of "+
			"traffic: reset: {..., mid_traffic: true}", s.spec.Resets, s.manifest.Path())
	}
	sc := scenario.Default(s.stage.Name)
	if s.spec.Scenario != "" {
		if sc, err = scenario.Lookup(s.spec.Scenario); err != nil {
			return nil, err
		}
	}
	for i := range starts {
		rng := rand.New(rand.NewPCG(s.spec.Seed^startKey, uint64(i)))
		life := cocosim.Life{Start: true, StateSeed: s.spec.stateSeed() + 1 + rng.Uint64()>>startSeedShift,
			Records: startRecords/2 + rng.IntN(startRecords)}
		if err := s.fillLife(&life, rng, sc, rng.Uint64(), 0); err != nil {
			return nil, err
		}
		all = append(all, life)
	}
	went := uint64(0) // records of the run's seed that the device has taken in its lives
	for i := range s.spec.Resets {
		rng := rand.New(rand.NewPCG(s.spec.Seed^lifeKey, uint64(i)))
		life := drawLife(rng, s.manifest.Reset.Cycles)
		seed, from := s.drawPart(rng, i, &life, &went)
		if err := s.fillLife(&life, rng, sc, seed, from); err != nil {
			return nil, err
		}
		all = append(all, life)
	}
	return all, nil
}

// fillLife gives a life the records of a seed from one on, its stalls, and its judge.
func (s *Session) fillLife(life *cocosim.Life, rng *rand.Rand, sc *scenario.Scenario, seed, from uint64) error {
	g, err := vectors.NewGeneratedFrom(sc, s.stage, seed, from, uint64(life.Records+life.More))
	if err != nil {
		return err
	}
	life.Seed, life.Backpressure, life.Idle = rng.Uint64(), s.spec.Backpressure, s.spec.Idle
	switch n := rng.IntN(4); {
	case n == 0:
		life.Backpressure, life.Idle = lifeShares[rng.IntN(len(lifeShares))], lifeShares[rng.IntN(len(lifeShares))]
	case n == 1 && !life.Start:
		life.Backpressure, life.Idle = fullShare, 0
	}
	other := *s // judged by its own stalls
	other.spec.Seed, other.spec.Backpressure, other.spec.Idle = life.Seed, life.Backpressure, life.Idle
	if held := s.heldOutputs(); life.Backpressure == fullShare && len(held) > 0 && rng.IntN(2) == 0 {
		other.spec.StallOnly = held[rng.IntN(len(held))]
	}
	life.StallOnly = other.config().StallOnly
	g.SetPace(other.pace())
	life.Checker, life.Stimulus = other.checker(), g
	if from > 0 {
		life.Stimulus = &atOnce{Stimulus: g}
	}
	return nil
}

// OfLife is a life before a run, by its number in violations, as a run of its own without resets: its Spec, and the
// records to be played in place of what that names.
func OfLife(spec Spec, number int) (alone Spec, records []sim.Offer, err error) {
	s := &Session{spec: spec, params: map[string]int{}, inputs: map[string]uint64{}}
	for _, step := range []func() error{spec.check, s.chooseDut, s.configure} {
		if err := step(); err != nil {
			return alone, nil, err
		}
	}
	lives, err := s.lives()
	if err != nil {
		return alone, nil, err
	}
	if number < 1 || number > len(lives) {
		return alone, nil, cocosim.Errorf(cocosim.BadInput, "life %d: there are %d before the run", number, len(lives))
	}
	life := &lives[number-1]
	alone = spec
	alone.Resets, alone.StateSeed, alone.StallOnly = 0, s.spec.stateSeed(), ""
	alone.Seed, alone.Backpressure, alone.Idle = life.Seed, life.Backpressure, life.Idle
	if life.Start {
		alone.StateSeed = life.StateSeed
	}
	if life.StallOnly > 0 && life.Backpressure > 0 {
		alone.StallOnly = s.manifest.Ports[life.StallOnly-1].Name
	}
	var b sim.Offers
	err = eachOf(life.Stimulus, uint64(life.Records+life.More), func(r *sim.Offer) { b.Append(*r) })
	return alone, b.Offers, err
}

// drawPart chooses what life i plays. The first half of the lives play another seed each from its start. The second
// half play the run's own seed and go on behind a reset with the record that the device did not take before it, as if
// there had been none: what comes first then names QPs that lived before. went counts the records of those lives. Where
// records enter by several inputs they depend on each other's times from the start on: each life begins there.
func (s *Session) drawPart(rng *rand.Rand, i int, life *cocosim.Life, went *uint64) (seed, from uint64) {
	seed = rng.Uint64()
	if 2*i < s.spec.Resets {
		return seed, 0
	}
	if first := 2*(i-1) < s.spec.Resets; first {
		life.Records = max(life.Records, longLife)
	}
	if from = *went; oneInput(s.stage.Ports) {
		*went += uint64(life.Records)
	}
	return s.spec.Seed, from
}

// oneInput reports whether all records enter by one port.
func oneInput(ports []sim.PortSpec) bool {
	inputs := 0
	for _, p := range ports {
		if p.Input {
			inputs++
		}
	}
	return inputs == 1
}

// atOnce is a stimulus whose first record comes at once, and the others as long after it as they would.
type atOnce struct {
	cocosim.Stimulus
	begun bool
	first uint64 // cycle of the first record
}

// Next implements cocosim.Stimulus.
func (a *atOnce) Next(o *sim.Offer) error {
	if err := a.Stimulus.Next(o); err != nil {
		return err
	}
	if !a.begun {
		a.begun, a.first = true, o.NotBefore
	}
	o.NotBefore -= min(a.first, o.NotBefore)
	return nil
}

// drawLife draws how a life begins and ends. Half of the resets are as short as the device takes.
func drawLife(rng *rand.Rand, shortest int) (life cocosim.Life) {
	life.More = rng.IntN(24)
	switch rng.IntN(8) {
	case 0: // while it begins
		life.Cycles = logarithmic(rng, 12)
	case 1, 2, 3: // some time behind a record
		life.Records, life.Cycles = drawRecords(rng), logarithmic(rng, 6)
	default: // at once
		life.Records = drawRecords(rng)
	}
	if rng.IntN(2) == 0 {
		life.Hold = max(1, shortest) + int(logarithmic(rng, 8))
	}
	return life
}

// drawRecords draws how many records a life has: few as often as many, or any number.
func drawRecords(rng *rand.Rand) int {
	if rng.IntN(2) == 0 {
		return 1 + rng.IntN(longLife)
	}
	return 1 + int(logarithmic(rng, 10))
}

// logarithmic draws a number below 2^bits whose size is as likely as another: 0, 1, 2 to 3, 4 to 7.
func logarithmic(rng *rand.Rand, bits int) uint64 {
	return rng.Uint64N(1 << rng.IntN(bits+1))
}
