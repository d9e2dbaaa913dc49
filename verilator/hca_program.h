// The program around a session: what it may take from the machine, and its main function.
#ifndef HCA_PROGRAM_H_
#define HCA_PROGRAM_H_

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "hca_bare.h"
#include "hca_session.h"

namespace hca {

// Ends the process when the other end is gone, even from inside a design that never settles. One that writes waves gets
// a moment to complete them.
inline void watch(int) {
  pollfd p{kBridgeFd, 0, 0};
  if (poll(&p, 1, 0) != 1 || (p.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0) return;
  if (getenv("HCA_TRACE") == nullptr || (stop_asked() = stop_asked() + 1) > 3) _exit(kExitGone);
}

// Asks a process that writes waves to end: it completes them at the next cycle. One that does not get there ends at the
// fourth call, or when the other end is gone.
inline void ask_to_stop(int) {
  if ((stop_asked() = stop_asked() + 1) > 3) _exit(kExitGone);
}

// A design that starts a process is stopped: the signal comes in place of the process. Where signals are blocked, as
// in system(), it ends this process, and cosim says why.
inline void forbidden(int) {
  const char* text = "the design started a process ($system, or fork in its C code), which a simulator may not";
  if (listener() != nullptr) listener()->fatal(text);
  fprintf(stderr, "%s\n", text);
  _exit(4);
}

inline void forbid_processes() {
#if defined(__linux__) && defined(__NR_clone)
  struct sigaction action = {};
  action.sa_handler = forbidden;
  sigaction(SIGSYS, &action, nullptr);
  const uint32_t calls[] = {
      __NR_clone,
#ifdef __NR_clone3
      __NR_clone3,
#endif
#ifdef __NR_fork
      __NR_fork, __NR_vfork,
#endif
  };
  constexpr uint8_t n = sizeof calls / sizeof calls[0];
  sock_filter code[n + 3] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (uint8_t i = 0; i < n; i++)
    code[1 + i] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], static_cast<uint8_t>(n - i), 0);
  code[n + 1] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[n + 2] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  const sock_fprog program{static_cast<unsigned short>(n + 3), code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
}

// Bounds what a design can take from the machine: memory (HCA_MEMORY bytes), the size of a file that it writes,
// processes.
inline void bound_process() {
  const char* memory = getenv("HCA_MEMORY");
  const rlim_t bytes = memory != nullptr ? strtoull(memory, nullptr, 10) : 0;
  if (bytes > 0) {
    const rlimit most{bytes, bytes};
    setrlimit(RLIMIT_AS, &most);
    setrlimit(RLIMIT_FSIZE, &most);
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  forbid_processes();
}

template <class Dut>
int run_program(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  if (argc == 4 && strcmp(argv[1], "--bare") == 0) return Bare<Dut>{}.run(argv[2], strtoull(argv[3], nullptr, 10));
  if (fcntl(kBridgeFd, F_GETFD) < 0) {
    fprintf(stderr, "this is a simulator for the cosim command, which starts it: cosim run --dut NAME\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  struct sigaction action = {};
  action.sa_handler = watch;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  if (getenv("HCA_TRACE") != nullptr) {
    action.sa_handler = ask_to_stop;
    action.sa_flags = 0;  // a read that waits is to end
    for (const int s : {SIGTERM, SIGINT, SIGHUP}) sigaction(s, &action, nullptr);
  }
  const itimerval every{{1, 0}, {1, 0}};
  setitimer(ITIMER_REAL, &every, nullptr);
  bound_process();
  Session<Dut> session(kBridgeFd);
  try {
    session.serve();
  } catch (const Gone&) {
    return kExitGone;
  } catch (const std::bad_alloc&) {
    session.fatal("the design wants more memory than the limit allows");
  }
  return 0;
}

}  // namespace hca

#endif  // HCA_PROGRAM_H_
