#pragma once

#include <sys/types.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "processors/kinesis/bridge_server.h"
#include "tests/tools/program.h"

namespace weir::processors::kinesis::test {

using tools::testing::eventually;
using tools::testing::Folder;

class CapturedLog : public ComponentLog {
 public:
  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel level, std::string_view message) override {
    const std::lock_guard lock(mutex_);
    if (level >= LogLevel::warn) warnings_ += std::string(message) + '\n';
  }
  std::string warnings() const {
    const std::lock_guard lock(mutex_);
    return warnings_;
  }

 private:
  mutable std::mutex mutex_;
  std::string warnings_;
};

// One end of a stream that a test reads lines from and writes to, each with a deadline of 30 s.
class Stream {
 public:
  explicit Stream(int descriptor = -1) : descriptor_(descriptor) {}
  ~Stream() { close(); }
  Stream(Stream&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), read_(std::move(other.read_)) {}
  Stream& operator=(Stream&& other) noexcept;

  int descriptor() const { return descriptor_; }
  // False where the other side is gone.
  bool write(std::string_view bytes);
  bool write_line(std::string_view line) { return write(std::string(line) + '\n'); }
  // As much as goes at once.
  std::size_t write_some(std::string_view bytes);
  // The next line without its line feed; nothing at the end of the stream.
  std::optional<std::string> read_line();
  // True where a line, or the end, is there to be read.
  bool readable() const;
  std::string read_to_end();
  bool at_end() { return read_to_end().empty(); }
  void close();

 private:
  bool fill();
  int descriptor_;
  std::string read_;
};

// A client of the server that is no bridge, or the engine's end for a bridge without one.
Stream connect_to(const std::filesystem::path& socket);

// The real program, started as the daemon starts it.
class BridgeProcess {
 public:
  BridgeProcess(const std::filesystem::path& directory, const std::string& token,
                const std::vector<std::string>& environment = {});
  ~BridgeProcess();  // kills it
  BridgeProcess(const BridgeProcess&) = delete;
  BridgeProcess& operator=(const BridgeProcess&) = delete;

  Stream& input() { return input_; }    // its standard input
  Stream& output() { return output_; }  // its standard output
  std::string errors() { return errors_.read_to_end(); }
  pid_t id() const { return process_; }
  // How it ended, at most 30 s later; of a signal: 128 + its number.
  int exit_code();

 private:
  pid_t process_ = -1;
  Stream input_, output_, errors_;
};

// A server with its thread and its buffer.
class RunningServer {
 public:
  explicit RunningServer(std::uint64_t max_bytes, CheckpointRules checkpoints = {},
                         std::chrono::nanoseconds hello_time = std::chrono::seconds(10));
  ~RunningServer();

  // A client that has shown the token and begun a stay of the shard.
  Stream begin(const std::string& shard_id);
  Stream connect();
  void call(const std::function<void(BridgeServer&)>& what);
  std::size_t connections();
  // Processes and commits what is there within `most`; gives the data of its records.
  std::vector<std::string> consume(std::chrono::milliseconds most = std::chrono::milliseconds(0));

  const std::string token = "f00d";
  Folder folder;
  CapturedLog log;
  RecordBuffer buffer;

 private:
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      boost::asio::make_work_guard(io_)};
  std::mutex mutex_;
  BridgeServer* listening_ = nullptr;
  std::unique_ptr<BridgeServer> server_;
  std::thread thread_;
};

// No answer waits for a commit, and none is checkpointed within the test.
CheckpointRules at_once();

// A call with records whose data begin with their numbers.
std::string records_line(std::uint64_t first, std::size_t count, std::size_t bytes);

// The answer to a call; a checkpoint that is asked for before is written.
std::string answer(Stream& client);

// As `eventually`, for many small steps.
bool step_until(const std::function<bool()>& done);

}  // namespace weir::processors::kinesis::test
