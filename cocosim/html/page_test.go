package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	nethtml "golang.org/x/net/html"

	"hcacosim/cocosim/ladder"
	"hcacosim/model/psn"
)

// hostile is text that would be markup, script or the end of either if it were not taken for text.
const hostile = "</script></style><script>document.title='owned'</script><img src=x " +
	"onerror=\"document.title='owned'\"><!-- '\"`&amp; ]]> \u2028 {{.}} javascript:alert(1)"

// diagram has packets of every kind, in order, with text.
func diagram(n int, sides bool, text func(i int) string) *ladder.Diagram {
	d := &ladder.Diagram{Name: text(0), Unit: "ns", Lanes: [3]string{"requester", "link", "responder"}, Sides: sides}
	if sides {
		d.Unit, d.Lanes = "cycles", [3]string{"expected", "stimulus", "device"}
	}
	for i := range n {
		kind := ladder.Kind(i % 2)
		if i%50 > 40 {
			kind = ladder.Kind(i % 50 % 10)
		}
		d.Add(ladder.Event{Number: uint64(i + 1), At: int64(i) * 7919, Flow: fmt.Sprintf("flow %d", i/1000%4), Kind: kind,
			Back: i%2 == 1, Op: "SEND_MIDDLE", PSN: psn.New(uint32(0xFFFF00 + i/2)), HasPSN: true,
			Syndrome: []string{"", "ACK, 3 credits"}[i%2], Text: text(i), Want: map[bool]string{true: text(i)}[kind == 7]})
	}
	return d
}

// fill sets every string of a value to the same text, in lists of one element.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[ladder.Diagram]() {
			v.Set(reflect.ValueOf(*diagram(60, false, func(int) string { return text })))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Int, reflect.Uint64:
		if v.CanInt() {
			v.SetInt(3)
		} else {
			v.SetUint(3)
		}
	}
}

func fullPage(text string) *Page {
	p := &Page{}
	fill(reflect.ValueOf(p).Elem(), text)
	return p
}

func written(t *testing.T, p *Page) string {
	var b bytes.Buffer
	require.NoError(t, Write(&b, p))
	return b.String()
}

// elements calls f with every element of a page.
func elements(t *testing.T, page string, f func(n *nethtml.Node)) {
	root, err := nethtml.Parse(strings.NewReader(page))
	require.NoError(t, err)
	for n := range root.Descendants() {
		if n.Type == nethtml.ElementNode {
			f(n)
		}
	}
}

