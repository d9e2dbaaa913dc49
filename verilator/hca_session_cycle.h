// Session, a cycle: whether the clock may move, what the input pins carry, what the output pins say.
#ifndef HCA_SESSION_CYCLE_H_
#define HCA_SESSION_CYCLE_H_

#include "hca_session.h"

namespace hca {

template <class Dut>
inline bool Session<Dut>::runnable() {
  if (!running_ || finished_) return false;
  if (until_ == kWhileFed ? out_of_bounds() : cycle_ >= until_) return false;
  return feed() || (last_seen_ && until_ != kWhileFed);
}

template <class Dut>
inline bool Session<Dut>::out_of_bounds() const {
  return still_cycles_ >= stall_limit_ || overdue_ || slow_ || cycle_ >= cycle_limit_;
}

template <class Dut>
inline bool Session<Dut>::feed() {
  bool fed = true;
  dut_->each([&](uint16_t, auto& port) { fed &= fed_port(port); });
  return fed;
}

template <class Dut>
template <class Pins>
inline bool Session<Dut>::fed_port(Source<Pins>& p) {
  while (p.queue.empty())
    if (!queue_next()) return false;
  return true;
}

template <class Dut>
template <class Pins>
inline bool Session<Dut>::fed_port(const Sink<Pins>&) {
  return true;
}

template <class Dut>
inline bool Session<Dut>::queue_next() {
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

template <class Dut>
inline const RecordHeader* Session<Dut>::check(const Unread& u) {
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

template <class Dut>
template <class Pins>
inline void Session<Dut>::drive_port(uint16_t i, Source<Pins>& p) {
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

template <class Dut>
template <class Pins>
inline void Session<Dut>::idle_pins(Source<Pins>& p) {
  p.pins.valid(false);
  const IdleDraw d{draw(p.shape.key ^ kIdleKey, cycle_)};
  if (d.changes(p.stale)) {
    const RecordHeader* h = p.queue.empty() ? nullptr : p.queue.front().header;
    p.pins.idle(d, h == nullptr ? nullptr : reinterpret_cast<const uint8_t*>(h + 1) + p.done,
                h == nullptr ? 0 : h->length - p.done);
  }
  p.stale = false;
}

template <class Dut>
template <class Pins>
inline bool Session<Dut>::starts(uint16_t i, Source<Pins>& p) {
  if (p.queue.empty() || (p.done == 0 && p.queue.front().header->start > cycle_)) return false;
  if (!p.shape.holds(cycle_ / Dut::ticks(i))) return true;
  counts_[i].idle_cycles++;
  return false;
}

template <class Dut>
template <class Pins>
inline void Session<Dut>::drive_port(uint16_t i, Sink<Pins>& p) {
  const uint64_t cycle = cycle_ / Dut::ticks(i);
  p.ready = !Pins::kStalls || (!p.shape.holds(cycle) && (p.open || !p.line.holds(cycle)));
  if (!p.ready) counts_[i].idle_cycles++;
  p.pins.ready(p.ready);
}

template <class Dut>
template <class Pins>
inline void Session<Dut>::sample_port(uint16_t i, Source<Pins>& p) {
  if (!p.presenting) return;
  if (!p.pins.ready()) {
    counts_[i].stall_cycles++;
    waiting_ = true;
    overdue_ |= ++p.waited >= wait_limit_;
    p.waits++;
    return;
  }
  moved_ = true;
  p.longest = std::max(p.longest, p.waited);
  p.waited = 0;
  p.beats++;
  counts_[i].beats++;
  if (p.done == 0) p.start = cycle_;
  p.done += p.beat;
  p.presenting = false;
  p.stale = true;
  const Queued q = p.queue.front();
  if (p.done < q.header->length) return;
  counts_[i].records++;
  const auto longest = static_cast<uint32_t>(std::min<uint64_t>(p.longest, ~uint32_t{0}));
  new (room(sizeof(RecordHeader))) RecordHeader{p.start, cycle_, q.header->seq, 0, i, kEcho, longest, 0};
  p.longest = 0;
  p.queue.pop();
  release(q.batch);
  p.done = 0;
}

template <class Dut>
template <class Pins>
inline void Session<Dut>::sample_port(uint16_t i, Sink<Pins>& p) {
  const bool valid = p.pins.valid();
  if (p.stalled) check_stall(i, p, valid);
  else if (valid && !p.ready) p.pins.save(p.beat);
  p.stalled = valid && !p.ready;
  if (p.stalled) counts_[i].stall_cycles++;
  if (valid && p.ready) take(i, p);
}

template <class Dut>
template <class Pins>
inline void Session<Dut>::check_stall(uint16_t i, Sink<Pins>& p, bool valid) {
  if (!valid) {
    if (!Pins::kWithdrawable) violation(i, Rule::kValidDropped, "valid fell before ready");
  } else if (const char* what = p.pins.differs(p.beat)) {
    violation(i, Rule::kChanged, std::string(what) + " changed while stalled");
    p.pins.save(p.beat);
  }
}

template <class Dut>
template <class Pins>
inline void Session<Dut>::take(uint16_t i, Sink<Pins>& p) {
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
  p.line.takes(p.start / Dut::ticks(i), p.length);
  const size_t n = p.close(i, cycle_);
  hash_ = fold(hash_, p.bytes.get(), n);
  memcpy(room(n), p.bytes.get(), n);
  p.length = 0;
  p.open = p.overlong = false;
}

}  // namespace hca

#endif  // HCA_SESSION_CYCLE_H_
