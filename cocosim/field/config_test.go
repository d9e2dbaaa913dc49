package field

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func written(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// The JSON of `rdma -jd resource show qp` tells the connection that the capture shows, among others that it does not.
func TestConfigFromResources(t *testing.T) {
	captured := filepath.Join(captureDir(t), "rc_mix_loss10_both.a.pcap")
	list := `[{"ifindex":3,"ifname":"rxe0","port":1,"lqpn":1,"type":"GSI","state":"RTS","sq-psn":0,"comm":"ib_core"},
		{"ifindex":3,"ifname":"rxe0","port":1,"lqpn":%s,"rqpn":48,"type":"RC","state":"RTS","rq-psn":2097152,"sq-psn":1048576,"pid":77}]`
	at := ""
	s, err := ReadConfig(written(t, "qp.json", replace(list, "48")), captured, &at)
	require.NoError(t, err)
	require.Equal(t, "RC", s.QPType)
	require.EqualValues(t, 256, s.PathMTU)
	require.EqualValues(t, 1048576, s.A.SQPSN)
	require.EqualValues(t, 1048576, s.B.RQPSN)
	require.EqualValues(t, 48, s.A.QPN)
	require.Equal(t, "A", at)
	_, err = ReadConfig(written(t, "qp.json", replace(list, "49")), captured, &at)
	require.ErrorContains(t, err, "none of its 2 queue pairs is one that the capture shows")
}

func replace(text, lqpn string) string {
	out := ""
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && text[i+1] == 's' {
			out += lqpn
			i++
			continue
		}
		out += string(text[i])
	}
	return out
}

const perftest = `---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : mlx5_0
 Number of qps   : 1		Transport type : IB
 Connection type : RC		Using SRQ      : OFF
 CQ Moderation   : 100
 Mtu             : 1024[B]
 Link type       : Ethernet
---------------------------------------------------------------------------------------
 local address: LID 0000 QPN 0x0119 PSN 0x2b8b47 RKey 0x181f00 VAddr 0x007f0e2c9f5000
 GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:01:00:01
 remote address: LID 0000 QPN 0x011a PSN 0x5f3a1c RKey 0x182000 VAddr 0x007f4b8d3a1000
 GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:01:00:02
---------------------------------------------------------------------------------------
`

func TestConfigFromPerftest(t *testing.T) {
	at := ""
	s, err := ReadConfig(written(t, "p.txt", perftest), "x.pcap", &at)
	require.NoError(t, err)
	require.EqualValues(t, 1024, s.PathMTU)
	require.Equal(t, "10.1.0.1", s.A.IP)
	require.Equal(t, "10.1.0.2", s.B.IP)
	require.EqualValues(t, 0x119, s.A.QPN)
	require.EqualValues(t, 0x2b8b47, s.A.SQPSN)
	require.EqualValues(t, 0x5f3a1c, s.A.RQPSN)
	require.EqualValues(t, 0x2b8b47, s.B.RQPSN)
	require.Equal(t, "A", at)
	_, err = ReadConfig(written(t, "p.txt", " local address: LID 0 QPN 0x1 PSN 0x2\n"), "x.pcap", &at)
	require.ErrorContains(t, err, "remote address")
}

// A misspelt key is not taken for an absent one.
func TestConfigKeys(t *testing.T) {
	ends := `"A": {"ip": "10.1.0.1", %s"qpn": 48}, "B": {"ip": "10.1.0.2", "qpn": 48}`
	at := ""
	_, err := ReadConfig(written(t, "c.json", `{"qp_type":"RC","path_mtu":256,`+replace(ends, "")+`}`), "x.pcap", &at)
	require.NoError(t, err)
	_, err = ReadConfig(written(t, "c.json", `{"qp_type":"RC","path_mtuu":256,`+replace(ends, "")+`}`), "x.pcap", &at)
	require.ErrorContains(t, err, `unknown key "path_mtuu" (did you mean path_mtu?)`)
	_, err = ReadConfig(written(t, "c.json", `{"qp_type":"RC","path_mtu":256,`+replace(ends, `"sqpsn": 5, `)+`}`),
		"x.pcap", &at)
	require.ErrorContains(t, err, `unknown key "A.sqpsn" (did you mean A.sq_psn?)`)
}

