// Package fault reads lists of deliberate faults and plants them: in the RTL, in the stages of the model, in its
// machines.
//
// A list is a YAML file. Beside block X it is X.faults.yaml, and the default regression of X finds its faults. For a
// package of the model it is testdata/faults.yaml, and the tests of the package find them. The package imports nothing
// of the repository but strict, so that the tests under model may use it.
package fault

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"hcacosim/cocosim/strict"
)

// Suffix is how the name of a list that stands beside its block ends: X.faults.yaml for block X.
const Suffix = ".faults.yaml"

// Fault is a deliberate mistake: Old stands exactly once in File, and a check finds it when New stands there.
type Fault struct {
	Name           string
	Kind           string // no two of the RTL's faults are of one kind; only beside a block
	Dut            string // the block beside which the list stands, or ""
	File, Old, New string // File from the repository's root, with slashes
	Why            string // what the device would do wrong; only beside a block
	Area           string // where devices had such bugs, or the part that is broken; the list's where a fault names none
}

// list is a file of faults. Folder is where the files stand that they name: "model/roce", or "" for the root.
type list struct {
	Area   string
	Folder string
	Faults []struct{ Name, Kind, File, Old, New, Why, Area string }
}

// BesideBlocks are the deliberate faults of every list X.faults.yaml under fsys, in the order of the files' paths. A
// list with an unknown key, or a fault without name, kind, file or reason, is an error that names the file.
func BesideBlocks(fsys fs.FS) (all []Fault, err error) {
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, Suffix) {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		some, err := Read(text)
		for i, f := range some {
			some[i].Dut = strings.TrimSuffix(path.Base(name), Suffix)
			if f.Kind == "" || f.Why == "" {
				err = fmt.Errorf("fault %q: kind and why must be there", f.Name)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, some...)
		return nil
	})
	return all, err
}

// Read returns the faults of one list, in its order. An unknown key, a fault without name or file, and a name that
// stands twice are errors.
func Read(text []byte) (faults []Fault, err error) {
	var l list
	if err := strict.Decode(text, &l); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, f := range l.Faults {
		if f.Name == "" || f.File == "" {
			return nil, fmt.Errorf("fault %q: name and file must be there", f.Name)
		}
		if names[f.Name] {
			return nil, fmt.Errorf("fault %q stands twice", f.Name)
		}
		names[f.Name] = true
		faults = append(faults, Fault{Name: f.Name, Kind: f.Kind, File: path.Join(l.Folder, f.File), Old: f.Old, New: f.New,
			Why: f.Why, Area: cmp.Or(f.Area, l.Area, "other")})
	}
	return faults, nil
}

// Plant returns the text with the fault in it. It is an error if the old text does not stand exactly once, or is the
// new.
func (f *Fault) Plant(text []byte) ([]byte, error) {
	if n := bytes.Count(text, []byte(f.Old)); n != 1 {
		return nil, fmt.Errorf("%s: the old text must stand exactly once in %s, not %d times", f.Name, f.File, n)
	}
	if f.Old == f.New {
		return nil, fmt.Errorf("%s: the new text is the old", f.Name)
	}
	return bytes.Replace(text, []byte(f.Old), []byte(f.New), 1), nil
}

// Overlay plants the fault in a copy of its Go file in dir, an empty folder, and returns the path of an overlay: with
// `go build -overlay PATH` the copy stands in for the file. Root is the repository's, which stays as it is.
func (f *Fault) Overlay(root, dir string) (overlay string, err error) {
	file, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(f.File)))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if text, err = f.Plant(text); err != nil {
		return "", err
	}
	planted := filepath.Join(dir, filepath.Base(file))
	if err = os.WriteFile(planted, text, 0o644); err != nil {
		return "", err
	}
	raw, err := json.Marshal(map[string]any{"Replace": map[string]string{file: planted}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, raw, 0o644)
}
