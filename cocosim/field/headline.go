package field

import "fmt"

// maxTroubles is how many lines a headline has below the first.
const maxTroubles = 6

// Headline is what an engineer would say about a capture, the most important first. The first line ends with the
// verdict: "no rule broken", or what was found.
func (o *Observer) Headline(verdict string) []string {
	troubles := o.Troubles()
	if o.Rest > 0 {
		verdict += fmt.Sprintf("; %d packets are of more than %d queue pairs at a time and were only counted", o.Rest,
			maxConns)
	}
	if len(troubles) == 0 {
		return []string{o.calm() + "; " + verdict}
	}
	lines := []string{troubles[0].Text + "; " + verdict}
	for i, t := range troubles[1:] {
		if i == maxTroubles {
			lines = append(lines, fmt.Sprintf("and %s more (--json has all)", fmt.Sprint(len(troubles)-1-i)))
			break
		}
		lines = append(lines, t.Text)
	}
	return lines
}

// calm is what is said where nothing stands out.
func (o *Observer) calm() string {
	var flows, requests, responses, bytes uint64
	o.each(func(c *Conn) {
		if c.Requests == 0 {
			return
		}
		flows, requests, responses, bytes = flows+1, requests+c.Requests, responses+c.Responses, bytes+c.Bytes
	})
	if requests == 0 {
		return fmt.Sprintf("no request among %s, %d of them RoCE or InfiniBand", plural(o.Frames, "frame"), o.RoCE)
	}
	responses += o.Unmatched
	text := fmt.Sprintf("nothing is sent again: %s to %s, %s", plural(requests, "request"), plural(flows, "queue pair"),
		plural(responses, "response"))
	if d := o.LastNS - o.FirstNS; d > 0 {
		text += fmt.Sprintf(", %.1f MB/s for %v", float64(bytes)*1e3/float64(d), span(d))
	}
	return text
}
