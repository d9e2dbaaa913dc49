package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/bucket"
	"hcacosim/cocosim/bundle"
	"hcacosim/cocosim/html"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/session"
)

// bundlesOfRegression is how many bundles a regression leaves where nothing else is said.
const bundlesOfRegression = 5

// regressBundleFlags say what a regression leaves of its failures.
func regressBundleFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "bundle", Usage: "the folder, `DIR`, in which the bundles of failures lie (default: that of " +
			"`cosim run` under the user's state folder)"},
		&cli.IntFlag{Name: "bundles", Value: bundlesOfRegression, Usage: "leave a bundle of the first failure of each of " +
			"the `N` largest buckets; 0 for none"},
	}, wavesFlags()...)
}

// checkBundles refuses what a regression cannot leave.
func checkBundles(c *cli.Context) error {
	if c.Int("bundles") < 0 {
		return cocosim.Errorf(cocosim.BadInput, "--bundles %d: how many are to be left, 0 for none", c.Int("bundles"))
	}
	if err := checkWaves(c); err != nil {
		return err
	}
	switch w := c.String("waves"); {
	case w == wavesAlways:
		return cocosim.Errorf(cocosim.BadInput, "--waves always: a regression leaves bundles of what fails only; "+
			"--waves fail, or `cosim run --waves always` of one run")
	case w == wavesFail && c.Int("bundles") == 0:
		return cocosim.Errorf(cocosim.BadInput, "--waves lie in the bundles, which --bundles 0 leaves out")
	}
	return nil
}

// leaveBundles leaves the bundle of the first failure of each bucket, of so many as --bundles says, with waves where
// they are wanted. A bundle that cannot be written is said, and changes no verdict.
func leaveBundles(c *cli.Context, buckets []bucket.Bucket, firsts []*regress.Run) {
	for i, r := range firsts[:min(c.Int("bundles"), len(firsts))] {
		folder := c.String("bundle")
		if folder == "" {
			folder = bundleFolder()
			forgetOld(folder)
		}
		spec := r.Spec
		if spec.Coverage != "" { // it counts lines for the regression, not for this
			spec.Flavour, spec.Coverage = "", ""
		}
		dir := newBundle(folder, &spec)
		if _, err := bundle.Write(c.Context, dir, spec, nil, r.Report.Report); err != nil {
			fmt.Fprintln(c.App.ErrWriter, "cosim: no bundle:", err)
			continue
		}
		r.Bundle, buckets[i].First.Bundle = dir, dir
		leaveWaves(c, dir)
	}
}

func leaveWaves(c *cli.Context, dir string) {
	if !wantsWaves(c, cocosim.Mismatch) {
		return
	}
	if b, err := openBundleIn(dir); err == nil {
		trace(c, dir, b.spec, true)
	}
}

// showBundle adds to what a page says of a failure the lines that go on with its bundle, and links to what is in it.
func showBundle(c *cli.Context, f *html.Failure, dir string) {
	if dir == "" {
		return
	}
	f.Reproduce = append(f.Reproduce, "cosim replay "+session.Quote(dir), "cosim shrink "+session.Quote(dir)+" -o SMALL")
	prefix, err := filepath.Abs(dir)
	if err != nil {
		return
	}
	if page, err := filepath.Abs(filepath.Dir(c.String("html"))); err == nil {
		if rel, err := filepath.Rel(page, prefix); err == nil {
			prefix = rel
		}
	}
	prefix = filepath.ToSlash(prefix) + "/"
	if _, err := os.Stat(filepath.Join(dir, bundle.PageFile)); err == nil {
		f.Files = append(f.Files, html.Pair{Name: bundle.PageFile + " of its bundle", Value: prefix + bundle.PageFile})
	}
	f.Files = append(f.Files, bundle.Links(dir, prefix)...)
	if about, _, err := bundle.Open(dir); err == nil {
		f.Waves = about.WavesOf(dir, prefix)
	}
}
