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
			"that it gave. Without cycles deadlines\nare not judged. Exit codes: 0 allowed, 1 not allowed, 2 usage or bad " +
			"input.",
		ArgsUsage: "DIR RECORDING",
		Action:    judge,
	}
}

// recorded is a line of a recording.
type recorded struct {
	Port  string `json:"port"`
	Cycle uint64 `json:"cycle"`
	User  uint32 `json:"user"`
	Data  string `json:"data"`
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
	in, out, err := judgeRecording(set, file, name, say)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "%s  %d records in, %d out: %d wrong by the %s set\n", name, in, out, wrong, set.Flavour)
	if wrong > 0 {
		return command.Silent(exitWrong)
	}
	return nil
}

func judgeRecording(set *vectors.Set, r io.Reader, name string, say func(string)) (in, out uint64, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 2*capture.MaxFrameBytes+1024)
	var m *vectors.Matcher
	for n := 1; lines.Scan(); n++ {
		var l recorded
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			return in, out, &capture.Error{File: name, Offset: -1, What: fmt.Sprintf("line %d: %v", n, err)}
		}
		data, err := hex.DecodeString(l.Data)
		port, found := portOf(set, l.Port)
		if err != nil || !found {
			return in, out, &capture.Error{File: name, Offset: -1, What: fmt.Sprintf("line %d: no port of the set, or no hex",
				n)}
		}
		if m == nil {
			if m, err = set.Match(l.Cycle > 0); err != nil {
				return in, out, err
			}
			defer m.Close()
		}
		if !set.Ports[port].Input {
			out++
			m.Output(port, l.Cycle, l.User, data, say)
			continue
		}
		in++
		if err := m.Input(port, l.Cycle, say); err != nil {
			return in, out, err
		}
	}
	if err := lines.Err(); err != nil {
		return in, out, &capture.Error{File: name, Offset: -1, What: err.Error()}
	}
	if m == nil {
		return in, out, &capture.Error{File: name, Offset: -1, What: "has no record"}
	}
	return in, out, m.End(true, say)
}

func portOf(set *vectors.Set, name string) (sim.Port, bool) {
	for i, p := range set.Ports {
		if p.Name == name {
			return sim.Port(i), true
		}
	}
	return 0, false
}
