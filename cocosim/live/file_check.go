package live

import (
	"fmt"
	"os"

	"hcacosim/cocosim"
	"hcacosim/cocosim/field"
	"hcacosim/cocosim/loop"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// verbs are what a Post can ask for.
var verbs = map[string]roce.Verb{"send": roce.Send, "write": roce.Write, "read": roce.Read, "cmp_swap": roce.CmpSwap,
	"fetch_add": roce.FetchAdd}

// rights are what the peer can be given.
var rights = map[string]roce.Access{"write": roce.RemoteWrite, "read": roce.RemoteRead, "atomic": roce.RemoteAtomic}

// services are the transports of a QP.
var services = map[string]ib.Transport{"": ib.RC, "rc": ib.RC, "uc": ib.UC}

const (
	whenStart   = "start"
	whenReceive = "receive"
	whenClosed  = "closed"
	whenDone    = "done"
)

// maxRegion bounds what a region may ask of the machine.
const maxRegion = 1 << 30

// bad is an error at a path of the file.
func (f *File) bad(path, format string, args ...any) error {
	return fmt.Errorf("line %d: %s: %s", f.line(path), path, fmt.Sprintf(format, args...))
}

// check says what no session can be.
func (f *File) check() error {
	for _, step := range []func() error{f.checkEnds, f.checkRegions, f.checkQPs} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// fits says which session devices cannot be part of.
func (f *File) fits(h *loop.Halves) error {
	bad := func(path, format string, args ...any) error {
		return &cocosim.Error{Exit: cocosim.BadInput, What: f.bad(path, format, args...).Error()}
	}
	if h.Requester == nil {
		return nil
	}
	if f.Profile != "" && f.Profile != roce.Spec.Name {
		return bad("profile", "%s: hca_tx asks for ACKs as profile spec has it", f.Profile)
	}
	for i := range f.QPs {
		if services[f.QPs[i].Service] != ib.RC {
			return bad(fmt.Sprintf("qps.%d.service", i), "%s: hca_tx is RC's", f.QPs[i].Service)
		}
	}
	return nil
}

func (f *File) checkEnds() error {
	switch {
	case f.MAC == MAC{} || f.MAC[0]&1 != 0:
		return f.bad("mac", "an adapter needs a MAC of one station, as 02:00:00:00:00:0a")
	case !f.Address.IsValid():
		return f.bad("address", "an adapter needs an IPv4 or IPv6 address")
	case !f.Peer.Address.IsValid():
		return f.bad("peer.address", "who is at the other end? Give its IPv4 or IPv6 address")
	case f.Address.Is4() != f.Peer.Address.Is4():
		return f.bad("peer.address", "%s and our %s are not of one IP version", f.Peer.Address, f.Address)
	case f.Address == f.Peer.Address:
		return f.bad("peer.address", "%s is our own", f.Address)
	case len(f.PKeys) > roce.MaxPKeys:
		return f.bad("pkeys", "%d P_Keys: at most %d", len(f.PKeys), roce.MaxPKeys)
	case len(f.QPs) == 0:
		return f.bad("qps", "a session needs a queue pair")
	case f.End.When != "" && f.End.When != whenClosed && f.End.When != whenDone:
		return f.bad("end.when", "%q is not closed or done", f.End.When)
	case f.Loss.Percent < 0 || f.Loss.Percent > 50:
		return f.bad("loss.percent", "%v: 0 to 50", f.Loss.Percent)
	case f.End.QuietS < 0 || f.End.LimitS < 0 || f.End.AskS < 0:
		return f.bad("end", "seconds are not below 0")
	}
	if f.Profile != "" {
		if _, err := field.Profile(f.Profile); err != nil {
			return f.bad("profile", "%v", err)
		}
	}
	return nil
}

func (f *File) checkRegions() error {
	keys := map[uint32]bool{}
	for i := range f.Regions {
		r, at := &f.Regions[i], fmt.Sprintf("regions.%d", i)
		switch {
		case r.Bytes == 0 || r.Bytes > maxRegion:
			return f.bad(at+".bytes", "%d bytes: 1 to %d", r.Bytes, maxRegion)
		case r.Address+r.Bytes-1 < r.Address:
			return f.bad(at+".address", "it ends behind the last address")
		case r.Key == 0 && len(r.Access) > 0:
			return f.bad(at+".access", "without a key nobody can use it")
		case r.Key != 0 && keys[r.Key]:
			return f.bad(at+".key", "%Xh is another region's already", r.Key)
		}
		for k := range f.Regions[:i] {
			o := &f.Regions[k]
			if r.Address <= o.Address+o.Bytes-1 && o.Address <= r.Address+r.Bytes-1 {
				return f.bad(at+".address", "it overlaps regions.%d", k)
			}
		}
		if _, name, ok := access(r.Access); !ok {
			return f.bad(at+".access", "%q is not write, read or atomic", name)
		}
		if keys[r.Key] = r.Key != 0; r.Fill != "" {
			if err := fits(f.beside(r.Fill), r.Bytes); err != nil {
				return f.bad(at+".fill", "%v", err)
			}
		}
	}
	if delete(keys, 0); len(keys) > roce.MaxRegions {
		return f.bad("regions", "%d of them have a key: at most %d", len(keys), roce.MaxRegions)
	}
	return nil
}

// fits tells what is wrong with a file that shall go into memory.
func fits(path string, room uint64) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no plain file", path)
	case uint64(info.Size()) > room:
		return fmt.Errorf("%s has %d bytes, and there is room for %d", path, info.Size(), room)
	}
	return nil
}

