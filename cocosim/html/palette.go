package html

import (
	"fmt"
	"html/template"
	"strings"
)

// colour is a named colour of the page in its light and its dark dress.
type colour struct{ name, light, dark string }

// palette are the colours of the page: the backgrounds first, then what is written and drawn on them. A test holds
// every one of the latter against every background: 4.5:1.
var palette = []colour{
	{"page", "#ffffff", "#14171c"},
	{"panel", "#f4f6f8", "#1e232b"},
	{"mark", "#fff3c4", "#3b3210"}, // behind the divergence, and under the pointer

	{"text", "#1b1f24", "#e6e9ee"},
	{"dim", "#56606b", "#a7b1bd"},
	{"link", "#0b57b8", "#8ab8ff"},
	{"good", "#17682f", "#74d68e"},
	{"bad", "#b3191f", "#ff9c96"},
	{"again", "#8a4a00", "#ffb866"},
	{"lost", "#8f1d7a", "#f0a0e0"},
	{"answer", "#0d6470", "#79d3df"},
}

// backgrounds are how many of the palette are backgrounds.
const backgrounds = 3

// paletteCSS are the colours as custom properties: light, dark where the reader's system is, and light again on paper.
func paletteCSS() template.CSS {
	var light, dark strings.Builder
	for _, c := range palette {
		fmt.Fprintf(&light, "--%s:%s;", c.name, c.light)
		fmt.Fprintf(&dark, "--%s:%s;", c.name, c.dark)
	}
	return template.CSS(fmt.Sprintf(":root{color-scheme:light dark;%s}\n@media screen and (prefers-color-scheme:dark){"+
		":root{%s}}\n@media print{:root{color-scheme:light;}}\n", light.String(), dark.String()))
}
