package manifest

import "hcacosim/rtl"

// ordered, a comment in a file list, says that each file defines modules or packages, and nothing else that others use.
// Of such a list a design has those files alone that its top needs: a block of a large project is built as fast as a
// small one, and anew only where one of its own files has changed.
var ordered = []byte("// ordered:")

// Needed are the files of an ordered list that its module top reaches, in their order.
func Needed(files []Source, top string) (out []Source) {
	texts := make([][]byte, len(files))
	for i, s := range files {
		texts[i] = s.Text
	}
	for i, reached := range rtl.Reached(texts, top) {
		if reached {
			out = append(out, files[i])
		}
	}
	return out
}
