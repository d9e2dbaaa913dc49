package scenario

// A refused request takes its QP to error, and what comes then asks nothing of most blocks. So most peers are
// careful: they send nothing wrong before the end of a part.

// hcaRxLastWords is how many frames, and records, a part has for its end.
const hcaRxLastWords = 10

// drawCareful draws whose peers are careful in a part.
func (d *hcaRxPeer) drawCareful() {
	d.careful = map[uint32]bool{}
	for _, p := range d.used {
		d.careful[p.spec.DestQP] = !d.plan.receives && p.rights&1 != 0 && !d.r.OneIn(3)
	}
}

// errs reports whether a QP's peer may send what is refused.
func (d *hcaRxPeer) errs(p *hcaRxQP) bool { return !d.careful[p.spec.DestQP] }

// took reports whether a QP has executed all that its peer sent: then a careful peer goes on, and else it goes back.
func (d *hcaRxPeer) took(p *hcaRxQP) bool {
	expects, ok := d.model.Expects(p.spec.DestQP)
	return ok && expects == p.next
}

// lastWords are the last frames of a part: careful peers do something wrong in the end, all but one, whose queue pair
// memory may fail.
func (d *hcaRxPeer) lastWords() {
	d.ending = true
	defer func() { d.ending = false }()
	d.readBeyond()
	spared, first := d.part == hcaRxParts-1, d.r.Below(len(d.used))
	for i := range d.used {
		p := d.used[(first+i)%len(d.used)]
		if p.ud || !d.serves(p) {
			continue
		}
		if d.settle(p); d.errs(p) || p.uc {
			continue
		}
		switch delete(d.careful, p.spec.DestQP); {
		case !spared:
			spared = true
		case d.readsKiB(p):
		case (p.receive.WholeWrite || d.r.OneIn(4)) && d.beginsWrite(p):
		case d.r.OneIn(2) && d.withoutRight(p):
		default:
			d.oneWrong(p)
		}
	}
}

// misdirected sends a request that most times is not the queue pair's own: it is dropped and changes nothing (ADM-1
// to ADM-5), so careful peers send such too. One bit of a partition's number may leave it the same.
func (d *hcaRxPeer) misdirected(p *hcaRxQP) {
	if p.back != nil {
		*p = *p.back
	}
	before := *p
	s, n, _ := d.ask(p)
	if d.misdirect(&s); !d.send(s, n, "a request, misdirected") || !d.took(p) {
		*p = before
	}
}

// settle has a peer end what it has begun.
func (d *hcaRxPeer) settle(p *hcaRxQP) {
	if p.back != nil {
		*p = *p.back
	}
	for p.sends && p.back == nil && d.more() {
		before := *p
		s, n, _ := d.request(p)
		d.frame(s.Encap.Link(), s.Append(nil, d.g.random[d.r.Below(1000):][:n]), "the rest of a message")
		if !d.took(p) {
			p.lose(&before)
		}
	}
}

// oneWrong sends a request with one thing wrong.
func (d *hcaRxPeer) oneWrong(p *hcaRxQP) {
	before := *p
	s, n, _ := d.ask(p)
	d.spoil(p, &s, &n)
	d.send(s, n, "request: something wrong")
	p.lose(&before)
}

// withoutRight sends what a QP may and its key or its window may not, and reports whether there is such: a READ, an
// atomic, an ATOMIC WRITE or a FLUSH for which a right is missing (RSP-1). That ends the QP.
func (d *hcaRxPeer) withoutRight(p *hcaRxQP) bool {
	if p.sends || p.reads <= d.served[p.spec.DestQP] {
		return false
	}
	key, kinds := p.key, p.refuses(p.rights)
	if of := p.refuses(p.opened); p.open && len(of) > 0 && (len(kinds) == 0 || d.r.OneIn(2)) {
		key, kinds = p.window, of
	}
	if len(kinds) == 0 {
		return false
	}
	before := *p
	kind := kinds[d.r.Below(len(kinds))]
	if kinds[0] == 0 { // few QPs that may have it live so long
		kind = 0
	}
	s, n := d.read(p, kind)
	s.RKey = key
	d.send(s, n, "without a right")
	p.lose(&before)
	return true
}

// refuses are the kinds of READs and atomics that the QP would execute if a key had more than these rights.
func (p *hcaRxQP) refuses(rights uint8) (kinds []int) {
	all, some := *p, *p
	all.rights, some.rights = 31, rights
	for _, kind := range [...]int{0, 1, 2, 6} {
		if all.allows(kind) && !some.allows(kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
