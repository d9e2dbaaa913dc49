// Waves of a window of cycles, in a build with --trace-fst: the file is written under another name, and gets its own
// when it is complete. HCA_TRACE is the file, HCA_TRACE_FROM and HCA_TRACE_TO are its first and last cycle. Cycle c is
// the time from c * 10 ns on, and the clock rises in its middle.
//
// Only hca_bind.cpp includes this, and only where Verilator writes waves.
#ifndef HCA_TRACE_H_
#define HCA_TRACE_H_

#include <cstdio>
#include <cstdlib>
#include <string>

#include "hca_bridge.h"
#include "verilated_fst_c.h"
#include <zlib.h>

namespace hca {

constexpr uint64_t kCyclePs = 10'000, kHalfPs = kCyclePs / 2;

// Whether a file could not be written: the library that writes waves does not look.
inline bool& write_failed() {
  static bool failed = false;
  return failed;
}

// The library maps files of its own into memory; where the disk is full their pages are not there.
inline void disk_full(int) {
  const char text[] = "the waves could not be written: no space left on the device\n";
  if (write(2, text, sizeof text - 1) < 0) _exit(5);
  _exit(4);
}

template <class Top>
class Trace {
 public:
  explicit Trace(VerilatedContext& context) {
    const char* file = getenv("HCA_TRACE");
    if (file == nullptr || *file == 0) return;
    file_ = file;
    from_ = number("HCA_TRACE_FROM");
    to_ = number("HCA_TRACE_TO");
    context.traceEverOn(true);
    signal(SIGXFSZ, SIG_IGN);  // a write that fails is noticed
    signal(SIGBUS, disk_full);
  }

  // A cycle begins.
  void at_cycle(Top& top, uint64_t cycle) {
    if (file_.empty()) return;
    if (stop_asked() != 0) {
      end();
      _exit(kExitGone);
    }
    if (!open_ && cycle >= from_ && cycle <= to_) open(top);
    if (open_ && cycle > to_) end();
    now_ = cycle * kCyclePs;
  }

  // Pins have settled, a part of a half of the cycle after its begin.
  void dump(bool high, unsigned step, unsigned steps) {
    if (open_) fst_->dump(now_ + (high ? kHalfPs : 0) + kHalfPs * step / steps);
  }

  // Completes the file. Nothing is left of one that could not be written.
  void end() {
    if (!open_) return;
    open_ = false;
    fst_->close();
    if (write_failed() || rename(part().c_str(), file_.c_str()) != 0) {
      fprintf(stderr, "the waves could not be written: %s\n", strerror(errno));
      unlink(part().c_str());
    }
  }

 private:
  static uint64_t number(const char* name) {
    const char* text = getenv(name);
    return text == nullptr ? 0 : strtoull(text, nullptr, 10);
  }
  std::string part() const { return file_ + ".part"; }

  void open(Top& top) {
    if (!fst_) {
      fst_ = std::make_unique<VerilatedFstC>();
      top.trace(fst_.get(), 99);
      fst_->set_time_unit("1ps");
      fst_->set_time_resolution("1ps");
    }
    fst_->open(part().c_str());
    open_ = fst_->isOpen();
    if (open_) return;
    fprintf(stderr, "the waves could not be written: %s\n", strerror(errno));
    file_.clear();
  }

  std::string file_;
  uint64_t from_ = 0, to_ = 0, now_ = 0;
  bool open_ = false;
  std::unique_ptr<VerilatedFstC> fst_;
};

}  // namespace hca

// The linker puts these in place of the library's (--wrap).
extern "C" {
int __real_fclose(FILE* f);
int __real_gzclose(gzFile f);

int __wrap_fclose(FILE* f) {
  const bool failed = ferror(f) != 0;
  const int r = __real_fclose(f);
  hca::write_failed() |= failed || r != 0;
  return r;
}
int __wrap_gzclose(gzFile f) {
  const int r = __real_gzclose(f);
  hca::write_failed() |= r != Z_OK;
  return r;
}
}

#endif  // HCA_TRACE_H_
