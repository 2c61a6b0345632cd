#include "tests/crash/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace weir::testing {

Child::Child(const std::vector<std::string>& arguments, const std::string& log) {
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("fork failed");
  if (process_ != 0) return;
  const int out = ::open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  ::dup2(out, 1);
  ::dup2(out, 2);
  ::execv(words[0], words.data());
  ::_exit(127);
}

Child::~Child() {
  if (ended_) return;
  ::kill(process_, SIGKILL);
  wait();
}

void Child::send(int signal) {
  ::kill(process_, signal);
}

int Child::wait() {
  if (!ended_) {
    ::waitpid(process_, &status_, 0);
    ended_ = true;
  }
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
}

bool Child::running() {
  if (!ended_ && ::waitpid(process_, &status_, WNOHANG) == process_) ended_ = true;
  return !ended_;
}

}  // namespace weir::testing
