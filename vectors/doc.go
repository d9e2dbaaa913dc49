// Package vectors holds vector sets: what goes into a device and what must come out, on disk, for any bench to read.
// docs/vectors.md has the format. Captures are vectors/capture's, generated stimulus is vectors/scenario's. Nothing
// here drives or compares: cocosim does.
package vectors
