package bundle

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"hcacosim/cocosim"
	"hcacosim/cocosim/report"
)

// toolsOf are the versions of what made a run: cosim, its compiler, and the tools that built the device.
func toolsOf(rep *report.Report) map[string]string {
	all := map[string]string{"cosim": ownBuild(), "go": runtime.Version()}
	maps.Copy(all, rep.Tools)
	return all
}

// OtherTools has a line for every tool of which a run used another version than the bundle was made with. Tools that
// only one of them names are left out: a bundle of before they were noted has none.
//
//	verilator: the bundle was made with Verilator 5.004 2022-12-14, here it is Verilator 5.006 2023-01-22
func (a *About) OtherTools(rep *report.Report) (lines []string) {
	now := toolsOf(rep)
	for _, name := range slices.Sorted(maps.Keys(a.Tools)) {
		if v, ok := now[name]; ok && v != a.Tools[name] {
			lines = append(lines, fmt.Sprintf("%s: the bundle was made with %s, here it is %s", name, a.Tools[name], v))
		}
	}
	return lines
}

// ownBuild names this program: its version, and where that does not say what it was built from (files were changed, or
// it has none) the start of its SHA-256.
var ownBuild = sync.OnceValue(func() string {
	v := cocosim.Version()
	if v != "unknown" && !strings.HasSuffix(v, "+dirty") {
		return v
	}
	name, err := os.Executable()
	if err != nil {
		return v
	}
	f, err := os.Open(name)
	if err != nil {
		return v
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return v
	}
	return fmt.Sprintf("%s, sha256 %x", v, h.Sum(nil)[:6])
})
