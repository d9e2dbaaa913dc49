package loop

// inbox are the frames that have reached an end and wait for its device to take them. What waits there the device has
// not received.
type inbox struct {
	frames   [][]byte
	fromC    []uint64 // the cycle in which each came
	longestC uint64
	taken    func(frame []byte) // is told of each; nil: nobody asks
}

// Hearer is an end that says itself when it has received a frame: from then on its judge holds it to that.
type Hearer interface {
	// Hears has taken called for each frame that the end takes, in their order.
	Hears(taken func(frame []byte))
	// HeldNs is how long a frame waited for that at most.
	HeldNs() uint64
}

// put puts a frame behind the others.
func (b *inbox) put(cycle uint64, frame []byte) {
	b.frames, b.fromC = append(b.frames, frame), append(b.fromC, cycle)
}

// take takes the first frame, whose last beat the device took in this cycle.
func (b *inbox) take(cycle uint64) {
	b.longestC = max(b.longestC, cycle-min(cycle, b.fromC[0]))
	frame := b.frames[0]
	b.frames, b.fromC = b.frames[1:], b.fromC[1:]
	b.hear(frame)
}

// hear tells of a frame.
func (b *inbox) hear(frame []byte) {
	if b.taken != nil {
		b.taken(frame)
	}
}
