package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
)

// exitWrong is the exit code of `vecgen judge` where a device did what the set does not allow.
const exitWrong = 1

func judgeCommand() *cli.Command {
	return &cli.Command{
		Name:  "judge",
		Usage: "hold what a device did against a vector set, as far as the set binds it",
		Description: "RECORDING has a JSON object a line, in the order of the cycles: {\"port\":\"s_rec\",\"cycle\":10} " +
			"for every " +
			"record of the set that\nthe device took, {\"port\":\"m_ans\",\"cycle\":17,\"user\":0,\"data\":\"00ff\"} for " +
			"every one " +
			"that it gave. Where no line has a cycle\nno deadline is judged. Exit codes: 0 allowed, 1 not allowed, 2 usage or " +
			"bad input, or nothing is wrong and not all\nof the set's input went in.",
		ArgsUsage: "DIR RECORDING",
		Action:    judge,
	}
}

// recorded is a line of a recording.
type recorded struct {
	Port  string  `json:"port"`
	Cycle *uint64 `json:"cycle"`
	User  uint32  `json:"user"`
	Data  string  `json:"data"`
}

// judged is how a recording was held against a set.
type judged struct {
	in, out    uint64
	timed      bool   // the recording has cycles
	cycle      uint64 // of the last line
	incomplete error  // not all of the set's input went in
}

func judge(c *cli.Context) error {
	if c.NArg() != 2 {
		return fmt.Errorf("judge: want a vector set and a recording (see `vecgen judge --help`)")
	}
	set, err := vectors.OpenSet(c.Args().Get(0))
	if err != nil {
		return err
	}
	name := c.Args().Get(1)
	file, err := os.Open(name)
	if err != nil {
		return capture.OpenError(name, err)
	}
	defer file.Close()
	const most = 50 // lines of what was wrong
	wrong := 0
	say := func(line string) {
		if wrong++; wrong <= most {
			fmt.Fprintln(c.App.Writer, line)
		}
	}
	j, err := judgeRecording(set, file, name, say)
	if err != nil {
		return err
	}
	untimed := ""
	if !j.timed {
		untimed = "; it has no cycles, so no deadline was judged"
	}
	fmt.Fprintf(c.App.Writer, "%s  %d records in, %d out: %d wrong by the %s set%s\n", name, j.in, j.out, wrong,
		set.Flavour, untimed)
	switch {
	case wrong == 0:
		return j.incomplete
	case j.incomplete != nil:
		fmt.Fprintln(c.App.Writer, j.incomplete)
	}
	return command.Silent(exitWrong)
}

func judgeRecording(set *vectors.Set, r io.Reader, name string, say func(string)) (j judged, err error) {
	bad := func(format string, args ...any) (judged, error) {
		return j, &capture.Error{File: name, Offset: -1, What: fmt.Sprintf(format, args...)}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 2*capture.MaxFrameBytes+1024)
	var m *vectors.Matcher
	for n := 1; lines.Scan(); n++ {
		var l recorded
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			return bad("line %d: %v", n, err)
		}
		data, err := hex.DecodeString(l.Data)
		port, found := portOf(set, l.Port)
		if err != nil || !found {
			return bad("line %d: no port of the set, or no hex", n)
		}
		if m == nil {
			j.timed = l.Cycle != nil
			if m, err = set.Match(j.timed); err != nil {
				return j, err
			}
			defer m.Close()
		}
		if what := j.at(l.Cycle); what != "" {
			return bad("line %d: %s", n, what)
		}
		if !set.Ports[port].Input {
			j.out++
			m.Output(port, j.cycle, l.User, data, say)
			continue
		}
		j.in++
		if err := m.Input(port, j.cycle, say); err != nil {
			return j, err
		}
	}
	if err := lines.Err(); err != nil {
		return bad("%v", err)
	}
	if m == nil {
		return bad("has no record")
	}
	j.incomplete = m.End(true, say)
	return j, nil
}

// at takes the cycle of the next line, and says what is wrong with it.
func (j *judged) at(cycle *uint64) string {
	switch {
	case j.timed && cycle == nil:
		return "has no cycle, and the lines before have: all have one, or none"
	case !j.timed && cycle != nil:
		return "has a cycle, and the lines before have none: all have one, or none"
	case cycle == nil:
		return ""
	case *cycle < j.cycle:
		return fmt.Sprintf("cycle %d after cycle %d: a recording is in the order of the cycles", *cycle, j.cycle)
	}
	j.cycle = *cycle
	return ""
}

func portOf(set *vectors.Set, name string) (sim.Port, bool) {
	for i, p := range set.Ports {
		if p.Name == name {
			return sim.Port(i), true
		}
	}
	return 0, false
}
