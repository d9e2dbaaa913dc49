package forecast

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hcacosim/model/hca"
	"hcacosim/model/hca/timed"
)

const smallestStore = 8192 // bytes: that of hca_rx

// check says what is wrong with a workload; nil is nothing. The first field in the order of the document.
func (w *Workload) check() *problem {
	for _, p := range []*problem{
		within("clock_mhz", w.ClockMHz, 1, 5000, "MHz"),
		oneOf("data_width", w.DataWidth, 64, 128, 256, 512, 1024),
		w.checkQPs(),
		within("messages", float64(w.Messages), 1, mostMessages, "messages"),
		oneOf("encap", w.Encap, slices.Sorted(maps.Keys(encaps))...),
		oneOf("vlans", w.VLANs, 0, 1, 2),
		oneOf("pmtu", w.PMTU, 256, 512, 1024, 2048, 4096),
		oneOf("order", w.Order, orders...),
		w.checkMix(),
		within("reads", float64(w.Reads), 1, hca.HcaRxReplaySlots, "READs and atomics"),
		within("load", w.Load, 0.001, 1, "of the beats of s_axis"),
		within("burst", float64(w.Burst), 1, 10000, "frames"),
		within("damaged", w.Damaged, 0, 0.5, "of the frames"),
		within("strangers", w.Strangers, 0, 10, "a frame"),
		within("backpressure", w.Backpressure, 0, 0.9, "of the clocks"),
		within("idle", w.Idle, 0, 0.9, "of the clocks"),
		w.Host.check(),
		w.checkQueues(),
	} {
		if p != nil {
			return p
		}
	}
	if n := w.Bytes(); n > mostTraffic {
		return &problem{field: "messages", why: fmt.Sprintf("%d messages of this mix are about %.0f MiB; they are held in "+
			"memory, and %d MiB is the most", w.Messages, n/(1<<20), mostTraffic>>20)}
	}
	return nil
}

func (w *Workload) checkQPs() *problem {
	if n := w.NumQPs; n < 4 || n > 65536 || n&(n-1) != 0 {
		return &problem{field: "num_qps", why: fmt.Sprintf("%d; it is a power of two from 4 to 65536", n)}
	}
	if w.QPs < 1 || w.QPs >= w.NumQPs {
		return &problem{field: "qps", why: fmt.Sprintf("%d; with num_qps %d it is 1 to %d: QP 0 is not used", w.QPs,
			w.NumQPs, w.NumQPs-1)}
	}
	return nil
}

func (w *Workload) checkMix() *problem {
	if len(w.Mix) == 0 {
		return &problem{field: "mix", why: "there is no kind of message, such as - {op: send, bytes: 64, share: 1}"}
	}
	shares := 0
	for i := range w.Mix {
		m, at := &w.Mix[i], fmt.Sprintf("mix[%d].", i)
		for _, p := range []*problem{oneOf(at+"op", m.Op, ops...), within(at+"bytes", float64(m.Bytes), 0, mostBytes,
			"bytes"), within(at+"share", float64(m.Share), 0, 1000, ""), oneOf(at+"ack", m.Ack, acks...)} {
			if p != nil {
				return p
			}
		}
		shares += m.Share
	}
	if shares == 0 {
		return &problem{field: "mix", why: "no kind of message has a share"}
	}
	return nil
}

func (h *Host) check() *problem {
	for _, p := range []*problem{
		within("host.pcie_read_ns", h.PCIeReadNs, 0, 1e6, "ns"),
		within("host.context_miss_ns", h.ContextMissNs, 0, 1e6, "ns"),
		within("host.context_entries", float64(h.ContextEntries), 0, 1<<20, "entries"),
		within("host.translation_miss_ns", h.TranslationMissNs, 0, 1e6, "ns"),
		within("host.read_ns", h.ReadNs, 0, 1e6, "ns"),
		within("host.write_ns", h.WriteNs, 0, 1e6, "ns"),
		within("host.translation_entries", float64(h.TranslationEntries), 0, 1<<20, "entries"),
	} {
		if p != nil {
			return p
		}
	}
	return nil
}

// checkQueues holds the names and depths of queues. A store that a frame does not fit into would never let it go.
func (w *Workload) checkQueues() *problem {
	sizes := timed.Queues()
	for _, name := range slices.Sorted(maps.Keys(w.Queues)) {
		size, ok := sizes[name]
		least := 1
		if size.Depth >= smallestStore {
			least = smallestStore
		}
		switch {
		case !ok:
			return &problem{field: "queues." + name, why: "there is no such queue; there are " +
				strings.Join(slices.Sorted(maps.Keys(sizes)), ", ")}
		case w.Queues[name]%least != 0:
			return &problem{field: "queues." + name, why: fmt.Sprintf("%d; a store is a multiple of %d bytes",
				w.Queues[name], least)}
		}
		if p := within("queues."+name, float64(w.Queues[name]), float64(least), 1<<20, ""); p != nil {
			return p
		}
	}
	return nil
}

func within(field string, v, least, most float64, unit string) *problem {
	if v >= least && v <= most {
		return nil
	}
	return &problem{field: field, why: strings.TrimSpace(fmt.Sprintf("%s; it is %s to %s %s", number(v),
		number(least), number(most), unit))}
}

func oneOf[T comparable](field string, v T, all ...T) *problem {
	if slices.Contains(all, v) {
		return nil
	}
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = fmt.Sprint(a)
	}
	return &problem{field: field, why: fmt.Sprintf("%v; it is one of %s", v, strings.Join(names, ", "))}
}

// number is a number without an exponent.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
