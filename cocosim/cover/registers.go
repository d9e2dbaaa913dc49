package cover

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// The sheet of qp_ctl.
func init() { declarations["qp_ctl"] = declareRegisters }

var qpCommands = Axis{"0", "INIT", "RTR", "ERROR", "CLOSE", "FREE", "KEY_SET", "KEY_REMOVE", "ADDRESS", "P_KEY", "MAC",
	"PERIOD", "POST", "RTS", "SQD", "RATE", "SQE", "17 to 31"}

var qpResults = Axis{"done", "another state", "another number", "busy", "no such command"}

// qpResultsOf are the results that a command can have; tables and keys are always done, what is no command never.
func qpResultsOf(command, result int) bool {
	switch {
	case command == 0, command == 17:
		return result == 4
	case command == 1: // of a QP in RESET
		return result < 2
	case command == 2, command == 3, command == 13, command == 14, command == 16:
		return result < 3
	case command > 5:
		return result == 0
	}
	return result < 4
}

// declareRegisters counts by a model of its own beside the device: what an access finds is not in the access.
func declareRegisters(o *Observer, _ sim.Settings) {
	o.silent = 1 // s_event
	count := o.registers()
	o.pair = func(in, out *sim.Record) {
		a := hca.ParseQPCtlAccess(in.Data)
		answer := hca.ParseQPCtlAnswer(out.Data)
		count(&a, &answer)
	}
}

// registers declares what accesses are made and how they end, and counts an access.
func (o *Observer) registers() func(*hca.QPCtlAccess, *hca.QPCtlAnswer) {
	spaces := Axis{"none", "STATUS", "COMMAND", "SELECT", "FLOW", "ARG", "configuration", "QP_STATE", "COUNTER_LOW",
		"COUNTER_HIGH", "ID"}
	access := o.cross("rule: register x access x response", func(at []int, b *Bin) {
		b.Rules = []string{"RSP-15"}
		refused := at[0] == 0 || at[0] == 6 && at[1] == 1
		switch {
		case at[2] == 1 && !refused:
			b.Illegal = "no register that refuses"
		case at[2] == 0 && at[0] == 0:
			b.Illegal = "nothing is there"
		}
	}, spaces, Axis{"read", "write"}, Axis{"OKAY", "SLVERR"})
	commands := o.cross("command x result in STATUS", func(at []int, b *Bin) {
		if !qpResultsOf(at[0], at[1]) {
			b.Illegal = "the document has no such result"
		}
	}, qpCommands, qpResults)
	last := -1
	o.restart = append(o.restart, func() { last = -1 })
	return func(a *hca.QPCtlAccess, answer *hca.QPCtlAnswer) {
		space := registerSpace(int(a.Address) &^ 3)
		o.hit(access, space, bit(a.Write), bit(answer.Resp != hca.QPCtlOkay))
		switch {
		case space == 2 && a.Write && a.Strobe&1 == 1:
			last = min(int(a.Data&31), 17)
		case space == 1 && !a.Write && last >= 0:
			o.hit(commands, last, int(answer.Data&15))
		}
	}
}

// registerSpace is the place of an address among the spaces.
func registerSpace(at int) int {
	switch {
	case at == 0:
		return 10
	case at <= 0x010:
		return at / 4
	case at >= 0x020 && at < 0x040:
		return 5
	case at >= 0x100 && at < 0x13C:
		return 6
	case at == 0x13C:
		return 7
	case at >= 0x800 && at < 0xA00:
		return 8 + at>>2&1
	}
	return 0
}

// ignoreRegisters is why a bit of a port of qp_ctl is never 1, or nothing.
func ignoreRegisters(port, name string) string {
	if port == "m_bus" && name == "resp[0]" {
		return "OKAY is 0, SLVERR 2"
	}
	return ""
}
