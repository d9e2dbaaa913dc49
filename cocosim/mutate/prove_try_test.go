package mutate

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"hcacosim/cocosim/manifest"
)

func TestTry(t *testing.T) {
	m, err := manifest.Find(os.Getenv("DUT"))
	if err != nil {
		t.Fatal(err)
	}
	var params map[string]int
	for _, s := range m.Sizes {
		params = s
		break
	}
	r, _ := m.Resolve(params)
	d, err := Read(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range strings.Split(os.Getenv("IDS"), ",") {
		n, _ := strconv.Atoi(id)
		x := d.Mutants[n-1]
		began := time.Now()
		p, err := d.Prove(context.Background(), x, ProofOptions{Params: params, Timeout: 300 * time.Second, Depth: 20})
		t.Log(x.ID, x.Operator, x.Old, "->", x.New, ":", p, err, time.Since(began))
	}
}
