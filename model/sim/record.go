// Package sim holds what every timed part of the model shares: records, the things that cross the edge of a device.
// It has no clock of its own, no file and no goroutine: cycles are numbers that the caller hands in.
package sim

// Port is the index of a port in its device's port table.
type Port uint16

// Record is a byte string that crossed a port: a packet, a header verdict, a timer event, a completion. An input record
// is one that the device has taken; before that it is an Offer.
type Record struct {
	// Start and End are the accepted cycles: those of the first and the last beat.
	Start, End uint64
	// Seq numbers the records of a port from 0. Cause is the Seq of the last input that an output needed.
	Seq, Cause uint64
	// Key groups the records whose mutual order matters: a QPN or a flow. 0 where the port has one order.
	Key uint32
	// User is the sideband of an axis port (tuser): driven on every beat of an input, sampled on the last beat of an
	// output. 0 on ports without one.
	User uint32
	Port Port
	// Need and Group say of an expected output how binding it is.
	Need Need
	// From says, of an output of a stage with several inputs that tells it, which of them Cause counts on: 0 is the first.
	From  uint8
	Group uint32
	// Behind says, of an expected output, how many records of the ports that its StageSpec's Behind names are handed over
	// before it leaves. 0 where nothing is said.
	Behind uint64
	Data   []byte
}

// Need says how binding an expected output is. The zero value is what a device without a choice has.
type Need uint8

const (
	// Must: the record comes.
	Must Need = iota
	// May: it comes or does not.
	May
	// OneOf: it comes, or a later record of its port, Key and Group comes in its place, as an ACK does for those
	// before it.
	OneOf
)

var needNames = [...]string{"must", "may", "one"}

func (n Need) String() string { return needNames[n] }
