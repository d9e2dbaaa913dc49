package verilated

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hcacosim/cocosim/manifest"
)

const (
	// printHeader is what every file of a simulator begins with.
	printHeader = "hca_printf.h"
	// everyHeader is what it begins with where that is precompiled: the standard library and Verilator's own header, which
	// every generated file includes. Headers of the system stay out: their macros could be names of a design.
	everyHeader = "hca_every.h"
	everyText   = "#include \"" + printHeader + "\"\n#include \"verilated.h\"\n#include <cstdarg>\n#include <cstdlib>\n" +
		"#include <tuple>\n#include <type_traits>\n#include <utility>\n"
	// headersMake compiles it with what make tells the compiler of generated code.
	headersMake = "include V" + verilatedPrefix + ".mk\nheaders:\n\t$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(OPT_HEADERS) " +
		"-x c++-header -o $(HEADERS).gch $(HEADERS)\n"
)

// lighterBind has the file that binds the pins compiled as for a debugger: a fifth to a third quicker (hca_rx: 3.6 s of
// CPU for 5.2), and runs take no longer.
const lighterBind = "--eval=hca_bind.o: override OPT_FAST += -Og"

// headerLinks are the names, in the directory of a build, of the directories of precompiled headers: of code that runs
// in every cycle, and of code that runs at the start. The compiler takes such a header only for code that is optimized
// as the header was, or more.
var headerLinks = [2]string{"headers_fast", "headers_slow"}

// precompiles reports whether the headers of a simulator are precompiled: where it is built for minutes. To read them
// is most of what a small file takes (1.5 s of CPU for 0.3), and a third of what a block takes. Code of the design's
// own in C++ is compiled with the same flags, and is not to see them.
func (b *build) precompiles() bool { return recipes[b.flavour].fast == light && len(b.keys.c) == 0 }

// makeFlags are what make is told of the compiler.
func (b *build) makeFlags() []string {
	r := recipes[b.flavour]
	if !b.precompiles() {
		return r.make()
	}
	var opts [2]string
	for i, own := range []string{r.fast, r.slow} {
		opts[i] = "-Winvalid-pch -include ../" + headerLinks[i] + "/" + everyHeader + " " + own
	}
	return []string{"OPT_FAST=" + opts[0], "OPT_SLOW=" + opts[1], "OPT_GLOBAL=" + flags(r.global), lighterBind}
}

// precompile has headerLinks point to headers for the flags of this build, which simulators share. The first build that
// needs some leaves their text alone, which does as well: to compile them takes 4 s, and it may be the only one. The
// second compiles them.
func (b *build) precompile(ctx context.Context, dir string, log *bytes.Buffer) error {
	if !b.precompiles() {
		return nil
	}
	if err := os.WriteFile(filepath.Join(dir, "obj", "headers.mk"), []byte(headersMake), 0o666); err != nil {
		return cacheError(err)
	}
	classes, err := os.ReadFile(filepath.Join(dir, "obj", "V"+verilatedPrefix+"_classes.mk"))
	if err != nil {
		return cacheError(err)
	}
	opts := []string{recipes[b.flavour].fast, recipes[b.flavour].slow}
	if !bytes.Contains(classes, []byte("VM_PARALLEL_BUILDS = 1")) { // all is compiled as one file
		opts = opts[:1]
	}
	for i, own := range opts {
		headers, err := b.headersFor(ctx, dir, strings.Fields(own)[0], log)
		if err != nil {
			return err
		}
		if err := os.Symlink(headers, filepath.Join(dir, headerLinks[i])); err != nil {
			return cacheError(err)
		}
	}
	return nil
}

// headersFor is the directory of headers that are compiled with one option.
func (b *build) headersFor(ctx context.Context, dir, option string, log *bytes.Buffer) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%q %q %v\n%s%s", cacheFormat, b.tools, commonArgs, option, b.counts(), everyText, headersMake)
	files := []manifest.Source{file(everyHeader, []byte(everyText))}
	for _, f := range headers() {
		if f.Path == printHeader {
			files = append(files, f)
			h.Write(f.Text)
		}
	}
	key := hex.EncodeToString(h.Sum(nil)[:6])
	at := filepath.Join(b.cache, "headers", key)
	os.Chtimes(at, time.Time{}, time.Now()) // in use: see prune
	if isFile(filepath.Join(at, everyHeader+".gch")) {
		return at, nil
	}
	unlock, err := b.lock(ctx, "headers-"+key)
	if err != nil {
		return "", err
	}
	defer unlock()
	if isFile(filepath.Join(at, everyHeader+".gch")) { // someone else was faster
		return at, nil
	}
	if isDir(at) {
		// Where that fails, such as on a full disk, the text is left.
		if err := b.compileHeaders(ctx, dir, at, option, log); err != nil && ctx.Err() != nil {
			return "", err
		}
		return at, nil
	}
	return at, writeHeaders(at, key, files)
}

// counts are the options of this build that Verilator's headers look at.
func (b *build) counts() (options []string) {
	for _, o := range recipes[b.flavour].verilator {
		if strings.HasPrefix(o, "--trace-fst") || strings.HasPrefix(o, "--coverage") {
			options = append(options, strings.TrimSuffix(strings.TrimSuffix(o, "-line"), "-toggle"))
		}
	}
	return slices.Compact(options)
}

// writeHeaders writes the text of headers, and their key for ccache, which would else read all that was compiled.
func writeHeaders(at, key string, files []manifest.Source) error {
	made := at + ".new"
	if err := os.MkdirAll(made, 0o777); err != nil {
		return cacheError(err)
	}
	for _, f := range append(files, file(everyHeader+".gch.sum", []byte(key+"\n"))) {
		if err := os.WriteFile(filepath.Join(made, f.Path), f.Text, 0o666); err != nil {
			return cacheError(err)
		}
	}
	if err := os.Rename(made, at); err != nil {
		return cacheError(err)
	}
	return nil
}

// compileHeaders compiles headers under another name, and gives them their own when they are whole.
func (b *build) compileHeaders(ctx context.Context, dir, at, option string, log *bytes.Buffer) error {
	made := filepath.Join(dir, "headers_made")
	if err := os.CopyFS(made, os.DirFS(at)); err != nil {
		return cacheError(err)
	}
	defer os.RemoveAll(made)
	if err := tool(ctx, dir, log, "make", "-C", "obj", "-f", "headers.mk", "headers", "OPT_HEADERS="+option,
		"HEADERS=../headers_made/"+everyHeader); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(made, everyHeader+".gch"), filepath.Join(at, everyHeader+".gch")); err != nil {
		return cacheError(err)
	}
	return nil
}

// forgetHeaders removes the links from what becomes an image.
func forgetHeaders(dir string) {
	for _, name := range headerLinks {
		os.Remove(filepath.Join(dir, name))
	}
}
