package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/flow"
	"hcacosim/cocosim/loop"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/link"
)

// rogueEnd is how --b names a peer that misbehaves: rogue:NAME.
const rogueEnd = "rogue:"

func linkCommand() *cli.Command {
	return &cli.Command{
		Name:  "link",
		Usage: "close the loop: two ends over a seeded link that loses, doubles, exchanges and damages packets; both judged",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "a", Value: "model", Usage: "end A: model; hca_rx: the model's requests, RTL's answers; " +
				"hca_tx: the other way round; hca_rx+hca_tx: both are RTL's; hca_top: the device"},
			&cli.StringFlag{Name: "b", Value: "model", Usage: "end B: as end A, or rogue:NAME, which misbehaves " +
				"(rogue:? lists), or a real peer: socket:PATH, listen:PATH or tap:NAME"},
			&cli.Uint64Flag{Name: "count", Value: 100_000, Usage: "new PSNs, both directions and all QPs together"},
			&cli.IntFlag{Name: "qps", Value: 1, Usage: "connections"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of the link and of the messages"},
			&cli.Float64Flag{Name: "loss", Usage: "share of packets that are lost, in percent"},
			&cli.Float64Flag{Name: "dup", Usage: "share that arrives twice, in percent"},
			&cli.Float64Flag{Name: "reorder", Usage: "share that others overtake, in percent"},
			&cli.Float64Flag{Name: "corrupt", Usage: "share with a wrong bit, in percent"},
			&cli.Float64Flag{Name: "mark", Usage: "share that the link marks (CE), in percent: CNPs; requests of RTL have a " +
				"pace then, which these cut"},
			&cli.DurationFlag{Name: "delay", Value: 2 * time.Microsecond, Usage: "of the link, one way"},
			&cli.DurationFlag{Name: "hold", Value: 3 * time.Microsecond, Usage: "how long such a packet is held up"},
			&cli.Float64Flag{Name: "gbps", Value: 100, Usage: "of the link"},
			&cli.UintFlag{Name: "pmtu", Value: 1024, Usage: "256 to 4096"},
			&cli.UintFlag{Name: "window", Value: 64, Usage: "packets outstanding"},
			&cli.IntFlag{Name: "depth", Value: 16, Usage: "messages that a QP is given at a time"},
			&cli.DurationFlag{Name: "pause", Usage: "how long a QP rests, on average, when all that it has posted has ended; " +
				"0: it never rests"},
			&cli.IntFlag{Name: "receives", Value: 16, Usage: "receive WQEs that a QP has"},
			&cli.UintFlag{Name: "write", Usage: "every message is a WRITE of so many bytes; 0: all kinds and sizes"},
			&cli.BoolFlag{Name: "one-way", Usage: "end A alone sends"},
			&cli.UintFlag{Name: "timeout", Usage: "code of the transport timer; 0: one that suits the link"},
			&cli.Float64Flag{Name: "late", Value: 5, Usage: "share of receive WQEs that are posted late, in percent: RNR NAKs"},
			&cli.DurationFlag{Name: "limit", Value: 10 * time.Minute, Usage: "of the link's own time; 0 for none"},
			&cli.DurationFlag{Name: "behind", Value: flow.DefaultBehindNs, Usage: "how long before it leaves an end may have " +
				"decided a packet, as that of cosim check; the line's time for a frame of each QP is added"},
			&cli.Uint64Flag{Name: "lapse", Value: 1, Usage: "RTL with send WQEs that only waits for its timers runs one clock " +
				"of so many, and is told the ticks of the others"},
			&cli.StringFlag{Name: "profile", Value: "spec", Usage: "what both ends are and are held to: spec, rxe or qib"},
			&cli.StringFlag{Name: "flavour", Value: string(verilated.Fast), Usage: "how RTL is built, as that of cosim run"},
			&cli.StringFlag{Name: "pcap", Usage: "write what each end saw to `OUT`.a.pcap and OUT.b.pcap"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		}, slices.Concat(cellFlags(), faultFlags(), liveFlags())...),
		Action: runLink,
	}
}

func runLink(c *cli.Context) error {
	if err := checkLink(c); err != nil {
		return err
	}
	if isLive(c.String("b")) {
		return runLive(c)
	}
	if err := onlySimulated(c); err != nil {
		return err
	}
	switch {
	case c.String("cells") != "":
		return runCells(c)
	case len(c.StringSlice("faults")) > 0:
		return runLinkFaults(c)
	case c.IsSet("fault"):
		return faultOfNoList()
	}
	return runPair(c)
}

