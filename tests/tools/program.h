#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weir::tools::testing {

using std::chrono_literals::operator""s;

struct Result {
  int exit_code = -1;  // of a signal: 128 + its number
  std::string out;
  std::string err;
};

// A program of this project running in a folder, its output going to files.
class Program {
 public:
  // `arguments[0]` is the program's name: "weir", "weirctl", or another one of the system.
  Program(const std::filesystem::path& directory, const std::vector<std::string>& arguments);
  ~Program();  // kills it where it still runs
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number) const;
  pid_t id() const { return process_; }
  std::string out() const;
  std::string err() const;
  // Fails the test and kills the program at the deadline.
  Result finish(std::chrono::seconds most = 30s);

 private:
  std::filesystem::path out_file_;
  std::filesystem::path err_file_;
  pid_t process_ = -1;
};

Result run(const std::filesystem::path& directory, const std::vector<std::string>& arguments);

// Looks again and again until `done`; false at the deadline.
bool eventually(const std::function<bool()>& done, std::chrono::seconds most = 30s);

// A new folder below the system's one for temporary files; removed with its content.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  void write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);
// Every file below with its content, to see whether anything changed.
std::vector<std::pair<std::string, std::string>> content_of(const std::filesystem::path& directory);

std::vector<std::string> lines_of(const std::string& text);

}  // namespace weir::tools::testing
