package regress

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"hcacosim/cocosim"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
)

// failedRun is a line of the list that the next regression can repeat.
type failedRun struct {
	Spec     session.Spec `yaml:"spec"`
	Scenario string       `yaml:"scenario"`
	Long     bool         `yaml:"long"`
}

// failedFile is where the failures of the last regression that was started in this directory are kept.
func failedFile() (string, error) {
	cache, err := verilated.CacheDir()
	if err != nil {
		return "", err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(here))
	return filepath.Join(cache, "regress", hex.EncodeToString(sum[:8])+".yaml"), nil
}

// SaveFailed keeps the runs that failed for LoadFailed.
func SaveFailed(runs []*Run) error {
	file, err := failedFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	enc := yaml.NewEncoder(f)
	defer enc.Close()
	for _, r := range Failed(runs) {
		if err := enc.Encode(failedRun{r.Spec, r.Scenario, r.Long}); err != nil {
			return err
		}
	}
	return nil
}

// LoadFailed are the runs that failed in the last regression that was started in this directory.
func LoadFailed() (runs []*Run, err error) {
	file, err := failedFile()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cocosim.Errorf(cocosim.BadInput, "--rerun-failed: no regression was run from this directory")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dec := yaml.NewDecoder(f)
	for {
		var r failedRun
		if err := dec.Decode(&r); err == io.EOF {
			return runs, nil
		} else if err != nil {
			return nil, cocosim.Errorf(cocosim.BadInput, "%s: %v", file, err)
		}
		runs = append(runs, &Run{Spec: r.Spec, Scenario: r.Scenario, Long: r.Long})
	}
}

// Begun counts the runs that were run.
func Begun(runs []*Run) (n int) {
	for _, r := range runs {
		if r.Done {
			n++
		}
	}
	return n
}
