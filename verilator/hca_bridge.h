// The simulator's end of the bridge, in one header that depends on nothing but C++17 and POSIX. docs/bridge.md is the
// contract: frames, the meaning of RUN, the generator behind backpressure and idle cycles.
//
// A simulator is put behind it by a small class, here called Dut, that binds pins: for Verilator it is generated from
// hca_bind.cpp.tmpl, and only that file sees the Verilated class. A simulator that owns its clock (DPI, VPI) calls
// Session::drive before and Session::sample after the pins of a cycle have settled, and needs nothing else from here.
#ifndef HCA_BRIDGE_H_
#define HCA_BRIDGE_H_

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames and beats are copied as they lie in memory");

namespace hca {

// ---- Frames -------------------------------------------------------------------------------------------------------

constexpr uint32_t kMagic = 0x42414348;  // "HCAB"
constexpr uint16_t kMajor = 1, kMinor = 0;
constexpr uint32_t kMaxFrame = 4u << 20;    // payload bytes that this end accepts
constexpr uint32_t kMaxRecord = 256u << 10;  // bytes of one record
constexpr size_t kFlushBytes = 256u << 10;
constexpr int kBridgeFd = 3, kMemoryFd = 4;
constexpr uint64_t kWhileFed = ~uint64_t{0};
constexpr uint16_t kNoPort = 0xffff;
constexpr unsigned kMaxViolations = 100;  // reported one by one; the rest are only counted
constexpr unsigned kMaxPrints = 1000;     // lines of the design that are sent; the rest are only counted
constexpr size_t kMaxPrintBytes = 1024;   // of a line; what is behind is cut off
constexpr uint64_t kNoCycle = ~uint64_t{0};  // PRINT: before cycle 0
constexpr uint64_t kNoLimit = ~uint64_t{0};
constexpr uint8_t kPoison = 0xdb;         // what idle pins carry at first, and at times later

enum class Frame : uint8_t {
  kHello = 1, kError = 2, kReset = 3, kRun = 4, kRecords = 5, kDone = 6, kHeartbeat = 7, kViolation = 8, kGoodbye = 9,
  kPrint = 10
};
enum class Fault : uint32_t { kProtocol = 1, kVersion = 2, kIdentity = 3, kConfig = 4, kSimulator = 5 };
enum class Rule : uint16_t { kValidDropped = 1, kChanged = 2, kKeep = 3, kTooLong = 4, kReset = 5, kAssertion = 6 };

constexpr uint32_t kFeatureShared = 1;  // HELLO: payloads may lie in shared memory
constexpr uint32_t kFeatureWatch = 2;   // HELLO: RESET has bounds, PRINT frames come, GOODBYE counts violations by rule and port
constexpr uint32_t kFeatureLives = 8;   // HELLO: RESET may keep the state and say how long the pin is held
constexpr uint8_t kRunLast = 1;         // RUN: the last frame of its batch
constexpr uint8_t kShared = 0x80;       // RUN, RECORDS: the payload is a SharedRef to where it lies
constexpr uint16_t kEcho = 1;          // record: the realised cycles of an input, without data
constexpr uint32_t kDoneStalled = 1;   // DONE: stopped because nothing moved
constexpr uint32_t kDoneFinished = 2;  // DONE: stopped because the design called $finish
constexpr uint32_t kDoneWaited = 4;    // DONE: stopped because one input waited too long, though others or outputs moved
constexpr uint32_t kDoneLimit = 8;     // DONE: stopped by the limit of cycles
constexpr uint32_t kResetInverted = 1;  // RESET: the reset pin is held the other way round, to find out whether that helps
constexpr uint32_t kResetKeeps = 2;     // RESET: the pin alone: the design goes on with the state that it has
constexpr unsigned kResetHold = 16;     // RESET: the flags from here up are cycles that the pin is held, 0 for the manifest's

struct FrameHeader {
  uint32_t magic;
  uint8_t type, flags;
  uint16_t channel;
  uint32_t sequence, length;
};
static_assert(sizeof(FrameHeader) == 16);

struct RecordHeader {
  uint64_t start, end, seq;
  uint32_t length;
  uint16_t port, flags;
  uint32_t user, reserved;
};
static_assert(sizeof(RecordHeader) == 40);

struct SharedRef {
  uint32_t slot, length;
};
static_assert(sizeof(SharedRef) == 8);

struct ResetBody {
  uint64_t seed, backpressure, idle, stall_limit;
  uint32_t inputs, flags;
};
static_assert(sizeof(ResetBody) == 40);

// Follows the configuration in RESET, with kFeatureWatch.
struct ResetBounds {
  uint64_t state_seed;   // of what no reset reaches
  uint64_t wait_limit;   // cycles that one input may wait
  uint64_t cycle_limit;  // while fed
};
static_assert(sizeof(ResetBounds) == 24);

struct ConfigValue {
  uint32_t index, reserved;
  uint64_t value;
};
static_assert(sizeof(ConfigValue) == 16);

struct DoneBody {
  uint64_t cycle, stalled_cycles;
  uint32_t flags, port;
};
static_assert(sizeof(DoneBody) == 24);

struct ViolationBody {
  uint64_t cycle;
  uint16_t port, rule;
  uint32_t length;
};
static_assert(sizeof(ViolationBody) == 16);

struct PrintBody {
  uint64_t cycle;
  uint32_t lines, length;  // lines: 1 with its text, or how many more there were that are not sent
};
static_assert(sizeof(PrintBody) == 16);

// Follows the counts of the ports in GOODBYE, with kFeatureWatch: u32 how many, u32 0, then these.
struct ViolationCount {
  uint16_t port, rule;
  uint32_t reserved;
  uint64_t count;
};
static_assert(sizeof(ViolationCount) == 16);

struct PortCount {
  uint64_t records, beats, stall_cycles, idle_cycles;
};
static_assert(sizeof(PortCount) == 32);

struct GoodbyeBody {
  uint64_t hash, cycles, violations;
  uint32_t ports, reserved;
};
static_assert(sizeof(GoodbyeBody) == 32);

constexpr size_t padded(size_t n) { return (n + 7) & ~size_t{7}; }

// ---- Generator and hash -------------------------------------------------------------------------------------------

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

constexpr uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// A port's draws: SplitMix64 addressed by cycle, so a draw depends on nothing that happened before.
constexpr uint64_t port_key(uint64_t seed, uint16_t port) { return mix(seed + (port + 1) * kGolden); }
constexpr uint64_t draw(uint64_t key, uint64_t cycle) { return mix(key + (cycle + 1) * kGolden); }

// ---- Shapes of stalls, and what idle pins carry: docs/bridge.md -----------------------------------------------------

constexpr uint64_t kSilenceKey = 0x7369'6c65'6e63'6521;  // "silence!"

// When a port is held back: in one of four eras of 4,096 cycles a silence of 256 to 1,279 cycles; else periods of 256 cycles, each of a kind of its own, so that ports are skewed against each other,
// stalls come in bursts and last long, and a port runs freely for a while.
struct Shape {
  uint64_t key = 0, share = 0;
  bool output = false;  // an input is else never held back for a whole period: stimuli aim at cycles

