#include "processors/kinesis/daemon_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "processors/kinesis/signals_blocked.h"

namespace weir::processors::kinesis {
namespace {

constexpr int kFirstOther = STDERR_FILENO + 1;

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::system_error(error, std::generic_category(), what);
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }
  void close() {
    if (value_ >= 0) ::close(std::exchange(value_, -1));
  }

 private:
  int value_ = -1;
};

// Out of the way of the standard ones, which the child puts in place.
Descriptor beyond_standard(int value) {
  if (value < 0) fail("descriptor", errno);
  if (value >= kFirstOther) return Descriptor(value);
  const Descriptor low(value);
  Descriptor high(::fcntl(value, F_DUPFD_CLOEXEC, kFirstOther));
  if (high.get() < 0) fail("descriptor", errno);
  return high;
}

struct Pipe {
  Descriptor read, write;
};
Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe", errno);
  Pipe pipe;
  pipe.read = beyond_standard(ends[0]);
  pipe.write = beyond_standard(ends[1]);
  return pipe;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// All that the child needs, made before the fork: behind it nothing may allocate or lock.
struct Prepared {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* directory;
  int in, out, err, failure;
  pid_t parent;
};

[[noreturn]] void give_up(const Prepared& prepared) {
  const int error = errno;
  // Nobody can be told where even this does not work: the parent then sees the end of the pipe and
  // the process's.
  [[maybe_unused]] const ssize_t written = ::write(prepared.failure, &error, sizeof error);
  ::_exit(127);
}

void close_others_at_exec() {
  if (::syscall(SYS_close_range, kFirstOther, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) == 0) return;
  // A kernel before 5.11.
  rlimit limit{};
  const int most = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < (1U << 20)
                       ? static_cast<int>(limit.rlim_cur)
                       : 1 << 20;
  for (int descriptor = kFirstOther; descriptor < most; ++descriptor) {
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
}

// In the child, with all signals blocked. Only calls that are safe between fork and exec.
[[noreturn]] void become(const Prepared& prepared) {
  ::setpgid(0, 0);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(prepared);
  if (::getppid() != prepared.parent) ::_exit(127);  // it died before the line above
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (::dup2(prepared.in, STDIN_FILENO) < 0 || ::dup2(prepared.out, STDOUT_FILENO) < 0 ||
      ::dup2(prepared.err, STDERR_FILENO) < 0 || ::chdir(prepared.directory) != 0) {
    give_up(prepared);
  }
  close_others_at_exec();
  ::execve(prepared.program, prepared.arguments, prepared.environment);
  give_up(prepared);
}

pid_t fork_into(const Prepared& prepared) {
  // No handler of ours runs in the child: it would act on what the child shares with us.
  const SignalsBlocked blocked;
  const pid_t child = ::fork();
  if (child == 0) become(prepared);
  if (child < 0) fail("fork", errno);
  ::setpgid(child, child);  // whoever is first, it is done
  return child;
}

// 0, or why it could not become the program.
int exec_error(int pipe) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(pipe, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

struct Stat {
  char state = '?';
  pid_t group = -1;
};
std::optional<Stat> read_stat(const std::string& directory) {
  std::ifstream file(directory + "/stat");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  const auto name_end = text.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return std::nullopt;
  Stat stat{.state = text[name_end + 2]};
  const auto parent = text.find(' ', name_end + 3);
  const auto group = parent == std::string::npos ? parent : text.find(' ', parent + 1);
  if (group == std::string::npos) return std::nullopt;
  std::from_chars(text.data() + group + 1, text.data() + text.size(), stat.group);
  return stat;
}

}  // namespace

StartedProcess start_process(const ProcessStart& start) {
  std::vector<std::string> arguments{start.program.string()};
  arguments.insert(arguments.end(), start.arguments.begin(), start.arguments.end());
  std::vector<std::string> environment;
  for (const auto& [name, value] : start.environment) environment.push_back(name + '=' + value);
  const std::vector<char*> argument_pointers = pointers(arguments);
  const std::vector<char*> environment_pointers = pointers(environment);

  const Descriptor in = beyond_standard(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Pipe out = make_pipe(), err = make_pipe(), failure = make_pipe();
  const pid_t child = fork_into({.program = start.program.c_str(),
                                 .arguments = argument_pointers.data(),
                                 .environment = environment_pointers.data(),
                                 .directory = start.directory.c_str(),
                                 .in = in.get(),
                                 .out = out.write.get(),
                                 .err = err.write.get(),
                                 .failure = failure.write.get(),
                                 .parent = ::getpid()});
  failure.write.close();
  Descriptor end(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  const int pidfd_error = end.get() < 0 ? errno : 0;
  const int error = exec_error(failure.read.get());
  if (error != 0 || pidfd_error != 0) {
    ::kill(-child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    fail(start.program.string(), error != 0 ? error : pidfd_error);
  }
  return {.id = child, .end = end.release(), .out = out.read.release(), .err = err.read.release()};
}

bool leads_others(pid_t group) {
  std::error_code error;
  const std::filesystem::directory_iterator processes("/proc", error);
  for (const auto& entry : processes) {
    const std::string name = entry.path().filename().string();
    if (name.empty() || name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (name == std::to_string(group)) continue;
    const auto stat = read_stat(entry.path().string());
    if (stat && stat->group == group && stat->state != 'Z') return true;
  }
  return false;
}

}  // namespace weir::processors::kinesis
