// Package txn is the transaction sublayer of Falcon: initiator and target of a connection, the pools of a device, the
// scheduler of its connections, and how RDMA operations become transactions. The machines have no clock: what takes
// time is asked for by an Event, and the caller says when it is over. docs/rules.md has the rules, FAL-T1 to FAL-T20.
package txn

import (
	"fmt"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/wire"
)

// Config is what the connections of a device have in common.
type Config struct {
	Mode *mode.Mode
	// Ordered connections keep RSN order (FAL-T4).
	Ordered bool
	// Flow says that connection and ULP queue are one to one: the ULP counts credits (FAL-T7).
	Flow bool
	// CellBytes is N of FAL-T6; ContextBytes what mode.ContextInCredits adds.
	CellBytes, ContextBytes uint32
	// Outstanding is how far RSNs may lie apart, a power of two: at an initiator from the oldest that holds something to
	// the next.
	Outstanding uint32
	FirstRSN    uint32
}

// EventKind says what a machine asks for.
type EventKind uint8

const (
	// Queue: a packet goes to the scheduler: Kind, RSN, Length.
	Queue EventKind = iota
	// Deliver: the target's ULP gets a request: Kind, RSN, Length.
	Deliver
	// Complete: the initiator's ULP gets a completion: Kind, RSN, Length (of Pull Data), Code, ULPCode.
	Complete
	// Acknowledge: packet delivery may acknowledge the Push Data of the RSN.
	Acknowledge
	// Refuse: packet delivery sends a NACK of the Push Data of the RSN: Nack, ULPCode, TimeoutNs.
	Refuse
	// Wait: Target.Expire is to be called with the RSN in TimeoutNs.
	Wait
	// Replace: packet delivery lets a Resync take the place of the packet: Kind, RSN, Resync.
	Replace
)

var eventNames = [...]string{"queue", "deliver", "complete", "acknowledge", "refuse", "wait", "replace"}

// Event is what a machine asks for.
type Event struct {
	What      EventKind
	Kind      falcon.Kind // PullRequest, PushData or PullData
	RSN       uint32
	Length    uint32 // bytes
	Code      wire.Completion
	Nack      wire.NackCode
	Resync    wire.ResyncCode
	ULPCode   uint8
	TimeoutNs int64
}

// String is for people: "deliver Push Data, RSN 3".
func (e Event) String() string {
	return fmt.Sprintf("%s %v, RSN %d", eventNames[e.What], wire.Type(e.Kind), e.RSN)
}

// Batch collects events in order.
type Batch []Event

// before compares RSNs (FAL-T1).
func before(a, b uint32) bool { return int32(a-b) < 0 }
