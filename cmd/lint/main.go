// Lint holds the sources of the repository to sizes that a reader can take in: no file over 500 lines, no function over
// 60, no line over 120 columns, where a tab counts as one. It is run by make lint, from the repository's root.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// names are those of the list, each once: git names a file that is in conflict three times.
func names(list string) []string {
	all := strings.Split(strings.TrimSpace(list), "\n")
	slices.Sort(all)
	return slices.Compact(all)
}

func main() {
	files, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "lint: git ls-files:", err)
		os.Exit(2)
	}
	found := 0
	for _, name := range names(string(files)) {
		if kindOf(name) == other || exempt(name) {
			continue
		}
		text, err := os.ReadFile(filepath.FromSlash(name))
		if os.IsNotExist(err) { // removed, and not yet committed
			continue
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "lint:", err)
			os.Exit(2)
		}
		for _, p := range check(name, string(text)) {
			fmt.Fprintln(os.Stderr, p)
			found++
		}
	}
	if found > 0 {
		fmt.Fprintf(os.Stderr, "lint: %d findings; divide the file or function, or break the line\n", found)
		os.Exit(1)
	}
}
