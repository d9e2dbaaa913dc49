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
	screenHigh = flag.Int64("screen-height", 1400, "their height")
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
	do(t, ctx, chromedp.EmulateViewport(width, *screenHigh))
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	require.NoError(t, err)
	do(t, ctx, chromedp.Sleep(300*time.Millisecond))
}

// ask evaluates an expression in the page.
func ask[T any](t *testing.T, ctx context.Context, expression string) T {
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	require.NoError(t, err, expression)
	return v
}

// saved writes a page where a browser can open it.
func saved(t *testing.T, p *Page) string {
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, []byte(written(t, p)), 0o644))
	return file
}

const countRungs = "document.querySelectorAll('.rungs [data-event]').length"

// TestClickThrough uses a page as a reader would, at the width of a desk and of a phone: folds open, filters take away
// what they should, a finding leads to its packet, the text of a record is shown, and nothing hangs out to the side.
func TestClickThrough(t *testing.T) {
	page := &Page{Title: "test", Verdict: "MISMATCH", Captures: []Capture{{Name: "capture",
		Findings: []Finding{{Packet: 1948, Rule: "RSP-1", Certain: true, Text: "found"}},
		Ladder:   diagram(2000, false, func(i int) string { return fmt.Sprint("note ", i%7) })}}}
	ctx := browser(t, saved(t, page))
	for _, width := range []int64{1280, 390} {
		dress(t, ctx, width, "dark")
		require.LessOrEqual(t, ask[int](t, ctx, "document.documentElement.scrollWidth"), int(width))
		do(t, ctx, chromedp.Evaluate[chromedp.Void]("document.querySelector('.reset').click()"))
		require.Positive(t, ask[int](t, ctx, "document.querySelectorAll('.plot svg circle').length"))
		require.Contains(t, ask[string](t, ctx, "document.querySelector('.count').textContent"), "2000 of 2000")

		folds := ask[int](t, ctx, "document.querySelectorAll('.rungs .fold').length")
		require.Positive(t, folds)
		rungs := ask[int](t, ctx, countRungs)
		ask[any](t, ctx, "document.querySelector('.rungs .fold').dispatchEvent(new Event('click')), 1")
		require.Greater(t, ask[int](t, ctx, countRungs), rungs, "the fold opened")

		ask[any](t, ctx, "document.querySelector('.kind[value=\"0\"]').click(), 1")
		without := ask[string](t, ctx, "document.querySelector('.count').textContent")
		require.NotContains(t, without, "2000 of 2000")
		require.Zero(t, ask[int](t, ctx, "document.querySelectorAll('.rungs line.k0').length"))
		ask[any](t, ctx, "document.querySelector('.kind[value=\"0\"]').click(), 1")

		ask[any](t, ctx, "{const s = document.querySelector('.search'); s.value = 'note 3'; "+
			"s.dispatchEvent(new Event('input'))}; 1")
		require.Contains(t, ask[string](t, ctx, "document.querySelector('.count').textContent"), "286 of 2000")
		ask[any](t, ctx,
			"{const s = document.querySelector('.flow'); s.value = '2'; s.dispatchEvent(new Event('change'))}; 1")
		require.Contains(t, ask[string](t, ctx, "document.querySelector('.count').textContent"), "143 of 2000")
		ask[any](t, ctx, "{const s = document.querySelector('.to'); s.value = '7.9185'; "+
			"s.dispatchEvent(new Event('change'))}; 1")
		require.Contains(t, ask[string](t, ctx, "document.querySelector('.count').textContent"), "0 of 2000")

		do(t, ctx, chromedp.Click(chromedp.CSS("button.goto")))
		require.Equal(t, 1, ask[int](t, ctx, "document.querySelectorAll('.rungs .found').length"))
		require.Contains(t, ask[string](t, ctx, "document.querySelector('.detail').textContent"), "#1948")
		require.Contains(t, ask[string](t, ctx, "document.querySelector('.count').textContent"), "2000 of 2000")
	}
}

// TestPictureOfWaves: a page whose waves came later links them beside it and draws them: the picture has its signals
// and the mark, and it scrolls in itself where the screen is narrow.
func TestPictureOfWaves(t *testing.T) {
	text, err := SetWaves([]byte(written(t, &Page{Title: "waves", Failures: []Failure{{Title: "DATA"}}})), wavesOf("data"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, text, 0o644))
	ctx := browser(t, file)
	for _, width := range []int64{1280, 390} {
		dress(t, ctx, width, "light")
		require.LessOrEqual(t, ask[int](t, ctx, "document.documentElement.scrollWidth"), int(width))
		require.Equal(t, "file://"+filepath.Join(filepath.Dir(file), "trace.fst"),
			ask[string](t, ctx, "document.querySelector('.waves a').href"))
		require.Equal(t, 3, ask[int](t, ctx, "document.querySelectorAll('svg.picture path.wave').length"))
		require.Equal(t, "2a", ask[string](t, ctx, "document.querySelector('svg.picture .value').textContent"))
		require.Equal(t, 1, ask[int](t, ctx, "document.querySelectorAll('svg.picture .unknown').length"))
		high := "document.querySelector('svg.picture .beat').getBoundingClientRect().height"
		require.Greater(t, ask[float64](t, ctx, high), 60.0)
	}
}

// TestHostilePage: the text of the page runs nothing, and the copy buttons work where a clipboard does.
func TestHostilePage(t *testing.T) {
	ctx := browser(t, saved(t, fullPage(hostile)))
	require.Contains(t, ask[string](t, ctx, "document.title"), "<script>", "the title is text still")
	require.Zero(t, ask[int](t, ctx, "document.images.length"))
	ask[any](t, ctx, "document.querySelector('.rungs [data-event]').dispatchEvent(new Event('click')), 1")
	require.Contains(t, ask[string](t, ctx, "document.querySelector('.detail').textContent"), hostile)
	require.Zero(t, ask[int](t, ctx, "document.images.length"))
	do(t, ctx, chromedp.Click(chromedp.CSS("button.copy")))
	do(t, ctx, chromedp.Sleep(200*time.Millisecond))
	require.Contains(t, []string{"copied", "selected"}, ask[string](t, ctx,
		"document.querySelector('button.copy').textContent"))
}

// TestLargePageIsUsable: a hundred thousand packets are drawn and filtered in a time that one waits for.
func TestLargePageIsUsable(t *testing.T) {
	page := &Page{Title: "large", Captures: []Capture{{Name: "large", Ladder: diagram(100_000, false,
		func(i int) string { return fmt.Sprint("note ", i%99) })}}}
	ctx := browser(t, saved(t, page))
	began := time.Now()
	ask[any](t, ctx,
		"{const s = document.querySelector('.search'); s.value = 'note 5'; s.dispatchEvent(new Event('input'))}; 1")
	require.Less(t, time.Since(began), 20*time.Second)
	t.Logf("searched in %v", time.Since(began))
	require.LessOrEqual(t, ask[int](t, ctx, "document.querySelectorAll('.rungs .row').length"), 150)
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
