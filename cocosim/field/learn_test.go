package field

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
)

// judgeCapture judges one capture with its sidecar by a profile.
func judgeCapture(t *testing.T, path string) Judge {
	return func(p roce.Profile) ([]flow.Finding, error) {
		return observeBy(t, path, p).report.Violations, nil
	}
}

// On captures of Linux Soft-RoCE, one field taken away from the profile rxe, exactly that field is proposed; with
// several captures together, as an engineer has them.
func TestLearnProposesTheFieldThatIsMissing(t *testing.T) {
	dir := captureDir(t)
	learnt := 0
	for _, d := range roce.Deviations {
		var paths []string
		base := with(roce.Rxe, d.Field, reflect.Zero(reflect.TypeOf(roce.Rxe).Field(fieldIndex(d.Field)).Type))
		for _, name := range d.Shown {
			for _, side := range []string{"a", "b"} {
				path := filepath.Join(dir, name+"."+side+".pcap")
				if found, _ := judgeCapture(t, path)(base); len(found) > 0 {
					if whole, _ := judgeCapture(t, path)(roce.Rxe); len(whole) == 0 {
						paths = append(paths, path)
					}
				}
			}
		}
		if len(paths) == 0 {
			t.Logf("%s: nothing that check judges shows it", d.Field)
			continue
		}
		lessons, rest, err := Learn(base, func(p roce.Profile) (all []flow.Finding, _ error) {
			for _, path := range paths {
				found, _ := judgeCapture(t, path)(p)
				all = append(all, found...)
			}
			return all, nil
		})
		require.NoError(t, err)
		require.Empty(t, rest, d.Field)
		require.Len(t, lessons, 1, d.Field)
		require.Equal(t, d.Field, lessons[0].Field)
		require.NotEmpty(t, lessons[0].Solves)
		learnt++
		t.Logf("%s: %d packets in %d captures; as good: %v", d.Field, len(lessons[0].Solves), len(paths), lessons[0].Another)
	}
	require.Greater(t, learnt, 8)
}

func fieldIndex(name string) int {
	f, _ := reflect.TypeFor[roce.Profile]().FieldByName(name)
	return f.Index[0]
}

// A device that is broken, and not of another kind, is explained by nothing.
func TestLearnExplainsNoBrokenDevice(t *testing.T) {
	broken := []flow.Finding{{Packet: 7}}
	lessons, rest, err := Learn(roce.Rxe, func(roce.Profile) ([]flow.Finding, error) { return broken, nil })
	require.NoError(t, err)
	require.Empty(t, lessons)
	require.Equal(t, broken, rest)
	// What the cable altered and gave a right ICRC, taken for what B sent: the capture of A's end as if it were B's. Two
	// of the kind are left out: px_resp_ack_psn_plus1 reads as an ACK that two requests share, and px_rdrsp_first_syn_rnr
	// is seen with AckPerRequest only.
	for _, name := range []string{"px_resp_ack_psn_plus5", "px_resp_nak_rsvd5", "px_resp_syn_rsvd_40",
		"px_resp_syn_rsvd_80",
		"px_rdrsp_mid_as_first", "px_rdrsp_mid_as_last", "px_rdrsp_last_as_mid", "px_at_ack_psn_plus1"} {
		path := filepath.Join(captureDir(t), name+".a.pcap")
		lessons, rest, err := Learn(roce.Rxe, func(p roce.Profile) ([]flow.Finding, error) {
			return observeAt(t, path, "b", false, p).report.Violations, nil
		})
		require.NoError(t, err)
		require.NotEmpty(t, rest, "%s: %v", name, lessons)
	}
}

func TestProfileFile(t *testing.T) {
	p, err := readProfile([]byte("base: rxe\ngapwaits: false\nWindowPackets: 64\nname: mine\n"))
	require.NoError(t, err)
	want := roce.Rxe
	want.Name, want.GapWaits, want.WindowPackets = "mine", false, 64
	require.Equal(t, want, p)
	for text, says := range map[string]string{
		"base: rxx":         `line 1: base "rxx" is not spec, rxe, qib or connectx`,
		"GapWait: true":     `line 1: no field "GapWait" (did you mean GapWaits?)`,
		"WindowPackets: no": `line 1: WindowPackets: "no" is not a uint32`,
		"- a":               "not a list of KEY: VALUE",
		"base: rxe\n---\n":  "line 3: a second document begins; a file has one",
	} {
		_, err := readProfile([]byte(text))
		require.EqualError(t, err, says)
	}
}
