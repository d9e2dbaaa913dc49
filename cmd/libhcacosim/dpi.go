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
	if !isRecord(h, port, data, bits) {
		return failed
	}
	return push(h, port, cycle, 0, bytesOf(data, int(bits+7)/8))
}

//export hcacosim_got_bits
func hcacosim_got_bits(h, port C.int, cycle C.uint64_t, data *C.uint32_t, bits C.int) C.int {
	lock.Lock()
	defer lock.Unlock()
	if !isRecord(h, port, data, bits) {
		return failed
	}
	return got(h, port, cycle, 0, bytesOf(data, int(bits+7)/8))
}

// isRecord reports whether a vector is as wide as a record of the port; it complains if not.
func isRecord(h, port C.int, data *C.uint32_t, bits C.int) bool {
	if !isVector(h, data, bits) {
		return false
	}
	s := sessions[h]
	at, err := s.PortAt(int(port))
	if err == nil {
		err = s.CheckBits(at, int(bits))
	}
	if err != nil {
		s.fail(err)
	}
	return err == nil
}

// isVector reports whether there are so many bits, and they fit into a vector; it complains if not.
func isVector(h C.int, data *C.uint32_t, bits C.int) bool {
	s, ok := of(h)
	switch {
	case !ok:
		return false
	case bits <= 0 || bits > vectorBits:
		s.say(fmt.Sprintf("%d bits do not fit into a vector of %d", int(bits), vectorBits))
	case data == nil:
		s.fail(null("data"))
	default:
		return true
	}
	return false
}

//export hcacosim_expect_bits
func hcacosim_expect_bits(h, port C.int, data *C.uint32_t, bytes *C.int, user *C.uint32_t) C.int {
	lock.Lock()
	defer lock.Unlock()
	s, ok := of(h)
	switch {
	case !ok:
		return failed
	case data == nil:
		return s.fail(null("data"))
	case bytes == nil:
		return s.fail(null("bytes"))
	case user == nil:
		return s.fail(null("user"))
	}
	size := C.uint32_t(vectorBits / 8)
	room := bytesOf(data, vectorBits/8)
	clear(room)
	code := expect(s, port, user, room, &size)
	*bytes = C.int(size)
	return code
}

//export hcacosim_push_beat
func hcacosim_push_beat(h, port C.int, cycle C.uint64_t, data, keep *C.uint32_t, bytes, last C.int,
	user C.uint32_t) C.int {
	lock.Lock()
	defer lock.Unlock()
	record, whole, code := beat(h, port, true, data, keep, bytes, last)
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
	record, whole, code := beat(h, port, false, data, keep, bytes, last)
	if !whole {
		return code
	}
	return got(h, port, cycle, user, record)
}

// beat adds a beat to the record that goes over a port.
func beat(h, port C.int, input bool, data, keep *C.uint32_t, bytes, last C.int) (record []byte, whole bool,
	code C.int) {
	s, ok := of(h)
	switch {
	case !ok:
		return nil, false, failed
	case bytes <= 0 || bytes > vectorBits/8:
		return nil, false, s.fail(fmt.Errorf("a beat of %d bytes does not fit into a vector of %d bits", int(bytes),
			vectorBits))
	case data == nil:
		return nil, false, s.fail(null("data"))
	case keep == nil:
		return nil, false, s.fail(null("keep"))
	}
	at, err := s.PortAt(int(port))
	if err != nil {
		return nil, false, s.fail(err)
	}
	mask := unsafe.Slice((*uint32)(keep), int(bytes+31)/32)
	record, whole, err = s.Beat(at, input, bytesOf(data, int(bytes)), mask, last != 0)
	if err != nil {
		return nil, false, s.fail(err)
	}
	return record, whole, 0
}

func bytesOf(words *C.uint32_t, n int) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(words)), n) }
