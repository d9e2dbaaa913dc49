// The frames of the bridge as docs/bridge.md defines them: constants, and bodies as they lie in memory.
#ifndef HCA_FRAMES_H_
#define HCA_FRAMES_H_

#include <cstddef>
#include <cstdint>

namespace hca {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames and beats are copied as they lie in memory");

constexpr uint32_t kMagic = 0x42414348;  // "HCAB"
constexpr uint16_t kMajor = 1, kMinor = 0;
constexpr uint32_t kMaxFrame = 4u << 20;    // payload bytes that this end accepts
constexpr uint32_t kMaxRecord = 256u << 10;  // bytes of one record
constexpr size_t kFlushBytes = 256u << 10;
constexpr size_t kShortFrame = 8u << 10;
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
enum class Rule : uint16_t {
  kValidDropped = 1, kChanged = 2, kKeep = 3, kTooLong = 4, kReset = 5, kAssertion = 6, kStop = 7
};

constexpr uint32_t kFeatureShared = 1;  // HELLO: payloads may lie in shared memory
// HELLO: RESET has bounds, PRINT frames come, GOODBYE counts violations by rule and port.
constexpr uint32_t kFeatureWatch = 2;
constexpr uint32_t kFeaturePace = 4;    // HELLO: RESET has a pace
constexpr uint32_t kFeatureLives = 8;   // HELLO: RESET may keep the state and say how long the pin is held
constexpr uint32_t kFeatureLine = 16;   // HELLO: RESET has the lines of outputs
constexpr uint32_t kFeatureOnly = 32;   // HELLO: RESET may say that one output alone is held back
constexpr uint8_t kRunLast = 1;         // RUN: the last frame of its batch
constexpr uint8_t kShared = 0x80;       // RUN, RECORDS: the payload is a SharedRef to where it lies
constexpr uint16_t kEcho = 1;          // record: accepted cycles of an input, without data; user: how long it waited
constexpr uint32_t kDoneStalled = 1;   // DONE: stopped because nothing moved
constexpr uint32_t kDoneFinished = 2;  // DONE: stopped because the design called $finish
constexpr uint32_t kDoneWaited = 4;    // DONE: one input waited too long, though others or outputs moved
constexpr uint32_t kDoneLimit = 8;     // DONE: stopped by the limit of cycles
constexpr uint32_t kDoneSlow = 16;     // DONE: stopped because an input takes its beats too slowly
constexpr uint32_t kResetInverted = 1;  // RESET: the reset pin is held the other way round, to find out if that helps
constexpr uint32_t kResetKeeps = 2;     // RESET: the pin alone: the design goes on with the state that it has
constexpr uint32_t kResetStart = 4;     // RESET: no life before it: traffic meets what the state seed drew
constexpr unsigned kResetOnly = 8;      // RESET: flags from here up: the one output that is held back, from 1 on
constexpr unsigned kResetHold = 16;     // RESET: flags from here up: cycles that the pin is held, 0 for the manifest's

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

// Follows the bounds in RESET, with kFeaturePace.
struct ResetPace {
  uint64_t after_ms;  // of this process on a processor, since the reset; 0: no limit
  uint64_t cycles;    // that an input may wait for a beat, on average since the reset
};
static_assert(sizeof(ResetPace) == 16);

// Follows the pace in RESET, with kFeatureLine: u32 how many, u32 0, then these. A port has one at most.
struct ResetLine {
  uint32_t port, overhead;  // bytes around each record
  uint64_t cost;            // cycles for a byte, times 2^kLineShift
};
static_assert(sizeof(ResetLine) == 16);
constexpr unsigned kLineShift = 24;

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

}  // namespace hca

#endif  // HCA_FRAMES_H_
