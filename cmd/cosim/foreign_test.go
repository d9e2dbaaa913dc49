package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

const foreignDir = "testdata/foreign"

// edit changes a file of a foreign design.
type edit struct{ file, from, to string }

// misuse is an edit and what comes of it.
type misuse struct {
	edit
	exit  cocosim.Exit
	shows string
}

// foreignDesigns have each key of the manifest that says how a device differs from its stage, and each key of the
// build. Every misuse of a key shows.
var foreignDesigns = map[string][]misuse{
	"raw16": { // no Ethernet header, length first, bytes reversed, verdict on a port of its own
		{edit{"raw16.yaml", "is: icrc=good}", "is: icrc!=good}"}, cocosim.Mismatch, "differs   good"},
		{edit{"raw16.v", "tx <= rx;", "tx <= {rx[15:1], rx[0] ^ (at == 40)};"}, cocosim.Mismatch, "DATA on m_axis"},
	},
	"append8": { // ICRC appended, inverted pin
		{edit{"append8.yaml", "    icrc: absent\n", ""}, cocosim.Mismatch, "DATA on m_axis"},
		{edit{"append8.v", "tail <= 4;", "tail <= 3;"}, cocosim.Mismatch, "DATA on m_axis"},
	},
	"drop8": { // verdict as drop, a bus of plain registers, pins in one vector, a tied pin
		{edit{"drop8.yaml", "passes: icrc=good", "passes: icrc=bad"}, cocosim.Mismatch, "on m_axis"},
		{edit{"drop8.yaml", "{write: 0, value: 14}", "{write: 0, value: 13}"}, cocosim.Mismatch,
			"setup: register 0000000000000000 reads"},
		{edit{"drop8.yaml", "test_mode, width: 1, value: 0", "test_mode, width: 1, value: 1"}, cocosim.Mismatch, "on m_axis"},
	},
	"keys": { // defines, C, data, clocks, resets, options, codes of its own
		{edit{"keys.yaml", `SAME: "2'd0"`, `SAME: "2'd1"`}, cocosim.Mismatch, "differs   class: want 10h, got 11h"},
		{edit{"keys.yaml", "plusargs: [told]\n", ""}, cocosim.Mismatch, "got 1fh"},
		{edit{"keys.yaml", "times: 2", "times: 3"}, cocosim.Mismatch, "got 1fh"},
		{edit{"keys.yaml", "every: 3", "every: 2"}, cocosim.Mismatch, "got 1fh"},
		{edit{"tables/codes.hex", "11", "13"}, cocosim.Mismatch, "differs   class: want 11h, got 13h"},
		{edit{"minus.c", "a - b", "b - a"}, cocosim.Mismatch, "differs   class"},
		{edit{"keys.yaml", "rst_fast, active: high", "rst_fast, active: low"}, cocosim.Mismatch, "got 1fh"},
	},
}

// foreignCopy copies the foreign designs and makes an edit.
func foreignCopy(t *testing.T, e edit) (dir string) {
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(foreignDir)))
	if e.file != "" {
		replaceIn(t, filepath.Join(dir, e.file), e.from, e.to)
	}
	return dir
}

func TestForeignDesigns(t *testing.T) {
	needVerilator(t)
	onlyLong(t)
	for name, misuses := range foreignDesigns {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, m := range append([]misuse{{exit: cocosim.Agreed}}, misuses...) {
				file := filepath.Join(foreignCopy(t, m.edit), name+".yaml")
				exit, out, errs := cosim("run", "--dut", file, "--flavour", "quick", "--count", "3000", "--idle", "0.1", "--show",
					"2000")
				require.Equal(t, m.exit, exit, "%v: %s%s", m.edit, out, errs)
				require.Contains(t, out, m.shows, "%v", m.edit)
			}
		})
	}
}

// TestAcceptsIsCounted: what accepts leaves out and what goes in are all that the scenario has, and the origin of a
// mismatch is that of the scenario.
func TestAcceptsIsCounted(t *testing.T) {
	file := filepath.Join(foreignCopy(t, edit{}), "drop8.yaml")
	exit, out, errs := cosim("run", "--dut", file, "--device", "model", "--count", "3000")
	require.Equal(t, cocosim.Agreed, exit, "%s%s", out, errs)
	found := regexp.MustCompile(`left out +(\d+) [\s\S]*packets +(\d+) `).FindStringSubmatch(out)
	require.NotNil(t, found, out)
	left, _ := strconv.Atoi(found[1])
	packets, _ := strconv.Atoi(found[2])
	require.Equal(t, 3000, left+packets)
	require.Greater(t, packets, 100)
}

// TestAllMustFall: of a device that passes good packets alone a run of bad ones agrees if nothing comes out.
func TestAllMustFall(t *testing.T) {
	file := filepath.Join(foreignCopy(t, edit{}), "drop8.yaml")
	exit, out, errs := cosim("run", "--dut", file, "--device", "model", "--scenario", "bit-errors", "--count", "500")
	require.Equal(t, cocosim.Agreed, exit, "%s%s", out, errs)
	require.Regexp(t, `withheld +\d+ +that the device must let fall by `+"`passes`; 0 were due", out)
}

