package swift

import "hcacosim/model/falcon/mode"

// Decides FAL-C14.

// Thresholds divide the occupancy of a pool into levels: level n begins at Thresholds[n-1].
type Thresholds [31]float64

// Level is the quantized level of an occupancy, 0 to 31 (FAL-C14).
func (t *Thresholds) Level(occupancy float64) uint8 {
	n := uint8(0)
	for int(n) < len(t) && occupancy >= t[n] {
		n++
	}
	return n
}

// Occupancy is the moving average of a pool's occupancy with weight 2^-Shift. The first sample is taken as it is, but
// with mode.OccupancyFromZero.
type Occupancy struct {
	Shift   uint8
	Average float64
	seeded  bool
}

// Sample counts an occupancy: packets or cells in use after a change (FAL-C14).
func (o *Occupancy) Sample(used float64, m *mode.Mode) {
	if !o.seeded && !m.OccupancyFromZero {
		o.Average, o.seeded = used, true
		return
	}
	o.seeded = true
	weight := 1 / float64(uint64(1)<<o.Shift)
	o.Average = float64(used*weight) + float64(o.Average*(1-weight))
}

// BufferLevel is what an ACK or NACK carries: the higher level of the two pools.
func BufferLevel(packets, buffers *Occupancy, packetT, bufferT *Thresholds) uint8 {
	return max(packetT.Level(packets.Average), bufferT.Level(buffers.Average))
}
