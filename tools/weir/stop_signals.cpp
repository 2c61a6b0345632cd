#include "tools/weir/stop_signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "repositories/storage/error.h"

namespace weir::tools {

StopSignals::StopSignals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // nobody reads the log any more: no reason to end
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  notifications_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (signals_ < 0 || notifications_ < 0) throw storage::IoError("watch signals", "", errno);
}

StopSignals::~StopSignals() {
  ::close(signals_);
  ::close(notifications_);
}

StopSignals::Event StopSignals::wait(std::optional<std::chrono::milliseconds> most) {
  pollfd sources[] = {{signals_, POLLIN, 0}, {notifications_, POLLIN, 0}};
  const int ready = ::poll(sources, 2, most ? static_cast<int>(most->count()) : -1);
  if (ready <= 0) return Event::timeout;  // also when a debugger or SIGCONT interrupts
  signalfd_siginfo signal;
  if (::read(signals_, &signal, sizeof signal) == sizeof signal) {
    return signal.ssi_signo == SIGUSR1 ? Event::update : Event::signal;
  }
  std::uint64_t count = 0;
  if (::read(notifications_, &count, sizeof count) == sizeof count) return Event::notified;
  return Event::timeout;
}

void StopSignals::notify() {
  const std::uint64_t one = 1;
  // Can only fail where 2^64 - 1 notifications wait already: then `wait` ends all the same.
  [[maybe_unused]] const auto written = ::write(notifications_, &one, sizeof one);
}

}  // namespace weir::tools
