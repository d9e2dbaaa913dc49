// Session, what arrives: frames, a reset, a batch, the farewell.
#ifndef HCA_SESSION_RECEIVE_H_
#define HCA_SESSION_RECEIVE_H_

#include "hca_session.h"

namespace hca {

template <class Dut>
inline bool Session<Dut>::receive() {
  FrameHeader h;
  connection_.read(&h, sizeof h);
  if (h.magic != kMagic) fail(Fault::kProtocol, "bad magic " + std::to_string(h.magic));
  if (h.channel != 0) fail(Fault::kProtocol, "channel " + std::to_string(h.channel) + " was never opened");
  if (h.sequence != connection_.next_received())
    fail(Fault::kProtocol, "frame " + std::to_string(h.sequence) + " out of sequence");
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

template <class Dut>
inline Batch* Session<Dut>::fresh(size_t n) {
  if (free_.empty()) {
    batches_.push_back(std::make_unique<Batch>());
    free_.push_back(batches_.back().get());
  }
  Batch* b = free_.back();
  free_.pop_back();
  b->live = 0;
  b->shared = nullptr;
  if (b->capacity < n) {
    // Long frames share a few buffers; short ones, of which thousands may wait behind a busy port, have small ones.
    b->capacity = n > kShortFrame ? std::max(n, kFlushBytes) : kShortFrame;
    b->bytes.reset(new uint8_t[b->capacity]);
  }
  return b;
}

template <class Dut>
inline void Session<Dut>::release(Batch* b) {
  if (--b->live == 0) recycle(b);
}

template <class Dut>
inline void Session<Dut>::recycle(Batch* b) {
  if (b->shared != nullptr) shared_.free(b->shared);
  b->shared = nullptr;
  free_.push_back(b);
}

template <class Dut>
inline void Session<Dut>::hello(Cursor& c) {
  const auto major = c.get<uint16_t>();
  c.get<uint16_t>();  // minor: what it adds is used only where both ends have the feature
  const auto features = c.get<uint32_t>();
  const auto max_frame = c.get<uint32_t>();
  c.get<uint32_t>();
  const std::string build = c.text(), manifest = c.text();
  if (major != kMajor)
    fail(Fault::kVersion,
         "protocol " + std::to_string(major) + " is asked for, this simulator speaks " + std::to_string(kMajor));
  if (!c.ok) fail(Fault::kProtocol, "HELLO is too short");
  if (max_frame < kLeastMaxFrame) fail(Fault::kProtocol, "frames of 1 MiB must be accepted");
  if (manifest != Dut::kManifestHash)
    fail(Fault::kIdentity,
         "manifest " + manifest + " is asked for, this simulator was built from " + Dut::kManifestHash);
  if (build != Dut::kBuildId)
    fail(Fault::kIdentity, "build " + build + " is asked for, this simulator is " + Dut::kBuildId);
  greeted_ = true;
  watched_ = (features & kFeatureWatch) != 0;
  paced_ = watched_ && (features & kFeaturePace) != 0;
  lined_ = paced_ && (features & kFeatureLine) != 0;
  if ((features & kFeatureShared) != 0 && shared_.map(kMemoryFd)) gather();
  std::vector<uint8_t> b;
  append(b, kMajor);
  append(b, kMinor);
  append(b, (shared_.mapped() ? kFeatureShared : 0) | (watched_ ? kFeatureWatch : 0) | (paced_ ? kFeaturePace : 0) |
                kFeatureLives | kFeatureOnly | (lined_ ? kFeatureLine : 0));
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

template <class Dut>
inline void Session<Dut>::reset(Cursor& c) {
  const auto r = c.get<ResetBody>();
  std::vector<ConfigValue> values(c.ok ? std::min<size_t>(r.inputs, Dut::kInputCount) : 0);
  for (ConfigValue& v : values) v = c.get<ConfigValue>();
  if (!c.ok || r.inputs != Dut::kInputCount) fail(Fault::kConfig, "RESET must set every configuration input");
  const auto bounds = watched_ ? c.get<ResetBounds>() : ResetBounds{r.seed, kNoLimit, kNoLimit};
  pace_ = paced_ ? c.get<ResetPace>() : ResetPace{};
  const std::vector<ResetLine> lines = lined_ ? lines_of(c) : std::vector<ResetLine>{};
  used_before_ms_ = used_ms();
  slow_ = false;
  if (!c.ok) fail(Fault::kProtocol, "RESET is too short");
  const bool keeps = dut_ && (r.flags & kResetKeeps) != 0 && !finished_;
  start_afresh(r, bounds, keeps);
  for (const ConfigValue& v : values) {
    if (v.index >= Dut::kInputCount) fail(Fault::kConfig, "no configuration input " + std::to_string(v.index));
    dut_->config(v.index, v.value);
  }
  entries_.assign(Dut::kPortCount, {});
  if constexpr (Dut::kLivesBefore) {
    const bool asserted = (r.flags & kResetInverted) == 0;
    if (!keeps && (r.flags & kResetStart) == 0) live_before(r.seed, asserted);
    if ((r.flags & kResetStart) != 0) power_on(asserted);
  }
  if (finished_) {  // it ended its first life by itself
    start_afresh(r, bounds, false);
    for (const ConfigValue& v : values) dut_->config(v.index, v.value);
  }
  dut_->each([&](uint16_t i, auto& port) { prepare(i, port, r.seed, keeps); });
  for (const ResetLine& l : lines)
    dut_->each([&](uint16_t i, auto& port) {
      if (i == l.port) set_line(port, l);
    });
  hold_reset((r.flags & kResetInverted) == 0, r.flags >> kResetHold);
  in_reset_ = false;
  until_ = 0;
  done();
}

template <class Dut>
inline std::vector<ResetLine> Session<Dut>::lines_of(Cursor& c) {
  const auto n = c.get<uint32_t>();
  c.get<uint32_t>();
  std::vector<ResetLine> lines(c.ok ? std::min<size_t>(n, Dut::kPortCount) : 0);
  for (ResetLine& l : lines) {
    l = c.get<ResetLine>();
    if (c.ok && (l.port >= Dut::kPortCount || Dut::kPorts[l.port].input))
      fail(Fault::kConfig, "port " + std::to_string(l.port) + " is no output, and has no line");
  }
  c.ok &= n == lines.size();
  return lines;
}

template <class Dut>
inline void Session<Dut>::hold_reset(bool asserted, unsigned cycles) {
  if (cycles == 0) cycles = Dut::kResetCycles;
  dut_->reset(asserted);
  for (unsigned i = 0; i < cycles; i++) {
    dut_->low();
    if (i + 1 == cycles) dut_->each([this](uint16_t p, auto& port) { check_reset(p, port); });
    dut_->high();
  }
  dut_->reset(!asserted);
}

template <class Dut>
inline void Session<Dut>::start_afresh(const ResetBody& r, const ResetBounds& bounds, bool keeps) {
  backpressure_ = r.backpressure;
  only_ = r.flags >> kResetOnly & 0xff;
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

template <class Dut>
inline void Session<Dut>::recycle_all() {
  free_.clear();
  for (const auto& b : batches_) recycle(b.get());
}

template <class Dut>
template <class Pins>
inline void Session<Dut>::prepare(uint16_t i, Source<Pins>& p, uint64_t seed, bool keeps) {
  p.shape = Shape{port_key(seed, i), idle_, false};
  p.pins.valid(false);
  if (!keeps) p.pins.poison();
  entries_[i] = Entry{&p.queue, Pins::kStream ? 0 : Pins::kBytes};
}

template <class Dut>
template <class Pins>
inline void Session<Dut>::prepare(uint16_t i, Sink<Pins>& p, uint64_t seed, bool) {
  p.shape = Shape{port_key(seed, i), only_ == 0 || only_ == i + 1u ? backpressure_ : 0, true};
  p.line = Line{};
  p.pins.ready(false);
}

template <class Dut>
template <class Pins>
inline void Session<Dut>::check_reset(uint16_t i, Sink<Pins>& p) {
  if (p.pins.valid()) violation(i, Rule::kReset, "valid is high in reset");
}

template <class Dut>
inline void Session<Dut>::run(uint8_t flags, Cursor& c, Batch* batch) {
  if (!dut_) fail(Fault::kProtocol, "RUN before RESET");
  if ((flags & kShared) != 0) c = shared_payload(c, batch);
  until_ = c.get<uint64_t>();
  if (!c.ok) fail(Fault::kProtocol, "RUN is too short");
  batch->live = 1;
  unread_.push(Unread{c.at, c.end, batch});
  running_ = true;
  last_seen_ = (flags & kRunLast) != 0;
}

template <class Dut>
inline Cursor Session<Dut>::shared_payload(Cursor& c, Batch* batch) {
  const auto ref = c.get<SharedRef>();
  if (!c.ok || !shared_.mapped() || ref.slot >= SharedMemory::kSlots || ref.length > SharedMemory::kSlotBytes)
    fail(Fault::kProtocol, "a payload lies outside the shared memory");
  batch->shared = shared_.state(ref.slot);
  return Cursor{shared_.slot(ref.slot), shared_.slot(ref.slot) + ref.length};
}

template <class Dut>
inline void Session<Dut>::goodbye() {
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

}  // namespace hca

#endif  // HCA_SESSION_RECEIVE_H_
