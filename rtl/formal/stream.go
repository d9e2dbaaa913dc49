package main

// streamProperties are those of formal/stream_rules.sv, with the faults that a block's register stages can have: rest of a block that
// gives a record for every one that it takes.
func streamProperties(most string, stays, stable, none, many fault) []property {
	return []property{
		{check: 1, says: "valid stays until ready", fault: stays},
		{check: 2, says: "the record is stable while stalled", fault: stable},
		{check: 3, says: "nothing comes out that did not go in", fault: none},
		{check: 4, says: "never more than " + most + " records inside", fault: many},
	}
}
