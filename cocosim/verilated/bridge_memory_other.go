//go:build !linux

package verilated

import (
	"errors"
	"os"
)

func memoryFile() (*os.File, error) { return nil, errors.ErrUnsupported }
