package cover

import (
	"html/template"
	"io"
)

// WriteHTML writes a page of one file: every group with its share, folded, its bins with hits, reasons and first run.
func WriteHTML(w io.Writer, sheets []*Sheet) error { return page.Execute(w, sheets) }

var page = template.Must(template.New("cover").Funcs(template.FuncMap{
	"percent": Count.percent,
	"count":   func(g *Group) Count { return g.Count() },
	"state":   func(b Bin) State { return b.State() },
	"class": func(b Bin) string {
		switch s := b.State(); s {
		case IllegalHit:
			return "illegal"
		case IgnoredHit, Illegal:
			return string(Ignored)
		default:
			return string(s)
		}
	},
	"leftOut": Count.leftOut,
}).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Coverage by rule</title>
<style>
:root{color-scheme:light dark;--open:#a00000;--ignored:#595959}
@media (prefers-color-scheme:dark){:root{--open:#ff9a9a;--ignored:#b0b0b0}}
body{font:15px/1.4 sans-serif;max-width:70rem;margin:1rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;font-size:.9em}td,th{text-align:left;padding:.1rem .6rem .1rem 0;vertical-align:top}
td.n{text-align:right}.open td{color:var(--open)}.illegal td{color:var(--open);font-weight:bold}
.ignored td{color:var(--ignored)}summary{cursor:pointer;font-family:monospace}
</style></head><body><h1>Coverage by rule</h1>
{{range .}}<h2>{{.Stage}}: {{percent .Count}}</h2>
<p>{{.Count.Hit}} bins hit, {{.Count.Open}} open, {{leftOut .Count}}, {{len .Runs}} runs.</p>
{{range .Groups}}{{$c := count .}}<details><summary>{{percent $c}} {{.Name}}
 ({{$c.Hit}} hit, {{$c.Open}} open)</summary>
<table><tr><th>bin</th><th>state</th><th>hits</th><th>rules</th><th>first, or why not</th></tr>
{{range .Bins}}<tr class="{{class .}}"><td>{{.Name}}</td><td>{{state .}}</td><td class="n">{{.Hits}}</td>
<td>{{range .Rules}}{{.}} {{end}}</td><td>{{if .First}}{{.First.Run}}, record {{.First.Record}}{{end}} {{.Ignored}} {{.Illegal}}</td>
</tr>{{end}}</table></details>{{end}}{{end}}</body></html>
`))
