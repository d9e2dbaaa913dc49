package verilated

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// How a tuned image learns which of its code runs: a first build counts while idleCycles clocks pass with nothing at
// the inputs, and the second is compiled for these counts. Most of a device does nothing in most clocks of a busy run
// too: hca_top gained a quarter of its time, and would have gained a third from a run of traffic, which needs a peer.
const (
	countFlags   = "-O2 -fprofile-generate"
	countedFlags = "-O2 -fprofile-use -fprofile-partial-training -Wmissing-profile"
	idleCycles   = 20_000
	// mostTraining is given up after: a design may take long for nothing. What was not counted is compiled as ever.
	mostTraining = time.Minute
)

// tune builds the simulator that counts, lets it count, and removes what the second build must make anew. Counts stay
// in obj, where the compiler looks for them. A simulator that ends without counts leaves the second build none.
func (b *build) tune(ctx context.Context, dir string, log *bytes.Buffer) error {
	r := recipe{fast: countFlags, slow: "-O0", global: "-O1"}
	args := append(makeArgs(), append(r.make(), "LDFLAGS=-fprofile-generate")...)
	if err := tool(ctx, dir, log, "make", args...); err != nil {
		return err
	}
	records := filepath.Join(dir, "no-records")
	if err := os.WriteFile(records, nil, 0o666); err != nil {
		return cacheError(err)
	}
	defer os.Remove(records)
	bounded, cancel := context.WithTimeout(ctx, mostTraining)
	defer cancel()
	program := filepath.Join(dir, "obj", "V"+verilatedPrefix)
	if err := tool(bounded, dir, log, program, "--bare", records, fmt.Sprint(idleCycles)); err != nil {
		fmt.Fprintf(log, "no counts: %v\n", err)
	}
	return forget(filepath.Join(dir, "obj"))
}

// forget removes what a build made of its sources.
func forget(obj string) error {
	made, err := filepath.Glob(filepath.Join(obj, "*"))
	if err != nil {
		return cacheError(err)
	}
	for _, name := range made {
		if strings.HasSuffix(name, ".o") || strings.HasSuffix(name, ".a") || name == filepath.Join(obj, "V"+verilatedPrefix) {
			if err := os.Remove(name); err != nil {
				return cacheError(err)
			}
		}
	}
	return nil
}
