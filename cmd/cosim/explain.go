package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/docs"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/roce"
)

func explainCommand() *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "say what a rule or a check asks for and what to look at; what a syndrome, an opcode or a field means",
		ArgsUsage: "RULE, CHECK, SYNDROME, OPCODE or FIELD (RSP-2, RATE, 61h, \"READ request\", wqe_present)",
		Action:    explain,
	}
}

func explain(c *cli.Context) error {
	rules := rulesOf(docs.Rules)
	if c.NArg() != 1 {
		return cocosim.Errorf(cocosim.BadInput, "one rule, check, syndrome, opcode or field, please; rules: %s",
			strings.Join(rules.ids, " "))
	}
	id := strings.ToUpper(c.Args().First())
	check := explainCheck(c.App.Writer, id)
	if !isRuleID(id) && explainTerm(c.App.Writer, c.Args().First()) || check {
		return nil
	}
	text, ok := rules.text[id]
	if !ok {
		do := "`cosim explain` lists the rules"
		if names := near(id, slices.Concat(rules.ids, checkNames(), terms())); len(names) > 0 {
			do = "near it: " + strings.Join(names, ", ")
		}
		return &cocosim.Error{Exit: cocosim.BadInput, Do: do,
			What: fmt.Sprintf("no rule %s, and no check, syndrome, opcode or field of that name", id)}
	}
	w := c.App.Writer
	fmt.Fprintf(w, "%s\n\n", id)
	paragraph(w, text)
	if s := lookAt[id]; s != "" {
		fmt.Fprintf(w, "\nLook at\n%s", s)
	}
	for _, d := range roce.Deviations {
		if string(d.Rule) == id {
			fmt.Fprintf(w, "\nDevices differ (%s): %s: %s; or %s. %s\n", d.Field, d.What, d.Spec, d.Else, d.Known)
		}
	}
	for _, d := range mode.List {
		if d.Rule == id {
			fmt.Fprintf(w, "\nText or peer differ (%s): %s: %s; or %s. %s.\n", d.Field, d.What, d.Zero, d.Set, d.Who)
		}
	}
	if pages := scenariosOf(docs.Coverage, id); len(pages) > 0 {
		fmt.Fprintf(w, "\nScenarios (model/roce/testdata/scenarios)\n")
		paragraph(w, strings.Join(pages, ", "))
	}
	return nil
}

// ruleBook is docs/rules.md by ID.
type ruleBook struct {
	ids  []string
	text map[string]string
}

// rulesOf reads the tables of the rules: a row starts with an ID; the cells behind it are the rule.
func rulesOf(page string) ruleBook {
	b := ruleBook{text: map[string]string{}}
	var head []string // of the table, where it has more than two columns
	for _, line := range strings.Split(page, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		id, note, _ := strings.Cut(strings.TrimSpace(cells[0]), ", ") // "DMA-5, in part"
		if id == "ID" {
			head = cells
		}
		if len(cells) < 2 || !strings.HasPrefix(line, "| ") || !isRuleID(id) {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
			if len(cells) > 2 && len(head) == len(cells) {
				cells[i] = strings.TrimSpace(head[i]) + ": " + cells[i]
			}
		}
		b.ids = append(b.ids, id)
		b.text[id] = strings.Join(cells[1:], "; ")
		if note != "" {
			b.text[id] = "(" + note + ") " + b.text[id]
		}
	}
	return b
}

// isRuleID: capital letters, a dash, a number; Falcon's have the letter of a part before the number, as FAL-W1.
func isRuleID(s string) bool {
	name, number, found := strings.Cut(s, "-")
	if name == "FAL" {
		number = strings.TrimLeft(number, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	}
	return found && name != "" && number != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" &&
		strings.Trim(number, "0123456789") == ""
}

// scenariosOf lists the pages that name a rule, by the table of coverage.
func scenariosOf(coverage, id string) (pages []string) {
	for _, line := range strings.Split(coverage, "\n") {
		if !strings.HasPrefix(line, "| "+id+" |") {
			continue
		}
		cells := strings.Split(line, "|")
		for _, test := range strings.Split(cells[len(cells)-2], ",") {
			if page, ok := strings.CutPrefix(strings.TrimSpace(test), "page "); ok {
				pages = append(pages, page)
			}
		}
	}
	slices.Sort(pages)
	return pages
}

func paragraph(w io.Writer, text string) {
	const width = 100
	line := " "
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > width {
			fmt.Fprintln(w, line)
			line = " "
		}
		line += " " + word
	}
	fmt.Fprintln(w, line)
}

