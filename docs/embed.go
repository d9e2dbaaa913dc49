// Package docs gives commands the documents that they quote.
package docs

import (
	"embed"
	"io/fs"
)

// Rules is rules.md.
//
//go:embed rules.md
var Rules string

// Coverage is coverage-of-rules.md.
//
//go:embed coverage-of-rules.md
var Coverage string

//go:embed blocks/*.md
var blocks embed.FS

// BlockFiles lists the documents of the blocks.
func BlockFiles() []string {
	files, _ := fs.Glob(blocks, "blocks/*.md") // the pattern is good
	return files
}

// Block is one of BlockFiles.
func Block(file string) string {
	text, _ := blocks.ReadFile(file) // embedded: it is there
	return string(text)
}
