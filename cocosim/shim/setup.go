package shim

import (
	"fmt"
	"strings"

	"hcacosim/cocosim/manifest"
)

// setup writes the machine that runs the steps of the setup behind reset. Until it has, no beat passes either way. What
// does not
// come out as stated is an error of the design: $error, which the bridge reports as ASSERT.
func (k *maker) setup() {
	s := k.m.Setup
	width := s.RegisterBits()
	fmt.Fprintf(&k.out, `  reg [15:0] setup_step = 0;
  reg [19:0] setup_age = 0;
  reg setup_first = 1, setup_second = 1;
  wire setup_done = setup_step == 16'd%d;
  wire setup_over;
  wire setup_bad;
  wire [%d:0] setup_got;
`, len(s.Steps), width-1)
	k.steps(s, width)
	if s.Bus == manifest.BusAXILite {
		k.axiLite(s)
	} else {
		k.plain(s)
	}
	reset := "1'b0"
	if k.m.Reset.Pin != "" {
		reset = "rst"
		if k.m.Reset.Active == "low" {
			reset = "!rst"
		}
	}
	fmt.Fprintf(&k.out, `  always @(posedge clk) begin
    setup_age <= setup_age + 20'd1;
    if (%s) begin
      setup_step <= 0; setup_age <= 0; setup_first <= 1; setup_second <= 1;
    end else if (!setup_done) begin
      if (setup_kind == 2'd2 ? setup_age + 20'd1 >= setup_value[19:0] : setup_over) begin
        if (setup_kind == 2'd1 && ((setup_got ^ setup_value) & setup_mask) != 0)
          $error("setup: register %%h reads %%h, %%h expected under mask %%h", setup_address, setup_got, setup_value, setup_mask);
        if (setup_bad) $error("setup: register %%h is refused", setup_address);
        setup_step <= setup_step + 16'd1; setup_age <= 0; setup_first <= 1; setup_second <= 1;
      end else if (setup_kind != 2'd2 && setup_age == 20'd9999) begin
        $error("setup: register %%h does not answer within 10000 cycles", setup_address);
        setup_step <= setup_step + 16'd1; setup_age <= 0; setup_first <= 1; setup_second <= 1;
      end else begin
        if (setup_took_first) setup_first <= 0;
        if (setup_took_second) setup_second <= 0;
      end
    end
  end
`, reset)
}

// steps writes the steps as a table.
func (k *maker) steps(s *manifest.Setup, width int) {
	address := s.Address
	if address == 0 {
		address = 64
	}
	value := max(width, 20)
	fmt.Fprintf(&k.out, "  reg [1:0] setup_kind;\n  reg [%d:0] setup_address;\n  reg [%d:0] setup_value, setup_mask;\n",
		address-1, value-1)
	fmt.Fprint(&k.out, "  always @* begin\n    setup_kind = 2'd3; setup_address = 0; setup_value = 0; setup_mask = "+
		"~0;\n    case (setup_step)\n")
	for i, st := range s.Steps {
		var does []string
		set := func(name string, bits int, v uint64) { does = append(does, fmt.Sprintf("%s = %d'h%x;", name, bits, v)) }
		switch {
		case st.Write != nil:
			set("setup_kind", 2, 0)
			set("setup_address", address, *st.Write)
			set("setup_value", value, st.Value)
		case st.Read != nil:
			set("setup_kind", 2, 1)
			set("setup_address", address, *st.Read)
			set("setup_value", value, st.Value)
			if st.Mask != nil {
				set("setup_mask", value, *st.Mask)
			}
		default:
			set("setup_kind", 2, 2)
			set("setup_value", value, uint64(st.Wait))
		}
		fmt.Fprintf(&k.out, "      16'd%d: begin %s end\n", i, strings.Join(does, " "))
	}
	fmt.Fprint(&k.out, "      default: ;\n    endcase\n  end\n  wire setup_writes = setup_kind == 2'd0, setup_reads = "+
		"setup_kind == 2'd1;\n")
}

// role drives a pin of the bus, or gives the expression that reads it; missing is what one that is not there reads.
func (k *maker) role(s *manifest.Setup, name, expr, missing string) string {
	e, ok := manifest.ParsePin(s.Pins[name])
	if !ok {
		return missing
	}
	pin, _ := k.top.Pin(e.Name)
	high, low := pin.Bits-1, 0
	if e.Slice {
		high, low = e.High, e.Low
	}
	invert := ""
	if e.Inverted {
		invert = "~"
	}
	if expr != "" {
		k.drive(e.Name, high, low, fmt.Sprintf("%s(%s)", invert, expr))
		return ""
	}
	return fmt.Sprintf("%sd_%s[%d:%d]", invert, e.Name, high, low)
}

func (k *maker) axiLite(s *manifest.Setup) {
	for name, expr := range map[string]string{"awaddr": "setup_address", "awvalid": "setup_writes & setup_first",
		"awprot": "3'd0",
		"wdata":  "setup_value", "wstrb": "~0", "wvalid": "setup_writes & setup_second", "bready": "1'b1",
		"araddr": "setup_address", "arvalid": "setup_reads & setup_first", "arprot": "3'd0", "rready": "1'b1"} {
		k.role(s, name, expr, "")
	}
	in := func(name, missing string) string { return k.role(s, name, "", missing) }
	fmt.Fprintf(&k.out, `  wire setup_took_first = setup_writes ? %s : %s;
  wire setup_took_second = setup_writes & %s;
  assign setup_over = setup_writes ? %s : setup_reads & %s;
  assign setup_bad = setup_writes ? |(%s) : |(%s);
  assign setup_got = %s;
`, in("awready", "1'b1"), in("arready", "1'b1"), in("wready", "1'b1"), in("bvalid", "1'b1"), in("rvalid", "1'b1"), in("bresp", "2'd0"), in("rresp", "2'd0"),
		in("rdata", "0"))
}

// plain: address, data and a write strobe; a read is sampled when ack says so, and without one two cycles after its
// address.
func (k *maker) plain(s *manifest.Setup) {
	hasAck := s.Pins["ack"] != ""
	strobe := "setup_first"
	for name, expr := range map[string]string{"address": "setup_address", "write": "setup_writes & " + strobe,
		"wdata": "setup_value",
		"read":  "setup_reads & " + strobe} {
		k.role(s, name, expr, "")
	}
	over := "setup_writes | setup_age >= 20'd2"
	took := "1'b1"
	if hasAck {
		over = k.role(s, "ack", "", "")
		took = over
	}
	fmt.Fprintf(&k.out, "  wire setup_took_first = %s;\n  wire setup_took_second = 1'b1;\n  assign setup_over = "+
		"(setup_writes | setup_reads) & (%s);\n"+
		"  assign setup_bad = 1'b0;\n  assign setup_got = %s;\n", took, over, k.role(s, "rdata", "", "0"))
}
