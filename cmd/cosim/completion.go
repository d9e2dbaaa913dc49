package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
	"hcacosim/vectors/scenario"
)

// completions are the scripts that make a shell ask `cosim completion words`.
var completions = map[string]string{
	"bash": `_cosim() {
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "$(cosim completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -o bashdefault -F _cosim cosim
`,
	"zsh": `#compdef cosim
_cosim() {
  local -a found
  found=("${(@f)$(cosim completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${found[1]}" ]]; then compadd -a found; else _files; fi
}
compdef _cosim cosim
`,
	"fish": `complete -c cosim -a '(cosim completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
}

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "the script that completes commands, flags, devices and scenarios in a shell",
		ArgsUsage: "bash|zsh|fish",
		Description: "bash: source <(cosim completion bash)\nzsh:  source <(cosim completion zsh)\n" +
			"fish: cosim completion fish | source",
		Action: func(c *cli.Context) error {
			shell := c.Args().First()
			if shell == "words" {
				for _, word := range complete(c.App, c.Args().Tail()) {
					fmt.Fprintln(c.App.Writer, word)
				}
				return nil
			}
			script, ok := completions[shell]
			if !ok || c.NArg() != 1 {
				return cocosim.Errorf(cocosim.BadInput, "give a shell: bash, zsh or fish")
			}
			_, err := fmt.Fprint(c.App.Writer, script)
			return err
		},
	}
}

// complete gives what can stand in place of the last of words, which a user has begun to write. Nothing is a file.
func complete(app *cli.App, words []string) (found []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	before, begun := words[:len(words)-1], words[len(words)-1]
	flags := app.Flags
	var command *cli.Command
	for _, w := range before {
		if command == nil {
			command = app.Command(w)
		}
	}
	var all []string
	if command != nil {
		flags = append(append([]cli.Flag{}, command.Flags...), app.Flags...)
	}
	if n := len(before); n > 0 && strings.HasPrefix(before[n-1], "--") {
		all = valuesOf(strings.TrimPrefix(before[n-1], "--"))
	}
	switch {
	case all != nil:
	case strings.HasPrefix(begun, "-"):
		for _, f := range flags {
			all = append(all, "--"+f.Names()[0])
		}
	case command == nil:
		for _, c := range app.VisibleCommands() {
			all = append(all, c.Name)
		}
	case command.Name == "completion":
		all = []string{"bash", "zsh", "fish"}
	}
	for _, word := range all {
		if strings.HasPrefix(word, begun) {
			found = append(found, word)
		}
	}
	return found
}

// valuesOf are the values of a flag, where they can be listed.
func valuesOf(flag string) (values []string) {
	switch flag {
	case "dut":
		all, _ := manifest.Embedded()
		for _, m := range all {
			values = append(values, m.Name)
		}
	case "scenario":
		for _, s := range scenario.All() {
			values = append(values, s.Name)
		}
	case "device":
		values = []string{session.RTL, session.Model, session.Recording}
	case "netlist":
		values = []string{string(verilated.Word), string(verilated.Gate)}
	case "flavour":
		for _, f := range []verilated.Flavour{verilated.Fast, verilated.Tuned, verilated.Debug, verilated.Quick,
			verilated.Coverage, verilated.Word, verilated.Gate} {
			values = append(values, string(f))
		}
	case "log-level":
		values = []string{"trace", "debug", "info", "warn", "error"}
	}
	return values
}
