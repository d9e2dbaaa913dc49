package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/cells"
	"hcacosim/cocosim/loop"
)

// cellFlags are those of a list of loops.
func cellFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "cells", Usage: "run the loops that this `FILE` lists, and keep what comes of each beside " +
			"it: those that are kept are not run again"},
		&cli.StringFlag{Name: "page", Usage: "with --cells: write a page and a plot, `FILE.md` and FILE.svg; of what is " +
			"kept alone with --limit 0. With --faults: write the table, FILE.md"},
	}
}

// runCells is `cosim link --cells`.
func runCells(c *cli.Context) error {
	file := c.String("cells")
	list, err := cells.Read(file)
	if err != nil {
		return &cocosim.Error{Exit: cocosim.BadInput, What: err.Error()}
	}
	kept := strings.TrimSuffix(file, filepath.Ext(file)) + ".jsonl"
	results, err := cells.Results(kept)
	if err != nil {
		return &cocosim.Error{Exit: cocosim.BadInput, What: err.Error()}
	}
	verdict := cocosim.Agreed
	for _, cell := range list.Cells() {
		r := results[cell.Line()]
		if r == nil && c.Duration("limit") != 0 {
			if r, err = runCell(c, &cell); err == nil {
				err = cells.Keep(kept, r)
			}
			if err != nil {
				return err
			}
			results[cell.Line()] = r
		}
		if r != nil && !r.Good() {
			word := "MISMATCH"
			if r.Verdict() != cocosim.Mismatch {
				word = fmt.Sprintf("NO VERDICT (exit code %d)", r.Verdict())
			}
			fmt.Fprintf(c.App.Writer, "%s %s: %s\n", word, cell.Line(), r.Error)
			if verdict == cocosim.Agreed || r.Verdict() == cocosim.Mismatch {
				verdict = r.Verdict()
			}
		}
	}
	if page := c.String("page"); page != "" {
		if err := writeCells(page, file, list, results); err != nil {
			return err
		}
	}
	if verdict != cocosim.Agreed {
		return command.Silent(verdict)
	}
	return nil
}

// runCell runs a loop and has its captures judged. One that is interrupted is not kept.
func runCell(c *cli.Context, cell *cells.Cell) (*cells.Result, error) {
	dir, err := os.MkdirTemp("", "cosim-cell-")
	if err != nil {
		return nil, fmt.Errorf("a folder for captures: %w", err)
	}
	defer os.RemoveAll(dir)
	began, seen := time.Now(), filepath.Join(dir, "seen")
	fmt.Fprintln(c.App.Writer, cell.Line())
	code, out, errs := again(c, append(cell.Args(), "--json", "--flavour", c.String("flavour"), "--pcap", seen))
	if c.Context.Err() != nil {
		return nil, cocosim.Errorf(cocosim.Inconclusive, "stopped by a signal in %s", cell.Line())
	}
	r := &cells.Result{Line: cell.Line(), Exit: code, Error: strings.TrimSpace(errs)}
	o := &loop.Outcome{}
	if err := json.Unmarshal(out, o); err == nil && o.Result != nil {
		r.Outcome = o
		p := loop.Pair{Traffic: loop.Traffic{QPs: cell.QPs, PMTU: 1024}, Lapse: cell.Lapse()}
		p.Link.Gbps = 100
		for i, address := range loop.Addresses() {
			r.Captures[i], _, _ = again(c, []string{"check", "--complete", "--quiet", "--behind",
				time.Duration(p.BehindNs()).String(), "--at", address, seen + [2]string{".a.pcap", ".b.pcap"}[i]})
		}
	}
	r.Seconds = time.Since(began).Seconds()
	fmt.Fprintf(c.App.Writer, "  good %v, %.0f s\n", r.Good(), r.Seconds)
	return r, nil
}

// again runs cosim with other arguments.
func again(c *cli.Context, args []string) (exit int, out []byte, errs string) {
	var o, e bytes.Buffer
	exit = run(c.Context, slices.Insert(args, 0, "cosim"), &o, &e)
	return exit, o.Bytes(), e.String()
}

// writeCells writes the page and its plot.
func writeCells(page, file string, list *cells.List, results map[string]*cells.Result) error {
	var text, svg bytes.Buffer
	picture := strings.TrimSuffix(page, filepath.Ext(page)) + ".svg"
	cells.Page(&text, list, results, file, filepath.Base(picture))
	if err := cells.Plot(&svg, list, results); err != nil {
		return err
	}
	if err := command.WriteFile(page, text.Bytes()); err != nil {
		return err
	}
	return command.WriteFile(picture, svg.Bytes())
}
