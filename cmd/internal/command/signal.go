package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long a command may take to sum up when it is told to end.
const patience = 900 * time.Millisecond

// Stopped returns a context that SIGINT, SIGTERM and SIGHUP (but not under nohup) end, and a function to call when the
// command is done. A command that has not ended 900 ms after the signal, wherever it hangs, is ended with the exit
// code; a second signal ends it at once.
func Stopped(errw io.Writer, exit int) (context.Context, func()) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	done := make(chan struct{})
	go func() {
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		stop() // a second signal has its usual effect
		select {
		case <-done:
		case <-time.After(patience):
			fmt.Fprintln(errw, "interrupted")
			os.Exit(exit)
		}
	}()
	return ctx, func() { close(done); stop() }
}
