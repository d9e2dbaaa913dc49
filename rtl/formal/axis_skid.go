package main

const skidFile = "lib/axis_skid.sv"

var _ = register(proof{block: "axis_skid", depth: 8, properties: []property{
	{check: 1, says: "no beat is lost, doubled, changed or overtaken", fault: fault{"the spare is not seen", skidFile,
		"head_q <= spare_valid_q ? spare_q : s_data_i", "head_q <= s_data_i"}},
	{check: 2, says: "ready in every cycle with room, never without", fault: fault{"ready lags a cycle", skidFile,
		"ready_q       <= ~spare_valid_d", "ready_q       <= ~spare_valid_q"}},
	{check: 3, says: "valid stays until ready", fault: fault{"the head is given up while stalled", skidFile,
		"if (move) head_valid_q <= spare_valid_q | push", "head_valid_q <= spare_valid_q | push"}},
	{check: 4, says: "data is stable while stalled", fault: fault{"the head is overwritten while stalled", skidFile,
		"if (move) head_q <=", "if (move | push) head_q <="}},
}})
