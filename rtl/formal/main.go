// Command formal proves properties of the RTL with Yosys' SAT solver and prints a table. Every property comes with a fault: planted
// into a copy of the source it must be rejected, by a run from reset and by this property alone.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// proof is a harness: a module of this folder with the block in it and one bit of its parameter Check a property.
type proof struct {
	top     string
	sources []string // under rtl/, in order
	// depth is how many cycles from reset are searched, and the most that an induction may look back: both together
	// are a proof for all time.
	depth      int
	properties []property
}

type property struct {
	check int // bit of Check
	says  string
	fault fault
}

// fault replaces old, which stands once in file.
type fault struct{ why, file, old, new string }

const (
	skidFile   = "lib/axis_skid.sv"
	windowFile = "psn/psn_window.sv"
)

var proofs = []proof{
	{"axis_skid_proof", []string{skidFile}, 8, []property{
		{1, "no beat is lost, doubled, changed or overtaken", fault{"the spare is not seen", skidFile,
			"head_q <= spare_valid_q ? spare_q : s_data_i", "head_q <= s_data_i"}},
		{2, "ready in every cycle with room, never without", fault{"ready lags a cycle", skidFile,
			"ready_q       <= ~spare_valid_d", "ready_q       <= ~spare_valid_q"}},
		{3, "valid stays until ready", fault{"the head is given up while stalled", skidFile,
			"if (move) head_valid_q <= spare_valid_q | push", "head_valid_q <= spare_valid_q | push"}},
		{4, "data is stable while stalled", fault{"the head is overwritten while stalled", skidFile,
			"if (move) head_q <=", "if (move | push) head_q <="}},
	}},
	{"psn_window_proof", []string{"pkg/psn_pkg.sv", skidFile, windowFile}, 10, []property{
		{1, "responder's class is PSN-2 for all inputs", fault{"the profile bit is ignored", windowFile,
			"behind & (~oldest | oldest_dup1_q)", "behind & ~oldest"}},
		{2, "requester's class is PSN-3 for all inputs", fault{"next itself is unacked", windowFile,
			"from_base1_q < outstanding1_q", "from_base1_q <= outstanding1_q"}},
		{3, "base + distance = PSN for all inputs (PSN-1)", fault{"23 bits only", windowFile,
			"from_base1_q   <= in_psn - in_base", "from_base1_q   <= {1'b0, in_psn[W-2:0]} - {1'b0, in_base[W-2:0]}"}},
		{4, "nothing comes out that did not go in", fault{"a record comes a second time", windowFile,
			"<= {valid1_q, in_valid}", "<= {valid1_q, in_valid | (valid1_q & ~out_valid_q)}"}},
		{5, "never more than four records inside", fault{"a record is lost in stage 1", windowFile,
			"<= {valid1_q, in_valid}", "<= {valid1_q & ~in_valid, in_valid}"}},
		{6, "valid stays until ready", fault{"valid falls without ready", windowFile,
			"assign m_valid_o    = out_valid_q", "assign m_valid_o    = out_valid_q & (m_ready_i | ~in_valid)"}},
		{7, "the record is stable while stalled", fault{"the class follows stage 1", windowFile,
			"assign m_class_o    = out_class_q", "assign m_class_o    = m_ready_i ? out_class_q : class_d"}},
		{8, "unstalled: offered after 3 cycles, none without cause", fault{"a record waits for the next one", windowFile,
			"assign en = m_ready_i | ~out_valid_q;", "assign en = (m_ready_i | ~out_valid_q) & (in_valid | ~valid1_q);"}},
		{9, "unstalled: a record a clock is taken", fault{"a bubble behind every record", skidFile,
			"ready_q       <= ~spare_valid_d", "ready_q       <= ~spare_valid_d & ~push"}},
		{10, "not ready in the cycle after reset", fault{"ready during reset", skidFile,
			"ready_q       <= 1'b0;", "ready_q       <= 1'b1;"}},
	}},
}