// lookAt is where to look when a device breaks a rule. Every rule of docs/rules.md has a line.
var lookAt = map[string]string{
	"DMA-1": "  Whether the completion waits for the acknowledgements of every write of its message, late ones too.\n",
	"DMA-2": "  The order of completions of one queue pair, and what an error puts in front of the flushed ones.\n",
	"DMA-3": "  Where payload waits until the verdict of its packet is there, and what a discarded one leaves behind.\n",
	"DMA-4": "  Whether writes of one queue pair that overlap keep their order on the way to memory.\n",
	"DMA-5": "  What an error bit that comes back behind the ACK does to the queue pair and its next completion.\n",
	"DMA-7": "  Which READ's pieces are in the response, whether one of them failed or is of a READ that was given up.\n",
	"DMA-6": "  Whether the read of an atomic waits for the write of the one before it on its address.\n",
	"ECC-1": "  Where a word is cut, and that each piece has check bits of its own.\n",
	"ECC-2": "  The check matrix: which data bits each check bit covers, and the parity over all.\n",
	"ECC-3": "  What becomes of the look-up: a corrected word is used and written back, a broken one is not used.\n",
	"ECC-4": "  The register of the injection: which word, which bits, and that one write takes it.\n",
	"ECC-5": "  The two counters, and which queue pair stands beside them.\n",
	"ECC-6": "  That a word with two wrong bits in a piece reads as one that was never set, and is written back so.\n",
	"ECC-7": "  Which memory an order names, that a lost word stays lost until it is written anew, and whose QP stops.\n",
	"CNP-1": "  The ECN bits of the packet, and whether it was admitted.\n",
	"CNP-2": "  The time since the queue pair's last CNP, and stamps that wrap.\n",
	"CNP-3": "  Queue pair, address, BECN and PSN of the CNP.\n",
	"CNP-4": "  Whether a CNP is told from a request before marks are looked at.\n",
	"ADM-1": "  The table of the port's own addresses, and which groups a datagram queue pair joined.\n",
	"ADM-2": "  The transport version, and every length field against the one in front of it.\n",
	"ADM-3": "  The queue pair table: the number with all 24 bits, the service of the opcode, the state.\n",
	"ADM-4": "  The compare of the source address with the peer's: the whole address, in requests and in responses.\n",
	"ADM-5": "  The compare of P_Keys: 15 bits, at least one full member, the entry at the queue pair's index.\n",
	"ADM-6": "  That nothing moves before the ICRC is known to be good.\n",
	"CRD-1": "  The encoder of credits: the largest value not above what is there; code 31 only where credits are " +
		"off.\n",
	"CRD-2": "  SSN against LSN, and which operations need a credit.\n",
	"CRD-3": "  From which ACKs credits are taken: never from a PSN that was not sent.\n",
	"CRD-4": "  Whether an unsolicited ACK inside a READ is taken for an implied NAK, again and again.\n",
	"END-1": "  Where the design takes the packet's end from: IP total length, not the frame's end or a MAC's " +
		"padding.\n",
	"ICRC-1": "  Which fields are masked (LRH.VL, BTH byte 4), and that the LRH is covered as it is.\n",
	"ICRC-2": "  Which fields are masked (GRH TClass, FlowLabel, HopLmt, BTH byte 4), the eight bytes FFh in place of " +
		"the LRH.\n",
	"ICRC-3": "  Which fields are masked (GRH TClass, FlowLabel, HopLmt, BTH byte 4), the eight bytes FFh in front.\n",
	"ICRC-4": "  Which fields are masked (TOS, TTL, both checksums, BTH byte 4), the eight bytes FFh in front, byte " +
		"order at the end.\n",
	"ICRC-5": "  Which fields are masked (TClass, FlowLabel, HopLimit, UDP checksum, BTH byte 4), the eight bytes FFh " +
		"in front.\n",
	"LEN-1": "  The segmentation of the last packet of a message, the pad count, the configured PMTU of both ends.\n",
	"OPC-1": "  The table of opcodes, and that the QP's transport is compared whole and not by a bit mask.\n",
	"OPC-2": "  How the AETH is built: a syndrome with bit 7 set, or with bits 6-5 = 10, is a field in the wrong " +
		"place.\n",
	"OPC-3": "  What answers FLUSH and ATOMIC WRITE: a READ response Only without a payload.\n",
	"PSN-1": "  Every compare and add of PSNs: 24 bits, signed difference, across FFFFFFh.\n",
	"PSN-2": "  The compare of PSN with ePSN: 24 bits, signed, and the value half a turn away.\n",
	"PSN-3": "  The compare of a response's PSN with una and next: stale, unacknowledged, never sent.\n",
	"PSN-4": "  The PSN that follows a READ request: it moves by the number of responses, ceil(length / PMTU), at " +
		"least 1.\n",
	"PSN-5": "  The count of unacknowledged packets, and of READs and atomics, against the agreed numbers.\n",
	"PSN-6": "  Where start PSNs come from, and how soon a queue pair number is used again.\n",
	"PSN-7": "  Whether the retry path takes the PSN from the WQE or from the counter of new packets; the compare " +
		"2^23 PSNs ahead of una.\n",
	"REQ-1": "  What an ACK completes, and that a NAK acknowledges only what is before its PSN.\n",
	"REQ-2": "  Whether a READ or atomic response also completes the SENDs and WRITEs before it.\n",
	"REQ-3": "  The gap in READ responses: the first missing PSN, one retry for it, and what is ignored until then.\n",
	"REQ-4": "  What the requester does with 61h, 62h, 63h: everything behind the WQE must be flushed, nothing more " +
		"sent.\n",
	"REQ-5": "  The PSN a retry starts from, and that what is sent again is read from the same WQE at the same " +
		"offset.\n",
	"REQ-6": "  Whether an ACK above the PSN being retried, up to the highest sent, is accepted.\n",
	"REQ-7": "  Address and length of a READ that is asked for again from its middle.\n",
	"REQ-8": "  What the host is told of an atomic whose retries ran out.\n",
	"REQ-9": "  The counter of outstanding READs and atomics, and what lowers it.\n",
	"REQ-10": "  That PSNs, timers and retries belong to the EE context of the RDETH, and one message is under way at " +
		"a time.\n",
	"REQ-11": "  On which packet the solicited bit is set; that a failed WQE has an entry though it is not signaled.\n",
	"RSP-1": "  Which check came first: the syndrome says what the responder found wrong. Compare with the QP's and " +
		"the key's settings.\n",
	"RSP-16": "  The permissions against the bits of PLT: on the queue pair 61h, on the region 62h. Unknown PLT and " +
		"SEL.\n",
	"REQ-12": "  What a response is compared with: the kind of its request, its place in the READ, length and pad, the " +
		"syndrome.\n",
	"REQ-13": "  What ends a WQE of UC or UD: that its last packet left, and that no retry, credit or window is asked.\n",
	"REQ-14": "  Who does a local invalidate or a bind, and that nothing behind it leaves before it is done.\n",
	"REQ-15": "  Where the bytes of a READ response go: PSN - first PSN of the READ, times the PMTU; that one which was " +
		"not taken goes nowhere.\n",
	"RSP-2": "  The flag that one sequence NAK was sent: set with the NAK, cleared when PSN = ePSN or an answered " +
		"duplicate comes, also across a wrap.\n",
	"RSP-3": "  UC behind a gap: everything up to the next First or Only is dropped, and that one is taken.\n",
	"RSP-4": "  UD: the Q_Key, and that no PSN is checked.\n",
	"RSP-5": "  The PSN in the ACK of a duplicate: the most recent completed request, not its own, and nothing inside " +
		"an unfinished READ.\n",
	"RSP-6": "  Whether an error in a duplicate leads to a NAK.\n",
	"RSP-7": "  Where the replay's address comes from, its first opcode, its first PSN; for new READs, the bytes of " +
		"memory.\n",
	"RSP-8":  "  The FIFO of results: depth, the PSN it is looked up by, and that the operation is not executed again.\n",
	"RSP-9":  "  The RNR NAK's PSN and timer code, and what is said about requests behind it.\n",
	"RSP-10": "  The PSN of the NAK and the state of the QP behind it.\n",
	"RSP-11": "  What raises MSN: the last packet of a new message, a READ once accepted; never a duplicate.\n",
	"RSP-12": "  The byte order of operands, and what memory held: other writers of the same address.\n",
	"RSP-13": "  The order of the response queue, and whether a request with AckReq was lost in it. For requesters: " +
		"AckReq on the last packet.\n",
	"RSP-14": "  Where a response's addresses and queue pair come from: the request's, swapped.\n",
	"RSP-15": "  Whether ePSN can be written in a state in which it must not be, and what a QP in error still answers.\n",
	"SEL-1":  "  That each packet is taken once, and what becomes of one beyond the window.\n",
	"SEL-2":  "  The first missing PSN in every answer, and the packet's own PSN where it lies behind a gap.\n",
	"SEL-3":  "  The count of packets sent and not acknowledged.\n",
	"SEL-4":  "  Which packets a recovery sends again, and that each goes once.\n",
	"SEL-5":  "  That an answer of the past or the future changes nothing.\n",
	"SEL-6":  "  What the timer starts from, and that progress restarts it.\n",
	"TMR-1":  "  What the timer was armed by, its code, the tick; `cosim check` shows the gaps against their window.\n",
	"TMR-2":  "  What starts, restarts and stops the transport timer: progress does, duplicate and stale ACKs do not.\n",
	"TMR-3":  "  What restores the retry counter: progress only, not a duplicate ACK.\n",
	"TMR-4":  "  The RNR retry counter, that 7 is for ever, and the table of RNR times.\n",
	"TMR-5": "  Whether the RNR wait holds back new requests and the transport timer's retries, and whether progress " +
		"ends it.\n",
	"TMR-6": "  Cycles per tick, and that times are rounded up.\n",
}
