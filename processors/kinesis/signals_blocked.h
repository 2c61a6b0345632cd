#pragma once

#include <pthread.h>

#include <csignal>

namespace weir::processors::kinesis {

// While it lives, the calling thread takes no signal; threads and processes that it makes meanwhile
// begin so. Signals are the engine's main thread's to handle.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace weir::processors::kinesis
