package guide

import "hcacosim/vectors/scenario"

// probe says whether a device goes on behind a segment. Where records enter by several ports, what is left when some
// were taken out may wait for one of those for ever, and all that comes behind it waits too.
type probe struct {
	player *player
	steps  []Step
	gave   int // records that they make a device give that was just reset
}

// settling is how many cycles a device has to give what it owes.
const settling = 1 << 14

// newProbe is the first episode of the stage's own scenario; nil where records enter by one port.
func newProbe(d *drawer) *probe {
	inputs := 0
	for _, port := range d.target.Spec.Ports {
		if port.Input {
			inputs++
		}
	}
	if inputs == 1 {
		return nil
	}
	p := &probe{player: newPlayer(d.target)}
	sc := scenario.Default(d.target.Spec.Name)
	p.player.restart()
	p.steps = lifted(p.player, sc, 1, 0, d.length[sc.Name])
	p.player.restart()
	p.gave = p.gives()
	return p
}

// gives plays the probe and counts what comes out until the device has settled.
func (p *probe) gives() int {
	before := p.player.gave
	p.player.play(p.steps)
	p.player.settle()
	return p.player.gave - before
}

// stuck reports whether the probe gives much less behind steps than on a device that was just reset.
func (p *probe) stuck(steps []Step) bool {
	if p == nil {
		return false
	}
	p.player.restart()
	p.player.play(steps)
	p.player.settle()
	return 8*p.gives() < 7*p.gave
}

// settle gives the device time.
func (p *player) settle() {
	p.cycle += settling
	p.out = p.stage.Advance(p.cycle, nil, p.out[:0])
	p.gave += len(p.out)
}
