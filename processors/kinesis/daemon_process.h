#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace weir::processors::kinesis {

struct ProcessStart {
  std::filesystem::path program;
  std::vector<std::string> arguments;              // behind the program's name
  std::map<std::string, std::string> environment;  // all of it
  std::filesystem::path directory;                 // its working folder
};

// Descriptors belong to the caller, who also waits for the process.
struct StartedProcess {
  pid_t id = -1;
  int end = -1;  // becomes readable when the process has ended
  int out = -1, err = -1;
};

// Starts a program as the leader of a process group of its own, with nothing of this process but
// what is named: no descriptor beside its standard ones, no signal blocked or ignored, no core
// files. Its input is empty. The kernel kills it when the calling *thread* ends, or this process.
// Throws std::system_error where it cannot be started.
StartedProcess start_process(const ProcessStart& start);

// True where a process of this group runs beside its leader.
bool leads_others(pid_t group);

}  // namespace weir::processors::kinesis
