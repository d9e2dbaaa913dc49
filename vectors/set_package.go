package vectors

import (
	"strings"

	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors/capture"
)

// packageFile is the SystemVerilog package of the $readmemh files.
const packageFile = "vectors_pkg.sv"

// packageSink writes vectors_pkg.sv: for each port the name of its $readmemh file, how many words that has, and a type
// for a word. It knows the counts at the end of the set.
type packageSink struct {
	text  *text
	stage sim.StageSpec
	bits  int
	memh  *readmemhSink
}

func newPackageSink(w *setWriter, bits int, memh *readmemhSink) (*packageSink, error) {
	if memh == nil {
		return nil, &capture.Error{File: "--sv-package", Offset: -1, What: "describes $readmemh files, and there are none",
			Do: "--readmemh BITS"}
	}
	t, err := newText(w, packageFile)
	return &packageSink{text: t, stage: w.stage, bits: bits, memh: memh}, err
}

func (s *packageSink) input(*sim.Offer, wire.Link, []byte) {}

func (s *packageSink) output(*sim.Record, wire.Link) {}

func (s *packageSink) flush() error {
	s.text.printf("// Words of the $readmemh files of %s: made with them.\npackage vectors_pkg;\n", s.stage.Name)
	for i, p := range s.stage.Ports {
		upper := strings.ToUpper(p.Name)
		s.text.printf("\n  localparam string %s_FILE = \"%s.memh\";\n", upper, p.Name)
		s.text.printf("  localparam int unsigned %s_WORDS = %d;\n", upper, s.memh.files[i].file.lines)
		if p.Kind == sim.Axis {
			s.text.printf("  typedef struct packed {\n    logic [%d:0] tuser;\n    logic [3:0] tlast;  // bit 0\n"+
				"    logic [%d:0] tkeep;\n    logic [%d:0] tdata;  // byte 0 of the beat in bits 7:0\n  } %s_word_t;\n",
				4*userDigits(p)-1, s.bits/8-1, s.bits-1, p.Name)
		} else {
			s.text.printf("  typedef logic [%d:0] %s_word_t;  // a record, bit 0 of its layout in bit 0\n",
				8*max(1, (p.Bits+7)/8)-1, p.Name)
		}
	}
	s.text.printf("\nendpackage\n")
	return s.text.flush()
}