// TestLintSays: what does not fit is one line with its place, and is found without a build.
func TestLintSays(t *testing.T) {
	needVerilator(t)
	for _, c := range []struct {
		edit
		want string
	}{
		{edit{"raw16.yaml", "model: icrc_check", "model: icrc_chek"},
			`raw16.yaml:6: the golden model has no stage "icrc_chek" (it has ack_gen, atomic_engine, cnp_gen,`},
		{edit{"raw16.yaml", "    verdict_of: m_axis\n", ""},
			"raw16.yaml:25: stage icrc_check has no port verdict (it has s_axis, m_axis)"},
		{edit{"raw16.yaml", "is: icrc=good", "is: icrc=god"},
			`raw16.yaml:31: port verdict: field icrc has no value "god"; it has none, good, bad`},
		{edit{"raw16.yaml", "is: icrc=good", "is: crc=good"},
			`port verdict: the model has no field "crc"; it has icrc, encap, reason`},
		{edit{"raw16.yaml", "is: icrc=good", "is: icrc"}, `raw16.yaml:31: port verdict: field good: "icrc" is no condition`},
		{edit{"raw16.yaml", `"result[0]"`, `"result[2]"`}, "raw16.yaml:31: pin result of raw16 has 2 bits, and no bit 2"},
		{edit{"raw16.yaml", "data: tx,", "data: tz,"}, "raw16.yaml:24: raw16 has no pin tz (its pins: clk, rst, rx,"},
		{edit{"raw16.yaml", "data: tx,", "data: rx,"}, "raw16.yaml:24: pin rx of raw16 is an input"},
		{edit{"raw16.yaml", "reset: {pin: rst, active: high, cycles: 2}\n", ""},
			"input rst of raw16 is not in the manifest (give it a value under config)"},
		{edit{"raw16.yaml", "order: big}\n    pins: {data: rx,", "order: huge}\n    pins: {data: rx,"},
			`raw16.yaml:15: port s_axis: the order of a length is little or big, not "huge"`},
		{edit{"raw16.yaml", "encapsulations: [rocev2-ipv4]", "encapsulations: [roce]"},
			`raw16.yaml:7: no encapsulation "roce"`},
		{edit{"append8.yaml", "    compare: {user: 0}\n", ""},
			"stage icrc_insert gives a verdict beside the packets of m_axis, and no port here carries it"},
		{edit{"drop8.yaml", "s_bus[9]", "s_bus[8]"}, "bit 8 of input s_bus of drop8 is named twice"},
		{edit{"drop8.yaml", `last: "s_bus[8]", `, ""}, "bit 8 of input s_bus of drop8 is not in the manifest"},
		{edit{"drop8.yaml", "write: reg_wr, ", ""}, "drop8.yaml:13: setup needs the pin write"},
		{edit{"drop8.yaml", "{wait: 3}", "{wait: 3, write: 4}"}, "drop8.yaml:16: a step is {write: ADDRESS, value: V}"},
		{edit{"drop8.yaml", "value: 0xbeef", "value: 0x1beef"}, "with values of 16 bits"},
		{edit{"keys.yaml", "    ignores: [next]\n", ""},
			"port s_rec has no pin for the field next of the model's record (say accepts: {fields: {next: N}}"},
		{edit{"keys.yaml", "{name: psn, pin: psn", "{name: bsn, pin: psn"},
			`port s_rec: field bsn: the model has no field "bsn"`},
		{edit{"keys.yaml", "not: [distance]", "not: [distanc]"}, `keys.yaml:31: port m_rec has no field "distanc"`},
		{edit{"keys.yaml", "requester: 0", "requestor: 0"},
			`keys.yaml:14: no record that stage psn_window takes has a field "requestor"`},
		{edit{"keys.yaml", "tables/codes.hex", "tables/none.hex"}, "keys.yaml:6: cannot read"},
		{edit{"keys.yaml", "times: 2", "times: 100"}, "keys.yaml:10: a clock needs a pin and a ratio"},
	} {
		file := filepath.Join(foreignCopy(t, c.edit), c.file)
		exit, out, errs := cosim("lint", file)
		require.NotEqual(t, cocosim.Agreed, exit, "%v: %s", c.edit, out)
		assert.Contains(t, errs, c.want, "%v", c.edit)
	}
	says := "resp_answers is a view for vector sets, and no stage"
	exit, _, errs := cosim("run", "--dut", answererDesign)
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, says)
	exit, _, errs = cosim("init", "--top", "t", "--model", "resp_answers", "t.v")
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, says)
	exit, out, errs := cosim("lint", "testdata/merger/merger.yaml")
	require.Equal(t, cocosim.Agreed, exit, errs)
	require.Contains(t, out, "not run: tx_frames is a view for vector sets; `cosim export`")
	exit, out, errs = cosim("lint", filepath.Join(foreignDir, "keys.yaml"))
	require.Equal(t, cocosim.Agreed, exit, errs)
	require.Contains(t, out, "not compared: distance of m_rec")
}
