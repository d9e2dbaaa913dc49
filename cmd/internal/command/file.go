package command

import (
	"errors"
	"os"
	"path/filepath"
)

// WriteFile writes a file whole or not at all: under another name first, which then becomes its own. What cannot be
// renamed over, such as a pipe or /dev/null, is written to as it is.
func WriteFile(name string, data []byte) error {
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		return os.WriteFile(name, data, 0o666)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