  bool holds(uint64_t cycle) const {
    if (share == 0) return false;
    const uint64_t era = draw(key ^ kSilenceKey, cycle >> 12);
    if (era % 4 == 0 && cycle % 4096 < 256 + (era >> 8) % 1024) return true;
    const unsigned kind = static_cast<unsigned>(draw(~key, cycle >> 8) >> 60);
    if (kind < 8) return draw(key, cycle) < share;
    if (kind < 10) return false;
    if (kind < 12) return draw(key, cycle) < ~uint64_t{0} << 60;  // 15 of 16
    if (kind < 14 || (kind == 14 && !output)) return draw(key, ~(cycle >> 5)) < share;
    return kind == 14 || (cycle & 1) != 0;
  }
};

constexpr uint64_t kIdleKey = 0x6964'6c65'5069'6e73;  // "idlePins"

// What an input that is not valid carries from a cycle on.
enum class Idle { kKeeps, kPattern, kNext, kRandom, kChanged };

struct IdleDraw {
  uint64_t bits;
  bool changes(bool was_valid) const { return was_valid || (bits & 3) == 0; }
  Idle kind() const {
    const auto k = static_cast<unsigned>(bits >> 61);
    return k == 0 ? Idle::kKeeps : k == 1 ? Idle::kPattern : k == 2 ? Idle::kNext : k == 3 ? Idle::kRandom : Idle::kChanged;
  }
  // Writes random bytes.
  void fill(uint8_t* to, size_t n) const {
    for (size_t at = 0; at < n; at++) to[at] = static_cast<uint8_t>(draw(bits, at / 8) >> (8 * (at % 8)));
  }
  // Changes up to three runs of up to 16 bits: fields of a record that is still there for the rest.
  void change(uint8_t* to, size_t n) const {
    for (uint64_t i = 0; i <= (bits >> 8) % 3; i++) {
      const uint64_t d = draw(bits, 64 + i);
      for (uint64_t bit = d % (8 * n), end = std::min<uint64_t>(8 * n, bit + 1 + (d >> 32) % 16), v = d >> 40; bit < end; bit++, v >>= 1)
        to[bit / 8] ^= static_cast<uint8_t>((v & 1) << (bit % 8));
    }
  }
};

constexpr uint64_t rotl(uint64_t x, int n) { return (x << n) | (x >> (64 - n)); }

// Folds bytes (a multiple of 8) into a hash; four lanes, because a multiplication takes longer than the rest together.
inline uint64_t fold(uint64_t hash, const uint8_t* bytes, size_t n) {
  constexpr uint64_t kPrime = 0x9fb21c651e98df25;
  uint64_t lane[4] = {hash, hash ^ 0xa0761d6478bd642f, hash ^ 0xe7037ed1a0b428db, hash ^ 0x8ebc6af09c88c6e3};
  auto word = [bytes](size_t at) {
    uint64_t w;
    memcpy(&w, bytes + at, 8);
    return w;
  };
  size_t at = 0;
  for (; at + 32 <= n; at += 32)
    for (int i = 0; i < 4; i++) lane[i] = rotl(lane[i] ^ word(at + 8 * i), 27) * kPrime;
  for (int i = 0; at < n; at += 8, i++) lane[i] = rotl(lane[i] ^ word(at), 27) * kPrime;
  return mix(lane[0] ^ rotl(lane[1], 17) ^ rotl(lane[2], 33) ^ rotl(lane[3], 49) ^ n);
}

// ---- Pins ---------------------------------------------------------------------------------------------------------

// Copies a beat. Compilers make "rep movs" of a memcpy of 64 bytes, which takes longer than all the rest that is done here in
// a cycle.
template <unsigned Bytes>
inline void copy_fixed(void* to, const void* from) {
  typedef uint64_t Block __attribute__((vector_size(16), aligned(1), may_alias));
  auto* t = static_cast<uint8_t*>(to);
  auto* f = static_cast<const uint8_t*>(from);
  unsigned at = 0;
  for (; at + 16 <= Bytes; at += 16) *reinterpret_cast<Block*>(t + at) = *reinterpret_cast<const Block*>(f + at);
  memcpy(t + at, f + at, Bytes - at);
}

// A pin that the device does not have. Reading it gives what its absence means: ready, last, every byte kept.
struct NoPin {};

template <class Pin>
constexpr bool kAbsent = std::is_same_v<std::decay_t<Pin>, NoPin>;

constexpr uint64_t ones(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

template <class Pin>
inline bool flag(const Pin& pin) {
  if constexpr (kAbsent<Pin>) return true;
  else return pin & 1;
}

template <class Pin>
inline void set(Pin& pin, uint64_t value) {
  if constexpr (!kAbsent<Pin>) pin = static_cast<std::decay_t<Pin>>(value);
}

template <class Pin>
inline uint32_t value32(const Pin& pin) {
  if constexpr (kAbsent<Pin>) return 0;
  else return static_cast<uint32_t>(pin);
}

// Keep as a number of bytes: set_keep(pin, n) keeps the first n of Bytes.
template <unsigned Bytes, class Pin>
inline void set_keep(Pin& pin, unsigned n) {
  if constexpr (kAbsent<Pin>) return;
  else if constexpr (Bytes <= 64) pin = static_cast<std::decay_t<Pin>>(ones(n));
  else
    for (unsigned word = 0; word < Bytes / 32; word++)
      pin[word] = n <= 32 * word ? 0 : static_cast<uint32_t>(ones(std::min(32u, n - 32 * word)));
}

// The bytes kept: how many from lane 0 up, and whether a kept lane follows one that is not.
struct Kept {
  unsigned bytes;
  bool hole;
};

template <unsigned Bytes, class Pin>
inline Kept kept(const Pin& pin) {
  if constexpr (kAbsent<Pin>) {
    return {Bytes, false};
  } else if constexpr (Bytes <= 64) {
    const uint64_t keep = pin;
    return {keep == ~uint64_t{0} ? 64 : static_cast<unsigned>(__builtin_ctzll(~keep)), (keep & (keep + 1)) != 0};
  } else {
    Kept k{0, false};
    bool open = true;
    for (unsigned word = 0; word < Bytes / 32; word++) {
      const uint64_t keep = pin[word];
      const unsigned n = __builtin_ctzll(~keep);
      k.hole |= (keep & (keep + 1)) != 0 || (!open && keep != 0);
      if (open) k.bytes += n;
      open &= n == 32;
    }
    return k;
  }
}

// Bit fields of a record, packed from bit 0 of byte 0 up. The buffer has slack of 8 bytes behind it.
inline uint64_t get_bits(const uint8_t* bytes, unsigned bit, unsigned width) {
  const uint8_t* at = bytes + bit / 8;
  const unsigned shift = bit % 8;
  uint64_t low;
  memcpy(&low, at, 8);
  low >>= shift;
  if (shift + width > 64) low |= uint64_t{at[8]} << (64 - shift);
  return low & ones(width);
}

// or_bits adds a field to a buffer whose bits are still zero.
inline void or_bits(uint8_t* bytes, unsigned bit, unsigned width, uint64_t value) {
  uint8_t* at = bytes + bit / 8;
  const unsigned shift = bit % 8;
  uint64_t low;
  memcpy(&low, at, 8);
  low |= value << shift;
  memcpy(at, &low, 8);
  if (shift + width > 64) at[8] |= static_cast<uint8_t>(value >> (64 - shift));
}

template <unsigned Bit, unsigned Width, class Pin>
struct Field {
  Pin pin;
  static constexpr bool kWide = Width > 64;  // a wide pin is an array of 32-bit words

  void put(const uint8_t* bytes) {
    if constexpr (!kWide) pin = static_cast<std::decay_t<Pin>>(get_bits(bytes, Bit, Width));
    else
      for (unsigned at = 0; at < Width; at += 32)
        pin[at / 32] = static_cast<uint32_t>(get_bits(bytes, Bit + at, std::min(32u, Width - at)));
  }
  void get(uint8_t* bytes) const {
    if constexpr (!kWide) or_bits(bytes, Bit, Width, pin);
    else
      for (unsigned at = 0; at < Width; at += 32) or_bits(bytes, Bit + at, std::min(32u, Width - at), pin[at / 32]);
  }
};

// An AXI-Stream input of the device. drive puts a beat on the payload pins and returns the bytes it took.
template <unsigned Bytes, unsigned UserBits, class Data, class Keep, class Last, class User, class Valid, class Ready>
struct AxisIn {
  Data data;
  Keep keep;
  Last last;
  User user;
  Valid valid_pin;
  Ready ready_pin;
  static constexpr unsigned kBytes = Bytes;
  static constexpr bool kStream = true;

  uint32_t drive(const uint8_t* from, uint32_t left, uint32_t user_value) {
    const uint32_t n = std::min(left, Bytes);
    auto* to = reinterpret_cast<uint8_t*>(&data);
    if (n == Bytes) copy_fixed<Bytes>(to, from);
    else memcpy(to, from, n);  // the other lanes carry what they did: bytes of an earlier beat
    set_keep<Bytes>(keep, n);
    set(last, left <= Bytes);
    set(user, user_value);
    return n;
  }
  void poison() {
    memset(reinterpret_cast<uint8_t*>(&data), kPoison, Bytes);
    set_keep<Bytes>(keep, Bytes);
    set(last, 1);
    set(user, ones(UserBits));
  }
  // Puts something on the pins that is not valid. next: bytes of the beat that comes, or nullptr.
  void idle(IdleDraw d, const uint8_t* next, uint32_t left) {
    auto* to = reinterpret_cast<uint8_t*>(&data);
    switch (d.kind()) {
      case Idle::kKeeps: return;
      case Idle::kPattern: poison(); return;
      case Idle::kNext:
        if (next != nullptr) drive(next, left, static_cast<uint32_t>(d.bits >> 16));
        return;
      case Idle::kRandom: d.fill(to, Bytes); break;
      case Idle::kChanged: d.change(to, Bytes); break;
    }
    set(last, (d.bits >> 16) & 1);
    set(user, (d.bits >> 17) & ones(UserBits));
    set_keep<Bytes>(keep, (d.bits >> 24) % 2 == 0 ? Bytes : static_cast<unsigned>((d.bits >> 25) % (Bytes + 1)));
  }
  void valid(bool on) { set(valid_pin, on); }
  bool ready() const { return flag(ready_pin); }
};

// An AXI-Stream output of the device. A beat on the pins can be compared with one that was saved.
template <unsigned Bytes, unsigned UserBits, class Data, class Keep, class Last, class User, class Valid, class Ready>
struct AxisOut {
  Data data;
  Keep keep;
  Last last_pin;
  User user_pin;
  Valid valid_pin;
  Ready ready_pin;
  static constexpr unsigned kBytes = Bytes;
  static constexpr bool kStream = true, kWithdrawable = false;
  static constexpr bool kStalls = !kAbsent<Ready>;  // without ready every beat is taken

  struct Beat {
    std::decay_t<Data> data;
    std::decay_t<Keep> keep;
    bool last;
    uint32_t user;
  };
  void save(Beat& b) const {
    memcpy(&b.data, &data, sizeof b.data);
    memcpy(&b.keep, &keep, sizeof b.keep);
    b.last = last();
    b.user = user();
  }
  // What differs from a saved beat, or nothing.
  const char* differs(const Beat& b) const {
    if (last() != b.last) return "tlast";
    if (memcmp(&b.keep, &keep, sizeof b.keep) != 0) return "tkeep";
    const unsigned n = kept<Bytes>(keep).bytes;  // lanes that are not kept may change
    if (memcmp(&b.data, &data, n) != 0) return "tdata";
    if (user() != b.user) return "tuser";
    return nullptr;
  }
  // Copies the beat to a buffer with room for Bytes and returns the bytes that count.
  unsigned take(uint8_t* to) const {
    copy_fixed<Bytes>(to, &data);
    return kept<Bytes>(keep).bytes;
  }
  const char* broken_keep() const {
    const Kept k = kept<Bytes>(keep);
    if (k.hole) return "tkeep has a hole";
    if (k.bytes == 0) return "tkeep is zero";
    if (!last() && k.bytes != Bytes) return "tkeep is not all ones before the last beat";
    return nullptr;
  }
  bool last() const { return flag(last_pin); }
  uint32_t user() const { return value32(user_pin); }
  bool valid() const { return flag(valid_pin); }
  void ready(bool on) { set(ready_pin, on); }
};

// A record port: one beat is one record.
template <unsigned Bytes, class Valid, class Ready, class... Fields>
struct FieldsIn {
  Valid valid_pin;
  Ready ready_pin;
  std::tuple<Fields...> fields;
  static constexpr unsigned kBytes = Bytes;
  static constexpr bool kStream = false;

  uint32_t drive(const uint8_t* from, uint32_t, uint32_t) {
    uint8_t bytes[Bytes + 8] = {};
    memcpy(bytes, from, Bytes);
    std::apply([&](auto&... f) { (f.put(bytes), ...); }, fields);
    return Bytes;
  }
  void poison() {
    uint8_t bytes[Bytes + 8];
    memset(bytes, kPoison, sizeof bytes);
    std::apply([&](auto&... f) { (f.put(bytes), ...); }, fields);
  }
  // Puts something on the pins that is not valid. next: the record that comes, or nullptr.
  void idle(IdleDraw d, const uint8_t* next, uint32_t left) {
    uint8_t bytes[Bytes + 8] = {};
    switch (d.kind()) {
      case Idle::kKeeps: return;
      case Idle::kPattern: poison(); return;
      case Idle::kNext:
        if (next != nullptr) drive(next, left, 0);
        return;
      case Idle::kRandom: d.fill(bytes, Bytes); break;
      case Idle::kChanged:
        std::apply([&](auto&... f) { (f.get(bytes), ...); }, fields);
        d.change(bytes, Bytes);
        break;
    }
    std::apply([&](auto&... f) { (f.put(bytes), ...); }, fields);
  }
  void valid(bool on) { set(valid_pin, on); }
  bool ready() const { return flag(ready_pin); }
};

// Withdrawable: valid may fall before ready.
template <unsigned Bytes, bool Withdrawable, class Valid, class Ready, class... Fields>
struct FieldsOut {
  Valid valid_pin;
  Ready ready_pin;
  std::tuple<Fields...> fields;
  static constexpr unsigned kBytes = Bytes;
  static constexpr bool kStream = false, kWithdrawable = Withdrawable;
  static constexpr bool kStalls = !kAbsent<Ready>;  // without ready every beat is taken

  struct Beat {
    uint8_t bytes[Bytes];
  };
  void save(Beat& b) const { take(b.bytes); }
  const char* differs(const Beat& b) const {
    uint8_t now[Bytes];
    take(now);
    return memcmp(now, b.bytes, Bytes) != 0 ? "the record" : nullptr;
  }
  unsigned take(uint8_t* to) const {
    uint8_t bytes[Bytes + 8] = {};
    std::apply([&](const auto&... f) { (f.get(bytes), ...); }, fields);
    memcpy(to, bytes, Bytes);
    return Bytes;
  }
  const char* broken_keep() const { return nullptr; }
  bool last() const { return true; }
  uint32_t user() const { return 0; }
  bool valid() const { return flag(valid_pin); }
  void ready(bool on) { set(ready_pin, on); }
};

// ---- Ports of a session: pins, and what is under way on them ----------------------------------------------------------

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
  uint64_t key = 0;
  Shape shape;
};

template <class Pins>
struct Sink {
  Pins pins;
  bool ready = false, stalled = false, open = false, overlong = false;
  uint64_t start = 0, seq = 0;
  Shape shape;
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

// ---- Connection -------------------------------------------------------------------------------------------------------

// The other end is gone: there is nobody left to tell.
struct Gone {};

class Connection {
 public:
  explicit Connection(int fd) : fd_(fd) {}

