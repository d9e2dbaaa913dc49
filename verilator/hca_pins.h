// Pins of a device: single ones, beats of an AXI-Stream port, the fields of a record port.
#ifndef HCA_PINS_H_
#define HCA_PINS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "hca_draws.h"
#include "hca_frames.h"

namespace hca {

// Copies a beat. Compilers make "rep movs" of a memcpy of 64 bytes, which takes longer than all the rest that is done
// here in a cycle.
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
  static constexpr uint32_t kUserOnes = static_cast<uint32_t>(ones(UserBits));

  uint32_t drive(const uint8_t* from, uint32_t left, uint32_t user_value) {
    const uint32_t n = std::min(left, Bytes);
    auto* to = reinterpret_cast<uint8_t*>(&data);
    if (n == Bytes) copy_fixed<Bytes>(to, from);
    else memcpy(to, from, n);  // the other lanes carry what they did: bytes of an earlier beat
    set_keep<Bytes>(keep, n);
    set(last, left <= Bytes);
    set(user, user_value & kUserOnes);  // Verilator takes what a pin has not for 0
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

// An AXI-Stream input whose sideband counts on the last beat only: beats before it carry what is not it, in every bit.
template <class Axis>
struct UserOnLast : Axis {
  uint32_t drive(const uint8_t* from, uint32_t left, uint32_t user_value) {
    const bool is_last = left <= Axis::kBytes;
    return Axis::drive(from, left, is_last ? user_value : user_value ^ Axis::kUserOnes);
  }
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

}  // namespace hca

#endif  // HCA_PINS_H_
