package verilated

import (
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// sharedMemory is mapped by both ends: slots for payloads in each direction, so that only references to them pass the
// socket. Every slot has a state, a cache line each, in a page in front: 0 free, 1 taken. The sender takes, the
// receiver frees. A payload that finds no free slot, or that is larger than one, travels in its frame. A nil one has no
// slots.
type sharedMemory struct {
	file *os.File
	b    []byte
}

const (
	slotBytes   = 256 << 10
	slots       = 8 // in each direction: 0 to 7 to the simulator, 8 to 15 from it
	stateBytes  = 4096
	sharedBytes = stateBytes + 2*slots*slotBytes
)

// newSharedMemory returns nil where the system has none to give; the bridge works without.
func newSharedMemory() *sharedMemory {
	f, err := memoryFile()
	if err != nil {
		return nil
	}
	if err = f.Truncate(sharedBytes); err == nil {
		var b []byte
		if b, err = syscall.Mmap(int(f.Fd()), 0, sharedBytes, syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_SHARED); err == nil {
			return &sharedMemory{file: f, b: b}
		}
	}
	f.Close()
	return nil
}

func (m *sharedMemory) close() {
	if m != nil && m.b != nil {
		m.file.Close()
		syscall.Munmap(m.b)
		m.b = nil
	}
}

// state is aligned: the mapping begins on a page.
func (m *sharedMemory) state(slot int) *uint32 {
	return (*uint32)(unsafe.Pointer(&m.b[64*slot]))
}

func (m *sharedMemory) slot(i int) []byte {
	at := stateBytes + i*slotBytes
	return m.b[at : at+slotBytes : at+slotBytes]
}

// take finds a free slot to the simulator, the lowest: few slots, used again while they are in the caches. use takes
// it.
func (m *sharedMemory) take() (b []byte, slot int, ok bool) {
	for slot := 0; m != nil && slot < slots; slot++ {
		if atomic.LoadUint32(m.state(slot)) == 0 {
			return m.slot(slot)[:0], slot, true
		}
	}
	return nil, 0, false
}

func (m *sharedMemory) use(slot int) { atomic.StoreUint32(m.state(slot), 1) }

// has reports whether a reference lies in a slot from the simulator.
func (m *sharedMemory) has(slot, length uint32) bool {
	return m != nil && slot >= slots && slot < 2*slots && length <= slotBytes
}

// copyOut copies from a slot and frees it.
func (m *sharedMemory) copyOut(to []byte, slot uint32) {
	copy(to, m.slot(int(slot)))
	atomic.StoreUint32(m.state(int(slot)), 0)
}
