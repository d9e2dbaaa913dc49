package main

import (
	"bytes"
	"encoding/json"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/recovery"
)

// linkPrediction is what `cosim predict --link` says as JSON.
type linkPrediction struct {
	Workload *recovery.Workload `json:"workload"`
	Points   []recovery.Point   `json:"points"`
}

// predictLink foresees both directions of two adapters over a link that loses.
func predictLink(c *cli.Context, file string) error {
	if c.Bool("against-rtl") {
		return cocosim.Errorf(cocosim.BadInput, "--against-rtl: not with --link: `cosim link` plays a loop "+
			"with RTL, --a hca_top")
	}
	w, err := recovery.Read(file)
	if err != nil {
		return err
	}
	all := recovery.Foresee(w)
	if name := c.String("svg"); name != "" {
		var svg bytes.Buffer
		if err := recovery.Plot(&svg, all); err != nil {
			return err
		}
		if err := command.WriteFile(name, svg.Bytes()); err != nil {
			return err
		}
	}
	switch {
	case c.Bool("json"):
		return json.NewEncoder(c.App.Writer).Encode(linkPrediction{w, all})
	case c.Bool("quiet"):
		return nil
	}
	return recovery.Print(c.App.Writer, w, all)
}
