package main

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	addedFile = regexp.MustCompile("(?m)^<!-- file: (\\S+) -->\n```\\w*\n((?s:.*?))^```\n")
	addedStep = regexp.MustCompile("(?m)^```sh\n((?s:.*?))^```\n")
)

// TestAddingABlock applies docs/adding-a-block.md to a copy of the repository: the files that it shows, and every
// command in its order. The block is
// built, run, faulted, made a netlist of and proved.
func TestAddingABlock(t *testing.T) {
	needVerilator(t)
	onlyLong(t)
	if _, err := exec.LookPath("yosys"); err != nil {
		t.Skip("skipped: yosys is not installed, the block can be neither synthesized nor proved")
	}
	if testing.Short() {
		t.Skip("skipped: a copy of the repository is built")
	}
	text, err := os.ReadFile("../../docs/adding-a-block.md")
	require.NoError(t, err)
	dir := copyRepository(t)
	files := addedFile.FindAllStringSubmatch(string(text), -1)
	require.Len(t, files, 7)
	for _, f := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f[1]), []byte(f[2]), 0o666))
	}
	steps := addedStep.FindAllStringSubmatch(string(text), -1)
	require.Len(t, steps, 6)
	for _, s := range steps {
		for line := range strings.Lines(s[1]) {
			cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s%s", line, out)
		}
	}
}

// TestAddedBlockBuilds: the Go files that docs/adding-a-block.md shows fit the packages of today.
func TestAddedBlockBuilds(t *testing.T) {
	text, err := os.ReadFile("../../docs/adding-a-block.md")
	require.NoError(t, err)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir, replaced, packages := t.TempDir(), map[string]string{}, map[string]bool{}
	for _, f := range addedFile.FindAllStringSubmatch(string(text), -1) {
		if filepath.Ext(f[1]) != ".go" {
			continue
		}
		file := filepath.Join(dir, strings.ReplaceAll(f[1], "/", "_")) // two have one name
		require.NoError(t, os.WriteFile(file, []byte(f[2]), 0o666))
		replaced[filepath.Join(root, f[1])] = file
		packages["./"+filepath.Dir(f[1])] = true
	}
	require.NotEmpty(t, replaced)
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o666))
	args := append([]string{"vet", "-overlay", filepath.Join(dir, "overlay.json")}, slices.Sorted(maps.Keys(packages))...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

// copyRepository copies what is in the repository, without what was built.
func copyRepository(t *testing.T) string {
	dir := t.TempDir()
	root := "../.."
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel == ".git" || rel == "bin" || rel == "build" {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(dir, rel), 0o777)
		}
		if !d.Type().IsRegular() || rel == ".git" {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, rel), data, info.Mode().Perm())
	})
	require.NoError(t, err)
	return dir
}
