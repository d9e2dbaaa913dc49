package export

import (
	"bufio"
	"context"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// Tell is told what Yosys is doing, and for how long it has run. A memory that becomes registers can take it minutes.
type Tell func(pass string, since time.Duration)

// tellEvery is how often.
var tellEvery = 10 * time.Second

// passBegins is how Yosys' log says that a pass, a frontend or a backend begins.
var passBegins = regexp.MustCompile(`^[0-9][0-9.]*\. Executing (.*?)\.?$`)

// mostLog is how much of the log's end is kept.
const mostLog = 4096

// yosys runs a script in a directory, and returns the end of its log.
func yosys(ctx context.Context, dir, script string, tell Tell) (log []byte, err error) {
	cmd := exec.CommandContext(ctx, "yosys", "-p", script)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = cmd.Stdout // the same pipe
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var pass atomic.Value
	pass.Store("")
	defer every(tellEvery, func(since time.Duration) {
		if tell != nil {
			tell(pass.Load().(string), since)
		}
	})()
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if m := passBegins.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			pass.Store(m[1])
		}
		if log = append(log, line...); len(log) > 2*mostLog {
			log = append(log[:0], log[len(log)-mostLog:]...)
		}
		if err != nil {
			break
		}
	}
	return log, cmd.Wait()
}

// every calls do again and again until end is called, which waits for the last.
func every(d time.Duration, do func(since time.Duration)) (end func()) {
	began, ticker, done := time.Now(), time.NewTicker(d), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				do(time.Since(began))
			case <-done:
				return
			}
		}
	}()
	return func() { ticker.Stop(); done <- struct{}{} }
}
