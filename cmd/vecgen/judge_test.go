package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vecgen runs the command.
func vecgen(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), append([]string{"vecgen"}, args...), &o, &e)
	return code, o.String(), e.String()
}

// recording is what a device did that gives just what must come, or all that may; a latency of so many cycles.
func recording(t *testing.T, dir string, all bool, latency int) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "records.jsonl"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		var l struct {
			Port, Need, Data string
			Seq              int
			Cause            *int
		}
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		switch {
		case l.Cause == nil:
			lines = append(lines, fmt.Sprintf(`{"port":%q,"cycle":%d}`, l.Port, 10+l.Seq))
		case all || l.Need != "may":
			lines = append(lines, fmt.Sprintf(`{"port":%q,"cycle":%d,"data":%q}`, l.Port, 10+*l.Cause+latency, l.Data))
		}
	}
	return lines
}

func TestJudge(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "set")
	code, _, errs := vecgen(t, "gen", "--dut", "resp_answers", "--count", "3000", "-o", dir)
	require.Zero(t, code, errs)
	file := filepath.Join(t.TempDir(), "recording")
	judged := func(lines []string) (int, string) {
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666))
		code, out, errs := vecgen(t, "judge", dir, file)
		return code, out + errs
	}
	for _, all := range []bool{false, true} {
		good := recording(t, dir, all, 0)
		code, said := judged(good)
		require.Zero(t, code, said)
		require.Contains(t, said, "3000 records in, ")
		require.Contains(t, said, ": 0 wrong by the lenient set\n")

		at := len(good) / 2
		for !strings.Contains(good[at], "data") {
			at++
		}
		code, said = judged(append(append([]string{}, good[:at+1]...), good[at:]...))
		require.Equal(t, exitWrong, code)
		require.Contains(t, said, "not due: user 0h, ")

		code, said = judged(good[:at+1])
		require.Equal(t, exitBadInput, code, said)
		require.Contains(t, said, " of 3000 inputs went in")
	}
	code, said := judged([]string{`{"port":"m_and","cycle":1}`})
	require.Equal(t, exitBadInput, code)
	require.Contains(t, said, "line 1: no port of the set")
	code, _, errs = vecgen(t, "judge", dir)
	require.Equal(t, exitBadInput, code)
	require.Contains(t, errs, "want a vector set and a recording")
}

// TestJudgeOfTime: cycles are in order, all lines have one or none has; without them the verdict says so. A device that
// stopped is wrong where it owes something.
func TestJudgeOfTime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "set")
	code, _, errs := vecgen(t, "gen", "--dut", "resp_answers", "--count", "1000", "-o", dir)
	require.Zero(t, code, errs)
	file := filepath.Join(t.TempDir(), "recording")
	judged := func(lines []string) (int, string) {
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666))
		code, out, errs := vecgen(t, "judge", dir, file)
		return code, out + errs
	}
	good := recording(t, dir, true, 0)
	const without = "it has no cycles, so no deadline was judged"
	code, said := judged(good)
	require.Zero(t, code, said)
	require.NotContains(t, said, without)

	cycle := regexp.MustCompile(`,"cycle":\d+`)
	var bare, backwards, mixed []string
	for i, line := range good {
		bare = append(bare, cycle.ReplaceAllString(line, ""))
		backwards = append(backwards, cycle.ReplaceAllString(line, fmt.Sprintf(`,"cycle":%d`, 9000-i)))
		if mixed = append(mixed, line); strings.Contains(line, "data") {
			mixed[i] = bare[i]
		}
	}
	code, said = judged(bare)
	require.Zero(t, code, said)
	require.Contains(t, said, ": 0 wrong by the lenient set; "+without+"\n")
	code, said = judged(backwards)
	require.Equal(t, exitBadInput, code)
	require.Contains(t, said, "line 2: cycle 8999 after cycle 9000: a recording is in the order of the cycles")
	code, said = judged(mixed)
	require.Equal(t, exitBadInput, code)
	require.Contains(t, said, "has no cycle, and the lines before have")

	at := len(good) / 2
	for !strings.Contains(good[at], "data") {
		at++
	}
	code, said = judged(append(append([]string{}, good[:at+1]...), good[at]))
	require.Equal(t, exitWrong, code, said)
	require.Contains(t, said, "not due")
	require.Contains(t, said, " of 1000 inputs went in")
}
