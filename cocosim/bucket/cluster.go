package bucket

// cluster is an agglomeration on its way.
type cluster struct {
	vectors [][]feature
	members [][]int
	alive   []bool
	like    [][]float64 // mean cosine of the members of two groups
	within  []float64   // sum of the cosines of all pairs of members of a group
	nearest []int       // what a group is to be joined with, best first; -1 is none
}

func (c *cluster) measure() {
	n := len(c.vectors)
	c.alive, c.like, c.within = make([]bool, n), make([][]float64, n), make([]float64, n)
	for i := range n {
		c.alive[i], c.like[i], c.within[i] = true, make([]float64, n), pairs(len(c.members[i]))
		for j := range i {
			c.like[i][j] = cosine(c.vectors[i], c.vectors[j])
			c.like[j][i] = c.like[i][j]
		}
	}
}

// pairs is how many pairs n have.
func pairs(n int) float64 { return float64(n) * float64(n-1) / 2 }

func cosine(a, b []feature) (sum float64) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].id < b[0].id:
			a = a[1:]
		case a[0].id > b[0].id:
			b = b[1:]
		default:
			sum += a[0].weight * b[0].weight
			a, b = a[1:], b[1:]
		}
	}
	return sum
}

// merge joins the two that are most alike, again and again, until no two may be one.
func (c *cluster) merge() {
	c.nearest = make([]int, len(c.alive))
	for i := range c.nearest {
		c.nearest[i] = c.best(i)
	}
	for {
		a := -1
		for i, n := range c.nearest {
			if c.alive[i] && n >= 0 && (a < 0 || c.like[i][n] > c.like[a][c.nearest[a]]) {
				a = i
			}
		}
		if a < 0 {
			return
		}
		b := c.nearest[a]
		c.join(a, b)
		for i, is := range c.alive {
			if is && (i == a || c.nearest[i] == a || c.nearest[i] == b || c.mayJoin(i, a) && c.better(i, a)) {
				c.nearest[i] = c.best(i)
			}
		}
	}
}

// better reports whether j is more like i than what i was to be joined with.
func (c *cluster) better(i, j int) bool {
	return c.nearest[i] < 0 || c.like[i][j] > c.like[i][c.nearest[i]]
}

// best is what is most like i and may be joined with it; -1 if nothing may.
func (c *cluster) best(i int) int {
	best := -1
	for j, is := range c.alive {
		if is && j != i && (best < 0 || c.like[i][j] > c.like[i][best]) && c.mayJoin(i, j) {
			best = j
		}
	}
	return best
}

// mayJoin reports whether two groups may be one: they are alike enough, and not two that are each much more alike in
// themselves than to each other.
func (c *cluster) mayJoin(i, j int) bool {
	if c.like[i][j] < Alike {
		return false
	}
	ni, nj := len(c.members[i]), len(c.members[j])
	if min(ni, nj) < Several {
		return true
	}
	return c.like[i][j] >= Apart*min(c.within[i]/pairs(ni), c.within[j]/pairs(nj))
}

// join takes b into a.
func (c *cluster) join(a, b int) {
	na, nb := float64(len(c.members[a])), float64(len(c.members[b]))
	c.within[a] += c.within[b] + c.like[a][b]*na*nb
	for k, is := range c.alive {
		if is && k != a && k != b {
			mean := (c.like[a][k]*na + c.like[b][k]*nb) / (na + nb)
			c.like[a][k], c.like[k][a] = mean, mean
		}
	}
	c.members[a] = append(c.members[a], c.members[b]...)
	c.alive[b] = false
}
