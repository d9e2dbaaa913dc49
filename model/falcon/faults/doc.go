// Package faults has no code but its test, which breaks the packages under model/falcon on purpose and sees their tests
// find it.
package faults
