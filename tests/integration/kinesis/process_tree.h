#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace weir::kinesis_testing {

// One process of the machine; another one that gets its number later is not it.
struct ProcessId {
  pid_t number = 0;
  std::uint64_t started = 0;  // in ticks since the machine's start

  bool operator==(const ProcessId&) const = default;
};

// What `root` started, and what those started in turn. Zombies do not count.
std::vector<ProcessId> descendants(pid_t root);
bool alive(const ProcessId& process);
std::string command_line(pid_t process);       // words with blanks between; "" when it is gone
std::string working_directory(pid_t process);  // "" when it is gone
std::uint64_t resident_bytes(pid_t process);   // 0 when it is gone

// Of `among` those whose command line holds `text`.
std::vector<ProcessId> with_command(const std::vector<ProcessId>& among, const std::string& text);

// Fails the test where one of `processes` still lives after `most`, and kills it.
void expect_gone(const std::vector<ProcessId>& processes, int most_s = 20);

}  // namespace weir::kinesis_testing
