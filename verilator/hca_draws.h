// The generator behind backpressure, idle cycles and what idle pins carry, and the hash of what came out:
// docs/bridge.md.
#ifndef HCA_DRAWS_H_
#define HCA_DRAWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hca {

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

// When a port is held back: one of four eras of 4,096 cycles begins with a silence, of 256 to 4,095 cycles; else
// periods of 256 cycles, each of a kind of its own, so that ports are skewed against each other, stalls come in bursts
// and last long, and a port runs freely for a while.
struct Shape {
  uint64_t key = 0, share = 0;
  bool output = false;  // an input is else never held back for a whole period: stimuli aim at cycles

  bool holds(uint64_t cycle) const {
    if (share == 0) return false;
    if (silent(cycle)) return true;
    const unsigned kind = static_cast<unsigned>(draw(~key, cycle >> 8) >> 60);
    if (kind < 8) return draw(key, cycle) < share;
    if (kind < 10) return false;
    if (kind < 12) return draw(key, cycle) < ~uint64_t{0} << 60;  // 15 of 16
    if (kind < 14 || (kind == 14 && !output)) return draw(key, ~(cycle >> 5)) < share;
    return kind == 14 || (cycle & 1) != 0;
  }

  // Of any two silences in turn one has 1,024 cycles or more.
  bool silent(uint64_t cycle) const {
    const uint64_t four = cycle >> 14, d = draw(key ^ kSilenceKey, four);
    if ((cycle >> 12) % 4 != d % 4) return false;
    constexpr unsigned kOctaves[] = {2, 0, 3, 1};
    const uint64_t shortest = uint64_t{256} << kOctaves[(four + key) % 4];
    return cycle % 4096 < shortest + (d >> 8) % shortest;
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
    return k == 0   ? Idle::kKeeps
           : k == 1 ? Idle::kPattern
           : k == 2 ? Idle::kNext
           : k == 3 ? Idle::kRandom
                    : Idle::kChanged;
  }
  // Writes random bytes.
  void fill(uint8_t* to, size_t n) const {
    for (size_t at = 0; at < n; at++) to[at] = static_cast<uint8_t>(draw(bits, at / 8) >> (8 * (at % 8)));
  }
  // Changes up to three runs of up to 16 bits: fields of a record that is still there for the rest.
  void change(uint8_t* to, size_t n) const {
    for (uint64_t i = 0; i <= (bits >> 8) % 3; i++) {
      const uint64_t d = draw(bits, 64 + i);
      uint64_t bit = d % (8 * n), v = d >> 40;
      for (const uint64_t end = std::min<uint64_t>(8 * n, bit + 1 + (d >> 32) % 16); bit < end; bit++, v >>= 1)
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

}  // namespace hca

#endif  // HCA_DRAWS_H_
