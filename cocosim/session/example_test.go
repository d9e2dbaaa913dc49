package session_test

import (
	"context"
	"fmt"

	"hcacosim/cocosim/session"
)

// A run is a value. Device "model" needs no compiler; without it the RTL of the device is built and run.
func ExampleRun() {
	spec := session.Spec{Dut: "psn_window", Device: session.Model, Count: 5000, Seed: 7, Backpressure: 0.3}
	report, err := session.Run(context.Background(), spec, session.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Result.Packets, "records,", report.Result.Mismatched, "mismatches, exit code", int(report.Exit()))
	fmt.Println(spec.Line())
	// Output:
	// 5000 records, 0 mismatches, exit code 0
	// cosim run --dut psn_window --seed 7 --count 5000 --backpressure 0.3 --device model --show 0
}
