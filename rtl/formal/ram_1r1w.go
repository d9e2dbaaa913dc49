package main

const ramFile = "lib/ram_1r1w.sv"

// ram_1r1w is proved with both read latencies.
var (
	_ = register(proof{block: "ram_1r1w", depth: 8, properties: ramProperties("")})
	_ = register(proof{block: "ram_1r1w", parameters: "-set ReadLatency 2", depth: 8,
		properties: ramProperties(", read latency 2")})
)

func ramProperties(latency string) []property {
	return []property{
		{check: 1, says: "a read gives what was last written to each lane" + latency,
			fault: fault{"a lane is written with another", ramFile,
				"if (wlanes_i[l]) mem", "if (wlanes_i != '0) mem"}},
		{check: 1, says: "the same, not what is written in its own clock" + latency, fault: fault{"the new word at once",
			ramFile,
			"if (re_i) rdata_q <= mem[raddr_i]", "if (re_i) rdata_q <= &wlanes_i && waddr_i == raddr_i ? wdata_i : " +
				"mem[raddr_i]"}},
		{check: 2, says: "the word stays until the next read" + latency, fault: fault{"it follows the address", ramFile,
			"if (re_i) rdata_q <= mem[raddr_i]", "rdata_q <= mem[raddr_i]"}},
	}
}