// access is the sum of rights; not ok: of which the name is none.
func access(names []string) (all roce.Access, name string, ok bool) {
	for _, name := range names {
		if rights[name] == 0 {
			return 0, name, false
		}
		all |= rights[name]
	}
	return all, "", true
}

func (f *File) checkQPs() error {
	seen := map[uint32]bool{}
	for i := range f.QPs {
		q, at := &f.QPs[i], fmt.Sprintf("qps.%d", i)
		if seen[q.Number] {
			return f.bad(at+".number", "%Xh is there twice", q.Number)
		}
		seen[q.Number] = true
		if err := f.checkQP(q, at); err != nil {
			return err
		}
		for k := range q.Posts {
			if err := f.checkPost(&q.Posts[k], fmt.Sprintf("%s.posts.%d", at, k)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *File) checkQP(q *QP, at string) error {
	_, isService := services[q.Service]
	_, name, isAccess := access(q.Access)
	switch {
	case q.Number < 2 || q.Number >= 1<<24:
		return f.bad(at+".number", "%Xh: 2 to FFFFFFh", q.Number)
	case q.Peer < 2 || q.Peer >= 1<<24:
		return f.bad(at+".peer", "the peer's QP %Xh: 2 to FFFFFFh", q.Peer)
	case !isService:
		return f.bad(at+".service", "%q is not rc or uc", q.Service)
	case !ib.ValidPMTU(int(q.PMTU)):
		return f.bad(at+".pmtu", "path MTU %d: 256, 512, 1024, 2048 or 4096", q.PMTU)
	case q.SendPSN >= 1<<24:
		return f.bad(at+".send_psn", "%Xh is wider than 24 bits", q.SendPSN)
	case q.ReceivePSN >= 1<<24:
		return f.bad(at+".receive_psn", "%Xh is wider than 24 bits", q.ReceivePSN)
	case q.Timeout > 31:
		return f.bad(at+".timeout", "%d: a code of 0 to 31", q.Timeout)
	case q.RNRTimer > 31:
		return f.bad(at+".rnr_timer", "%d: a code of 0 to 31", q.RNRTimer)
	case q.Retries > 7 || q.RNRRetries > 7:
		return f.bad(at+".retries", "retries and rnr_retries are 0 to 7")
	case q.Reads > roce.MaxKept:
		return f.bad(at+".reads", "%d: 0 to %d", q.Reads, roce.MaxKept)
	case q.Window > psn.Half:
		return f.bad(at+".window", "%d packets: 0 to %d", q.Window, psn.Half)
	case !isAccess:
		return f.bad(at+".access", "%q is not write, read or atomic", name)
	case q.Receives.Count < 0 || q.Receives.Count > roce.MaxReceives:
		return f.bad(at+".receives.count", "%d: 0 to %d", q.Receives.Count, roce.MaxReceives)
	case q.Receives.Expect > 0 && q.Receives.Count == 0:
		return f.bad(at+".receives.expect", "without receive WQEs no SEND comes in")
	case q.Receives.Bytes > ib.MaxMessage:
		return f.bad(at+".receives.bytes", "%d: no message has more than %d", q.Receives.Bytes, ib.MaxMessage)
	case q.Receives.Into != nil && !f.holds(*q.Receives.Into, uint64(q.Receives.Count)*uint64(q.Receives.Bytes)):
		return f.bad(at+".receives.into", "no region has the %d buffers of %d bytes at %Xh", q.Receives.Count,
			q.Receives.Bytes, *q.Receives.Into)
	}
	return nil
}

// holds reports whether one region has so many bytes at an address.
func (f *File) holds(va, length uint64) bool {
	for i := range f.Regions {
		r := &f.Regions[i]
		if va >= r.Address && va-r.Address <= r.Bytes && length <= r.Bytes-(va-r.Address) {
			return true
		}
	}
	return false
}

// maxCount bounds how often a Post repeats.
const maxCount = 1 << 32

func (f *File) checkPost(p *Post, at string) error {
	verb, known := verbs[p.Verb]
	length := uint64(p.Bytes)
	if verb.Atomic() {
		length = 8
	}
	switch {
	case !known:
		return f.bad(at+".verb", "%q is not send, write, read, fetch_add or cmp_swap", p.Verb)
	case p.When != "" && p.When != whenStart && p.When != whenReceive:
		return f.bad(at+".when", "%q is not start or receive", p.When)
	case p.After > 0 && p.When != whenReceive:
		return f.bad(at+".after", "it counts SENDs that came in: say when: receive")
	case p.Count > maxCount || p.Step > maxRegion:
		return f.bad(at+".count", "count is up to %d, step up to %d", uint64(maxCount), maxRegion)
	case p.Bytes > ib.MaxMessage:
		return f.bad(at+".bytes", "%d: no message has more than %d", p.Bytes, ib.MaxMessage)
	case verb.Atomic() && p.Bytes != 0 && p.Bytes != 8:
		return f.bad(at+".bytes", "an atomic has 8")
	case verb.Atomic() && (p.Remote%8 != 0 || p.Step%8 != 0):
		return f.bad(at+".remote", "an atomic's address is a multiple of 8")
	case p.Imm != nil && verb != roce.Send && verb != roce.Write:
		return f.bad(at+".imm", "only send and write carry immediate data")
	}
	last := (max(1, p.Count) - 1) * p.Step
	if length > 0 && (last > maxRegion || !f.holds(p.Local, last+length)) {
		return f.bad(at+".local", "no region has all of %Xh to %Xh", p.Local, p.Local+last+length-1)
	}
	if verb == roce.Send && (p.Key != 0 || p.Remote != 0) {
		return f.bad(at+".key", "a SEND names no remote memory")
	}
	return nil
}
