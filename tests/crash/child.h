#pragma once

#include <sys/types.h>
#include <string>
#include <vector>

namespace weir::testing {

// A program of this project, run as a process of its own. Killed when the object goes.
class Child {
 public:
  // Output goes to `log`, appended.
  Child(const std::vector<std::string>& arguments, const std::string& log);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void send(int signal);
  int wait();  // exit code, or 128 + signal
  bool running();

 private:
  pid_t process_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

}  // namespace weir::testing
