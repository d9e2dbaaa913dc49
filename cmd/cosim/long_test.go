package main

import (
	"flag"
	"testing"
)

var longTests = flag.Bool("long", false, "run the tests too that take a minute and more: make test-long")

// onlyLong skips a test of a minute and more unless it is asked for.
func onlyLong(t testing.TB) {
	if !*longTests {
		t.Skip("skipped: it takes a minute and more; make test-long runs it")
	}
}
