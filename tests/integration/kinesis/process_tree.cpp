#include "tests/integration/kinesis/process_tree.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <sstream>

#include "tests/tools/program.h"

namespace weir::kinesis_testing {
namespace {

namespace fs = std::filesystem;
using tools::testing::eventually;
using tools::testing::read_file;

struct Stat {
  ProcessId id;
  pid_t parent = 0;
  char state = 0;
};

fs::path folder_of(pid_t process) {
  return fs::path("/proc") / std::to_string(process);
}

// nullopt: it is gone.
std::optional<Stat> read_stat(pid_t process) {
  const std::string text = read_file(folder_of(process) / "stat");
  // The name stands in brackets and may hold anything.
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream in(text.substr(end + 1));
  Stat stat{.id = {.number = process}};
  in >> stat.state >> stat.parent;
  constexpr int kBetweenParentAndStart = 17;
  std::string skipped;
  for (int field = 0; field < kBetweenParentAndStart; ++field) in >> skipped;
  in >> stat.id.started;
  return in ? std::optional(stat) : std::nullopt;
}

bool counts(const Stat& stat) {
  return stat.state != 'Z' && stat.state != 'X';
}

std::vector<Stat> all_processes() {
  std::vector<Stat> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (!std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    if (const auto stat = read_stat(std::stoi(name)); stat && counts(*stat)) found.push_back(*stat);
  }
  return found;
}

}  // namespace

std::vector<ProcessId> descendants(pid_t root) {
  const std::vector<Stat> all = all_processes();
  std::vector<ProcessId> found;
  std::vector<pid_t> parents = {root};
  while (!parents.empty()) {
    const pid_t parent = parents.back();
    parents.pop_back();
    for (const Stat& one : all) {
      if (one.parent != parent) continue;
      found.push_back(one.id);
      parents.push_back(one.id.number);
    }
  }
  return found;
}

bool alive(const ProcessId& process) {
  const auto stat = read_stat(process.number);
  return stat && counts(*stat) && stat->id == process;
}

std::string command_line(pid_t process) {
  std::string text = read_file(folder_of(process) / "cmdline");
  std::ranges::replace(text, '\0', ' ');
  return text;
}

std::string working_directory(pid_t process) {
  std::error_code gone;
  return fs::read_symlink(folder_of(process) / "cwd", gone).string();
}

std::uint64_t resident_bytes(pid_t process) {
  std::istringstream in(read_file(folder_of(process) / "statm"));
  std::uint64_t total_pages = 0, resident_pages = 0;
  in >> total_pages >> resident_pages;
  return resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::vector<ProcessId> with_command(const std::vector<ProcessId>& among, const std::string& text) {
  std::vector<ProcessId> found;
  for (const ProcessId& one : among) {
    if (command_line(one.number).find(text) != std::string::npos) found.push_back(one);
  }
  return found;
}

void expect_gone(const std::vector<ProcessId>& processes, int most_s) {
  const auto gone = [&] { return std::ranges::none_of(processes, alive); };
  if (eventually(gone, std::chrono::seconds(most_s))) return;
  for (const ProcessId& one : processes) {
    if (!alive(one)) continue;
    ADD_FAILURE() << "orphan " << one.number << ": " << command_line(one.number).substr(0, 200);
    ::kill(one.number, SIGKILL);
  }
}

}  // namespace weir::kinesis_testing
