// Command formal proves properties of the RTL with Yosys' SAT solver and prints a table. Every property comes with a
// fault: planted into a copy of the source it must be rejected, by a run from reset and by this property alone.
//
// A block's properties stand in the Go file of its name and register themselves; its harness is NAME_proof.sv. Exit 1:
// something was not proved, or a fault was not rejected; 3: Yosys or the sources are not as they should be.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// proofs is every proof of this folder, by block. Each registers itself in the file of its block.
var proofs []proof

// register adds a proof. It is called when the program starts, by the declaration var _ = register(proof{...}); a block
// with two harnesses registers them in the order in which they are shown.
func register(p proof) proof {
	proofs = append(proofs, p)
	slices.SortStableFunc(proofs, func(a, b proof) int { return strings.Compare(a.block, b.block) })
	return p
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
