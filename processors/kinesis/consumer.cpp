#include "processors/kinesis/consumer.h"

#include <pthread.h>
#include <sys/random.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <exception>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>

#include "processors/kinesis/run_folder.h"
#include "processors/kinesis/signals_blocked.h"
#include "processors/kinesis/stall_watch.h"

namespace weir::processors::kinesis {
namespace {

constexpr std::size_t kTokenBytes = 32;
constexpr std::chrono::seconds kLook{5};
// Beyond the grace time, for the daemon's keeper to kill what did not end.
constexpr std::chrono::seconds kKillTime{2};
constexpr std::size_t kThreadNameBytes = 15;

std::string make_token() {
  unsigned char bytes[kTokenBytes];
  ssize_t got;
  do {
    got = ::getrandom(bytes, sizeof(bytes), 0);  // so few come whole
  } while (got < 0 && errno == EINTR);
  if (got != sizeof(bytes)) throw std::system_error(errno, std::generic_category(), "getrandom");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

struct Consumer::State {
  State(Settings given, Clock& clock_given, ComponentLog& log_given);
  ~State() { finish(); }

  void run(std::promise<void>& made);
  void make();
  void take_down();
  void look();
  RecordBuffer::Listener listener();
  // Ends the thread, and with it all that it keeps.
  void finish();

  Settings settings;
  Clock& clock;
  ComponentLog& log;
  const std::string token = make_token();
  std::optional<RunFolder> folder;
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
      boost::asio::make_work_guard(io)};
  RecordBuffer buffer;

  // The thread's own.
  std::unique_ptr<BridgeServer> server;
  std::unique_ptr<KclDaemon> daemon;
  StallWatch watch;
  boost::asio::steady_timer look_timer{io};

  std::mutex mutex;
  BridgeServer* listening = nullptr;  // guarded by mutex; null before it is made, and at its end
  std::thread thread;
};

Consumer::State::State(Settings given, Clock& clock_given, ComponentLog& log_given)
    : settings(std::move(given)),
      clock(clock_given),
      log(log_given),
      buffer(settings.max_bytes, settings.batching, clock, listener()),
      watch(settings.checkpoints.interval) {
  folder.emplace(std::filesystem::temp_directory_path());
  settings.daemon.directory = folder->path();
  if (settings.complete) settings.complete(settings.daemon);
  settings.daemon.environment = [of_daemon = settings.daemon.environment, this] {
    auto variables = of_daemon ? of_daemon() : std::map<std::string, std::string>();
    variables[kTokenVariable] = token;
    return variables;
  };

  std::promise<void> made;
  std::future<void> is_made = made.get_future();
  {
    const SignalsBlocked blocked;
    thread = std::thread([this, &made] { run(made); });
  }
  try {
    is_made.get();
  } catch (...) {
    thread.join();
    throw;
  }
}

RecordBuffer::Listener Consumer::State::listener() {
  const auto tell = [this](const auto& call) {
    const std::lock_guard lock(mutex);
    if (listening != nullptr) call(*listening);
  };
  return {.changed =
              [tell](const ShardBufferId& id) {
                tell([&](BridgeServer& to) { to.buffer_changed(id); });
              },
          .room = [tell] { tell([](BridgeServer& to) { to.room(); }); }};
}

void Consumer::State::run(std::promise<void>& made) {
  const std::string name = ("kinesis-" + settings.daemon.stream).substr(0, kThreadNameBytes);
  ::pthread_setname_np(::pthread_self(), name.c_str());
  try {
    make();
  } catch (...) {
    take_down();
    made.set_exception(std::current_exception());
    return;
  }
  made.set_value();
  io.run();
  take_down();
}

void Consumer::State::make() {
  server =
      std::make_unique<BridgeServer>(io,
                                     BridgeServer::Settings{.socket = folder->path() / kSocketName,
                                                            .token = token,
                                                            .checkpoints = settings.checkpoints},
                                     buffer, clock, log);
  {
    const std::lock_guard lock(mutex);
    listening = server.get();
  }
  daemon = std::make_unique<KclDaemon>(io, settings.daemon, clock, log);
  daemon->start();
  look();
}

void Consumer::State::take_down() {
  {
    const std::lock_guard lock(mutex);
    listening = nullptr;
  }
  daemon.reset();
  server.reset();
}

void Consumer::State::look() {
  for (const std::string& sentence : watch.look(buffer.status(), clock.steady_ns())) {
    log.warn("{}", sentence);
  }
  look_timer.expires_after(kLook);
  look_timer.async_wait([this](const boost::system::error_code& error) {
    if (!error) look();
  });
}

void Consumer::State::finish() {
  if (!thread.joinable()) return;
  io.stop();
  thread.join();
  folder.reset();
}

Consumer::Consumer(Settings settings, Clock& clock, ComponentLog& log)
    : state_(std::make_unique<State>(std::move(settings), clock, log)) {}

Consumer::~Consumer() = default;

RecordBuffer& Consumer::buffer() {
  return state_->buffer;
}

void Consumer::close() {
  state_->buffer.close();
}

void Consumer::stop() {
  if (!state_->thread.joinable()) return;
  const auto ended = std::make_shared<std::promise<void>>();
  std::future<void> has_ended = ended->get_future();
  const std::chrono::milliseconds grace = state_->settings.stop_grace;
  boost::asio::post(state_->io, [state = state_.get(), grace, ended] {
    state->server->stop();
    state->daemon->stop(grace, [ended] { ended->set_value(); });
  });
  static_cast<void>(has_ended.wait_for(grace + kKillTime));
  state_->finish();
}

}  // namespace weir::processors::kinesis
