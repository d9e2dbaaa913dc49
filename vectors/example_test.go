package vectors_test

import (
	"fmt"
	"os"

	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// A vector set of psn_window: made, proved intact, and read as a bench would.
func Example() {
	dir, err := os.MkdirTemp("", "vectors")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	stage, _ := stages.Lookup("psn_window")
	set, err := vectors.GenerateSet(dir+"/set", scenario.Default(stage.Name), stage, 1, 1000, vectors.SetOptions{})
	if err != nil {
		panic(err)
	}
	if err := set.Check(); err != nil {
		panic(err)
	}
	expected, err := set.Expected()
	if err != nil {
		panic(err)
	}
	defer expected.Close()
	records := 0
	for r := (sim.Record{}); expected.Next(&r) == nil; records++ {
	}
	fmt.Println(set.Name, "expects", records, "records")
	// Output: psn-window-1 expects 1000 records
}
