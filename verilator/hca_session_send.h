// Session, what is sent: records, the end of a batch, prints, violations, signs of life.
#ifndef HCA_SESSION_SEND_H_
#define HCA_SESSION_SEND_H_

#include "hca_session.h"

namespace hca {

template <class Dut>
inline void Session<Dut>::gather() {
  used_ = 0;
  gathered_ = shared_.take(slot_);
  if (gathered_ == nullptr) gathered_ = wire_.get() + sizeof(FrameHeader);
}

template <class Dut>
inline uint8_t* Session<Dut>::room(size_t n) {
  if (used_ > 0 && used_ + n > kFlushBytes) flush();
  if (n > kFlushBytes && gathers_shared()) {  // larger than a slot
    shared_.free(shared_.state(slot_));
    gathered_ = wire_.get() + sizeof(FrameHeader);
  }
  used_ += n;
  return gathered_ + used_ - n;
}

template <class Dut>
inline size_t Session<Dut>::seal() {
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

template <class Dut>
inline void Session<Dut>::flush() {
  connection_.write(wire_.get(), seal());
  gather();
}

template <class Dut>
inline void Session<Dut>::send(Frame type, const std::vector<uint8_t>& payload) {
  std::vector<uint8_t> frame(sizeof(FrameHeader));
  frame.insert(frame.end(), payload.begin(), payload.end());
  connection_.stamp(frame.data(), type, payload.size());
  connection_.write(frame.data(), frame.size());
}

template <class Dut>
inline void Session<Dut>::done() {
  DoneBody body{cycle_, 0, 0, kNoPort};
  if (until_ == kWhileFed && out_of_bounds()) {
    const bool stalled = still_cycles_ >= stall_limit_;
    const Waiting longest = overdue_ || stalled ? forget_waits() : slow_ ? slowest() : Waiting{};
    body.flags |= stalled ? kDoneStalled : overdue_ ? kDoneWaited : slow_ ? kDoneSlow : kDoneLimit;
    body.stalled_cycles = stalled ? still_cycles_ : longest.cycles;
    body.port = longest.port;
    slow_ = false;
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

template <class Dut>
inline auto Session<Dut>::forget_waits() -> Waiting {
  Waiting longest;
  dut_->each([&longest](uint16_t i, auto& port) {
    if (const uint64_t waited = forget_wait(port); waited > longest.cycles) longest = {i, waited};
  });
  return longest;
}

template <class Dut>
template <class Pins>
inline uint64_t Session<Dut>::forget_wait(Source<Pins>& p) {
  return std::exchange(p.waited, 0);
}

template <class Dut>
template <class Pins>
inline uint64_t Session<Dut>::forget_wait(const Sink<Pins>&) {
  return 0;
}

template <class Dut>
inline auto Session<Dut>::slowest() -> Waiting {
  Waiting longest;
  dut_->each([&longest](uint16_t i, auto& port) {
    if (const uint64_t wait = mean_wait(port); wait > longest.cycles) longest = {i, wait};
  });
  return longest;
}

template <class Dut>
inline void Session<Dut>::print(uint32_t lines, const std::string& text) {
  if (living_) return;
  const size_t n = std::min(text.size(), kMaxPrintBytes);
  std::vector<uint8_t> body;
  append(body, PrintBody{in_reset_ ? kNoCycle : cycle_, lines, static_cast<uint32_t>(n)});
  body.insert(body.end(), text.begin(), text.begin() + static_cast<ptrdiff_t>(n));
  send(Frame::kPrint, body);
}

template <class Dut>
inline void Session<Dut>::violation(uint16_t port, Rule rule, const std::string& text) {
  if (living_) return;
  violation_counts_[{port, static_cast<uint16_t>(rule)}]++;
  if (++violations_ > kMaxViolations) return;
  std::vector<uint8_t> body;
  append(body, ViolationBody{cycle_, port, static_cast<uint16_t>(rule), static_cast<uint32_t>(text.size())});
  body.insert(body.end(), text.begin(), text.end());
  send(Frame::kViolation, body);
}

template <class Dut>
inline void Session<Dut>::pulse() {
  const uint64_t now = now_ms(), took = now - std::exchange(looked_ms_, now);
  pulse_cycles_ = took >= kPulseMs ? std::max(1u, pulse_cycles_ / 8) : std::min(kPulseCycles, pulse_cycles_ * 2);
  until_pulse_ = pulse_cycles_;
  if (now - last_pulse_ms_ < kPulseMs) return;
  last_pulse_ms_ = now;
  slow_ |= pace_.after_ms > 0 && used_ms() - used_before_ms_ >= pace_.after_ms && slowest().cycles >= pace_.cycles;
  std::vector<uint8_t> body;
  append(body, cycle_);
  send(Frame::kHeartbeat, body);
}

// What the design fails at is told behind the cycle in which it does.
template <class Dut>
inline void Session<Dut>::fatal(const std::string& text) {
  std::vector<uint8_t> body;
  append(body, cycle_);
  try {
    if (!living_ && !in_reset_) send(Frame::kHeartbeat, body);
  } catch (const Gone&) {
  }
  fail(Fault::kSimulator, text);
}

template <class Dut>
inline void Session<Dut>::fail(Fault fault, const std::string& text) {
  std::vector<uint8_t> body;
  append(body, static_cast<uint32_t>(fault));
  append(body, static_cast<uint32_t>(text.size()));
  body.insert(body.end(), text.begin(), text.end());
  try {
    send(Frame::kError, body);
  } catch (const Gone&) {
  }
  if (dut_) dut_->end_trace();
  fflush(nullptr);
  _exit(4);
}

}  // namespace hca

#endif  // HCA_SESSION_SEND_H_
