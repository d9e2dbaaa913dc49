package bundle

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hcacosim/cocosim"
)

// ArchiveSuffix is how the name of a bundle in one file ends.
const ArchiveSuffix = ".tar.gz"

// mostUnpacked bounds what comes out of an archive.
const mostUnpacked = 4 << 30

// Pack writes the bundle in dir as one file, whole or not at all, and removes the directory.
func Pack(dir, file string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), tempArchive)
	if err != nil {
		return cocosim.Errorf(cocosim.BadInput, "bundle: %v", err)
	}
	defer os.Remove(f.Name())
	z := gzip.NewWriter(f)
	t := tar.NewWriter(z)
	err = errors.Join(t.AddFS(os.DirFS(dir)), t.Close(), z.Close(), f.Close())
	if err == nil {
		err = errors.Join(os.Chmod(f.Name(), 0o644), os.Rename(f.Name(), file), os.RemoveAll(dir))
	}
	if err != nil {
		return cocosim.Errorf(cocosim.BadInput, "bundle: %v", err)
	}
	return nil
}

const tempArchive = ".bundle-archive-"

// Unpack takes a bundle out of a file into a new directory under the system's for temporary ones, and gives the
// directory. Anything but plain files and folders below it is an error.
func Unpack(file string) (dir string, err error) {
	bad := func(err error) (string, error) {
		if dir != "" {
			os.RemoveAll(dir)
		}
		return "", cocosim.Errorf(cocosim.BadInput, "%s: not a bundle in a file: %v", file, err)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return bad(err)
	}
	if dir, err = os.MkdirTemp("", "cosim-bundle-"); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return bad(err)
	}
	defer root.Close()
	t := tar.NewReader(io.LimitReader(z, mostUnpacked))
	for {
		h, err := t.Next()
		if err == io.EOF {
			return dir, nil
		}
		if err == nil {
			err = unpackOne(root, h, t)
		}
		if err != nil {
			return bad(err)
		}
	}
}

// unpackOne makes a file or a folder of an archive; root keeps it from lying anywhere else.
func unpackOne(root *os.Root, h *tar.Header, from io.Reader) error {
	switch h.Typeflag {
	case tar.TypeDir:
		if err := root.Mkdir(strings.TrimSuffix(h.Name, "/"), 0o755); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	case tar.TypeReg:
		f, err := root.Create(h.Name)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, from)
		return errors.Join(err, f.Close())
	}
	return errors.New(h.Name + " is neither a file nor a folder")
}
