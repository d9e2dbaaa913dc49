// Command libhcacosim is the golden model as a C library, for benches in any simulator: `make predictor` builds it.
// hcacosim.h beside it is its header, hcacosim_pkg.sv its SystemVerilog package of DPI imports, docs/predictor.md says
// how to use them.
package main

// #include <stdint.h>
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"hcacosim/model/sim"
	"hcacosim/vectors/predictor"
)

func main() {} // a c-shared library has one and does not run it

// What the functions return where they do not return a number.
const (
	isWrong = 1  // what came is not what is due
	failed  = -1 // the call itself makes no sense: hcacosim_text says why
)

// session is a predictor that is open, with the text of its last complaint in memory of C.
type session struct {
	*predictor.Predictor
	text *C.char
}

var (
	lock     sync.Mutex
	sessions = map[C.int]*session{}
	nobody   session // its text is of calls without a predictor
	next     C.int
)

func (s *session) say(text string) {
	C.free(unsafe.Pointer(s.text))
	s.text = C.CString(text)
}

func (s *session) fail(err error) C.int {
	s.say(err.Error())
	return failed
}

// of finds a session; call it with the lock held.
func of(h C.int) (*session, bool) {
	s, ok := sessions[h]
	if !ok {
		nobody.say(fmt.Sprintf("no predictor %d is open", int(h)))
	}
	return s, ok
}

// null complains of a pointer.
func null(name string) error { return fmt.Errorf("%s is NULL", name) }

// recordOf is a record of C, its bytes where they lie. Its pointer may be NULL where it has none.
func recordOf(data *C.uint8_t, size C.uint32_t) ([]byte, error) {
	switch {
	case size > predictor.MaxRecordBytes:
		return nil, fmt.Errorf("a record of %d bytes; at most %d", uint32(size), predictor.MaxRecordBytes)
	case data == nil && size > 0:
		return nil, null("data")
	}
	return unsafe.Slice((*byte)(data), int(size)), nil
}

// parseSettings reads NAME=NUMBER, separated by commas.
func parseSettings(text string) (sim.Settings, error) {
	settings := sim.Settings{}
	for item := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		name, n, err := sim.ParseSetting(item)
		if err != nil {
			return nil, fmt.Errorf("setting %w", err)
		}
		settings[name] = n
	}
	return settings, nil
}

//export hcacosim_open
func hcacosim_open(stage, settings *C.char) C.int {
	lock.Lock()
	defer lock.Unlock()
	with, err := parseSettings(C.GoString(settings))
	if err != nil {
		return nobody.fail(err)
	}
	p, err := predictor.Open(C.GoString(stage), with)
	if err != nil {
		return nobody.fail(err)
	}
	next++
	sessions[next] = &session{Predictor: p}
	return next
}

//export hcacosim_port
func hcacosim_port(h C.int, name *C.char) C.int {
	lock.Lock()
	defer lock.Unlock()
	s, ok := of(h)
	if !ok {
		return failed
	}
	port, err := s.Port(C.GoString(name))
	if err != nil {
		return s.fail(err)
	}
	return C.int(port)
}

//export hcacosim_push
func hcacosim_push(h, port C.int, cycle C.uint64_t, user C.uint32_t, data *C.uint8_t, size C.uint32_t) C.int {
	lock.Lock()
	defer lock.Unlock()
	s, ok := of(h)
	if !ok {
		return failed
	}
	record, err := recordOf(data, size)
	if err != nil {
		return s.fail(err)
	}
	return push(h, port, cycle, user, record)
}

func push(h, port C.int, cycle C.uint64_t, user C.uint32_t, data []byte) C.int {
	s, ok := of(h)
	if !ok {
		return failed
	}
	at, err := s.PortAt(int(port))
	if err != nil {
		return s.fail(err)
	}
	if err := s.Push(at, uint64(cycle), uint32(user), data); err != nil {
		return s.fail(err)
	}
	return 0
}

//export hcacosim_expect
func hcacosim_expect(h, port C.int, user *C.uint32_t, data *C.uint8_t, size *C.uint32_t) C.int {
	lock.Lock()
	defer lock.Unlock()
	s, ok := of(h)
	switch {
	case !ok:
		return failed
	case user == nil:
		return s.fail(null("user"))
	case size == nil:
		return s.fail(null("size"))
	}
	room, err := recordOf(data, min(*size, predictor.MaxRecordBytes))
	if err != nil {
		return s.fail(err)
	}
	return expect(s, port, user, room, size)
}

// expect fills room and tells in *size how much of it counts, or would.
func expect(s *session, port C.int, user *C.uint32_t, room []byte, size *C.uint32_t) C.int {
	at, err := s.PortAt(int(port))
	if err != nil {
		return s.fail(err)
	}
	r, ok, err := s.Expect(at)
	if err != nil {
		return s.fail(err)
	}
	if !ok {
		return 0
	}
	*user, *size = C.uint32_t(r.User), C.uint32_t(len(r.Data))
	if len(r.Data) > len(room) {
		return s.fail(fmt.Errorf("a record of %d bytes, room for %d", len(r.Data), len(room)))
	}
	copy(room, r.Data)
	return 1
}

//export hcacosim_got
func hcacosim_got(h, port C.int, cycle C.uint64_t, user C.uint32_t, data *C.uint8_t, size C.uint32_t) C.int {
	lock.Lock()
	defer lock.Unlock()
	s, ok := of(h)
	if !ok {
		return failed
	}
	record, err := recordOf(data, size)
	if err != nil {
		return s.fail(err)
	}
	return got(h, port, cycle, user, record)
}

func got(h, port C.int, cycle C.uint64_t, user C.uint32_t, data []byte) C.int {
	s, ok := of(h)
	if !ok {
		return failed
	}
	at, err := s.PortAt(int(port))
	if err != nil {
		return s.fail(err)
	}
	wrong, err := s.Got(at, uint64(cycle), uint32(user), data)
	switch {
	case err != nil:
		return s.fail(err)
	case wrong != "":
		s.say(wrong)
		return isWrong
	}
	return 0
}

//export hcacosim_latest
func hcacosim_latest(h C.int) C.uint64_t {
	lock.Lock()
	defer lock.Unlock()
	if s, ok := of(h); ok {
		return C.uint64_t(s.Latest())
	}
	return 0
}

//export hcacosim_end
func hcacosim_end(h C.int) C.int {
	lock.Lock()
	defer lock.Unlock()
	s, ok := of(h)
	if !ok {
		return failed
	}
	s.say(strings.Join(s.End(), "\n"))
	const most = 1<<31 - 1
	return C.int(min(s.Wrong(), most))
}

//export hcacosim_close
func hcacosim_close(h C.int) C.int {
	lock.Lock()
	defer lock.Unlock()
	s, ok := of(h)
	if !ok {
		return failed
	}
	C.free(unsafe.Pointer(s.text))
	delete(sessions, h)
	return 0
}

//export hcacosim_text
func hcacosim_text(h C.int) *C.char {
	lock.Lock()
	defer lock.Unlock()
	s, ok := sessions[h]
	if !ok {
		s = &nobody
	}
	if s.text == nil {
		s.say("")
	}
	return s.text
}
