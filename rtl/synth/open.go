package main

import "strings"

const notYet = "not run yet"

// notMeasured are the blocks of which sizes have no row in the document, and why. A test holds it to all that there
// are.
var notMeasured = map[string]string{
	"tx_frame":      notYet,
	"tx_packetizer": notYet,
}

// open are the sizes of a block that have no row.
func (d *document) open(b block) string {
	var sizes []string
	for _, v := range b.variants {
		if d.rows[v] == "" {
			sizes = append(sizes, v.parameters)
		}
	}
	return strings.Join(sizes, "; ")
}
