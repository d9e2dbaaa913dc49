package flow_test

import (
	"fmt"
	"hcacosim/cocosim/flow"
	"hcacosim/model/roce"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func TestZZ(t *testing.T) {
	a := strings.Split(os.Getenv("ZZ"), ",") // file, profile, side, imperfection
	path := capturePath(t, a[0])
	list := frames(t, path)
	p := map[string]roce.Profile{"spec": roce.Spec, "rxe": roce.Rxe, "qib": roce.Qib}[a[1]]
	vs := vantages(t, path, p)
	var opt flow.Options
	for _, v := range vs {
		if strings.HasSuffix(v.name, a[2]) {
			opt = v.opt
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for try := 0; try < 3000; try++ {
		l := list
		if len(a) > 3 {
			for _, x := range imperfections {
				if x.name == strings.Join(a[3:], ",") {
					l = x.do(rng, list)
				}
			}
		}
		l = numbered(append(list[:0:0], l...))
		o := rescanned(t, opt, l)
		all, r := verdicts(t, l, o)
		if r.Certain == 0 && len(a) > 3 {
			continue
		}
		for i, v := range all {
			var w wirePacket
			fmt.Println(i+1, l[i].TimeNS%1e9/1000, show(&l[i], &w), v.Comment())
		}
		for _, x := range r.Violations {
			fmt.Println("FIND", x.Packet, x.Certain(), x.Rule, x.Text, "EV", x.Evidence, "FOLDED", x.Folded)
		}
		return
	}
}
func TestZW(t *testing.T) {
	o := options(t, capturePath(t, "rc_atomic_dup30.a"), roce.Spec, false)
	fmt.Println(*o.Sidecar.Stats.A, len(frames(t, capturePath(t, "rc_atomic_dup30.a"))))
}
