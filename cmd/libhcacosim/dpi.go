package main

// #include <stdint.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// Bit vectors of SystemVerilog come as words of 32 bits, the low one first, so that their bytes in memory are the bytes
// of a record or a beat in order: on a machine whose low byte comes first, which all are that simulators run on.

// vectorBits is the width of the vectors of hcacosim_pkg.sv.
const vectorBits = 4096

//export hcacosim_push_bits
func hcacosim_push_bits(h, port C.int, cycle C.uint64_t, data *C.uint32_t, bits C.int) C.int {
	lock.Lock()
	defer lock.Unlock()
	if !isVector(h, bits) {
		return failed
	}
	return push(h, port, cycle, 0, bytesOf(data, int(bits+7)/8))
}

//export hcacosim_got_bits
func hcacosim_got_bits(h, port C.int, cycle C.uint64_t, data *C.uint32_t, bits C.int) C.int {
	lock.Lock()
	defer lock.Unlock()
	if !isVector(h, bits) {
		return failed
	}
	return got(h, port, cycle, 0, bytesOf(data, int(bits+7)/8))
}

// isVector reports whether so many bits fit into a vector, and complains if not.
func isVector(h, bits C.int) bool {
	s, ok := of(h)
	if !ok {
		return false
	}
	fits := 0 < bits && bits <= vectorBits
	if !fits {
		s.say(fmt.Sprintf("%d bits do not fit into a vector of %d", int(bits), vectorBits))
	}
	return fits
}

//export hcacosim_expect_bits
func hcacosim_expect_bits(h, port C.int, data *C.uint32_t, bytes *C.int, user *C.uint32_t) C.int {
	lock.Lock()
	defer lock.Unlock()
	size := C.uint32_t(vectorBits / 8)
	room := bytesOf(data, vectorBits/8)
	clear(room)
	code := expect(h, port, user, room, &size)
	*bytes = C.int(size)
	return code
}

//export hcacosim_push_beat
func hcacosim_push_beat(h, port C.int, cycle C.uint64_t, data, keep *C.uint32_t, bytes, last C.int,
	user C.uint32_t) C.int {
	lock.Lock()
	defer lock.Unlock()
	record, whole, code := beat(h, port, data, keep, bytes, last)
	if !whole {
		return code
	}
	return push(h, port, cycle, user, record)
}

//export hcacosim_got_beat
func hcacosim_got_beat(h, port C.int, cycle C.uint64_t, data, keep *C.uint32_t, bytes, last C.int,
	user C.uint32_t) C.int {
	lock.Lock()
	defer lock.Unlock()
	record, whole, code := beat(h, port, data, keep, bytes, last)
	if !whole {
		return code
	}
	return got(h, port, cycle, user, record)
}

// beat adds a beat to the record that goes over a port.
func beat(h, port C.int, data, keep *C.uint32_t, bytes, last C.int) (record []byte, whole bool, code C.int) {
	if !isVector(h, 8*bytes) {
		return nil, false, failed
	}
	s := sessions[h]
	mask := unsafe.Slice((*uint32)(keep), int(bytes+31)/32)
	record, whole, err := s.Beat(portOf(port), bytesOf(data, int(bytes)), mask, last != 0)
	if err != nil {
		return nil, false, s.fail(err)
	}
	return record, whole, 0
}

func bytesOf(words *C.uint32_t, n int) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(words)), n) }