  void read(void* to, size_t n) {
    auto* at = static_cast<uint8_t*>(to);
    while (n > 0) {
      const ssize_t got = ::read(fd_, at, n);
      if (got < 0 && errno == EINTR) continue;
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

  // A free slot from the simulator, the lowest: few slots, used again while they are in the caches. nullptr if there is none.
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

inline uint64_t now_ms() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000 + static_cast<uint64_t>(t.tv_nsec) / 1000000;
}

// What a simulator's hooks (a failed assertion, $finish, a fatal error) report to, whoever is running.
class Listener {
 public:
  virtual void assertion_failed(const std::string& text) = 0;
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

// ---- Session ----------------------------------------------------------------------------------------------------------

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

// Session serves one connection. Dut gives:
//   static const PortInfo kPorts[]; static constexpr uint16_t kPortCount
//   static const InputInfo kInputs[]; static constexpr uint32_t kInputCount
//   static const char *const kBuildId, *const kManifestHash; static constexpr unsigned kResetCycles; static constexpr bool kLivesBefore
//   explicit Dut(uint64_t state_seed); void low(); void high(); void reset(bool asserted);
//   void config(uint32_t index, uint64_t value)
//   template <class F> void each(F&& f)   calls f(uint16_t index, Source<...>& or Sink<...>&) in the order of kPorts
template <class Dut>
class Session final : public Listener {
 public:
  explicit Session(int fd) : connection_(fd), counts_(Dut::kPortCount) { listener() = this; }
  ~Session() { listener() = nullptr; }

  void serve() {
    while (drive()) {
      dut_->low();
      sample();
      dut_->high();
    }
  }

  // Puts the next cycle on the input pins. Between batches, and while an input port is dry, it waits for the other
  // end and the clock stands still. False after GOODBYE.
  bool drive() {
    while (!runnable()) {
      if (running_ && last_seen_) done();
      else if (!receive()) return false;
    }
    dut_->each([this](uint16_t i, auto& port) { drive_port(i, port); });
    return true;
  }

  // Takes what the settled pins say, and ends the cycle.
  void sample() {
    moved_ = waiting_ = false;
    dut_->each([this](uint16_t i, auto& port) { sample_port(i, port); });
    still_cycles_ = waiting_ && !moved_ ? still_cycles_ + 1 : 0;
    cycle_++;
    total_cycles_++;
    if (--until_pulse_ == 0) pulse();
  }

  void assertion_failed(const std::string& text) override { violation(kNoPort, Rule::kAssertion, text); }
  bool printed(const std::string& line) override {
    if (!watched_) return false;
    if (living_) return true;
    if (prints_ < kMaxPrints) print(1, line);
    else unsent_prints_++;
    prints_++;
    return true;
  }
  void finished(const std::string& text) override {
    finished_ = true;
    finish_text_ = text;
  }
  [[noreturn]] void fatal(const std::string& text) override { fail(Fault::kSimulator, text); }

 private:
  static constexpr unsigned kPulseCycles = 512;  // how often the wall clock is looked at
  static constexpr uint64_t kPulseMs = 100;
  static constexpr uint32_t kLeastMaxFrame = 1u << 20;  // what the other end must accept
  static_assert(sizeof(RecordHeader) + kMaxRecord + 4096 < kLeastMaxFrame);
  static_assert(kFlushBytes == SharedMemory::kSlotBytes);

  // -- the clock

  // Whether the next cycle can run now. A dry input port holds the clock as long as more of the batch is to come,
  // and under WhileFed also after that: so neither frames nor batches show in a result.
  bool runnable() {
    if (!running_ || finished_) return false;
    if (until_ == kWhileFed ? out_of_bounds() : cycle_ >= until_) return false;
    return feed() || (last_seen_ && until_ != kWhileFed);
  }

  bool out_of_bounds() const {
    return still_cycles_ >= stall_limit_ || overdue_ || cycle_ >= cycle_limit_;
  }

  // Queues records until every input port has one; false if some port stays dry. A record is looked at no earlier than
  // needed: its memory is then on its way already, behind the record before it.
  bool feed() {
    bool fed = true;
    dut_->each([&](uint16_t, auto& port) { fed &= fed_port(port); });
    return fed;
  }
  template <class Pins>
  bool fed_port(Source<Pins>& p) {
    while (p.queue.empty())
      if (!queue_next()) return false;
    return true;
  }
  template <class Pins>
  static bool fed_port(const Sink<Pins>&) {
    return true;
  }

  // Queues the next record of what was received; false if there is none.
  bool queue_next() {
    if (unread_.empty()) return false;
    Unread& u = unread_.front();
    if (u.at < u.end) {
      const RecordHeader* h = check(u);
      entries_[h->port].queue->push(Queued{h, u.batch});
      u.batch->live++;
      u.at += sizeof *h + padded(h->length);
      __builtin_prefetch(u.at);  // a cycle or more ahead of its use, out of the other end's cache
      __builtin_prefetch(u.at + 64);
    }
    if (u.at == u.end) {
      release(u.batch);
      unread_.pop();
    }
    return true;
  }

  const RecordHeader* check(const Unread& u) {
    const auto* h = reinterpret_cast<const RecordHeader*>(u.at);
    const auto left = static_cast<size_t>(u.end - u.at);
    if (left < sizeof *h || h->length > kMaxRecord || left < sizeof *h + padded(h->length))
      fail(Fault::kProtocol, "a record does not fit its frame");
    if (h->port >= entries_.size() || entries_[h->port].queue == nullptr)
      fail(Fault::kProtocol, "port " + std::to_string(h->port) + " is not an input");
    const Entry& e = entries_[h->port];
    if (e.record_bytes == 0 ? h->length == 0 : h->length != e.record_bytes)
      fail(Fault::kProtocol, "a record of " + std::to_string(h->length) + " bytes on port " + std::to_string(h->port));
    return h;
  }

  // -- driving

  template <class Pins>
  void drive_port(uint16_t i, Source<Pins>& p) {
    if (p.presenting) return;
    if (starts(i, p)) {
      const RecordHeader* h = p.queue.front().header;
      p.beat = p.pins.drive(reinterpret_cast<const uint8_t*>(h + 1) + p.done, h->length - p.done, h->user);
      p.pins.valid(true);
      p.presenting = true;
    } else {
      idle_pins(p);
    }
  }

  // Valid is low. What the payload pins carry then must not matter: it looks like a record.
  template <class Pins>
  void idle_pins(Source<Pins>& p) {
    p.pins.valid(false);
    const IdleDraw d{draw(p.shape.key ^ kIdleKey, cycle_)};
    if (d.changes(p.stale)) {
      const RecordHeader* h = p.queue.empty() ? nullptr : p.queue.front().header;
      p.pins.idle(d, h == nullptr ? nullptr : reinterpret_cast<const uint8_t*>(h + 1) + p.done, h == nullptr ? 0 : h->length - p.done);
    }
    p.stale = false;
  }

  template <class Pins>
  bool starts(uint16_t i, Source<Pins>& p) {
    if (p.queue.empty() || (p.done == 0 && p.queue.front().header->start > cycle_)) return false;
    if (!p.shape.holds(cycle_)) return true;
    counts_[i].idle_cycles++;
    return false;
  }

  template <class Pins>
  void drive_port(uint16_t i, Sink<Pins>& p) {
    p.ready = !Pins::kStalls || !p.shape.holds(cycle_);
    if (!p.ready) counts_[i].idle_cycles++;
    p.pins.ready(p.ready);
  }

  // -- sampling

  template <class Pins>
  void sample_port(uint16_t i, Source<Pins>& p) {
    if (!p.presenting) return;
    if (!p.pins.ready()) {
      counts_[i].stall_cycles++;
      waiting_ = true;
      overdue_ |= ++p.waited >= wait_limit_;
      return;
    }
    moved_ = true;
    p.waited = 0;
    counts_[i].beats++;
    if (p.done == 0) p.start = cycle_;
    p.done += p.beat;
    p.presenting = false;
    p.stale = true;
    const Queued q = p.queue.front();
    if (p.done < q.header->length) return;
    counts_[i].records++;
    new (room(sizeof(RecordHeader))) RecordHeader{p.start, cycle_, q.header->seq, 0, i, kEcho, 0, 0};
    p.queue.pop();
    release(q.batch);
    p.done = 0;
  }

  template <class Pins>
  void sample_port(uint16_t i, Sink<Pins>& p) {
    const bool valid = p.pins.valid();
    if (p.stalled) check_stall(i, p, valid);
    else if (valid && !p.ready) p.pins.save(p.beat);
    p.stalled = valid && !p.ready;
    if (p.stalled) counts_[i].stall_cycles++;
    if (valid && p.ready) take(i, p);
  }

  // After a stall, valid stays and the payload is stable. Each change is reported once.
  template <class Pins>
  void check_stall(uint16_t i, Sink<Pins>& p, bool valid) {
    if (!valid) {
      if (!Pins::kWithdrawable) violation(i, Rule::kValidDropped, "valid fell before ready");
    } else if (const char* what = p.pins.differs(p.beat)) {
      violation(i, Rule::kChanged, std::string(what) + " changed while stalled");
      p.pins.save(p.beat);
    }
  }

  template <class Pins>
  void take(uint16_t i, Sink<Pins>& p) {
    moved_ = true;
    counts_[i].beats++;
    if (!p.open) p.start = cycle_;
    p.open = true;
    if (const char* why = p.pins.broken_keep()) violation(i, Rule::kKeep, why);
    if (p.length + Pins::kBytes <= kMaxRecord) {
      __builtin_prefetch(gathered_ + used_ + p.length, 1);  // where the record will go; the other end had it last
      p.length += p.pins.take(p.data() + p.length);
    } else if (!p.overlong) {
      p.overlong = true;
      violation(i, Rule::kTooLong, "no tlast within " + std::to_string(kMaxRecord) + " bytes");
    }
    if (!p.pins.last()) return;
    counts_[i].records++;
    const size_t n = p.close(i, cycle_);
    hash_ = fold(hash_, p.bytes.get(), n);
    memcpy(room(n), p.bytes.get(), n);
    p.length = 0;
    p.open = p.overlong = false;
  }

  // -- what is sent

  // Output records gather in a slot of shared memory, or behind room for a frame header in wire_.
  void gather() {
    used_ = 0;
    gathered_ = shared_.take(slot_);
    if (gathered_ == nullptr) gathered_ = wire_.get() + sizeof(FrameHeader);
  }
  bool gathers_shared() const { return gathered_ != wire_.get() + sizeof(FrameHeader); }

  // Room for the next record, of n bytes. Headers are written there field by field: made elsewhere and copied, a load waits for
  // its stores.
  uint8_t* room(size_t n) {
    if (used_ > 0 && used_ + n > kFlushBytes) flush();
    if (n > kFlushBytes && gathers_shared()) {  // larger than a slot
      shared_.free(shared_.state(slot_));
      gathered_ = wire_.get() + sizeof(FrameHeader);
    }
    used_ += n;
    return gathered_ + used_ - n;
  }

  // Puts the frame for what was gathered into wire_, and returns its size there.
  size_t seal() {
    uint8_t* payload = wire_.get() + sizeof(FrameHeader);
    size_t n = used_;
    if (n == 0) {
      if (gathers_shared()) shared_.free(shared_.state(slot_));
      return 0;
    }
    if (gathers_shared()) {
      const SharedRef ref{slot_, static_cast<uint32_t>(used_)};
      memcpy(payload, &ref, n = sizeof ref);
    }
    connection_.stamp(wire_.get(), Frame::kRecords, n, gathers_shared() ? kShared : 0);
    return sizeof(FrameHeader) + n;
  }
  void flush() {
    connection_.write(wire_.get(), seal());
    gather();
  }

  void send(Frame type, const std::vector<uint8_t>& payload) {
    std::vector<uint8_t> frame(sizeof(FrameHeader));
    frame.insert(frame.end(), payload.begin(), payload.end());
    connection_.stamp(frame.data(), type, payload.size());
    connection_.write(frame.data(), frame.size());
  }

  // Ends a batch: the records that are left and DONE, in one write.
  void done() {
    DoneBody body{cycle_, 0, 0, kNoPort};
    if (until_ == kWhileFed && out_of_bounds()) {
      const bool stalled = still_cycles_ >= stall_limit_;
      const Waiting longest = overdue_ || stalled ? forget_waits() : Waiting{};
      body.flags |= stalled ? kDoneStalled : overdue_ ? kDoneWaited : kDoneLimit;
      body.stalled_cycles = stalled ? still_cycles_ : longest.cycles;
      body.port = longest.port;
      still_cycles_ = 0;
      overdue_ = false;
    }
    if (finished_) body.flags |= kDoneFinished;
    if (unsent_prints_ > 0) print(std::exchange(unsent_prints_, 0), "");
    const size_t sealed = seal();
    uint8_t* at = wire_.get() + sealed;
    const size_t text = std::min<size_t>(finish_text_.size(), 1024);
    connection_.stamp(at, Frame::kDone, sizeof body + text);
    memcpy(at + sizeof(FrameHeader), &body, sizeof body);
    memcpy(at + sizeof(FrameHeader) + sizeof body, finish_text_.data(), text);
    connection_.write(wire_.get(), sealed + sizeof(FrameHeader) + sizeof body + text);
    gather();
    running_ = false;
  }

  struct Waiting {
    uint32_t port = kNoPort;
    uint64_t cycles = 0;
  };

  // The input that has waited longest; each starts to count anew.
  Waiting forget_waits() {
    Waiting longest;
    dut_->each([&longest](uint16_t i, auto& port) {
      if (const uint64_t waited = forget_wait(port); waited > longest.cycles) longest = {i, waited};
    });
    return longest;
  }
  template <class Pins>
  static uint64_t forget_wait(Source<Pins>& p) {
    return std::exchange(p.waited, 0);
  }
  template <class Pins>
  static uint64_t forget_wait(const Sink<Pins>&) {
    return 0;
  }

  void print(uint32_t lines, const std::string& text) {
    if (living_) return;
    const size_t n = std::min(text.size(), kMaxPrintBytes);
    std::vector<uint8_t> body;
    append(body, PrintBody{in_reset_ ? kNoCycle : cycle_, lines, static_cast<uint32_t>(n)});
    body.insert(body.end(), text.begin(), text.begin() + static_cast<ptrdiff_t>(n));
    send(Frame::kPrint, body);
  }

  void violation(uint16_t port, Rule rule, const std::string& text) {
    if (living_) return;
    violation_counts_[{port, static_cast<uint16_t>(rule)}]++;
    if (++violations_ > kMaxViolations) return;
    std::vector<uint8_t> body;
    append(body, ViolationBody{cycle_, port, static_cast<uint16_t>(rule), static_cast<uint32_t>(text.size())});
    body.insert(body.end(), text.begin(), text.end());
    send(Frame::kViolation, body);
  }

  void pulse() {
    until_pulse_ = kPulseCycles;
    const uint64_t now = now_ms();
    if (now - last_pulse_ms_ < kPulseMs) return;
    last_pulse_ms_ = now;
    std::vector<uint8_t> body;
    append(body, cycle_);
    send(Frame::kHeartbeat, body);
  }

  // Says why, and ends the process: nothing after a broken promise can be trusted.
  [[noreturn]] void fail(Fault fault, const std::string& text) {
    std::vector<uint8_t> body;
    append(body, static_cast<uint32_t>(fault));
    append(body, static_cast<uint32_t>(text.size()));
    body.insert(body.end(), text.begin(), text.end());
    try {
      send(Frame::kError, body);
    } catch (const Gone&) {
    }
    fflush(nullptr);
    _exit(4);
  }

  // -- what arrives

  // Handles one frame; false after GOODBYE.
  bool receive() {
    FrameHeader h;
    connection_.read(&h, sizeof h);
    if (h.magic != kMagic) fail(Fault::kProtocol, "bad magic " + std::to_string(h.magic));
    if (h.channel != 0) fail(Fault::kProtocol, "channel " + std::to_string(h.channel) + " was never opened");
    if (h.sequence != connection_.next_received()) fail(Fault::kProtocol, "frame " + std::to_string(h.sequence) + " out of sequence");
    if (h.length > kMaxFrame) fail(Fault::kProtocol, "frame of " + std::to_string(h.length) + " bytes is over the limit");
    Batch* batch = fresh(h.length);
    connection_.read(batch->bytes.get(), h.length);
    Cursor c{batch->bytes.get(), batch->bytes.get() + h.length};
    const auto type = static_cast<Frame>(h.type);
    if (type != Frame::kHello && !greeted_) fail(Fault::kProtocol, "no HELLO");
    if (running_ && type != Frame::kRun) fail(Fault::kProtocol, "a batch was cut short");
    if (type == Frame::kRun) {
      run(h.flags, c, batch);
      return true;
    }
    free_.push_back(batch);  // not used again before the next frame
    switch (type) {
      case Frame::kHello: hello(c); return true;
      case Frame::kReset: reset(c); return true;
      case Frame::kGoodbye: goodbye(); return false;
      default: fail(Fault::kProtocol, "unknown frame type " + std::to_string(h.type));
    }
  }

  Batch* fresh(size_t n) {
    if (free_.empty()) {
      batches_.push_back(std::make_unique<Batch>());
      free_.push_back(batches_.back().get());
    }
    Batch* b = free_.back();
    free_.pop_back();
    b->live = 0;
    b->shared = nullptr;
    if (b->capacity < n) {
      b->capacity = std::max(n, kFlushBytes);  // frames of all sizes share a few buffers
      b->bytes.reset(new uint8_t[b->capacity]);
    }
    return b;
  }
  void release(Batch* b) {
    if (--b->live == 0) recycle(b);
  }
  void recycle(Batch* b) {
    if (b->shared != nullptr) shared_.free(b->shared);
    b->shared = nullptr;
    free_.push_back(b);
  }

  void hello(Cursor& c) {
    const auto major = c.get<uint16_t>();
    c.get<uint16_t>();  // minor: what it adds is used only where both ends have the feature
    const auto features = c.get<uint32_t>();
    const auto max_frame = c.get<uint32_t>();
    c.get<uint32_t>();
    const std::string build = c.text(), manifest = c.text();
    if (major != kMajor)
      fail(Fault::kVersion, "protocol " + std::to_string(major) + " is asked for, this simulator speaks " + std::to_string(kMajor));
    if (!c.ok) fail(Fault::kProtocol, "HELLO is too short");
    if (max_frame < kLeastMaxFrame) fail(Fault::kProtocol, "frames of 1 MiB must be accepted");
    if (manifest != Dut::kManifestHash)
      fail(Fault::kIdentity, "manifest " + manifest + " is asked for, this simulator was built from " + Dut::kManifestHash);
    if (build != Dut::kBuildId)
      fail(Fault::kIdentity, "build " + build + " is asked for, this simulator is " + Dut::kBuildId);
    greeted_ = true;
    watched_ = (features & kFeatureWatch) != 0;
    if ((features & kFeatureShared) != 0 && shared_.map(kMemoryFd)) gather();
    std::vector<uint8_t> b;
    append(b, kMajor);
    append(b, kMinor);
    append(b, (shared_.mapped() ? kFeatureShared : 0) | (watched_ ? kFeatureWatch : 0) | kFeatureLives);
    append(b, kMaxFrame);
    append(b, kMaxRecord);
    append_text(b, Dut::kBuildId);
    append_text(b, Dut::kManifestHash);
    append(b, Dut::kPortCount);
    for (unsigned i = 0; i < Dut::kPortCount; i++) {
      const PortInfo& p = Dut::kPorts[i];
      append(b, static_cast<uint8_t>(p.input));
      append(b, p.kind);
      append(b, p.user_bits);
      append(b, p.width_bits);
      append_text(b, p.name);
    }
    append(b, static_cast<uint16_t>(Dut::kInputCount));
    for (unsigned i = 0; i < Dut::kInputCount; i++) {
      append(b, Dut::kInputs[i].width_bits);
      append_text(b, Dut::kInputs[i].pin);
    }
    send(Frame::kHello, b);
  }

  // A new simulation, not only a reset pin: state that no reset reaches must not leak from one run into the next.
  void reset(Cursor& c) {
    const auto r = c.get<ResetBody>();
    std::vector<ConfigValue> values(c.ok ? std::min<size_t>(r.inputs, Dut::kInputCount) : 0);
    for (ConfigValue& v : values) v = c.get<ConfigValue>();
    if (!c.ok || r.inputs != Dut::kInputCount) fail(Fault::kConfig, "RESET must set every configuration input");
    const auto bounds = watched_ ? c.get<ResetBounds>() : ResetBounds{r.seed, kNoLimit, kNoLimit};
    if (!c.ok) fail(Fault::kProtocol, "RESET is too short");
    const bool keeps = dut_ && (r.flags & kResetKeeps) != 0 && !finished_;
    start_afresh(r, bounds, keeps);
    for (const ConfigValue& v : values) {
      if (v.index >= Dut::kInputCount) fail(Fault::kConfig, "no configuration input " + std::to_string(v.index));
      dut_->config(v.index, v.value);
    }
    entries_.assign(Dut::kPortCount, {});
    if constexpr (Dut::kLivesBefore) {
      if (!keeps) live_before(r.seed, (r.flags & kResetInverted) == 0);
    }
    if (finished_) {  // it ended its first life by itself
      start_afresh(r, bounds, false);
      for (const ConfigValue& v : values) dut_->config(v.index, v.value);
    }
    dut_->each([&](uint16_t i, auto& port) { prepare(i, port, r.seed); });
    hold_reset((r.flags & kResetInverted) == 0, r.flags >> kResetHold);
    in_reset_ = false;
    until_ = 0;
    done();
  }

  void hold_reset(bool asserted, unsigned cycles) {
    if (cycles == 0) cycles = Dut::kResetCycles;
    dut_->reset(asserted);
    for (unsigned i = 0; i < cycles; i++) {
      dut_->low();
      if (i + 1 == cycles) dut_->each([this](uint16_t p, auto& port) { check_reset(p, port); });
      dut_->high();
    }
    dut_->reset(!asserted);
  }

  // keeps: what the design holds stays, the bridge alone begins anew.
  void start_afresh(const ResetBody& r, const ResetBounds& bounds, bool keeps) {
    backpressure_ = r.backpressure;
    idle_ = r.idle;
    stall_limit_ = r.stall_limit;
    wait_limit_ = bounds.wait_limit;
    cycle_limit_ = bounds.cycle_limit;
    cycle_ = still_cycles_ = 0;
    finished_ = overdue_ = false;
    in_reset_ = true;
    finish_text_.clear();
    unread_.clear();
    recycle_all();
    if (keeps) return dut_->each([this](uint16_t, auto& port) { forget(port); });
    dut_.reset();
    dut_ = std::make_unique<Dut>(bounds.state_seed);
  }

  // -- a life before the reset: docs/bridge.md

  static constexpr uint64_t kLifeKey = 0x6265'666f'7265'2121;  // "before!!"
  static constexpr uint64_t kLifeCycles = 80'000;              // the largest memory is clear before that

  // Lets the device take noise, then stop wherever it is: nothing of that may show after the reset that follows.
  void live_before(uint64_t seed, bool asserted) {
    uint64_t left = 16 + draw(seed ^ kLifeKey, 0) % 1024;  // beats
    living_ = true;
    dut_->each([&](uint16_t i, auto& port) { prepare(i, port, seed); });
    dut_->reset(asserted);
    for (unsigned i = 0; i < Dut::kResetCycles; i++) tick();
    dut_->reset(!asserted);
    for (uint64_t cycle = 0; left > 0 && cycle < kLifeCycles && !finished_; cycle++) {
      dut_->each([&](uint16_t i, auto& port) { live_drive(port, draw(port_key(seed ^ kLifeKey, i), cycle)); });
      dut_->low();
      dut_->each([&](uint16_t, auto& port) { left -= std::min<uint64_t>(left, live_sample(port)); });
      dut_->high();
    }
    // And fills up: nothing is taken any more.
    for (uint64_t cycle = kLifeCycles, end = cycle + draw(seed ^ kLifeKey, 1) % 32; cycle < end; cycle++) {
      dut_->each([&](uint16_t i, auto& port) { live_drive(port, draw(port_key(seed ^ kLifeKey, i), cycle) & ~uint64_t{3}); });
      dut_->low();
      dut_->each([&](uint16_t, auto& port) { live_sample(port); });
      dut_->high();
    }
    dut_->each([&](uint16_t, auto& port) { live_end(port); });
    living_ = false;
  }
  void tick() {
    dut_->low();
    dut_->high();
  }
  template <class Pins>
  void live_drive(Source<Pins>& p, uint64_t d) {
    if (p.presenting) return;
    p.pins.valid(p.presenting = d % 8 != 0);
    if (!p.presenting) return;
    uint8_t bytes[Pins::kBytes + 8];
    IdleDraw{d}.fill(bytes, Pins::kBytes);
    if (!Pins::kStream && Pins::kBytes >= 3) {  // numbers that are there, often
      bytes[2] = 0;
      bytes[1] &= (d >> 8) % 4 == 0 ? 0x0f : 0;
    }
    if (p.done == 0) {
      p.done = Pins::kStream ? 1 + (d >> 16) % (8 * Pins::kBytes) : Pins::kBytes;  // bytes left
      p.start = d >> 40;                                                             // the sideband
    }
    p.beat = p.pins.drive(bytes, p.done, static_cast<uint32_t>(p.start));
  }
  template <class Pins>
  void live_drive(Sink<Pins>& p, uint64_t d) {
    p.pins.ready(d % 4 != 0);
  }
  template <class Pins>
  uint64_t live_sample(Source<Pins>& p) {
    if (!p.presenting || !p.pins.ready()) return 0;
    p.done -= p.beat;
    p.presenting = false;
    return 1;
  }
  template <class Pins>
  uint64_t live_sample(Sink<Pins>&) {
    return 0;
  }
  template <class Pins>
  void live_end(Source<Pins>& p) {
    p.presenting = false;
    p.done = p.beat = 0;
    p.start = 0;
  }
  template <class Pins>
  void live_end(Sink<Pins>&) {}

  // What the bridge knows of a port before a reset that keeps the design's state.
  template <class Pins>
  void forget(Source<Pins>& p) {
    p.queue.clear();
    p.presenting = p.stale = false;
    p.done = p.beat = 0;
    p.start = p.waited = 0;
  }
  template <class Pins>
  void forget(Sink<Pins>& p) {
    p.ready = p.stalled = p.open = p.overlong = false;
    p.start = p.seq = 0;
    p.length = 0;
  }

  void recycle_all() {
    free_.clear();
    for (const auto& b : batches_) recycle(b.get());
  }

  struct Entry {
    Queue<Queued>* queue = nullptr;  // null for an output
    uint32_t record_bytes = 0;  // 0: any length
  };

  template <class Pins>
  void prepare(uint16_t i, Source<Pins>& p, uint64_t seed) {
    p.shape = Shape{port_key(seed, i), idle_, false};
    p.pins.valid(false);
    p.pins.poison();
    entries_[i] = Entry{&p.queue, Pins::kStream ? 0 : Pins::kBytes};
  }
  template <class Pins>
  void prepare(uint16_t i, Sink<Pins>& p, uint64_t seed) {
    p.shape = Shape{port_key(seed, i), backpressure_, true};
    p.pins.ready(false);
  }

  template <class Pins>
  void check_reset(uint16_t, Source<Pins>&) {}
  template <class Pins>
  void check_reset(uint16_t i, Sink<Pins>& p) {
    if (p.pins.valid()) violation(i, Rule::kReset, "valid is high in reset");
  }

  // Leaves the records where they lie; the buffer is free again when the last of them was accepted.
  void run(uint8_t flags, Cursor& c, Batch* batch) {
    if (!dut_) fail(Fault::kProtocol, "RUN before RESET");
    if ((flags & kShared) != 0) c = shared_payload(c, batch);
    until_ = c.get<uint64_t>();
    if (!c.ok) fail(Fault::kProtocol, "RUN is too short");
    batch->live = 1;
    unread_.push(Unread{c.at, c.end, batch});
    running_ = true;
    last_seen_ = (flags & kRunLast) != 0;
  }

  Cursor shared_payload(Cursor& c, Batch* batch) {
    const auto ref = c.get<SharedRef>();
    if (!c.ok || !shared_.mapped() || ref.slot >= SharedMemory::kSlots || ref.length > SharedMemory::kSlotBytes)
      fail(Fault::kProtocol, "a payload lies outside the shared memory");
    batch->shared = shared_.state(ref.slot);
    return Cursor{shared_.slot(ref.slot), shared_.slot(ref.slot) + ref.length};
  }

  void goodbye() {
    signal(SIGALRM, SIG_IGN);  // from here on the other end may be gone before this one: see watch
    std::vector<uint8_t> b;
    append(b, GoodbyeBody{hash_, total_cycles_, violations_, Dut::kPortCount, 0});
    for (const PortCount& n : counts_) append(b, n);
    if (watched_) {
      append(b, static_cast<uint32_t>(violation_counts_.size()));
      append(b, uint32_t{0});
      for (const auto& [what, count] : violation_counts_) append(b, ViolationCount{what.first, what.second, 0, count});
    }
    send(Frame::kGoodbye, b);
  }

  Connection connection_;
  std::unique_ptr<Dut> dut_;
  std::vector<PortCount> counts_;
  std::vector<Entry> entries_;  // by port
  Queue<Unread> unread_;
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<Batch*> free_;

  bool greeted_ = false, watched_ = false, running_ = false, last_seen_ = false, finished_ = false, in_reset_ = true;
  bool living_ = false;  // the life before the reset: nothing of it is told
  bool moved_ = false, waiting_ = false;  // in this cycle: some port shook hands; some input was not taken
  uint64_t until_ = 0, cycle_ = 0, total_cycles_ = 0;
  uint64_t still_cycles_ = 0, stall_limit_ = 0;
  uint64_t wait_limit_ = kNoLimit;  // of an input, in cycles
  bool overdue_ = false;  // an input has waited so long
  uint64_t cycle_limit_ = kNoLimit;
  uint64_t prints_ = 0;
  uint32_t unsent_prints_ = 0;
  std::map<std::pair<uint16_t, uint16_t>, uint64_t> violation_counts_;  // by port and rule
  uint64_t backpressure_ = 0, idle_ = 0;
  uint64_t hash_ = 0, violations_ = 0;
  std::string finish_text_;

  unsigned until_pulse_ = kPulseCycles;
  uint64_t last_pulse_ms_ = now_ms();

  SharedMemory shared_;
  uint32_t slot_ = 0;
  std::unique_ptr<uint8_t[]> wire_{new uint8_t[kLeastMaxFrame]};
  uint8_t* gathered_ = wire_.get() + sizeof(FrameHeader);
  size_t used_ = 0;
};

// ---- Bare loop ----------------------------------------------------------------------------------------------------------

// What the bridge is measured against: the same model and pins, records preloaded from a file of records as in a RUN
// frame, ready always high, outputs hashed; no frames, no draws, no checks. It stops drain cycles after the last input was
// accepted.
template <class Dut>
class Bare {
 public:
  int run(const char* file, uint64_t drain) {
    if (!load(file)) return 1;
    for (uint32_t i = 0; i < Dut::kInputCount; i++) dut_.config(i, Dut::kInputs[i].value);
    dut_.each([this](uint16_t i, auto& port) { prepare(i, port); });
    dut_.reset(true);
    for (unsigned i = 0; i < Dut::kResetCycles; i++) {
      dut_.low();
      dut_.high();
    }
    dut_.reset(false);
    const double from = seconds(CLOCK_MONOTONIC), cpu_from = seconds(CLOCK_PROCESS_CPUTIME_ID);
    while (pending_ > 0) cycle();
    for (uint64_t end = cycle_ + drain; cycle_ < end;) cycle();
    printf("\nbare cycles %llu inputs %llu outputs %llu seconds %.9f cpu %.9f hash %016llx\n", static_cast<unsigned long long>(cycle_),
           static_cast<unsigned long long>(inputs_), static_cast<unsigned long long>(outputs_), seconds(CLOCK_MONOTONIC) - from,
           seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_from, static_cast<unsigned long long>(hash_));
    return 0;
  }

 private:
  static double seconds(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }

  void cycle() {
    dut_.each([this](uint16_t i, auto& port) { drive(i, port); });
    dut_.low();
    dut_.each([this](uint16_t i, auto& port) { sample(i, port); });
    dut_.high();
    cycle_++;
  }

  template <class Pins>
  void drive(uint16_t i, Source<Pins>& p) {
    if (p.presenting) return;
    const auto& list = records_[i];
    if (next_[i] < list.size() && (p.done > 0 || list[next_[i]]->start <= cycle_)) {
      const RecordHeader* h = list[next_[i]];
      p.beat = p.pins.drive(reinterpret_cast<const uint8_t*>(h + 1) + p.done, h->length - p.done, h->user);
      p.pins.valid(true);
      p.presenting = true;
    } else if (p.stale) {
      p.pins.valid(false);
      p.pins.poison();
      p.stale = false;
    }
  }
  template <class Pins>
  void drive(uint16_t, Sink<Pins>&) {}

  template <class Pins>
  void sample(uint16_t i, Source<Pins>& p) {
    if (!p.presenting || !p.pins.ready()) return;
    p.done += p.beat;
    p.presenting = false;
    p.stale = true;
    if (p.done < records_[i][next_[i]]->length) return;
    next_[i]++;
    pending_--;
    inputs_++;
    p.done = 0;
  }
  template <class Pins>
  void sample(uint16_t i, Sink<Pins>& p) {
    if (!p.pins.valid()) return;
    if (!p.open) p.start = cycle_;
    p.open = true;
    if (p.length + Pins::kBytes <= kMaxRecord) p.length += p.pins.take(p.data() + p.length);
    if (!p.pins.last()) return;
    const size_t n = p.close(i, cycle_);
    hash_ = fold(hash_, p.bytes.get(), n);
    outputs_++;
    p.length = 0;
    p.open = false;
  }

  template <class Pins>
  void prepare(uint16_t, Source<Pins>& p) {
    p.pins.valid(false);
    p.pins.poison();
  }
  template <class Pins>
  void prepare(uint16_t, Sink<Pins>& p) {
    p.pins.ready(true);
  }

  bool load(const char* file) {
    FILE* f = fopen(file, "rb");
    if (f == nullptr) {
      fprintf(stderr, "%s: %s\n", file, strerror(errno));
      return false;
    }
    fseek(f, 0, SEEK_END);
    bytes_.resize(static_cast<size_t>(ftell(f)));
    rewind(f);
    const bool whole = fread(bytes_.data(), 1, bytes_.size(), f) == bytes_.size();
    fclose(f);
    for (size_t at = 0; at < bytes_.size();) {
      const auto* h = reinterpret_cast<const RecordHeader*>(bytes_.data() + at);
      if (!whole || bytes_.size() - at < sizeof *h || bytes_.size() - at < sizeof *h + padded(h->length) ||
          h->port >= Dut::kPortCount || !Dut::kPorts[h->port].input) {
        fprintf(stderr, "%s: broken record at byte %zu\n", file, at);
        return false;
      }
      records_[h->port].push_back(h);
      pending_++;
      at += sizeof *h + padded(h->length);
    }
    return true;
  }

  Dut dut_{0};
  std::vector<uint8_t> bytes_;
  std::vector<std::vector<const RecordHeader*>> records_{Dut::kPortCount};
  std::vector<size_t> next_ = std::vector<size_t>(Dut::kPortCount, 0);
  uint64_t pending_ = 0, cycle_ = 0, inputs_ = 0, outputs_ = 0, hash_ = 0;
};

// ---- Program ------------------------------------------------------------------------------------------------------------

// Ends the process when the other end is gone, even from inside a design that never settles.
inline void watch(int) {
  pollfd p{kBridgeFd, 0, 0};
  if (poll(&p, 1, 0) == 1 && (p.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) _exit(3);
}

// A design that starts a process is stopped: the signal comes in place of the process. Where signals are blocked, as
// in system(), it ends this process, and cosim says why.
inline void forbidden(int) {
  const char* text = "the design started a process ($system, or fork in its C code), which a simulator may not";
  if (listener() != nullptr) listener()->fatal(text);
  fprintf(stderr, "%s\n", text);
  _exit(4);
}

inline void forbid_processes() {
#if defined(__linux__) && defined(__NR_clone)
  struct sigaction action = {};
  action.sa_handler = forbidden;
  sigaction(SIGSYS, &action, nullptr);
  const uint32_t calls[] = {
      __NR_clone,
#ifdef __NR_clone3
      __NR_clone3,
#endif
#ifdef __NR_fork
      __NR_fork, __NR_vfork,
#endif
  };
  constexpr uint8_t n = sizeof calls / sizeof calls[0];
  sock_filter code[n + 3] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (uint8_t i = 0; i < n; i++)
    code[1 + i] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], static_cast<uint8_t>(n - i), 0);
  code[n + 1] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[n + 2] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  const sock_fprog program{static_cast<unsigned short>(n + 3), code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
}

// Bounds what a design can take from the machine: memory (HCA_MEMORY bytes), the size of a file that it writes,
// processes.
inline void bound_process() {
  const char* memory = getenv("HCA_MEMORY");
  const rlim_t bytes = memory != nullptr ? strtoull(memory, nullptr, 10) : 0;
  if (bytes > 0) {
    const rlimit most{bytes, bytes};
    setrlimit(RLIMIT_AS, &most);
    setrlimit(RLIMIT_FSIZE, &most);
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  forbid_processes();
}

template <class Dut>
int run_program(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  if (argc == 4 && strcmp(argv[1], "--bare") == 0) return Bare<Dut>{}.run(argv[2], strtoull(argv[3], nullptr, 10));
  if (fcntl(kBridgeFd, F_GETFD) < 0) {
    fprintf(stderr, "this is a simulator for the cosim command, which starts it: cosim run --dut NAME\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  struct sigaction action = {};
  action.sa_handler = watch;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval every{{1, 0}, {1, 0}};
  setitimer(ITIMER_REAL, &every, nullptr);
  bound_process();
  Session<Dut> session(kBridgeFd);
  try {
    session.serve();
  } catch (const Gone&) {
    return 3;
  } catch (const std::bad_alloc&) {
    session.fatal("the design wants more memory than the limit allows");
  }
  return 0;
}

}  // namespace hca

#endif  // HCA_BRIDGE_H_
