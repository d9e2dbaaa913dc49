package vectors

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/vectors/scenario"
)

// TestReadmemh reads the beats back into packets.
func TestReadmemh(t *testing.T) {
	for _, bits := range []int{64, 512, 1024} {
		set := generate(t, "mix", "icrc_check", 3, 60, SetOptions{ReadmemhBits: bits})
		stimulus, err := set.Stimulus()
		require.NoError(t, err)
		defer stimulus.Close()
		expected, err := set.Expected()
		require.NoError(t, err)
		defer expected.Close()
		for port, next := range map[string]func(*sim.Record) error{"m_axis": expected.Next,
			"s_axis": func(r *sim.Record) error {
				var o sim.Offer
				err := stimulus.Next(&o)
				*r = o.Accepted(0, 0)
				return err
			}} {
			checkReadmemh(t, set, port, bits, next)
		}
	}
	s, _ := scenario.Lookup("mix")
	_, err := GenerateSet(filepath.Join(t.TempDir(), "set"), s, stageNamed(t, "icrc_check"), 1, 1,
		SetOptions{ReadmemhBits: 96})
	require.EqualError(t, err, "--readmemh 96: no data width of the blocks (64, 128, 256, 512 or 1024)")
}

// checkReadmemh reads the beats of a port's file back into packets, which must be those that next gives.
func checkReadmemh(t *testing.T, set *Set, port string, bits int, next func(*sim.Record) error) {
	var packet []byte
	var users []uint32 // on the beats of the packet
	lines := strings.Split(strings.TrimSpace(string(fileOf(t, set, port+".memh"))), "\n")[1:]
	require.EqualValues(t, len(lines), set.Files[port+".memh"].Lines)
	for _, line := range lines {
		data, user, last := readBeat(t, line, bits)
		packet, users = append(packet, data...), append(users, user)
		if !last {
			require.Len(t, data, bits/8)
			continue
		}
		var r sim.Record
		require.NoError(t, next(&r))
		require.Equal(t, r.Data, packet)
		for i, u := range users { // of an output on the last beat only
			if port == "s_axis" || i == len(users)-1 {
				require.Equal(t, r.User, u)
			} else {
				require.Zero(t, u)
			}
		}
		packet, users = packet[:0], users[:0]
	}
	require.Equal(t, io.EOF, next(&sim.Record{}))
}

// readBeat is the octets that a line keeps, its user bits and whether it ends the packet. The other octets must be 0.
func readBeat(t *testing.T, line string, bits int) (kept []byte, user uint32, last bool) {
	f := strings.Split(line, "_")
	require.Len(t, f, 4)
	require.Len(t, f[2], bits/32)
	require.Len(t, f[3], bits/4)
	var ends uint32
	var keep [32]byte
	data := make([]byte, bits/8)
	_, err := fmt.Sscanf(f[0]+" "+f[1], "%x %x", &user, &ends)
	require.NoError(t, err)
	for i := range bits / 32 {
		fmt.Sscanf(f[2][i:i+1], "%x", &keep[bits/32-1-i])
	}
	for i := range data {
		fmt.Sscanf(f[3][2*i:2*i+2], "%x", &data[len(data)-1-i])
	}
	n := 0
	for n < bits/8 && keep[n/4]>>(n%4)&1 == 1 {
		n++
	}
	for _, v := range data[n:] {
		require.Zero(t, v)
	}
	return data[:n], user, ends != 0
}

// TestCHeader takes the numbers apart again.
func TestCHeader(t *testing.T) {
	set := generate(t, "mix", "icrc_check", 3, 60, SetOptions{CHeader: true})
	text := string(fileOf(t, set, "m_axis.h"))
	text = text[strings.Index(text, "{")+1 : strings.Index(text, "}")]
	var b []byte
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' }) {
		var v byte
		_, err := fmt.Sscan(f, &v)
		require.NoError(t, err)
		b = append(b, v)
	}
	records, err := set.Expected()
	require.NoError(t, err)
	defer records.Close()
	for len(b) > 0 {
		var r sim.Record
		require.NoError(t, records.Next(&r))
		u32 := binary.LittleEndian.Uint32
		require.Equal(t, r.User, u32(b))
		size := u32(b[4:])
		require.Equal(t, r.Data, b[8:8+size])
		b = b[8+size:]
	}
	require.Equal(t, io.EOF, records.Next(&sim.Record{}))
}

// TestPortsWithoutRecords: their arrays are C99 and C++, their words have the type of the port, and their lines are
// counted.
func TestPortsWithoutRecords(t *testing.T) {
	set := generate(t, "resp-psn-check", "resp_answers", 1, 2,
		SetOptions{CHeader: true, ReadmemhBits: 64, SVPackage: true})
	require.Zero(t, set.ExpectRecords)
	text := string(fileOf(t, set, packageFile))
	require.Contains(t, text, "typedef logic [87:0] m_ans_word_t;")
	require.Contains(t, text, "M_ANS_WORDS = 0;")
	manifest := string(fileOf(t, set, manifestFile))
	for _, name := range []string{"m_ans.memh", "m_ans.need.memh"} {
		_, at, found := strings.Cut(manifest, `"`+name+`": {`)
		require.True(t, found)
		at, _, _ = strings.Cut(at, "}")
		require.Contains(t, at, `"lines": 0`)
	}
	if inC := judgeInC(t, set); inC != nil {
		require.Zero(t, inC(nil))
		require.Equal(t, 1, inC([]byte("i 1 0\no 2 0 00\n")))
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++: the headers are not tried as C++")
	}
	cc := filepath.Join(t.TempDir(), "all.cc")
	require.NoError(t, os.WriteFile(cc, []byte("#include \"s_rec.h\"\n#include \"m_ans.h\"\n#include \"m_ans.need.h\"\n"),
		0o666))
	out, err := exec.CommandContext(t.Context(), "g++", "-pedantic-errors", "-fsyntax-only", "-I", set.Dir,
		cc).CombinedOutput()
	require.NoError(t, err, "%s", out)
}
