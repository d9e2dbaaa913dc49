package main

import "github.com/urfave/cli/v2"

func runCommand() *cli.Command   { return &cli.Command{Name: "run"} }
func dutsCommand() *cli.Command  { return &cli.Command{Name: "duts"} }
func benchCommand() *cli.Command { return &cli.Command{Name: "bench"} }
