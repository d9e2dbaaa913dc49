package main

const queueFile = "lib/credit_queue.sv"

// pipeProperties are those of formal/pipe_rules.sv for a block whose stages never stand still, with the faults that its
// stages can have. What its output does under stalls is the queue's, whatever comes to it.
func pipeProperties(queue, records, most string, none, many, order fault) []property {
	anything := []string{queue + ".valid_i", queue + ".data_i"}
	return []property{
		{check: 1, says: "valid stays until ready", plain: true, free: anything, fault: fault{"valid lasts a cycle only",
			queueFile,
			"if (move) out_valid_q <= ~mem_empty | valid_i", "out_valid_q <= ~mem_empty | valid_i"}},
		{check: 2, says: "the output is stable while stalled", plain: true, free: anything,
			fault: fault{"the output follows what comes", queueFile,
				"if (move) out_q <=", "if (move | valid_i) out_q <="}},
		{check: 3, says: "nothing comes out that did not go in", fault: none},
		{check: 4, says: "never more than " + most + " " + records + " inside", fault: many},
		{check: 5, says: records + " come to the queue in order, each as it went in, after the same time", fault: order},
	}
}

// numbered gives properties other bits of Check: those of a harness that has its own.
func numbered(all []property, checks ...int) []property {
	for i := range all {
		all[i].check = checks[i]
	}
	return all
}

// filling says how many cycles a fault of the count of what is inside takes at least: it shows when the queue is full,
// and what fills it comes one a cycle.
func filling(all []property, cycles int) []property {
	for i := range all {
		if all[i].check == 4 {
			all[i].skip = cycles
		}
	}
	return all
}

// says has properties that a block has with other parameters, too, say so.
func says(all []property, with string) []property {
	for i := range all {
		all[i].says += with
	}
	return all
}
