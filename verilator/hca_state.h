// What no reset reaches starts at random by the state seed and the variable's name, so that every build of a design
// begins in the same state: docs/bridge.md. Generated code calls these where Verilator's would draw from one stream.
#ifndef HCA_STATE_H_
#define HCA_STATE_H_

#include <cstdint>

#include "hca_draws.h"

namespace hca {

// Draws the words of one variable after the other: the elements of an array come in turn.
class StateDraws {
 public:
  void seed(uint64_t seed) { seed_ = seed; }

  // A module that was put into its parent has its name in front of the variable's, with __DOT__ between them: such a
  // variable has the name that it has in a module of its own.
  uint64_t next(const char* module, const char* name) {
    if (seed_ == 0) return 0;
    uint64_t key = seed_;
    for (; *module != 0; module++) key = mix(key ^ static_cast<unsigned char>(*module));
    key = mix(key ^ '.');
    for (const char* c = name; *c != 0; c++) {
      const bool dot = strncmp(c, "__DOT__", 7) == 0;
      key = mix(key ^ static_cast<unsigned char>(dot ? '.' : *c));
      if (dot) c += 6;
    }
    if (key != key_) at_ = 0;
    key_ = key;
    return draw(key, at_++);
  }

 private:
  uint64_t seed_ = 0, key_ = 0, at_ = 0;
};

inline StateDraws& state_draws() {
  static StateDraws all;
  return all;
}

}  // namespace hca

#endif  // HCA_STATE_H_
