package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var writeTutorial = flag.Bool("write-tutorial", false, "put what the commands of docs/tutorial.md print into it")

// varying are the parts of an output that differ from run to run.
var varying = []*regexp.Regexp{regexp.MustCompile(`build [0-9a-f]{12}`), regexp.MustCompile(`seconds +[\d.]+`),
	regexp.MustCompile(`(?m)^  rates .*$`)}

// bundlePath is where a failing run left its bundle: the tutorial has the usual place.
var bundlePath = regexp.MustCompile(`(?m)^bundle \S+/(bundles/\S+?)-[\d.-]+:`)

func steady(text string) string {
	for _, re := range varying {
		text = re.ReplaceAllString(text, "...")
	}
	return text
}

// TestTutorial runs every command of docs/tutorial.md in a directory with the file that it starts from, and compares
// what is printed.
func TestTutorial(t *testing.T) {
	needVerilator(t)
	const file = "../../docs/tutorial.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	design, err := os.ReadFile(examplesDir + "/icrc8/icrc8.v")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/icrc8.v", design, 0o666))
	root, err := os.Getwd()
	require.NoError(t, err)
	t.Chdir(dir)
	parts := strings.Split(string(text), "```console\n")
	require.Greater(t, len(parts), 9)
	for i := 1; i < len(parts); i++ {
		block, rest, ok := strings.Cut(parts[i], "```\n")
		require.True(t, ok)
		made := runBlock(t, block)
		if !*writeTutorial {
			require.Equal(t, steady(block), steady(made))
		}
		parts[i] = made + "```\n" + rest
	}
	if *writeTutorial {
		t.Chdir(root)
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(parts, "```console\n")), 0o666))
	}
}

// runBlock runs the commands of a block and gives it as it must be.
func runBlock(t *testing.T, block string) string {
	var out strings.Builder
	for line := range strings.Lines(block) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		command = strings.TrimSpace(command)
		out.WriteString("$ " + command + "\n")
		if args, ok := strings.CutPrefix(command, "cosim "); ok && !strings.Contains(args, "|") {
			exit, text, errs := cosim(strings.Fields(args)...)
			out.WriteString(bundlePath.ReplaceAllString(text+errs, "bundle ~/.local/state/hcacosim/$1-20260311-091502.114:"))
			if exit != 0 {
				fmt.Fprintf(&out, "[exit code %d]\n", exit)
			}
			continue
		}
		var said bytes.Buffer
		cmd := exec.Command("sh", "-c", command)
		cmd.Stdout, cmd.Stderr = &said, &said
		require.NoError(t, cmd.Run(), "%s: %s", command, &said)
		out.Write(said.Bytes())
	}
	return out.String()
}
