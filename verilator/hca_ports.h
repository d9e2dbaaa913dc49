// Ports of a session: their pins, and what is under way on them.
#ifndef HCA_PORTS_H_
#define HCA_PORTS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "hca_draws.h"
#include "hca_frames.h"

namespace hca {

// A received RUN frame; it lives until its last record has been driven.
struct Batch {
  std::unique_ptr<uint8_t[]> bytes;
  size_t capacity = 0;
  size_t live = 0;  // records that are queued, and one for those that are not yet
  uint32_t* shared = nullptr;  // the state of the slot of shared memory that the records lie in, if they do
};

struct Queued {
  const RecordHeader* header;
  Batch* batch;
};

// What is left of a received frame.
struct Unread {
  const uint8_t *at, *end;
  Batch* batch;
};

// First in, first out, in one vector that is emptied rather than shifted.
template <class T>
class Queue {
 public:
  bool empty() const { return head_ == items_.size(); }
  T& front() { return items_[head_]; }
  void push(T item) { items_.push_back(item); }
  void clear() {
    items_.clear();
    head_ = 0;
  }
  void pop() {
    if (++head_ == items_.size()) {
      items_.clear();
      head_ = 0;
    } else if (head_ >= 4096 && head_ * 2 >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<ptrdiff_t>(head_));
      head_ = 0;
    }
  }

 private:
  std::vector<T> items_;
  size_t head_ = 0;
};

template <class Pins>
struct Source {
  Pins pins;
  Queue<Queued> queue;      // its front stays until its last beat is accepted
  bool presenting = false;  // valid is high; it stays until ready
  bool stale = false;       // the pins still carry a beat that was accepted
  uint32_t done = 0;        // bytes of the front record that were accepted
  uint32_t beat = 0;        // bytes of the beat being presented
  uint64_t start = 0;       // cycle in which the first beat was accepted
  uint64_t waited = 0;      // cycles that the beat has been offered in vain
  uint64_t longest = 0;     // the most that a beat of the front record was
  uint64_t waits = 0, beats = 0;  // since the reset: cycles offered in vain, beats taken
  uint64_t key = 0;
  Shape shape;
};

// A line behind an output: behind the first beat of a record no other begins before this one has passed it.
struct Line {
  uint64_t cost = 0, overhead = 0;  // as in ResetLine; cost 0: no line
  uint64_t free = 0;                // from when on, in cycles times 2^kLineShift

  bool holds(uint64_t cycle) const { return cycle << kLineShift < free; }
  void takes(uint64_t start, uint32_t bytes) {
    free = std::max(free, start << kLineShift) + (bytes + overhead) * cost;
  }
};

template <class Pins>
struct Sink {
  Pins pins;
  bool ready = false, stalled = false, open = false, overlong = false;
  uint64_t start = 0, seq = 0;
  Shape shape;
  Line line;
  uint32_t length = 0;
  typename Pins::Beat beat{};  // what was offered when the stall began
  // The record being put together, behind room for its header.
  std::unique_ptr<uint8_t[]> bytes{new uint8_t[sizeof(RecordHeader) + kMaxRecord + 8]};

  uint8_t* data() { return bytes.get() + sizeof(RecordHeader); }

  // Completes the record in place and returns its size with header and padding.
  size_t close(uint16_t port, uint64_t cycle) {
    new (bytes.get()) RecordHeader{start, cycle, seq++, length, port, 0, pins.user(), 0};
    memset(data() + length, 0, padded(length) - length);
    return sizeof(RecordHeader) + padded(length);
  }
};

// The static description of a port, for HELLO.
struct PortInfo {
  const char* name;
  bool input;
  uint8_t kind;  // 0 AXI-Stream, 1 record
  uint16_t user_bits;
  uint32_t width_bits;
};

// A configuration input; value is what it has when nobody says otherwise.
struct InputInfo {
  const char* pin;
  uint32_t width_bits;
  uint64_t value;
};

}  // namespace hca

#endif  // HCA_PORTS_H_
