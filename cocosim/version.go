package cocosim

import (
	"cmp"
	"runtime/debug"
)

// Version is that of the module that the program was built from, or its commit, with "+dirty" behind it where files
// were changed since; "unknown" where the build does not say.
//
//	v0.0.0-20260102150405-0123456789ab+dirty
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v, dirty := info.Main.Version, ""
	if v != "" && v != "(devel)" {
		return v
	}
	v = ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			v = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	return cmp.Or(v, "unknown") + dirty
}
