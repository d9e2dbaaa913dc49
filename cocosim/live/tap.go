package live

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"hcacosim/cocosim"
)

// tap is a tap device: a frame for each read and write.
type tap struct{ f *os.File }

// openTap opens a tap device without packet information; it is made where it is not there and the user may.
func openTap(name string) (Port, error) {
	const node = "/dev/net/tun"
	bad := func(what string, err error) error {
		return &cocosim.Error{Exit: cocosim.BadInput, What: what, Err: cocosim.Cause(err),
			Do: "as root: ip tuntap add " + name + " mode tap user $USER; ip link set " + name + " up"}
	}
	fd, err := unix.Open(node, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, bad("cannot open "+node, err)
	}
	req, err := unix.NewIfreq(name)
	if err == nil {
		req.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, req)
	}
	if err != nil {
		unix.Close(fd)
		return nil, bad("cannot open tap device "+name, err)
	}
	return &tap{os.NewFile(uintptr(fd), node)}, nil
}

// Read reads a frame.
func (t *tap) Read(dst []byte) ([]byte, error) {
	var b [maxFrame]byte
	n, err := t.f.Read(b[:])
	if errors.Is(err, os.ErrClosed) {
		return dst, io.EOF
	}
	return append(dst, b[:n]...), err
}

// Write sends a frame. While the device is down, frames are lost as on any link.
func (t *tap) Write(frame []byte) error {
	_, err := t.f.Write(frame)
	if errors.Is(err, unix.EIO) {
		return nil
	}
	return err
}

// Close closes the device.
func (t *tap) Close() error { return t.f.Close() }
