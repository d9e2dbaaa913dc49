// Package rtl holds the SystemVerilog of the blocks, so that a binary can build them without a checkout.
package rtl

import "embed"

// FS is every source, manifest, file list and lint waiver, with the paths of this folder. A block in a folder of its
// own is in by itself.
//
//go:embed hca.f lint.vlt */*.sv */*.yaml
var FS embed.FS
