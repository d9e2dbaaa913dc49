package verilated

import (
	"os"

	"golang.org/x/sys/unix"
)

func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("bridge", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "bridge memory"), nil
}
