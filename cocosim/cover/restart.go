package cover

import "hcacosim/docs"

// Waited are the bins that somebody waits for: neither ignored nor illegal, in the order of their declaration. They
// stay the sheet's.
func (s *Sheet) Waited() (all []*Bin) {
	for _, g := range s.Groups {
		for i := range g.Bins {
			if b := &g.Bins[i]; b.Counts() {
				all = append(all, b)
			}
		}
	}
	return all
}

// Values is how many values each axis of a group has; the last one's change fastest in Bins. Empty of a sheet that was
// read.
func (g *Group) Values() []int { return g.sizes }

// Met is how many of the Waited bins were hit since New or Restart.
func (s *Sheet) Met() int { return s.met }

// Fields are the fields of the record ports of a stage as its document has them, by port.
func Fields(stage string) map[string][]docs.Field { return fieldsOf(stage) }

// Unjudged leaves out the golden model beside the device: the records are its own.
func (o *Observer) Unjudged() { o.golden = nil }

// Restart forgets every hit and what is known of the device, as after New.
func (o *Observer) Restart() {
	for _, g := range o.Groups {
		for i := range g.Bins {
			g.Bins[i].Hits, g.Bins[i].First = 0, nil
		}
	}
	for _, b := range o.bits {
		b.restart()
	}
	o.met = 0
	o.pending.restart()
	o.want, o.lastEnd, o.seen = nil, 0, 0
	if o.golden != nil {
		o.golden.Reset()
	}
	for _, f := range o.restart {
		f()
	}
}