func attribute(n *nethtml.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// TestTextStaysText: whatever a design prints and a capture holds, it is text in the page: no element comes of it, and
// the ladder's data come back as they were.
func TestTextStaysText(t *testing.T) {
	page := written(t, fullPage(hostile))
	plain := written(t, fullPage("text"))
	count := func(page string) map[string]int {
		all := map[string]int{}
		elements(t, page, func(n *nethtml.Node) {
			all[n.Data]++
			for _, a := range n.Attr {
				require.False(t, strings.HasPrefix(a.Key, "on"), "%s has a handler", n.Data)
				require.False(t, strings.HasPrefix(a.Val, "javascript:"))
			}
		})
		return all
	}
	require.Equal(t, count(plain), count(page))
	require.Zero(t, count(page)["img"])
	data := 0
	elements(t, page, func(n *nethtml.Node) {
		if n.Data == "title" {
			require.Contains(t, n.FirstChild.Data, hostile)
		}
		if n.Data == "script" && attribute(n, "type") == "application/json" {
			var p ladder.Packed
			require.NoError(t, json.Unmarshal([]byte(n.FirstChild.Data), &p))
			require.Equal(t, hostile, p.Name)
			require.Contains(t, p.Texts, hostile)
			data++
		}
	})
	require.Equal(t, 2, data, "a failure's and a capture's")
}

// TestNoRequest: nothing in the page names the network, its policy forbids it, and allows no style and script but the
// page's own.
func TestNoRequest(t *testing.T) {
	page := written(t, fullPage("text"))
	policy, texts := "", map[string]string{}
	elements(t, page, func(n *nethtml.Node) {
		require.Empty(t, attribute(n, "src"), n.Data)
		require.NotContains(t, attribute(n, "href"), ":", "a link out of the page")
		require.NotEqual(t, "link", n.Data)
		if attribute(n, "http-equiv") == "Content-Security-Policy" {
			policy = attribute(n, "content")
		}
		if n.Data == "style" || n.Data == "script" && attribute(n, "type") == "" {
			require.Empty(t, texts[n.Data], "one of each")
			texts[n.Data] = n.FirstChild.Data
		}
	})
	require.Contains(t, policy, "default-src 'none'; ")
	require.NotContains(t, policy, "unsafe")
	require.Contains(t, policy, "style-src '"+hashOf(texts["style"])+"'")
	require.Contains(t, policy, "script-src '"+hashOf(texts["script"])+"'")
	require.NotRegexp(t, `(?i)url\(|@import`, texts["style"])
	for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(",
		"fetch(", "XMLHttpRequest", "import(", "setAttribute(\"on", "WebSocket"} {
		require.NotContains(t, texts["script"], word)
	}
}

// TestWellFormed: every element is closed where it should be, no attribute stands twice, no id either, and what must
// not be in another is not.
func TestWellFormed(t *testing.T) {
	z := nethtml.NewTokenizer(strings.NewReader(written(t, fullPage("text"))))
	void := map[string]bool{"meta": true, "input": true, "br": true}
	block := regexp.MustCompile(`^(div|p|ul|dl|table|section|details|h[1-6]|figure|pre)$`)
	var open []string
	ids := map[string]bool{}
	for {
		switch z.Next() {
		case nethtml.ErrorToken:
			require.Empty(t, open)
			return
		case nethtml.StartTagToken:
			k := z.Token()
			seen := map[string]bool{}
			for _, a := range k.Attr {
				require.False(t, seen[a.Key], "%s has %s twice", k.Data, a.Key)
				seen[a.Key] = true
				require.False(t, a.Key == "id" && ids[a.Val], "id %s twice", a.Val)
				ids[a.Val] = ids[a.Val] || a.Key == "id"
			}
			for _, in := range open {
				require.False(t, block.MatchString(k.Data) && regexp.MustCompile(`^(p|span|h[1-6]|code|summary)$`).MatchString(in),
					"%s in %s", k.Data, in)
			}
			if !void[k.Data] {
				open = append(open, k.Data)
			}
		case nethtml.EndTagToken:
			k := z.Token()
			require.NotEmpty(t, open)
			require.Equal(t, open[len(open)-1], k.Data)
			open = open[:len(open)-1]
		}
	}
}

// luminance is the relative luminance of a colour, as WCAG 2 defines it.
func luminance(t *testing.T, hex string) (sum float64) {
	require.Len(t, hex, 7)
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		require.NoError(t, err)
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// TestContrast: all that is written stands out from every background by 4.5 to 1, light and dark; and the style has no
// colour beside the palette.
func TestContrast(t *testing.T) {
	for _, on := range palette[:backgrounds] {
		for _, of := range palette[backgrounds:] {
			for dress, pair := range map[string][2]string{"light": {on.light, of.light}, "dark": {on.dark, of.dark}} {
				a, b := luminance(t, pair[0]), luminance(t, pair[1])
				require.GreaterOrEqual(t, (max(a, b)+0.05)/(min(a, b)+0.05), 4.5, "%s on %s, %s", of.name, on.name, dress)
			}
		}
	}
	require.NotRegexp(t, `#[0-9a-fA-F]{3}|rgb|hsl|opacity`, styleText)
	for _, name := range regexp.MustCompile(`var\(--(\w+)\)`).FindAllStringSubmatch(styleText, -1) {
		known := false
		for _, c := range palette {
			known = known || c.name == name[1]
		}
		require.True(t, known, name[1])
	}
}

// TestLargeCapture: a hundred thousand packets are less than five megabytes, even where many have a text of their own;
// beyond that plain packets are left out, violations are not, and the page says how many.
func TestLargeCapture(t *testing.T) {
	text := func(i int) string {
		if i%3 == 0 {
			return fmt.Sprintf("retransmission of %06x after a sequence NAK of packet %d", i, i/2)
		}
		return ""
	}
	page := &Page{Title: "large", Captures: []Capture{{Name: "large", Ladder: diagram(100_000, false, text)}}}
	require.Equal(t, 100_000, page.Captures[0].Ladder.Len())
	size := len(written(t, page))
	t.Logf("%.2f MB", float64(size)/1e6)
	require.Less(t, size, 5_000_000)
	d := diagram(150_000, false, text)
	require.Positive(t, d.LeftOut)
	require.Equal(t, 150_000, d.Len()+int(d.LeftOut))
	d.Add(ladder.Event{Kind: ladder.Broken})
	kinds := d.Packed().Kind
	require.EqualValues(t, ladder.Broken, kinds[len(kinds)-1])
}