// checkLink refuses what has no meaning whatever the ends are.
func checkLink(c *cli.Context) error {
	bad := func(format string, args ...any) error { return cocosim.Errorf(cocosim.BadInput, format, args...) }
	switch {
	case c.NArg() > 0:
		return bad("unexpected argument %q (see `cosim link --help`)", c.Args().First())
	case c.Uint64("count") == 0:
		return bad("--count 0: no packet is sent, and nothing is judged")
	case c.Uint64("lapse") == 0:
		return bad("--lapse 0: one clock of so many; 1 is all of them")
	case c.Duration("behind") < 0:
		return bad("--behind %v: a time that is not negative", c.Duration("behind"))
	case c.IsSet("page") && c.String("cells") == "" && len(c.StringSlice("faults")) == 0:
		return bad("--page is of --cells or --faults")
	}
	return verilated.Flavour(c.String("flavour")).Check()
}

// runPair runs the loop that the flags ask for.
func runPair(c *cli.Context) error {
	p, err := pairOf(c)
	if err != nil {
		return err
	}
	var captures []func() error
	if out := c.String("pcap"); out != "" {
		for i := range p.Capture {
			see, done, err := linkCapture(out + [2]string{".a.pcap", ".b.pcap"}[i])
			if err != nil {
				return err
			}
			p.Capture[i], captures = see, append(captures, done)
		}
	}
	if err := openDevices(c, p); err != nil {
		return err
	}
	began := time.Now()
	o, err := p.Run(c.Context)
	for _, d := range slices.Concat(p.Responders[:], p.Requesters[:], p.Wholes[:]) {
		if d == nil {
			continue
		}
		if ended := d.Close(); err == nil {
			err = ended
		}
	}
	for _, done := range captures {
		if failed := done(); err == nil {
			err = failed
		}
	}
	if err != nil {
		return asError(err)
	}
	if c.Bool("json") {
		e := json.NewEncoder(c.App.Writer)
		e.SetIndent("", "  ")
		err = e.Encode(o)
	} else {
		o.Print(c.App.Writer, p, time.Since(began))
	}
	if err == nil {
		err = verdictOf(o)
	}
	return err
}

// verdictOf is the exit code of what the report says.
func verdictOf(o *loop.Outcome) error {
	switch o.Verdict() {
	case loop.Agreed:
		return nil
	case loop.Inconclusive:
		return command.Silent(cocosim.Inconclusive)
	}
	return command.Silent(cocosim.Mismatch)
}

// pairOf is the pair that the flags describe.
func pairOf(c *cli.Context) (*loop.Pair, error) {
	bad := func(format string, args ...any) error { return cocosim.Errorf(cocosim.BadInput, format, args...) }
	if a := c.String("a"); a != "model" && !isRTL(a) {
		return nil, bad("--a %s: model, hca_rx, hca_tx, hca_rx+hca_tx or hca_top", a)
	}
	profile, err := profileFor(c.String("profile"), nil)
	if err != nil {
		return nil, err
	}
	percent := func(name string) float64 { return c.Float64(name) / 100 }
	p := &loop.Pair{Profile: profile, Window: uint32(c.Uint("window")),
		Timeout: uint8(min(c.Uint("timeout"), 32)), LimitNs: uint64(c.Duration("limit")), Lapse: c.Uint64("lapse"),
		Behind: uint64(max(flow.NoBehind, c.Duration("behind"))),
		Traffic: loop.Traffic{QPs: c.Int("qps"), Packets: c.Uint64("count"), PMTU: uint32(c.Uint("pmtu")),
			Depth: c.Int("depth"), Receives: c.Int("receives"), Late: percent("late"), Seed: c.Uint64("seed"),
			WriteBytes: uint32(c.Uint("write")), OneWay: c.Bool("one-way"), PauseNs: uint64(c.Duration("pause"))},
		Link: link.Config{Gbps: c.Float64("gbps"), DelayNs: uint64(c.Duration("delay")), HoldNs: uint64(c.Duration("hold")),
			Loss: percent("loss"), Double: percent("dup"), Reorder: percent("reorder"), Corrupt: percent("corrupt"),
			Mark: percent("mark"), Seed: c.Uint64("seed")}}
	if p.Link.Mark > 0 {
		p.Pace = loop.DefaultPace()
	}
	switch b := c.String("b"); {
	case b == "model", isRTL(b):
	case strings.HasPrefix(b, rogueEnd):
		r, err := loop.FindRogue(strings.TrimPrefix(b, rogueEnd))
		if err != nil {
			return nil, bad("--b %s: %v", b, err)
		}
		p.Rogue = r
	default:
		return nil, bad("--b %s: model, hca_rx, hca_tx, hca_rx+hca_tx, hca_top or rogue:NAME", b)
	}
	if err := p.Check(); err != nil {
		return nil, bad("%v", err)
	}
	return p, nil
}

// linkCapture opens a capture of one end.
func linkCapture(name string) (see loop.Seen, done func() error, err error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, nil, cocosim.Errorf(cocosim.BadInput, "--pcap: %v", err)
	}
	see, failed := loop.WriteCapture(f, loop.Epoch)
	return see, func() error {
		err := failed()
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return err
	}, nil
}
