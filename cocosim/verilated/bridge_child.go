package verilated

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// child is a simulator process and the socket to it. The process ends when the socket is closed; kill makes sure.
type child struct {
	cmd  *exec.Cmd
	conn net.Conn
	mem  *sharedMemory // nil where there is none
	tail tail
	done chan struct{} // closed when the process is gone
	// completes: it writes waves, and is asked to end before it is killed.
	completes bool
	err       error // how it ended; read after done
}

// bridgeFd and memoryFd are the descriptors on which the simulator finds its end of the socket pair, and the shared
// memory.
const bridgeFd, memoryFd = 3, 4

// exitGone is the exit status of a simulator that found nobody at the other end.
const exitGone = 3

const socketBytes = 1 << 20

func startChild(program string, env []string, mem *sharedMemory, args ...string) (*child, error) {
	near, far, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer far.Close()
	conn, err := net.FileConn(near)
	near.Close()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(program, args...), conn: conn, mem: mem, done: make(chan struct{})}
	if dir := filepath.Join(filepath.Dir(program), dataDir); isDir(dir) {
		c.cmd.Dir = dir
	}
	c.cmd.ExtraFiles = []*os.File{far}
	if mem != nil {
		c.cmd.ExtraFiles = append(c.cmd.ExtraFiles, mem.file)
	}
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.Stdout, c.cmd.Stderr = &c.tail, &c.tail
	c.cmd.WaitDelay = time.Second
	// In a group of its own an interrupt from the terminal does not reach it: the run is stopped from here, once.
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.cmd.Start(); err != nil {
		conn.Close()
		return nil, err
	}
	go func() {
		c.err = c.cmd.Wait()
		close(c.done)
	}()
	return c, nil
}

func socketPair() (near, far *os.File, err error) {
	// Neither end may leak into another child that is started meanwhile: its copy would hide our closing.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	for _, fd := range fds {
		// A hint: room for frames on the way keeps both ends from waiting for each other. The system may grant less.
		syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_SNDBUF, socketBytes)
	}
	return os.NewFile(uintptr(fds[0]), "bridge"), os.NewFile(uintptr(fds[1]), "bridge"), nil
}

// kill ends the process, whatever it is doing, and waits until it is gone.
func (c *child) kill() {
	if c.completes {
		c.stop()
	}
	c.conn.Close()
	syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // the group: whatever it started, too
	c.cmd.Process.Kill()
	<-c.done
}

// leave closes the socket and gives the process a while to end by itself. It reports whether it did.
func (c *child) leave(patience time.Duration) bool {
	c.conn.Close()
	return c.gone(patience)
}

// gone waits for the process to end.
func (c *child) gone(patience time.Duration) bool {
	select {
	case <-c.done:
		return true
	case <-time.After(patience):
		return false
	}
}

// ending says how the process ended, with the last of what it printed.
func (c *child) ending() string {
	how := "exit status 0, as if something in it had called exit"
	if c.err != nil {
		how = c.err.Error()
	}
	var exit *exec.ExitError
	if errors.As(c.err, &exit) {
		if exit.ExitCode() == exitGone {
			how = "it lost its end of the bridge, as if something in it had closed every file"
		}
		switch exit.Sys().(syscall.WaitStatus).Signal() {
		case syscall.SIGSYS:
			how = "the design started a process ($system, or fork in its C code), which a simulator may not"
		case syscall.SIGXFSZ:
			how = "the design wrote a file larger than the limit of its memory"
		}
	}
	if said := c.tail.lastLine(); said != "" {
		how += fmt.Sprintf("; it said last: %s", said)
	}
	return how
}

// tail keeps the end of what a process prints.
type tail struct {
	mu sync.Mutex
	b  []byte
}

const tailBytes = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if n := len(t.b) - tailBytes; n > 0 {
		t.b = append(t.b[:0], t.b[n:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}

func (t *tail) lastLine() string {
	lines := strings.Split(strings.TrimSpace(t.String()), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
