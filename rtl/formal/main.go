// Command formal proves properties of the RTL with Yosys' SAT solver and prints a table. Every property comes with a
// fault: planted into a copy of the source it must be rejected, by a run from reset and by this property alone.
//
// A block's properties stand in the Go file of its name, its harness in NAME_proof.sv. Exit 1: something was not
// proved, or a fault was not rejected; 3: Yosys or the sources are not as they should be.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
)

var proofs = []proof{
	axisSkid,
	creditQueue,
	syncFIFO,
	rrArbiter,
	ram1r1w,
	ram1r1w2,
	packetStore,
	qpContext,
	qpContext2,
	icrcCheck,
	icrcInsert,
	icrcGate,
	icrcGateFrames,
	vcrcCheck,
	recordPipe,
	rxAdmit,
	mrDecide,
	ackGen,
	psnWindow,
	respPSNCheck,
	reqAckCheck,
	retxTimer,
	roceParse,
	roceParsePairs,
	falconWindow,
}

func main() {
	write := flag.Bool("w", false, "write the rows of what was run into "+docPath)
	only := flag.String("run", "", "only blocks and properties that match, as `BLOCK: PROPERTY`")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		fail(err)
	}
	work, err := os.MkdirTemp("", "formal")
	if err != nil {
		fail(err)
	}
	rows, ok, err := run("rtl", work, pattern)
	os.RemoveAll(work)
	if err == nil && *write && ok {
		err = writeDocument(rows)
	}
	if err != nil {
		fail(err)
	}
	if !ok {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "formal:", err)
	os.Exit(3)
}

// atOnce is how many properties are looked at side by side.
const atOnce = 2

// run proves what matches and prints the table in order, a row as soon as it and all before it are known.
func run(rtlDir, work string, only *regexp.Regexp) (rows []row, ok bool, err error) {
	type answer struct {
		row
		err error
	}
	var waiting []chan answer
	free := make(chan struct{}, atOnce)
	for _, p := range proofs {
		for i, prop := range p.properties {
			if !only.MatchString(p.block + ": " + prop.says) {
				continue
			}
			done := make(chan answer, 1)
			waiting = append(waiting, done)
			b := bench{rtlDir: rtlDir, dir: fmt.Sprintf("%s/%s-%d", work, p.name()+strings.ReplaceAll(p.parameters, " ", ""), i),
				proof: p}
			go func() {
				free <- struct{}{}
				r, err := b.judge(prop)
				<-free
				done <- answer{r, err}
			}()
		}
	}
	ok = true
	fmt.Printf("%-14s %-62s %-30s %7s  %s\n", "block", "property", "proved", "seconds", "planted fault")
	for _, done := range waiting {
		a := <-done
		if a.err != nil {
			return nil, false, a.err
		}
		a.print()
		ok = ok && a.good()
		rows = append(rows, a.row)
	}
	return rows, ok, nil
}
