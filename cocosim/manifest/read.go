package manifest

import (
	"bytes"
	"fmt"
	"hcacosim/cocosim"
	"path"
	"strings"
)

// Source is a file of the design: where it is, and what stands in it.
type Source struct {
	Path string // as the manifest's world calls it
	Text []byte
}

// ReadSources reads the design's files, in order, and its include directories.
func (m *Manifest) ReadSources() (files []Source, include []string, err error) {
	for _, dir := range m.Include {
		include = append(include, m.resolve(m.dir, dir))
	}
	if m.Filelist == "" {
		for i, name := range m.Sources {
			if files, err = m.addSource(files, m.resolve(m.dir, name), fmt.Sprintf("%s:%d", m.path,
				m.Line("sources", i))); err != nil {
				return nil, nil, err
			}
		}
		return files, include, nil // a design may be of VHDL only
	}
	list := m.resolve(m.dir, m.Filelist)
	text, err := m.read(list)
	if err != nil {
		return nil, nil, m.ErrorAt(m.Line("filelist"), "", "cannot read file list %s: %v", list, cocosim.Cause(err))
	}
	dir := path.Dir(list)
	for n, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "//")
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		where := fmt.Sprintf("%s:%d", list, n+1)
		switch {
		case line == "":
		case strings.HasPrefix(line, "+incdir+"):
			for _, d := range strings.Split(strings.TrimPrefix(line, "+incdir+"), "+") {
				include = append(include, m.resolve(dir, d))
			}
		case strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+"):
			return nil, nil, &cocosim.Error{Exit: cocosim.BadInput, What: where + ": " + line + " is not understood",
				Do: "a file list has file names and +incdir+DIR"}
		default:
			if files, err = m.addSource(files, m.resolve(dir, line), where); err != nil {
				return nil, nil, err
			}
		}
	}
	if bytes.Contains(text, ordered) {
		if files = Needed(files, m.Top); len(files) == 0 {
			return nil, nil, m.ErrorAt(m.Line("top"), "name a module of the list", "no file of %s defines module %s",
				list, m.Top)
		}
	}
	return files, include, nil
}

// ReadFiles reads files that a key of the manifest lists.
func (m *Manifest) ReadFiles(key string, names []string) (files []Source, err error) {
	for i, name := range names {
		if files, err = m.addSource(files, m.resolve(m.dir, name), fmt.Sprintf("%s:%d", m.path, m.Line(key, i))); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func (m *Manifest) addSource(files []Source, name, where string) ([]Source, error) {
	text, err := m.read(name)
	if err != nil {
		return nil, &cocosim.Error{Exit: cocosim.BadInput, What: fmt.Sprintf("%s: cannot read %s", where, name),
			Err: cocosim.Cause(err)}
	}
	return append(files, Source{name, text}), nil
}

func (m *Manifest) resolve(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// BeatBytes is what a port moves in a cycle: the width of an AXI-Stream, a whole record elsewhere. Only a resolved
// manifest has it.
func (p *Port) BeatBytes() int {
	if p.Kind == KindAxis {
		return p.Width.Bits / 8
	}
	return (p.RecordBits() + 7) / 8
}

// FullRate reports whether the port promises a beat in every cycle: of an output, within a packet.
func (p *Port) FullRate() bool { return p.Rate == rateFull }

// ReadIncluded reads what `include can find: the files of the include directories.
func (m *Manifest) ReadIncluded(dirs []string) ([]Source, error) {
	var files []Source
	for _, dir := range dirs {
		entries, err := m.list(dir)
		if err != nil {
			return nil, &cocosim.Error{Exit: cocosim.BadInput, What: fmt.Sprintf("%s: cannot read include directory %s", m.path,
				dir), Err: cocosim.Cause(err)}
		}
		for _, e := range entries {
			if !e.Type().IsRegular() {
				continue
			}
			if files, err = m.addSource(files, path.Join(dir, e.Name()), m.path); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// Embedded reports whether the sources have to be written out before a tool can read them.
func (m *Manifest) Embedded() bool { return !path.IsAbs(m.dir) }
