package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/falconflow"
	"hcacosim/cocosim/field"
	"hcacosim/cocosim/flow"
	"hcacosim/model/wire"
	"hcacosim/vectors"
	"hcacosim/vectors/capture"
)

// fieldTally is what is said of a capture beside its violations.
type fieldTally struct {
	Headline []string                    `json:"headline"`
	Troubles []field.Trouble             `json:"troubles"`
	Latency  map[string]*field.Quantiles `json:"latency,omitempty"`
	// Counters are by host, and by the driver under whose names they are.
	Counters map[string]map[string][]field.Counter `json:"counters,omitempty"`
	Compared []field.Compared                      `json:"counters_compared,omitempty"`
	Drops    *capture.Drops                        `json:"capture_drops,omitempty"`

	watched *field.Observer
	marks   map[uint64]mark // of packets with a finding
	silent  bool            // nothing is printed but the error
	doubts  []string        // why the capture may have been taken elsewhere
	show    []string        // drivers whose counters are printed
}

// mark is what is kept of a packet that a finding is about.
type mark struct {
	afterNS int64
	flow    string
	qpn     uint32
}

const maxMarks = 1 << 13

// maxTimerRows is how many flows have their timers printed.
const maxTimerRows = 8

func (t *tally) observe(in *checkInput) { t.watched, t.marks = in.observer(), map[uint64]mark{} }

// watch shows a packet to the observer, keeps what a finding about it will need, and prints the finding where that is
// asked for.
func (t *tally) watch(f *vectors.Frame, p *wire.Packet, icrc wire.ICRCStatus, v *flow.Verdict, list *printer,
	in *checkInput) {
	t.watched.Take(f, p, icrc, v)
	switch v.Class {
	case flow.Broken, flow.NotTaken, flow.Ghost, flow.Malformed, flow.BadICRC:
	default:
		return
	}
	if len(t.marks) < maxMarks {
		name, qpn := t.watched.LastFlow()
		t.marks[f.Number] = mark{f.TimeNS - t.watched.FirstNS, name, qpn}
	}
	if in.live && v.Class == flow.Broken {
		list.live(t, f.Number, v)
	}
}

// live prints a finding at once.
func (p *printer) live(t *tally, packet uint64, v *flow.Verdict) {
	x := flow.Finding{Packet: packet, Verdict: v.Verdict}
	if p.w == io.Discard || len(p.sel.findings(t, []flow.Finding{x})) == 0 {
		return
	}
	word := "certain "
	if !x.Certain() {
		word = "possible"
	}
	fmt.Fprintf(p.w, "%s  packet %-7d %s%-7s %s\n", word, packet, t.when(packet), v.Rule, v.Text)
}

// when is the time of a packet that a finding is about, after the first.
func (t *tally) when(packet uint64) string {
	m, known := t.marks[packet]
	if !known {
		return fmt.Sprintf("%-12s ", "")
	}
	return fmt.Sprintf("%-12s ", fmt.Sprintf("+%.6fs", time.Duration(m.afterNS).Seconds()))
}

// settle sums up what the observer saw.
func (t *tally) settle(c *cli.Context, in *checkInput) {
	o := t.watched
	if t.Falcon != nil && t.RoCE+t.IB == 0 {
		t.Headline = t.falconHeadline()
		return
	}
	if t.Packets == 0 {
		return
	}
	t.Headline, t.Troubles, t.Latency = o.Headline(t.verdict()), append(t.Troubles, o.Troubles()...), o.Latencies()
	if d := in.Drops(); d.Known || d.Lost > 0 {
		t.Drops = &d
	}
	t.Counters = map[string]map[string][]field.Counter{}
	o.Hosts(func(h *field.Host) {
		if len(t.Counters) < maxCounted {
			t.Counters[h.IP.String()] = map[string][]field.Counter{"rxe": h.Counters("rxe"), "mlx5": h.Counters("mlx5")}
		}
	})
	for _, x := range c.StringSlice("counters") {
		if slices.Contains(field.CounterNames, x) {
			t.show = append(t.show, x)
		}
	}
	files := counterFiles(c)
	if len(files) > 0 {
		t.compare(files)
	}
}

// maxCounted is how many hosts have their counters told.
const maxCounted = 64

// compare holds counters that were read against those of the end at the capture point.
func (t *tally) compare(files []string) {
	read, err := field.ReadCounters(files)
	if err != nil {
		t.Note = strings.TrimPrefix(t.Note+"; "+err.Error(), "; ")
		return
	}
	t.watched.Hosts(func(h *field.Host) {
		if t.Compared == nil {
			t.Compared = h.Compare(read)
		}
	})
}

// sums is what RoCE and Falcon come to in one capture.
func (t *tally) sums() (certain, possible, judged uint64) {
	if r := t.report; r != nil {
		certain, possible, judged = r.Certain, r.Possible, r.Judged
	}
	if r := t.Falcon; r != nil {
		certain, possible, judged = certain+r.Certain, possible+r.Possible, judged+r.Judged()
	}
	return certain, possible, judged
}

