#include "tests/processors/kinesis/bridge_fixture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/processors/kinesis/fake_kcl.h"

namespace weir::processors::kinesis::test {

using namespace std::chrono_literals;
using testing::checkpoint_line;
using testing::FakeRecord;
using testing::process_records_line;

namespace {

constexpr int kDeadlineMs = 30'000;

bool wait_for(int descriptor, short events, int most_ms = kDeadlineMs) {
  pollfd wait = {.fd = descriptor, .events = events, .revents = 0};
  return ::poll(&wait, 1, most_ms) > 0;
}

void set_nonblocking(int descriptor) {
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

}  // namespace

Stream& Stream::operator=(Stream&& other) noexcept {
  close();
  descriptor_ = std::exchange(other.descriptor_, -1);
  read_ = std::move(other.read_);
  return *this;
}

void Stream::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

bool Stream::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
    if (put > 0) bytes.remove_prefix(static_cast<std::size_t>(put));
    if (put < 0 && errno != EAGAIN) return false;
    if (put < 0 && !wait_for(descriptor_, POLLOUT)) {
      ADD_FAILURE() << "nobody reads";
      return false;
    }
  }
  return true;
}

std::size_t Stream::write_some(std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t put = ::write(descriptor_, bytes.data() + written, bytes.size() - written);
    if (put <= 0) break;
    written += static_cast<std::size_t>(put);
  }
  return written;
}

bool Stream::fill() {
  if (!wait_for(descriptor_, POLLIN)) {
    ADD_FAILURE() << "nobody writes; so far: " << read_;
    return false;
  }
  static thread_local char piece[256 << 10];
  const ssize_t got = ::read(descriptor_, piece, sizeof(piece));
  if (got > 0) read_.append(piece, static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EAGAIN);
}

std::optional<std::string> Stream::read_line() {
  std::size_t scanned = 0;
  for (;;) {
    const auto end = read_.find('\n', scanned);
    if (end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    scanned = read_.size();
    if (!fill()) return std::nullopt;
  }
}

bool Stream::readable() const {
  return read_.find('\n') != std::string::npos || wait_for(descriptor_, POLLIN, 0);
}

std::string Stream::read_to_end() {
  while (fill()) {
  }
  return std::exchange(read_, {});
}

Stream connect_to(const std::filesystem::path& socket) {
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string name = socket.string();
  name.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    ADD_FAILURE() << "cannot connect: " << std::strerror(errno);
  }
  set_nonblocking(made);
  return Stream(made);
}

BridgeProcess::BridgeProcess(const std::filesystem::path& directory, const std::string& token,
                             const std::vector<std::string>& environment) {
  int in[2], out[2], err[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe2");
  }
  const std::string program = WEIR_PROGRAMS "/kinesis/weir-kinesis-bridge";
  std::vector<std::string> variables = environment;
  variables.push_back(fmt::format("{}={}", kTokenVariable, token));
  std::vector<char*> raw;
  for (std::string& variable : variables) raw.push_back(variable.data());
  raw.push_back(nullptr);
  char* const arguments[] = {const_cast<char*>(program.c_str()), nullptr};
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    if (::chdir(directory.c_str()) != 0) ::_exit(126);
    ::execve(program.c_str(), arguments, raw.data());
    ::_exit(127);
  }
  for (const int theirs : {in[0], out[1], err[1]}) ::close(theirs);
  set_nonblocking(in[1]);
  input_ = Stream(in[1]);
  output_ = Stream(out[0]);
  errors_ = Stream(err[0]);
}

BridgeProcess::~BridgeProcess() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

int BridgeProcess::exit_code() {
  int status = 0;
  if (!eventually([&] { return ::waitpid(process_, &status, WNOHANG) == process_; })) {
    ADD_FAILURE() << "the bridge did not end";
    return -1;
  }
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

RunningServer::RunningServer(std::uint64_t max_bytes, CheckpointRules checkpoints,
                             std::chrono::nanoseconds hello_time)
    : buffer(max_bytes, {}, system_clock(),
             {.changed =
                  [this](const ShardBufferId& id) {
                    const std::lock_guard lock(mutex_);
                    if (listening_ != nullptr) listening_->buffer_changed(id);
                  },
              .room =
                  [this] {
                    const std::lock_guard lock(mutex_);
                    if (listening_ != nullptr) listening_->room();
                  }}) {
  std::promise<void> made;
  thread_ = std::thread([&, checkpoints, hello_time] {
    server_ = std::make_unique<BridgeServer>(io_,
                                             BridgeServer::Settings{.socket = folder / kSocketName,
                                                                    .token = token,
                                                                    .checkpoints = checkpoints,
                                                                    .hello_time = hello_time},
                                             buffer, system_clock(), log);
    {
      const std::lock_guard lock(mutex_);
      listening_ = server_.get();
    }
    made.set_value();
    io_.run();
    {
      const std::lock_guard lock(mutex_);
      listening_ = nullptr;
    }
    server_.reset();
  });
  made.get_future().get();
}

RunningServer::~RunningServer() {
  io_.stop();
  thread_.join();
}

Stream RunningServer::connect() {
  return connect_to(folder / kSocketName);
}

Stream RunningServer::begin(const std::string& shard_id) {
  Stream client = connect();
  client.write(hello(token));
  client.write_line(testing::initialize_line(shard_id, {"TRIM_HORIZON", 0}));
  EXPECT_EQ(client.read_line(), protocol::status("initialize")) << log.warnings();
  return client;
}

void RunningServer::call(const std::function<void(BridgeServer&)>& what) {
  std::promise<void> done;
  boost::asio::post(io_, [&] {
    what(*server_);
    done.set_value();
  });
  done.get_future().get();
}

std::size_t RunningServer::connections() {
  std::size_t count = 0;
  call([&](BridgeServer& server) { count = server.connections(); });
  return count;
}

std::vector<std::string> RunningServer::consume(std::chrono::milliseconds most) {
  std::vector<std::string> all;
  auto lease = buffer.acquire(most);
  if (!lease) return all;
  for (const RecordBatchPtr& batch : buffer.consume(*lease)) {
    for (const Record& record : batch->records()) all.emplace_back(record.data);
  }
  if (!buffer.commit(*lease)) all.clear();
  return all;
}

CheckpointRules at_once() {
  return {.interval = 1h, .hold_back = 0ns, .shutdown_grace = 10s, .retry_after = 1s};
}

std::string records_line(std::uint64_t first, std::size_t count, std::size_t bytes) {
  std::vector<FakeRecord> records;
  for (std::size_t i = 0; i < count; ++i) {
    std::string data = std::to_string(first + i) + " ";
    data.resize(std::max(bytes, data.size()), 'x');
    records.push_back({data, {std::to_string(first + i), 0}});
  }
  return process_records_line(records);
}

std::string answer(Stream& client) {
  std::string line = client.read_line().value_or("(end)");
  if (!line.starts_with(R"({"action":"checkpoint")")) return line;
  client.write_line(checkpoint_line());
  return client.read_line().value_or("(end)");
}

bool step_until(const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(100us);
  }
  return true;
}

}  // namespace weir::processors::kinesis::test
