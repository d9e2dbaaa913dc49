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
	"time"
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
	crcStream,
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
	atOnce := flag.Int("j", 2, "properties looked at side by side")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		fail(err)
	}
	work, err := os.MkdirTemp("", "formal")
	if err != nil {
		fail(err)
	}
	ok, err := run("rtl", work, pattern, *atOnce, func(r row) error {
		r.print()
		if !*write || !r.good() {
			return nil
		}
		return writeDocument(r)
	})
	os.RemoveAll(work)
	if err != nil {
		fail(err)
	}
	fmt.Printf("%.1f minutes of a core\n", time.Duration(total.Load()).Minutes())
	if !ok {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "formal:", err)
	os.Exit(3)
}
