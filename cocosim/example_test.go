package cocosim_test

import (
	"context"
	"fmt"

	"hcacosim/cocosim"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// liar is a device that is wrong in one bit of its 500th record.
type liar struct{ cocosim.Device }

func (l liar) Advance(ctx context.Context, to uint64, in []sim.Offer, out *sim.Batch) error {
	err := l.Device.Advance(ctx, to, in, out)
	for i, r := range out.Records {
		if r.Port == 1 && r.Seq == 499 {
			out.Records[i].Data[0] ^= 1
		}
	}
	return err
}

// Any Device can be run against a stage of the model: RTL, a recording, or, as here, a model that lies once.
func ExampleRun() {
	stage, _ := stages.Lookup("psn_window")
	stimulus, err := vectors.NewGenerated(scenario.Default(stage.Name), stage, 1, 1000)
	if err != nil {
		panic(err)
	}
	policies := make([]cocosim.Policy, len(stage.Ports))
	result, err := cocosim.Run(context.Background(), cocosim.RunConfig{
		Device:   liar{cocosim.NewGolden(stage, nil, 64)},
		Checker:  cocosim.NewStageChecker(stage, nil, policies),
		Stimulus: stimulus,
		Keep:     1,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Agreed, "agreed,", result.Mismatched, "mismatched:", result.Violations[0].Rule)
	// Output: 999 agreed, 1 mismatched: DATA
}
