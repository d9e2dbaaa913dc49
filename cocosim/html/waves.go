package html

import (
	"bytes"
	"errors"
)

// Waves are those around a mismatch; without files there are none.
type Waves struct {
	What  string // "cycles 45 to 333"
	Files []Pair // name and path
	// Picture shows them; nil where there is none.
	Picture *Picture
}

// The element of a page in which the waves of its failure stand. Text is escaped: nothing else looks like it.
var wavesBegin, wavesEnd = []byte(`<div class="waves">`), []byte("</div>")

// SetWaves puts other waves into a page that was written before, into that of its first failure.
func SetWaves(page []byte, w *Waves) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, wavesBegin)
	_, behind, closed := bytes.Cut(rest, wavesEnd)
	if !ok || !closed {
		return nil, errors.New("the page has no place for waves")
	}
	var b bytes.Buffer
	b.Write(before)
	b.Write(wavesBegin)
	if err := pageTemplate.ExecuteTemplate(&b, "waves", w); err != nil {
		return nil, err
	}
	b.Write(wavesEnd)
	b.Write(behind)
	return b.Bytes(), nil
}