// verdict is the end of the headline.
func (t *tally) verdict() string {
	certain, possible, judged := t.sums()
	cut := ""
	if t.report.CutAt != 0 {
		cut = fmt.Sprintf("not judged from packet %d on", t.report.CutAt)
	}
	switch {
	case t.RoCE+t.IB == 0 && t.Falcon == nil:
		return "no RoCE and no InfiniBand"
	case cut != "" && t.Falcon == nil:
		return cut
	case certain > 0 && len(t.Violation) > 0:
		return fmt.Sprintf("%s for certain, first %s at packet %d", countOf(certain, "violation", "violations"),
			t.Violation[0].Rule, t.Violation[0].Packet)
	case judged == 0:
		return "nothing was judged"
	case possible > 0:
		return fmt.Sprintf("no rule broken for certain%s, %d possibly", t.share(judged), possible)
	case cut != "":
		return "RoCE " + cut
	}
	return "no rule broken" + t.share(judged)
}

// share says how few packets were judged, where they are fewer than the others; else it is "".
func (t *tally) share(judged uint64) string {
	all := t.RoCE + t.IB
	if t.Falcon != nil {
		all += t.Falcon.Packets
	}
	if 2*judged >= all {
		return ""
	}
	return fmt.Sprintf(" in the %d of %d packets that were judged", judged, all)
}

func countOf(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (p *printer) headline(t *tally) {
	for i, line := range t.Headline {
		mark := "    "
		if i == 0 {
			mark = "  > "
		}
		fmt.Fprintln(p.w, mark+line)
	}
	for _, why := range t.Configuration {
		fmt.Fprintln(p.w, "    configuration in doubt:", why)
	}
	for _, why := range t.doubts {
		fmt.Fprintln(p.w, "    place in doubt:", why)
	}
	if t.Note != "" {
		fmt.Fprintln(p.w, "  note:", t.Note)
	}
	if t.Drops != nil && t.Drops.Total() > 0 {
		fmt.Fprintf(p.w, "  note: the capture itself dropped %d frames (interface %d, system %d)\n", t.Drops.Total(),
			t.Drops.Interface,
			t.Drops.System)
	}
}

// latencies is the table of times.
func (p *printer) latencies(t *tally) {
	if t.watched == nil || len(t.Latency) == 0 {
		return
	}
	w := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "time, "+where(t)+"\tcount\tleast\tmedian\t90 %\t99 %\tmost\twindow from\tbelow\t")
	for i, name := range field.LatencyNames {
		q := t.Latency[name]
		if q == nil {
			continue
		}
		bound, below := "-", "-"
		if q.Bound > 0 {
			bound, below = ms(q.Bound).String(), fmt.Sprint(q.Below)
		}
		fmt.Fprintf(w, "%s\t%d\t%v\t%v\t%v\t%v\t%v\t%s\t%s\t\n", field.LatencyWords[i], q.Count, ms(q.Least), ms(q.At(0.5)),
			ms(q.At(0.9)),
			ms(q.At(0.99)), ms(q.Most), bound, below)
	}
	w.Flush()
}

// counters is the table of what the NIC's counters should read, and what they did.
func (p *printer) counters(t *tally) {
	for _, driver := range t.show {
		for ip, by := range t.Counters {
			fmt.Fprintf(p.w, "  counters of %s that %s tells of, by the names of %s\n", ip, t.File, driver)
			for _, c := range by[driver] {
				if !c.Told() {
					fmt.Fprintf(p.w, "    %-32s %12s  %s\n", c.Name, "-", c.Why)
					continue
				}
				fmt.Fprintf(p.w, "    %-32s %12d  %s\n", c.Name, c.Value, c.Near)
			}
		}
	}
	for i, x := range t.Compared {
		if i == 0 {
			fmt.Fprintln(p.w, "  counters that were read, and what the capture says")
		}
		fmt.Fprintf(p.w, "    %-32s %12d %12s  %s\n", x.Name, x.Read, x.Capture(), x.Remark)
	}
}

// way says what was lost between two ends, if that is asked for.
func (p *printer) way(c *cli.Context, jobs []checkJob) (*field.Way, error) {
	if !c.Bool("ends") {
		return nil, nil
	}
	m, err := openMerged(c, []string{jobs[0].paths[0], jobs[1].paths[0]})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	falcon, err := command.FalconOptions(c)
	if err != nil {
		return nil, err
	}
	way, err := field.Between(m, falconflow.New(falcon))
	if err != nil {
		return nil, cocosim.Errorf(cocosim.BadInput, "%v", err)
	}
	fmt.Fprintf(p.w, "between %s and %s\n", jobs[0].name, jobs[1].name)
	for _, d := range way.Directions {
		fmt.Fprintf(p.w, "  %s to %s: %d sent, %d came as they were, %d lost or altered, %d came that were not sent so\n",
			d.Src, d.Dst, d.Sent,
			d.Intact, d.Lost, d.Extra)
		for i, x := range d.Packets {
			if i == p.sel.show {
				fmt.Fprintf(p.w, "    and %d more\n", int(d.Lost)-i)
				break
			}
			fmt.Fprintf(p.w, "    %s packet %-7d %s\n", jobs[x.File].name, x.Packet, x)
		}
	}
	return way, nil
}
