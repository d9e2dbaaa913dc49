package mutate

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"hcacosim/cocosim"
)

// FaultFiles is how the name of a list of deliberate faults ends: X.faults.yaml stands beside block X.
const FaultFiles = ".faults.yaml"

// Fault is a deliberate mistake: Old stands exactly once in File, and the default regression of Dut finds it when New
// stands there.
type Fault struct {
	Name, Kind     string // no two of the RTL's faults are of one kind
	Dut            string // the block beside which the list stands
	File, Old, New string // File from the repository's root
	Why            string // what the device would do wrong
	Area           string // where real devices had such bugs; the list's where the fault names none
}

// faultList is a file X.faults.yaml.
type faultList struct {
	Area   string
	Faults []struct{ Name, Kind, File, Old, New, Why, Area string }
}

// Faults are the deliberate faults of every list under fsys, in the order of the files' paths. A list with an unknown key,
// or a fault without name, kind, file or reason, is an error that names the file.
func Faults(fsys fs.FS) (all []Fault, err error) {
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, FaultFiles) {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		some, err := readFaults(text, strings.TrimSuffix(path.Base(name), FaultFiles))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, some...)
		return nil
	})
	return all, err
}

// ReadFaults are the deliberate faults of a file.
func ReadFaults(file string) ([]Fault, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	faults, err := readFaults(text, strings.TrimSuffix(path.Base(file), FaultFiles))
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%s: %v", file, err)
	}
	return faults, nil
}

func readFaults(text []byte, dut string) (faults []Fault, err error) {
	var list faultList
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&list); err != nil {
		return nil, err
	}
	for _, f := range list.Faults {
		if f.Name == "" || f.Kind == "" || f.File == "" || f.Why == "" {
			return nil, fmt.Errorf("fault %q: name, kind, file and why must be there", f.Name)
		}
		faults = append(faults, Fault{Name: f.Name, Kind: f.Kind, Dut: dut, File: f.File, Old: f.Old, New: f.New, Why: f.Why,
			Area: cmp.Or(f.Area, list.Area, "other")})
	}
	return faults, nil
}

// Plant returns the text with the fault in it. It is an error if the old text does not stand exactly once, or is the new.
func (f *Fault) Plant(text []byte) ([]byte, error) {
	if n := bytes.Count(text, []byte(f.Old)); n != 1 {
		return nil, fmt.Errorf("%s: the old text must stand exactly once in %s, not %d times", f.Name, f.File, n)
	}
	if f.Old == f.New {
		return nil, fmt.Errorf("%s: the new text is the old", f.Name)
	}
	return bytes.Replace(text, []byte(f.Old), []byte(f.New), 1), nil
}
