package rtl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:generate go run ./regs
//go:generate go run ./filelist

// listHead stands at the head of hca.f.
const listHead = `//go:build ignore
// (The line above keeps the go command from taking this folder's .f for Fortran.)
//
// Every source, made by "go generate ./rtl". Paths are relative to this file.
// ordered: packages first, and a file uses only files before it.
`

// Filelist is the text of hca.f for the sources below dir: each file of a folder that is no proof's, behind those that
// it names a module or package of, else by path with the packages first.
func Filelist(dir string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.sv"))
	if err != nil {
		return "", err
	}
	o := order{uses: map[string][]string{}, state: map[string]visit{}}
	if paths, err = o.read(dir, paths); err != nil {
		return "", err
	}
	for _, name := range paths {
		if err := o.add(name); err != nil {
			return "", err
		}
	}
	return listHead + strings.Join(o.list, "\n") + "\n", nil
}

// order sorts files by what they use.
type order struct {
	uses  map[string][]string // of a file, the files
	state map[string]visit
	list  []string
}

type visit int

const (
	unvisited visit = iota
	begun           // what it uses is being added
	added
)

// read finds out what each file uses, and gives the paths below dir, packages first.
func (o *order) read(dir string, paths []string) (names []string, err error) {
	texts, home := map[string][]byte{}, map[string]string{} // home: of a module or package, the file
	var packages []string
	for _, p := range paths {
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return nil, err
		}
		name = filepath.ToSlash(name)
		if strings.HasPrefix(name, "formal/") {
			continue
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		texts[name] = lineComment.ReplaceAll(text, nil)
		for _, m := range unit.FindAllSubmatch(texts[name], -1) {
			home[string(m[2])] = name
			if string(m[1]) == "package" {
				packages = append(packages, name)
			}
		}
		names = append(names, name)
	}
	for name, text := range texts {
		for _, w := range word.FindAll(text, -1) {
			if file, ok := home[string(w)]; ok && file != name {
				o.uses[name] = append(o.uses[name], file)
			}
		}
		slices.Sort(o.uses[name])
	}
	slices.Sort(packages)
	return append(packages, names...), nil
}

// add lists a file behind what it uses.
func (o *order) add(name string) error {
	switch o.state[name] {
	case added:
		return nil
	case begun:
		return fmt.Errorf("%s uses a file that uses it", name)
	}
	o.state[name] = begun
	for _, file := range o.uses[name] {
		if err := o.add(file); err != nil {
			return err
		}
	}
	o.state[name] = added
	o.list = append(o.list, name)
	return nil
}
