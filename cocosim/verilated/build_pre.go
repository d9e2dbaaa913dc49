package verilated

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// What every device's code includes takes the compiler longer than the code of a small one. So it is precompiled, once
// for all builds with the same flags: most of what hca_bind.cpp and a small model cost else.
const (
	printHeader = "hca_printf.h" // what a build without it begins with
	preHeader   = "hca_pre.h"
	slowHeader  = "hca_slow.h" // the same text, for the code of the start, which has other flags
	// precompiledSuffix is what the compiler looks for beside a header.
	precompiledSuffix = ".gch"
	// preRules has the makefile's own flags, which the compiler wants to be the same.
	preRules = "include V" + verilatedPrefix + ".mk\n../%.gch: ../%\n" +
		"\t$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(OPT_FAST) -x c++-header -o $@ $<\n"
)

// precompiled puts precompiled headers into a build, and returns the headers that its code of every cycle and that of
// its start begin with. There is none for a design with C or options of its own, which see nothing but their own
// headers and flags, and none for the first image of a cache: a cache of one would pay for it.
func (b *build) precompiled(ctx context.Context, dir string, log *bytes.Buffer) (fast, slow string) {
	images, _ := filepath.Glob(filepath.Join(b.cache, "images", "*"))
	r := recipes[b.flavour]
	if !r.precompile || len(b.keys.c)+len(b.m.Verilator) > 0 || len(images) == 0 {
		return printHeader, printHeader
	}
	fast, slow = b.precompile(ctx, dir, log, preHeader, r.fast), printHeader
	if isSplit(dir) {
		slow = b.precompile(ctx, dir, log, slowHeader, r.slow)
	}
	return fast, slow
}

// isSplit reports whether Verilator has divided the design: a small one's files are one to the compiler, and fast.
func isSplit(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "obj", "V"+verilatedPrefix+"_classes.mk"))
	return err == nil && bytes.Contains(text, []byte("VM_PARALLEL_BUILDS = 1"))
}

// precompile puts one header into a build and returns its name, or that of the header that needs none.
func (b *build) precompile(ctx context.Context, dir string, log *bytes.Buffer, header, flags string) string {
	kept, here := b.precompiledName(flags), filepath.Join(dir, header+precompiledSuffix)
	if os.Link(kept, here) == nil {
		os.Chtimes(kept, time.Time{}, time.Now()) // in use: see prune
		return header
	}
	if os.WriteFile(filepath.Join(dir, "hca_pre.mk"), []byte(preRules), 0o666) != nil {
		return printHeader
	}
	if tool(ctx, dir, log, "make", "-C", "obj", "-f", "../hca_pre.mk", "OPT_FAST="+flags,
		"../"+header+precompiledSuffix) != nil {
		os.Remove(here)
		return printHeader
	}
	if os.MkdirAll(filepath.Dir(kept), 0o777) == nil {
		os.Link(here, kept)
	}
	return header
}

// precompiledName is where the precompiled header of these flags, headers and tools is kept.
func (b *build) precompiledName(flags string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%q\n%s\n%s\n", cacheFormat, b.tools, commonArgs, flags, preRules)
	for _, s := range headers() {
		fmt.Fprintf(h, "%s %d\n%s", s.Path, len(s.Text), s.Text)
	}
	return filepath.Join(b.cache, "pre", hex.EncodeToString(h.Sum(nil)[:6])+".gch")
}
