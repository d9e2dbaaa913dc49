// Package docs gives commands the documents that they quote.
package docs

import _ "embed"

// Rules is rules.md.
//
//go:embed rules.md
var Rules string

// Coverage is coverage-of-rules.md.
//
//go:embed coverage-of-rules.md
var Coverage string
