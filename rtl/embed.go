// Package rtl holds the SystemVerilog of the blocks, so that a binary can build them without a checkout.
package rtl

import "embed"

// FS is every source, manifest, file list and lint waiver, with the paths of this folder.
//
//go:embed hca.f lint.vlt pkg/*.sv lib/*.sv icrc/*.sv icrc/*.yaml vcrc/*.sv vcrc/*.yaml psn/*.sv psn/*.yaml rx/*.sv rx/*.yaml ctx/*.sv timer/*.sv timer/*.yaml falcon/*.sv falcon/*.yaml
var FS embed.FS
