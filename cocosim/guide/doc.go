// Package guide looks for short stimulus that meets every bin of a stage's coverage (package cover).
//
// It draws segments, episodes of the stage's scenarios under seeds of its own, plays each on the golden model and keeps
// what meets a bin that nothing before it met. Two things steer it: kinds of episode that brought new bins lately are
// drawn more often, and a record that met a neighbour of an open bin comes again changed: in some of its fields, in its
// time or order, or with a lent record beside it. What is kept is cut down to the records that count, put together anew
// by new bins a packet, each segment enriched with what others lend, and cut down again as a whole.
//
// Fields that say where a record lies against what the device holds, a PSN against the expected one, are kept as
// distances, and a segment leaves a device as an episode does: it means the same when records before it were taken out,
// or came in.
//
// The same target and seed give the same records, whatever the clock.
package guide
