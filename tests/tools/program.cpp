#include "tests/tools/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

namespace weir::tools::testing {
namespace {

std::string program_path(const std::string& name) {
  if (name != "weir" && name != "weirctl") return name;
  return (std::filesystem::path(WEIR_PROGRAMS) / name).string();
}

std::filesystem::path output_file() {
  static std::atomic<int> count{0};
  return std::filesystem::temp_directory_path() /
         ("weir-test-output-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
}

void redirect(const std::filesystem::path& file, int descriptor) {
  const int opened = ::open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  ::dup2(opened, descriptor);
  ::close(opened);
}

}  // namespace

Program::Program(const std::filesystem::path& directory, const std::vector<std::string>& arguments)
    : out_file_(output_file()), err_file_(output_file()) {
  const std::string program = program_path(arguments.at(0));
  std::vector<char*> raw;
  for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  process_ = ::fork();
  if (process_ == 0) {
    redirect(out_file_, STDOUT_FILENO);
    redirect(err_file_, STDERR_FILENO);
    if (::chdir(directory.c_str()) != 0) ::_exit(126);
    ::execvp(program.c_str(), raw.data());
    ::_exit(127);
  }
}

Program::~Program() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  std::filesystem::remove(out_file_);
  std::filesystem::remove(err_file_);
}

void Program::signal(int number) const {
  ::kill(process_, number);
}
std::string Program::out() const {
  return read_file(out_file_);
}
std::string Program::err() const {
  return read_file(err_file_);
}

Result Program::finish(std::chrono::seconds most) {
  int status = 0;
  const bool ended = eventually([&] { return ::waitpid(process_, &status, WNOHANG) != 0; }, most);
  if (!ended) {
    ADD_FAILURE() << "the program did not end; it said\n" << out() << err();
    ::kill(process_, SIGKILL);
    ::waitpid(process_, &status, 0);
  }
  process_ = -1;
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = out(),
          .err = err()};
}

Result run(const std::filesystem::path& directory, const std::vector<std::string>& arguments) {
  return Program(directory, arguments).finish();
}

bool eventually(const std::function<bool()>& done, std::chrono::seconds most) {
  const auto deadline = std::chrono::steady_clock::now() + most;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "weir-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::filesystem::remove_all(path_);
}

void Folder::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  // Under another name first: an engine that watches the folder must never see half of it.
  const std::filesystem::path hidden = file.parent_path() / ("." + file.filename().string());
  std::ofstream(hidden, std::ios::binary) << text;
  std::filesystem::rename(hidden, file);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::pair<std::string, std::string>> content_of(
    const std::filesystem::path& directory) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    found.emplace_back(entry.path().string(),
                       entry.is_regular_file() ? read_file(entry.path()) : "");
  }
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace weir::tools::testing
