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
	// precompiledFile lies beside it, where the compiler looks for it.
	precompiledFile = preHeader + ".gch"
	// preRules has the makefile's own flags, which the compiler wants to be the same.
	preRules = "include V" + verilatedPrefix + ".mk\n../" + precompiledFile + ":\n" +
		"\t$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(OPT_FAST) -x c++-header -o $@ ../" + preHeader + "\n"
)

// precompiled puts the precompiled header into a build, and returns the header that its fast code begins with. There is
// none for a design with C or options of its own, which see nothing but its own headers and flags, and none for the
// first image of a cache: a cache of one would pay for it.
func (b *build) precompiled(ctx context.Context, dir string, log *bytes.Buffer) string {
	images, _ := filepath.Glob(filepath.Join(b.cache, "images", "*"))
	if !recipes[b.flavour].precompile || len(b.keys.c)+len(b.m.Verilator) > 0 || len(images) == 0 {
		return printHeader
	}
	kept, here := b.precompiledName(), filepath.Join(dir, precompiledFile)
	if os.Link(kept, here) == nil {
		os.Chtimes(kept, time.Time{}, time.Now()) // in use: see prune
		return preHeader
	}
	if os.WriteFile(filepath.Join(dir, "hca_pre.mk"), []byte(preRules), 0o666) != nil {
		return printHeader
	}
	if tool(ctx, dir, log, "make", "-C", "obj", "-f", "../hca_pre.mk", "OPT_FAST="+recipes[b.flavour].fast,
		"../"+precompiledFile) != nil {
		os.Remove(here)
		return printHeader
	}
	if os.MkdirAll(filepath.Dir(kept), 0o777) == nil {
		os.Link(here, kept)
	}
	return preHeader
}

// precompiledName is where the precompiled header of these flags, headers and tools is kept.
func (b *build) precompiledName() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%q\n%s\n%s\n", cacheFormat, b.tools, commonArgs, recipes[b.flavour].fast, preRules)
	for _, s := range headers() {
		fmt.Fprintf(h, "%s %d\n%s", s.Path, len(s.Text), s.Text)
	}
	return filepath.Join(b.cache, "pre", hex.EncodeToString(h.Sum(nil)[:6])+".gch")
}
