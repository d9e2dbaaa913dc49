package flow_test
import ("testing";"fmt";"hcacosim/model/roce";"hcacosim/model/wire")
func TestZZ(t *testing.T){
	path := capturePath(t, "rc_send_sizes.b")
	list := frames(t, path)
	opt := options(t, path, roce.Spec, false)
	fmt.Println(*opt.Sidecar.Stats.B, *opt.Sidecar.Env.DroppedB)
	odd := edit(list, 0, func(w *wire.Packet) { setAddress(w, 12) })
	all, r := verdicts(t, odd, opt)
	for i,v := range all { fmt.Println(i+1, v.Comment()) }
	for _,x := range r.Violations { fmt.Println(x.Packet, x.Certain(), x.Text, "EV", x.Evidence, r.Backward) }
}
