package vectors

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// merger is an arbiter of another make: it keeps the frames of its inputs and gives them in an order of its own. fault
// breaks it.
type merger struct {
	fault   string
	waiting [hca.TxInputs][]mergedFrame
	out     int
	give    func(cycle uint64, user uint32, data []byte)
}

type mergedFrame struct {
	user uint32
	data []byte
}

func (d *merger) take(o *sim.Offer) {
	d.waiting[o.Port] = append(d.waiting[o.Port], mergedFrame{hca.TxUser(o.Port, o.User), bytes.Clone(o.Data)})
}

// leave gives the oldest frame of an input, if it has one.
func (d *merger) leave(input int, cycle uint64) {
	q := &d.waiting[input]
	if len(*q) == 0 {
		return
	}
	at := 0
	if d.fault == "out of order" && len(*q) > 1 {
		at = 1
	}
	f := (*q)[at]
	*q = append((*q)[:at], (*q)[at+1:]...)
	d.out++
	switch tenth := d.out%10 == 9; {
	case tenth && d.fault == "left out":
		return
	case tenth && d.fault == "another input's":
		f.user ^= 2
	case tenth && d.fault == "twice":
		d.give(cycle, f.user, f.data)
	case tenth && d.fault == "a bit":
		f.data[len(f.data)-1] ^= 1
	}
	d.give(cycle, f.user, f.data)
}

// judgeMerger plays a set into a device that looks at its inputs in an order, every so many inputs, four frames at a
// time. lag is how many inputs the second input is behind the others: which of two inputs goes first is no order.
func judgeMerger(t *testing.T, set *Set, fault string, order [hca.TxInputs]int, every, lag int) *played {
	t.Helper()
	p := &played{}
	m, err := set.Match(true)
	require.NoError(t, err)
	defer m.Close()
	stimulus, err := set.Stimulus()
	require.NoError(t, err)
	defer stimulus.Close()
	say := func(line string) { p.wrong = append(p.wrong, line) }
	d := &merger{fault: fault, give: func(cycle uint64, user uint32, data []byte) {
		fmt.Fprintf(&p.recording, "o %d %x %x\n", cycle, user, data)
		m.Output(hca.TxInputs, cycle, user, data, say)
	}}
	var late []sim.Offer
	cycle := uint64(0)
	enter := func(o sim.Offer) {
		require.NoError(t, m.Input(o.Port, cycle, say))
		fmt.Fprintf(&p.recording, "i %d %d\n", cycle, o.Port)
		d.take(&o)
	}
	var o sim.Offer
	for n := 0; stimulus.Next(&o) != io.EOF; n++ {
		cycle += 3
		o.Data = bytes.Clone(o.Data)
		if late = append(late, o); o.Port != 1 {
			enter(o)
			late = late[:len(late)-1]
		} else if len(late) > lag {
			enter(late[0])
			late = late[1:]
		}
		for i := 0; i < len(order) && n%every == every-1; i++ {
			if order[i] != 3 || fault != "late" {
				d.leave(order[i], cycle+7)
			}
		}
	}
	for _, o := range late {
		enter(o)
	}
	for n := set.StimulusRecords; n > 0; n-- {
		for _, input := range order {
			d.leave(input, cycle+7)
		}
	}
	require.NoError(t, m.End(true, say))
	return p
}

// TestDevicesOfSeveralInputs: of a lenient set of a stage with several inputs each cause says which of them it counts
// on. Devices pass that give the frames of one input before those of another, or after, and those whose inputs run
// ahead of each other; what is no choice is found. The judge in C says the same.
func TestDevicesOfSeveralInputs(t *testing.T) {
	set := generate(t, "tx-arbiter", "tx_frames", 2, 1200, SetOptions{CHeader: true, ReadmemhBits: 256})
	require.Equal(t, Lenient, set.Flavour)
	require.NoError(t, set.Check())
	words := strings.Split(strings.TrimSpace(string(fileOf(t, set, "m_axis.need.memh"))), "\n")
	require.Contains(t, words[0], "from, need, by, cause, key, group")
	require.Regexp(t, "^0[0-3]_0_[0-9a-f]{8}_", words[1])
	inC := judgeInC(t, set)
	for _, order := range [][hca.TxInputs]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		for _, fault := range []string{"", "late", "left out", "out of order", "another input's", "twice", "a bit"} {
			p := judgeMerger(t, set, fault, order, 2, 5)
			require.Equal(t, fault == "", len(p.wrong) == 0, "%v %s: %v", order, fault, p.wrong[:min(3, len(p.wrong))])
			if inC != nil {
				require.Equal(t, len(p.wrong), inC(p.recording.Bytes()), "%v %s", order, fault)
			}
		}
	}
	strict := generate(t, "tx-arbiter", "tx_arbiter", 2, 200, SetOptions{})
	_, err := strict.Match(true)
	require.ErrorContains(t, err, "tx_arbiter has several inputs, and its records do not say which")
}
