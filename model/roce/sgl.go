package roce

// Segment is local memory that a scatter/gather list names.
type Segment struct {
	VA   uint64
	LKey uint32
	Len  uint32
}

// SGList is the scatter/gather list of a WQE.
type SGList []Segment

// Len is how many bytes the list has room for.
func (l SGList) Len() (n uint64) {
	for _, s := range l {
		n += uint64(s.Len)
	}
	return n
}

// Range calls each with the pieces of memory that hold n bytes of the message from off, in order. It stops where the
// list ends and returns how many bytes it found.
func (l SGList) Range(off, n uint32, each func(Segment)) (found uint32) {
	for _, s := range l {
		if off >= s.Len {
			off -= s.Len
			continue
		}
		s.VA, s.Len = s.VA+uint64(off), min(s.Len-off, n-found)
		off = 0
		if s.Len == 0 {
			break
		}
		each(s)
		found += s.Len
	}
	return found
}
