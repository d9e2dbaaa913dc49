// Command filelist writes hca.f, the list of all sources, from what the sources use of each other. It is run in the
// folder rtl by "go generate ./rtl". Exit 2: the sources cannot be read, or two use each other.
package main

import (
	"fmt"
	"os"

	"hcacosim/rtl"
)

func main() {
	text, err := rtl.Filelist(".")
	if err == nil {
		err = os.WriteFile("hca.f", []byte(text), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "filelist:", err)
		os.Exit(2)
	}
}