// Every sidecar of the shared captures passes as --config.
func TestSidecarsAreConfigs(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(captureDir(t), "*.json"))
	require.NoError(t, err)
	for _, path := range paths {
		at := ""
		_, err := ReadConfig(path, "x.pcap", &at)
		require.NoError(t, err)
	}
}

// Counters are read as the tools print them, two files as what they rose by.
func TestReadCounters(t *testing.T) {
	before := written(t, "before", "link rxe0/1 sent_pkts 100 rcvd_pkts 50 duplicate_request 0\n")
	after := written(t, "after", "link rxe0/1 sent_pkts 1344 rcvd_pkts 171 duplicate_request 3\n")
	m, err := ReadCounters([]string{before, after})
	require.NoError(t, err)
	require.Equal(t, map[string]uint64{"sent_pkts": 1244, "rcvd_pkts": 121, "duplicate_request": 3}, m)
	m, err = ReadCounters([]string{written(t, "j",
		`[{"ifindex":3,"ifname":"rxe0","port":1,"sent_pkts":7,"rcvd_pkts":8}]`)})
	require.NoError(t, err)
	require.Equal(t, map[string]uint64{"sent_pkts": 7, "rcvd_pkts": 8}, m)
	m, err = ReadCounters([]string{written(t, "two",
		`[{"ifname":"rxe0","port":1,"sent_pkts":7,"rcvd_pkts":8},{"ifname":"rxe1","port":1,"sent_pkts":5,"rcvd_pkts":1}]`)})
	require.NoError(t, err)
	require.Equal(t, map[string]uint64{"sent_pkts": 12, "rcvd_pkts": 9}, m, "of two devices")
	m, err = ReadCounters([]string{written(t, "e",
		"NIC statistics:\n     out_of_sequence: 12\n     np_cnp_sent: 0\n     rx_write_requests: 99\n")})
	require.NoError(t, err)
	require.Equal(t, map[string]uint64{"out_of_sequence": 12, "np_cnp_sent": 0, "rx_write_requests": 99}, m)
	_, err = ReadCounters([]string{written(t, "n", "nothing\n")})
	require.ErrorContains(t, err, "no counters in it")

	h := &Host{Sent: 1244, Received: 120, Duplicates: 3}
	var remarks []string
	for _, c := range h.Compare(map[string]uint64{"sent_pkts": 1244, "rcvd_pkts": 121, "completer_retry_err": 4}) {
		remarks = append(remarks, c.Name+": "+c.Remark)
	}
	require.Equal(t, []string{"sent_pkts: equal",
		"rcvd_pkts: 1 more than the capture shows: frames that it lost, other queue pairs, or other times; " + inFlight,
		"completer_retry_err: " + overlapping}, remarks)
}

// Percentiles of many values come from a histogram whose bars are a sixteenth wide.
func TestQuantiles(t *testing.T) {
	var q Quantiles
	for i := int64(1); i <= 4000; i++ {
		q.add(i * 1000)
	}
	require.EqualValues(t, 2000_000, q.At(0.5))
	for i := int64(4001); i <= 100_000; i++ {
		q.add(i * 1000)
	}
	require.EqualValues(t, 100_000, q.Count)
	require.InEpsilon(t, 50_000_000, q.At(0.5), 1./16)
	require.InEpsilon(t, 99_000_000, q.At(0.99), 1./16)
	require.EqualValues(t, 1000, q.At(0))
	require.EqualValues(t, 100_000_000, q.Most)
	for ns := int64(0); ns < 1<<40; ns += 1 + ns/7 {
		b := bar(ns)
		require.LessOrEqual(t, barStart(b), ns)
		require.Greater(t, barStart(b+1), ns)
	}
}
