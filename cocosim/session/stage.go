package session

import (
	"slices"
	"strings"

	"hcacosim/cocosim/manifest"
	"hcacosim/model/stages"
	"hcacosim/vectors"
)

// ViewUse is what a view of a stage is for.
const ViewUse = "`cosim export` makes a bench of it, and `vecgen judge` judges a recording"

// NoStage says why a device of a manifest is not run: the golden model does not have its stage, or that is a view.
func NoStage(m *manifest.Manifest) error {
	if vectors.IsView(m.Model) {
		return m.ErrorAt(m.Line("model"), ViewUse, "%s is a view for vector sets, and no stage that a device is run against",
			m.Model)
	}
	return m.ErrorAt(m.Line("model"), "it has "+StageNames(), "the golden model has no stage %q", m.Model)
}

// StageNames are the stages that a device is run against.
func StageNames() string {
	var names []string
	for _, s := range stages.All() {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
