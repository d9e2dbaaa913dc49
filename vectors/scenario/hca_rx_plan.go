package scenario

// hcaRxPlan is a round of hca-rx, or of one like it: whose queue pairs, and how much of everything.
type hcaRxPlan struct {
	numbers   []uint32 // of the QPs: the fixed ones, behind them the spares and the one that makes up for missing writes
	fixed     int      // so many every round sets
	spares    int      // and so many take turns, each set while frames of the round before come
	shared    uint32   // the number of the receive queue that QPs of a round may share
	windows   int      // the index of the first QP's window; those of regions begin with 1
	numQPs    uint64   // of the model that says which frames write: no number and no key is beyond
	length    int      // of a round, in records
	setUp     int      // operations at most, of a round
	posts     int      // operations at most, before a part that is not the first
	operation int      // clocks that one takes, of many
	frames    int      // of a part that is not the last
	most      int      // of any, but for the writes that are missing
	bytes     int      // of a part; what comes then is small
	writes    int      // of a round
	overtakes int      // so many writes before it one may overtake, by its acknowledgement; 0: any number in its part
	pieces    int      // that READs of a round are asked for: as many as there are tags
	far       int      // and those of a READ of 64 KiB and more, with which its last part ends: 0, or a multiple of that
	atomics   int      // of a round: fewer than 31, which the one that makes up for them may have in flight
	serving   int      // clocks that READs and atomics of a part take at most, beside memory and beside frames
	wearing   int      // and those of which words are lost, behind all others
	grants    int      // the region of each so-manieth QP grants all; 0: that of none does, but by chance
	datagrams bool     // some QPs are of UD
	harsh     bool     // memory fails READs that come again, and half of what comes to QPs that it failed is marked
	receives  bool     // what comes fills receive WQEs, or not quite: hca-rx-receive
	vast      bool     // messages are as long as none elsewhere: hca-rx-vast
}

// Lengths of rounds, in records.
const (
	hcaRxLength     = 1100
	hcaRxOneLength  = 800 + hcaRxFar
	hcaRxManyLength = 20_000
)

// hcaRxFar is how many pieces 64 KiB have.
const hcaRxFar = 256

// asks is how many pieces memory is asked for in a round.
func (n *hcaRxPlan) asks() int { return n.pieces + n.far }

// filler is the place in numbers of the QP that makes up for missing writes.
func (n *hcaRxPlan) filler() int { return n.fixed + n.spares }

// hcaRxNumbers is how many QPs hcaRxFive has.
const hcaRxNumbers = 7

// hcaRxFive has four QPs in every round, and one of two more. No number is a bit away from another one; one is 0, for
// which a block may take the number of all QPs, cut.
var hcaRxFive = hcaRxPlan{numbers: []uint32{0, 3, 17, 62, 44, 43, 20}, fixed: 4, spares: 2, shared: 50, windows: 17,
	numQPs: hcaRxNumQPs, length: hcaRxLength, setUp: 150, posts: 90, operation: 1, frames: 100, most: 125, bytes: 60_000,
	writes: 128, pieces: 64, atomics: 16, serving: 600, datagrams: true, harsh: true}

// hcaRxWorn has the QPs of hcaRxFive, more operations, and more time.
var hcaRxWorn = hcaRxPlan{numbers: hcaRxFive.numbers, fixed: 4, spares: 2, shared: 50, windows: 17,
	numQPs: hcaRxNumQPs, length: hcaRxLength, setUp: 200, posts: 130, operation: 1, frames: 80, most: 110, bytes: 40_000,
	writes: 192, pieces: 64, atomics: 16, serving: 600, wearing: hcaRxWearing,
	datagrams: true}

// hcaRxOne has one QP, and another one that only makes up for missing writes.
var hcaRxOne = hcaRxPlan{numbers: []uint32{37, 8}, fixed: 1, shared: 50, windows: 17,
	numQPs: hcaRxNumQPs, length: hcaRxOneLength, setUp: 80, posts: 40, operation: 1, frames: 110, most: 150, bytes: 55_000,
	writes: 80, pieces: 64, far: hcaRxFar, atomics: 16, serving: 600}

// hcaRxMany has 256 QPs, and another one that only makes up for missing writes.
var hcaRxMany = hcaRxPlan{numbers: upTo(257), fixed: 256, shared: 600, windows: 300,
	numQPs: 1024, length: hcaRxManyLength, setUp: 5500, posts: 3700, operation: 4, frames: 1700, most: 2200,
	bytes: 850_000, writes: 1536, overtakes: 32, pieces: 64, atomics: 16, serving: 50_000, datagrams: true}

// hcaRxFull has the QPs of hcaRxFive, and parts as large as what fills every queue: makeHcaRxFull.
var hcaRxFull = hcaRxPlan{numbers: hcaRxFive.numbers, fixed: 4, spares: 2, shared: 50, windows: 17,
	numQPs: hcaRxNumQPs, length: hcaRxFullLength, setUp: 300, posts: 90, operation: 1, frames: 480, most: 480,
	bytes: 60_000, writes: 192, pieces: 64, atomics: 16, serving: 1200, grants: 2}

// upTo are the numbers below n.
func upTo(n uint32) (all []uint32) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// makeHcaRxOne is hca-rx with one QP, so that each packet has to do with the one before it.
func makeHcaRxOne(g *Generator, index uint64, _ *Rand, c *Case) {
	makeHcaRxRound(g, index, c, &hcaRxOne, false)
}

// makeHcaRxMany is hca-rx with 256 QPs, any of which may be next.
func makeHcaRxMany(g *Generator, index uint64, _ *Rand, c *Case) {
	makeHcaRxRound(g, index, c, &hcaRxMany, false)
}

// newHcaRxPeer makes the peers of a round.
func newHcaRxPeer(g *Generator, r *Rand, e *Episode, n *hcaRxPlan) hcaRxPeer {
	d := hcaRxPeer{plan: n, g: g, r: r, e: e, qps: make([]hcaRxQP, len(n.numbers)), broken: map[uint32]bool{},
		gone: map[uint32]bool{}}
	d.memory.words = map[uint64]uint64{}
	return d
}
