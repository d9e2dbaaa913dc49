package cover

import (
	"fmt"
	"math/bits"
)

// distances are the places of a PSN against another, by powers of two: 0, then 1, 2 to 3, 4 to 7, ... ahead, the same
// behind, and exactly half the circle of 24 bits.
var distances = makeDistances()

func makeDistances() (a Axis) {
	a = append(a, "0")
	for _, sign := range []string{"+", "-"} {
		for k := range 23 {
			if k == 0 {
				a = append(a, sign+"1")
			} else {
				a = append(a, fmt.Sprintf("%s2^%d to 2^%d-1", sign, k, k+1))
			}
		}
	}
	return append(a, "2^23")
}

// distanceOf is the place of a signed difference of 24 bits.
func distanceOf(d int32) int {
	switch {
	case d == 0:
		return 0
	case d == -1<<23 || d == 1<<23:
		return len(distances) - 1
	case d > 0:
		return bits.Len32(uint32(d))
	}
	return 23 + bits.Len32(uint32(-d))
}

// bitNames are the bits of a number of so many bits.
func bitNames(n int) (a Axis) {
	for i := range n {
		a = append(a, fmt.Sprintf("bit %d", i))
	}
	return a
}

// numbers are 0 to n-1.
func numbers(n int) (a Axis) {
	for i := range n {
		a = append(a, fmt.Sprint(i))
	}
	return a
}

// lengths are classes of a payload against the PMTU.
var lengths = Axis{"none", "1", "2", "3", "4", "below PMTU-4", "PMTU-4 to PMTU-2", "PMTU-1", "PMTU", "PMTU+1", "more"}

func lengthOf(n, pmtu int) int {
	switch {
	case n <= 4:
		return n
	case n < pmtu-4:
		return 5
	case n < pmtu-1:
		return 6
	case n <= pmtu+1:
		return 7 + n - (pmtu - 1)
	}
	return 10
}
