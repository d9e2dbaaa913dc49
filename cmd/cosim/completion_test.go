package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// TestCompletion: what can be written at each place.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"ru"}, "run\n"},
		{[]string{"run", "--dut", "psn"}, "psn_window\n"},
		{[]string{"run", "--max-m"}, "--max-mismatches\n--max-memory\n"},
		{[]string{"-q", "run", "--scenario", "psn-w"}, "psn-window\n"},
		{[]string{"run", "--capture", "fi"}, ""},
		{[]string{"regress", "--flavour", "g"}, "gate\n"},
		{[]string{"completion", ""}, "bash\nzsh\nfish\n"},
	} {
		exit, out, errs := cosim(append([]string{"completion", "words", "--"}, c.words...)...)
		require.Equal(t, cocosim.Agreed, exit, errs)
		require.Equal(t, c.want, out, c.words)
	}
	exit, _, errs := cosim("completion", "tcsh")
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "bash, zsh or fish")
}

// TestCompletionInTheShells runs the scripts in the shells that are there.
func TestCompletionInTheShells(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	script := "#!/bin/sh\n" + asCommand + "=" + filepath.Join(dir, "peak") + " exec " + self + " \"$@\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cosim"), []byte(script), 0o777))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for shell, ask := range map[string]string{
		"bash": `source <(cosim completion bash); COMP_WORDS=(cosim run --dut psn); COMP_CWORD=3; _cosim; ` +
			`echo "${COMPREPLY[@]}"`,
		"zsh": `compdef() { :; }; compadd() { print -- "${found[@]}"; }; source <(cosim completion zsh); ` +
			`words=(cosim run --dut psn); CURRENT=4; _cosim`,
		"fish": `cosim completion fish | source; complete -C "cosim run --dut psn"`,
	} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		out, err := exec.Command(shell, "-c", ask).CombinedOutput()
		require.NoError(t, err, shell)
		require.Equal(t, "psn_window\n", string(out), shell)
	}
}