func main() {
	work, err := os.MkdirTemp("", "formal")
	if err != nil {
		fail(err)
	}
	ok, err := run("rtl", work)
	os.RemoveAll(work)
	if err != nil {
		fail(err)
	}
	if !ok {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "formal:", err)
	os.Exit(3)
}

func run(rtlDir, work string) (ok bool, err error) {
	ok = true
	fmt.Printf("%-11s %-56s %-30s %7s  %s\n", "module", "property", "proved", "seconds", "planted fault")
	for _, p := range proofs {
		for _, prop := range p.properties {
			b := bench{rtlDir, filepath.Join(work, fmt.Sprintf("%s-%d", p.top, prop.check)), p}
			good, err := b.judge(prop)
			if err != nil {
				return false, err
			}
			ok = ok && good
		}
	}
	return ok, nil
}

// bench holds the files of one property.
type bench struct {
	rtlDir, dir string
	proof
}

func (b *bench) judge(prop property) (ok bool, err error) {
	if err := os.MkdirAll(b.dir, 0o777); err != nil {
		return false, err
	}
	began := time.Now()
	cycles, err := b.prove(prop)
	if err != nil {
		return false, err
	}
	seconds := time.Since(began).Seconds()
	rejected, err := b.reject(prop)
	if err != nil {
		return false, err
	}
	answer, verdict := "NOT PROVED", "NOT REJECTED"
	if cycles != "" {
		answer = "unbounded, induction over " + cycles
	}
	if rejected {
		verdict = "rejected"
	}
	fmt.Printf("%-11s %-56s %-30s %7.1f  %s: %s\n", strings.TrimSuffix(b.top, "_proof"), prop.says, answer, seconds, verdict, prop.fault.why)
	return cycles != "" && rejected, nil
}

var inductionStep = regexp.MustCompile(`\[induction step (\d+)\] [^\[]*Induction step proven: SUCCESS!`)

// prove shows that the property and the invariants hold in the first k cycles after reset and that they hold in a cycle if they
// held in the k before it, and returns k; "" for not proved.
func (b *bench) prove(prop property) (cycles string, err error) {
	out, err := b.solve(1|1<<prop.check, nil, "-tempinduct")
	if found := inductionStep.FindSubmatch(out); err == nil && found != nil {
		return string(found[1]), nil
	}
	os.Stderr.Write(out)
	return "", err
}

// reject tells whether the faulty block fails the property in a run from reset. The invariants are left out: they
// would fail for it.
func (b *bench) reject(prop property) (bool, error) {
	out, err := b.solve(1<<prop.check, &prop.fault, "-tempinduct-baseonly")
	return bytes.Contains(out, []byte("model found for base case: FAIL!")), err
}

// solve has Yosys look at runs of up to depth cycles of the block, with a fault or without.
func (b *bench) solve(check int, f *fault, how string) ([]byte, error) {
	var files []string
	for _, s := range b.sources {
		file := filepath.Join(b.rtlDir, s)
		if f != nil && s == f.file {
			planted := filepath.Join(b.dir, filepath.Base(s))
			if err := plant(file, planted, f); err != nil {
				return nil, err
			}
			file = planted
		}
		files = append(files, file)
	}
	files = append(files, filepath.Join(b.rtlDir, "formal", b.top+".sv"))
	// -e: a register that a harness joins by name and that is not there any more would be free to take any value.
	out, err := exec.Command("yosys", "-e", "used but has no driver", "-p", fmt.Sprintf(
		"read_verilog -sv -formal %s; chparam -set Check %d %s; prep -flatten -top %s; async2sync; dffunmap; check -assert; sat %s -maxsteps %d -prove-asserts -set-assumes %s",
		strings.Join(files, " "), check, b.top, b.top, how, b.depth, b.top)).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("yosys on %s: %w\n%s", b.top, err, out)
	}
	return out, nil
}

func plant(from, to string, f *fault) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if n := bytes.Count(text, []byte(f.old)); n != 1 {
		return fmt.Errorf("%s: the text of the fault %q stands there %d times: %s", from, f.why, n, f.old)
	}
	return os.WriteFile(to, bytes.Replace(text, []byte(f.old), []byte(f.new), 1), 0o666)
}
