package loop

import (
	"fmt"
	"math"

	"hcacosim/model/link"
	"hcacosim/model/roce"
)

const (
	retryCount = 7
	// neverBelow is the expected number of messages whose retries the link uses up, below which one is no accident.
	neverBelow = 1e-6
)

// wearsOut returns the share of attempts that fail on a link, a request or its answer lost or damaged, and whether it
// can use up the retries (TMR-3) of one of so many messages.
func wearsOut(l *link.Config, messages uint64) (share float64, can bool) {
	whole := (1 - l.Loss) * (1 - l.Corrupt)
	share = 1 - whole*whole
	return share, float64(messages)*math.Pow(share, 1+retryCount) >= neverBelow
}

// wornBy says that queue pairs ended in error as the link may have it, or a transport timer of so many ns, all of whose
// expiries fall into one round trip, and nothing else is wrong. What they had left is judged by nobody. "" is anything
// else.
func (o *Outcome) wornBy(l *link.Config, timerNs, roundTripNs uint64) string {
	messages, ended := uint64(0), uint64(0)
	for i := range o.Ends {
		e := &o.Ends[i]
		messages += e.Messages + 1
		ended += e.Failed[roce.RetryExceeded.String()]
		for status := range e.Failed {
			if status != roce.RetryExceeded.String() && status != roce.Flushed.String() {
				return ""
			}
		}
	}
	hangs := o.Result.Stuck != "" && !o.Result.Cut
	if ended == 0 || o.Wrongs != o.Dead || o.Judged[0].Certain+o.Judged[1].Certain > 0 || hangs {
		return ""
	}
	why := fmt.Sprintf("a timer of %d us runs out %d times in a round trip with full windows, %d us", timerNs/1000,
		1+retryCount, roundTripNs/1000)
	if share, can := wearsOut(l, messages); can {
		why = fmt.Sprintf("on this link %.0f %% of the attempts fail", 100*share)
	} else if (1+retryCount)*timerNs >= roundTripNs {
		return ""
	}
	return fmt.Sprintf("%s, so %d retries can run out: what these queue pairs had left is not judged", why, retryCount)
}
