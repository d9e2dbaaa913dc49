//go:build !linux

package cocosim

import (
	"errors"
	"os"
)

func memoryFile() (*os.File, error) { return nil, errors.ErrUnsupported }
