// A session: what one connection asks of a device, cycle by cycle. Its parts stand in hca_session_*.h.
#ifndef HCA_SESSION_H_
#define HCA_SESSION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hca_connection.h"
#include "hca_draws.h"
#include "hca_frames.h"
#include "hca_pins.h"
#include "hca_ports.h"

namespace hca {

// Session serves one connection. Dut gives:
//   static const PortInfo kPorts[]; static constexpr uint16_t kPortCount
//   static const InputInfo kInputs[]; static constexpr uint32_t kInputCount
//   static const char *const kBuildId, *const kManifestHash;
//   static constexpr unsigned kResetCycles; static constexpr bool kLivesBefore
//   explicit Dut(uint64_t state_seed); void low(); void high(); void reset(bool asserted);
//   bool rose(uint16_t port): its clock rose in the last high(); bool rises(uint16_t port): it will in the next;
//   static constexpr uint64_t ticks(uint16_t port): low() and high() in a cycle of its clock
//   void config(uint32_t index, uint64_t value)
//   void at_cycle(uint64_t cycle): it begins; void end_trace(): the process ends
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
    dut_->at_cycle(cycle_);
    dut_->each([this](uint16_t i, auto& port) {
      if (dut_->rose(i)) drive_port(i, port);
    });
    return true;
  }

  // Takes what the settled pins say, and ends the cycle.
  void sample() {
    moved_ = waiting_ = false;
    dut_->each([this](uint16_t i, auto& port) {
      if (dut_->rises(i)) sample_port(i, port);
      else waiting_ |= offers(port);
    });
    still_cycles_ = waiting_ && !moved_ ? still_cycles_ + 1 : 0;
    cycle_++;
    total_cycles_++;
    if (--until_pulse_ == 0) pulse();
  }

  void assertion_failed(const std::string& text) override { violation(kNoPort, Rule::kAssertion, text); }
  void stopped(const std::string& text) override { violation(kNoPort, Rule::kStop, text); }
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
  [[noreturn]] void fatal(const std::string& text) override;

 private:
  static constexpr unsigned kPulseCycles = 512;  // how often the wall clock is looked at
  static constexpr uint64_t kPulseMs = 100;
  static constexpr uint32_t kLeastMaxFrame = 1u << 20;  // what the other end must accept
  static_assert(sizeof(RecordHeader) + kMaxRecord + 4096 < kLeastMaxFrame);
  static_assert(kFlushBytes == SharedMemory::kSlotBytes);

  // -- the clock

  // Whether the next cycle can run now. A dry input port holds the clock as long as more of the batch is to come,
  // and under WhileFed also after that: so neither frames nor batches show in a result.
  bool runnable();

  bool out_of_bounds() const;

  // Queues records until every input port has one; false if some port stays dry. A record is looked at no earlier than
  // needed: its memory is then on its way already, behind the record before it.
  bool feed();
  template <class Pins>
  bool fed_port(Source<Pins>& p);
  template <class Pins>
  static bool fed_port(const Sink<Pins>&);

  // Queues the next record of what was received; false if there is none.
  bool queue_next();

  const RecordHeader* check(const Unread& u);

  // -- driving

  template <class Pins>
  void drive_port(uint16_t i, Source<Pins>& p);

  // Valid is low. What the payload pins carry then must not matter: it looks like a record.
  template <class Pins>
  void idle_pins(Source<Pins>& p);

  template <class Pins>
  bool starts(uint16_t i, Source<Pins>& p);

  template <class Pins>
  void drive_port(uint16_t i, Sink<Pins>& p);

  // -- sampling

  template <class Pins>
  void sample_port(uint16_t i, Source<Pins>& p);
  // Whether an input waits for its clock with a beat.
  template <class Pins>
  static bool offers(const Source<Pins>& p) {
    return p.presenting;
  }
  template <class Pins>
  static bool offers(const Sink<Pins>&) {
    return false;
  }

  template <class Pins>
  void sample_port(uint16_t i, Sink<Pins>& p);

  // After a stall, valid stays and the payload is stable. Each change is reported once.
  template <class Pins>
  void check_stall(uint16_t i, Sink<Pins>& p, bool valid);

  template <class Pins>
  void take(uint16_t i, Sink<Pins>& p);

  // -- what is sent

  // Output records gather in a slot of shared memory, or behind room for a frame header in wire_.
  void gather();
  bool gathers_shared() const { return gathered_ != wire_.get() + sizeof(FrameHeader); }

  // Room for the next record, of n bytes. Headers are written there field by field: made elsewhere and copied, a load
  // waits for its stores.
  uint8_t* room(size_t n);

  // Puts the frame for what was gathered into wire_, and returns its size there.
  size_t seal();
  void flush();

  void send(Frame type, const std::vector<uint8_t>& payload);

  // Ends a batch: the records that are left and DONE, in one write.
  void done();

  struct Waiting {
    uint32_t port = kNoPort;
    uint64_t cycles = 0;
  };

  // The input that has waited longest; each starts to count anew.
  Waiting forget_waits();
  // The input that has waited longest for a beat, on average since the reset.
  Waiting slowest();
  template <class Pins>
  static uint64_t mean_wait(const Source<Pins>& p) {
    return p.waits / (p.beats + 1);
  }
  template <class Pins>
  static uint64_t mean_wait(const Sink<Pins>&) {
    return 0;
  }
  template <class Pins>
  static uint64_t forget_wait(Source<Pins>& p);
  template <class Pins>
  static uint64_t forget_wait(const Sink<Pins>&);

  void print(uint32_t lines, const std::string& text);

  void violation(uint16_t port, Rule rule, const std::string& text);

  void pulse();

  // Says why, and ends the process: nothing after a broken promise can be trusted.
  [[noreturn]] void fail(Fault fault, const std::string& text);

  // -- what arrives

  // Handles one frame; false after GOODBYE.
  bool receive();

  Batch* fresh(size_t n);
  void release(Batch* b);
  void recycle(Batch* b);

  void hello(Cursor& c);

  // A new simulation, not only a reset pin: state that no reset reaches must not leak from one run into the next.
  void reset(Cursor& c);

  // keeps: what the design holds stays, the bridge alone begins anew.
  void start_afresh(const ResetBody& r, const ResetBounds& bounds, bool keeps);
  void hold_reset(bool asserted, unsigned cycles);
  std::vector<ResetLine> lines_of(Cursor& c);
  template <class Pins>
  void set_line(Source<Pins>&, const ResetLine&) {}
  template <class Pins>
  void set_line(Sink<Pins>& p, const ResetLine& l) {
    p.line = Line{l.cost, l.overhead, 0};
  }

  // -- a life before the reset: docs/bridge.md

  static constexpr uint64_t kLifeKey = 0x6265'666f'7265'2121;  // "before!!"
  static constexpr uint64_t kLifeCycles = 80'000;              // the largest memory is clear before that

  // Lets the device take noise, then stop wherever it is: nothing of that may show after the reset that follows.
  void live_before(uint64_t seed, bool asserted);
  void power_on(bool asserted);
  void tick();
  template <class Pins>
  void live_drive(Source<Pins>& p, uint64_t d);
  template <class Pins>
  void live_drive(Sink<Pins>& p, uint64_t d);
  template <class Pins>
  uint64_t live_sample(Source<Pins>& p);
  template <class Pins>
  uint64_t live_sample(Sink<Pins>&);
  template <class Pins>
  void live_end(Source<Pins>& p);
  template <class Pins>
  void live_end(Sink<Pins>&) {}
  // What the bridge knows of a port before a reset that keeps the design's state.
  template <class Pins>
  void forget(Source<Pins>& p) {
    p.queue.clear();
    p.presenting = p.stale = false;
    p.done = p.beat = 0;
    p.start = p.waited = p.longest = p.waits = p.beats = 0;
  }
  template <class Pins>
  void forget(Sink<Pins>& p) {
    p.ready = p.stalled = p.open = p.overlong = false;
    p.start = p.seq = 0;
    p.length = 0;
  }

  void recycle_all();

  struct Entry {
    Queue<Queued>* queue = nullptr;  // null for an output
    uint32_t record_bytes = 0;  // 0: any length
  };

  template <class Pins>
  // keeps: the device goes on, and its pins carry in the reset what they carried before it.
  void prepare(uint16_t i, Source<Pins>& p, uint64_t seed, bool keeps);
  template <class Pins>
  void prepare(uint16_t i, Sink<Pins>& p, uint64_t seed, bool keeps);

  template <class Pins>
  void check_reset(uint16_t, Source<Pins>&) {}
  template <class Pins>
  void check_reset(uint16_t i, Sink<Pins>& p);

  // Leaves the records where they lie; the buffer is free again when the last of them was accepted.
  void run(uint8_t flags, Cursor& c, Batch* batch);

  Cursor shared_payload(Cursor& c, Batch* batch);

  void goodbye();

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
  ResetPace pace_{};
  bool paced_ = false, lined_ = false, slow_ = false;
  uint64_t used_before_ms_ = 0;  // at the reset
  uint64_t cycle_limit_ = kNoLimit;
  uint64_t prints_ = 0;
  uint32_t unsent_prints_ = 0;
  std::map<std::pair<uint16_t, uint16_t>, uint64_t> violation_counts_;  // by port and rule
  uint64_t backpressure_ = 0, idle_ = 0;
  unsigned only_ = 0;  // the one output that is held back, from 1 on; 0: all
  uint64_t hash_ = 0, violations_ = 0;
  std::string finish_text_;

  unsigned pulse_cycles_ = 1, until_pulse_ = 1;  // fewer than kPulseCycles where a cycle takes long
  uint64_t last_pulse_ms_ = now_ms(), looked_ms_ = last_pulse_ms_;

  SharedMemory shared_;
  uint32_t slot_ = 0;
  std::unique_ptr<uint8_t[]> wire_{new uint8_t[kLeastMaxFrame]};
  uint8_t* gathered_ = wire_.get() + sizeof(FrameHeader);
  size_t used_ = 0;
};

}  // namespace hca

#include "hca_session_cycle.h"
#include "hca_session_life.h"
#include "hca_session_receive.h"
#include "hca_session_send.h"

#endif  // HCA_SESSION_H_
