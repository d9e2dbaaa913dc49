package bundle

import (
	"fmt"
	"maps"
	"runtime"
	"slices"

	"hcacosim/cocosim"
	"hcacosim/cocosim/report"
)

// toolsOf are the versions of what made a run: cosim, its compiler, and the tools that built the device.
func toolsOf(rep *report.Report) map[string]string {
	all := map[string]string{"cosim": cocosim.Version(), "go": runtime.Version()}
	maps.Copy(all, rep.Tools)
	return all
}

// OtherTools has a line for every tool of which a run used another version than the bundle was made with. Tools that
// only one of them names are left out: a bundle of before they were noted has none.
//
//	verilator: the bundle was made with Verilator 5.004 2022-12-14, this run with Verilator 5.006 2023-01-22
func (a *About) OtherTools(rep *report.Report) (lines []string) {
	now := toolsOf(rep)
	for _, name := range slices.Sorted(maps.Keys(a.Tools)) {
		if v, ok := now[name]; ok && v != a.Tools[name] {
			lines = append(lines, fmt.Sprintf("%s: the bundle was made with %s, this run with %s", name, a.Tools[name], v))
		}
	}
	return lines
}
