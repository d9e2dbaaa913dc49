// Session, a life before the reset: docs/bridge.md.
#ifndef HCA_SESSION_LIFE_H_
#define HCA_SESSION_LIFE_H_

#include "hca_session.h"

namespace hca {

template <class Dut>
inline void Session<Dut>::live_before(uint64_t seed, bool asserted) {
  uint64_t left = 16 + draw(seed ^ kLifeKey, 0) % 1024;  // beats
  living_ = true;
  dut_->each([&](uint16_t i, auto& port) { prepare(i, port, seed, false); });
  dut_->reset(asserted);
  for (unsigned i = 0; i < Dut::kResetCycles; i++) tick();
  dut_->reset(!asserted);
  for (uint64_t cycle = 0; left > 0 && cycle < kLifeCycles && !finished_; cycle++) {
    dut_->each([&](uint16_t i, auto& port) {
      if (dut_->rose(i)) live_drive(port, draw(port_key(seed ^ kLifeKey, i), cycle));
    });
    dut_->low();
    dut_->each([&](uint16_t i, auto& port) {
      if (dut_->rises(i)) left -= std::min<uint64_t>(left, live_sample(port));
    });
    dut_->high();
  }
  // And fills up: nothing is taken any more.
  for (uint64_t cycle = kLifeCycles, end = cycle + draw(seed ^ kLifeKey, 1) % 32; cycle < end; cycle++) {
    dut_->each([&](uint16_t i, auto& port) {
      if (dut_->rose(i)) live_drive(port, draw(port_key(seed ^ kLifeKey, i), cycle) & ~uint64_t{3});
    });
    dut_->low();
    dut_->each([&](uint16_t i, auto& port) {
      if (dut_->rises(i)) live_sample(port);
    });
    dut_->high();
  }
  dut_->each([&](uint16_t, auto& port) { live_end(port); });
  living_ = false;
}

// A first clock in reset: a simulator sees edges of the pin, and it never had the other level.
template <class Dut>
inline void Session<Dut>::power_on(bool asserted) {
  dut_->reset(asserted);
  tick();
}

template <class Dut>
inline void Session<Dut>::tick() {
  dut_->low();
  dut_->high();
}

template <class Dut>
template <class Pins>
inline void Session<Dut>::live_drive(Source<Pins>& p, uint64_t d) {
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

template <class Dut>
template <class Pins>
inline void Session<Dut>::live_drive(Sink<Pins>& p, uint64_t d) {
  p.pins.ready(d % 4 != 0);
}

template <class Dut>
template <class Pins>
inline uint64_t Session<Dut>::live_sample(Source<Pins>& p) {
  if (!p.presenting || !p.pins.ready()) return 0;
  p.done -= p.beat;
  p.presenting = false;
  return 1;
}

template <class Dut>
template <class Pins>
inline uint64_t Session<Dut>::live_sample(Sink<Pins>&) {
  return 0;
}

template <class Dut>
template <class Pins>
inline void Session<Dut>::live_end(Source<Pins>& p) {
  p.presenting = false;
  p.done = p.beat = 0;
  p.start = 0;
}

}  // namespace hca

#endif  // HCA_SESSION_LIFE_H_
