// The connection to the other end: its socket, the memory that both map, and how payloads are read and written.
#ifndef HCA_CONNECTION_H_
#define HCA_CONNECTION_H_

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "hca_frames.h"
#include "hca_ports.h"

namespace hca {

// The other end is gone: there is nobody left to tell.
struct Gone {};

constexpr int kExitGone = 3;  // the exit status then

// How often this process was asked to end, or found the other end gone.
inline volatile sig_atomic_t& stop_asked() {
  static volatile sig_atomic_t n = 0;
  return n;
}

class Connection {
 public:
  explicit Connection(int fd) : fd_(fd) {}

  void read(void* to, size_t n) {
    auto* at = static_cast<uint8_t*>(to);
    while (n > 0) {
      const ssize_t got = ::read(fd_, at, n);
      if (got < 0 && errno == EINTR && stop_asked() == 0) continue;
      if (got <= 0) throw Gone{};
      at += got;
      n -= static_cast<size_t>(got);
    }
  }
  void write(const void* from, size_t n) {
    auto* at = static_cast<const uint8_t*>(from);
    while (n > 0) {
      const ssize_t put = ::write(fd_, at, n);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) throw Gone{};
      at += put;
      n -= static_cast<size_t>(put);
    }
  }
  // Stamps a header in front of a payload that has room for it, so that one write sends both.
  void stamp(uint8_t* frame, Frame type, size_t payload, uint8_t flags = 0) {
    const FrameHeader h{kMagic, static_cast<uint8_t>(type), flags, 0, sent_++, static_cast<uint32_t>(payload)};
    memcpy(frame, &h, sizeof h);
  }
  uint32_t next_received() { return received_++; }

 private:
  int fd_;
  uint32_t sent_ = 0, received_ = 0;
};

// Memory that both ends map: slots for payloads in each direction, so that only references to them pass the socket. A
// page of states comes first, a cache line each: 0 free, 1 taken. The sender takes, the receiver frees. A payload that
// finds no free slot, or that is larger than one, travels in its frame as it would without shared memory.
class SharedMemory {
 public:
  static constexpr uint32_t kSlots = 8;  // per direction: 0 to 7 to the simulator, 8 to 15 from it
  static constexpr size_t kSlotBytes = 256u << 10, kStateBytes = 4096, kBytes = kStateBytes + 2 * kSlots * kSlotBytes;

  ~SharedMemory() {
    if (base_ != nullptr) munmap(base_, kBytes);
  }
  bool map(int fd) {
    struct stat st;
    if (fstat(fd, &st) != 0 || static_cast<size_t>(st.st_size) != kBytes) return false;
    void* p = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) return false;
    base_ = static_cast<uint8_t*>(p);
    return true;
  }
  bool mapped() const { return base_ != nullptr; }
  uint8_t* slot(uint32_t i) { return base_ + kStateBytes + i * kSlotBytes; }
  uint32_t* state(uint32_t i) { return reinterpret_cast<uint32_t*>(base_ + 64 * size_t{i}); }

  // A free slot from the simulator, the lowest: few slots, used again while they are in the caches. nullptr if there is
  // none.
  uint8_t* take(uint32_t& taken) {
    for (taken = kSlots; base_ != nullptr && taken < 2 * kSlots; taken++)
      if (__atomic_load_n(state(taken), __ATOMIC_ACQUIRE) == 0) {
        __atomic_store_n(state(taken), 1, __ATOMIC_RELAXED);
        return slot(taken);
      }
    return nullptr;
  }
  void free(uint32_t* taken) { __atomic_store_n(taken, 0, __ATOMIC_RELEASE); }

 private:
  uint8_t* base_ = nullptr;
};

inline uint64_t clock_ms(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000 + static_cast<uint64_t>(t.tv_nsec) / 1000000;
}
inline uint64_t now_ms() { return clock_ms(CLOCK_MONOTONIC); }
inline uint64_t used_ms() { return clock_ms(CLOCK_PROCESS_CPUTIME_ID); }

// What a simulator's hooks (a failed assertion, $stop, $finish, a fatal error) report to, whoever is running.
class Listener {
 public:
  virtual void assertion_failed(const std::string& text) = 0;
  virtual void stopped(const std::string& text) = 0;
  virtual void finished(const std::string& text) = 0;
  virtual bool printed(const std::string& line) = 0;  // false: nobody takes it
  [[noreturn]] virtual void fatal(const std::string& text) = 0;

 protected:
  ~Listener() = default;
};

inline Listener*& listener() {
  static Listener* l = nullptr;
  return l;
}

// Reads a payload piece by piece; after a piece that is not there, ok is false.
struct Cursor {
  const uint8_t *at, *end;
  bool ok = true;

  template <class T>
  T get() {
    T value{};
    if (static_cast<size_t>(end - at) < sizeof value) {
      ok = false;
      at = end;
      return value;
    }
    memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::string text() {
    const size_t n = std::min<size_t>(get<uint16_t>(), static_cast<size_t>(end - at));
    const std::string s(reinterpret_cast<const char*>(at), n);
    at += n;
    return s;
  }
};

template <class T>
void append(std::vector<uint8_t>& to, const T& value) {
  const auto* p = reinterpret_cast<const uint8_t*>(&value);
  to.insert(to.end(), p, p + sizeof value);
}
inline void append_text(std::vector<uint8_t>& to, const char* text) {
  const size_t n = std::min<size_t>(strlen(text), 0xffff);
  append(to, static_cast<uint16_t>(n));
  to.insert(to.end(), text, text + n);
}

}  // namespace hca

#endif  // HCA_CONNECTION_H_
