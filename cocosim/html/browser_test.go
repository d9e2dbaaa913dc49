package html

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

var (
	screens    = flag.String("screens", "", "write screenshots of the pages to this folder")
	screenAt   = flag.String("screen-at", "h1", "what is to be seen in them: a selector")
	screenPage = flag.String("screen-page", "", "a page to take screenshots of")
)

// browser is a headless Chromium with a page open; what it complains of and what it asks the network for fail the
// test.
func browser(t *testing.T, file string) context.Context {
	name := ""
	for _, n := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if _, err := exec.LookPath(n); err == nil {
			name = n
			break
		}
	}
	if name == "" {
		t.Skip("skipped: no Chromium is installed, the page is not clicked through")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(name), chromedp.NoSandbox)
	alloc, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page threw: %s", e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			t.Errorf("the browser says: %s", e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if e.Request.URL != "file://"+file {
				t.Errorf("the page asks for %s", e.Request.URL)
			}
		}
	}))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	require.NoError(t, err)
	do(t, ctx, chromedp.Navigate("file://"+file))
	return ctx
}

func do(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	require.NoError(t, chromedp.Do(ctx, steps...))
}

// dress sets the width of the screen and whether it is dark.
func dress(t *testing.T, ctx context.Context, width int64, scheme string) {
	do(t, ctx, chromedp.EmulateViewport(width, 1400))
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	require.NoError(t, err)
	do(t, ctx, chromedp.Sleep(300*time.Millisecond))
}

// TestScreens writes screenshots, for people to look at.
func TestScreens(t *testing.T) {
	if *screens == "" || *screenPage == "" {
		t.Skip("skipped: -screens and -screen-page say what to draw and where")
	}
	ctx := browser(t, *screenPage)
	for _, width := range []int64{1280, 390} {
		for _, scheme := range []string{"light", "dark"} {
			dress(t, ctx, width, scheme)
			do(t, ctx, chromedp.Evaluate[chromedp.Void]("document.querySelector('"+*screenAt+"').scrollIntoView()"))
			png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(*screens, fmt.Sprintf("%d-%s.png", width, scheme)), png, 0o644))
		}
	}
}
