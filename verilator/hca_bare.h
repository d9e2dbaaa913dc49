// What the bridge is measured against: a loop without a bridge.
#ifndef HCA_BARE_H_
#define HCA_BARE_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "hca_draws.h"
#include "hca_frames.h"
#include "hca_pins.h"
#include "hca_ports.h"

namespace hca {

// What the bridge is measured against: the same model and pins, records preloaded from a file of records as in a RUN
// frame, ready always high, outputs hashed; no frames, no draws, no checks. It stops drain cycles after the last input
// was accepted.
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
    printf("\nbare cycles %llu inputs %llu outputs %llu seconds %.9f cpu %.9f hash %016llx\n",
           static_cast<unsigned long long>(cycle_), static_cast<unsigned long long>(inputs_),
           static_cast<unsigned long long>(outputs_), seconds(CLOCK_MONOTONIC) - from,
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
    dut_.each([this](uint16_t i, auto& port) {
      if (dut_.rose(i)) drive(i, port);
    });
    dut_.low();
    dut_.each([this](uint16_t i, auto& port) {
      if (dut_.rises(i)) sample(i, port);
    });
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

}  // namespace hca

#endif  // HCA_BARE_H_
