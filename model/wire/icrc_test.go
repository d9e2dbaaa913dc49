package wire

import (
	"bufio"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vector is a packet with a known good ICRC: its last four bytes.
type vector struct {
	name  string
	link  Link
	frame []byte
}

// knownVectors reads testdata/icrc-vectors.txt: a comment, then pairs of lines.
func knownVectors(t testing.TB) (vectors []vector) {
	f, err := os.Open("testdata/icrc-vectors.txt")
	require.NoError(t, err)
	defer f.Close()
	var name string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		switch frame, err := hex.DecodeString(line); {
		case strings.HasPrefix(line, "#"):
		case err != nil:
			name = line
		default:
			v := vector{name: name, frame: frame}
			if strings.HasPrefix(name, "IB") {
				v.link = LinkIB
			}
			vectors = append(vectors, v)
		}
	}
	return vectors
}

func TestKnownICRCs(t *testing.T) {
	vectors := knownVectors(t)
	require.Len(t, vectors, 6)
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			loc := Locate(v.link, v.frame)
			require.Equal(t, WellFormed, loc.Bad.Reason, loc.Bad)
			require.Equal(t, len(v.frame), loc.End)
			require.Equal(t, ICRCGood, CheckICRC(v.frame, &loc))
		})
	}
}
