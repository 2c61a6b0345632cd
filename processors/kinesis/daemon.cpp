#include "processors/kinesis/daemon.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/api/error.h"
#include "processors/kinesis/daemon_files.h"
#include "processors/kinesis/daemon_log.h"
#include "processors/kinesis/daemon_process.h"

namespace weir::processors::kinesis {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using std::chrono::milliseconds;

// In the daemon's working folder.
constexpr const char* kProperties = "daemon.properties";
// By another name than the one within the KCL's jars, which would be found first.
constexpr const char* kLogConfiguration = "daemon-log.xml";
constexpr const char* kJars = "lib";
constexpr const char* kBridge = "weir-kinesis-bridge";

constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kMostLastWordsBytes = 4 << 20;
constexpr milliseconds kLookForEnd{50};
constexpr int kReapMs = 5000;

std::vector<std::string> java_arguments(const KclDaemon::Settings& settings) {
  return {fmt::format("-Xmx{}m", std::max<std::uint64_t>(settings.heap_bytes >> 20, 16)),
          // One collector thread and the first compiler only: starts sooner, takes less memory, and
          // is no slower, since the KCL's own work is allocation.
          "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
          // Out of memory it would go on half dead.
          "-XX:+ExitOnOutOfMemoryError",
          "-XX:-UsePerfData",  // no file of its own outside of its folder
          "-Dfile.encoding=UTF-8",
          // Instead of the daemon's -l, which comes only after the first events.
          fmt::format("-Dlogback.configurationFile={}", kLogConfiguration), "-cp",
          fmt::format("{}/*", kJars), "software.amazon.kinesis.multilang.MultiLangDaemon", "-p",
          kProperties};
}

void make_link(const fs::path& link, const fs::path& target) {
  fs::remove(link);
  fs::create_symlink(target, link);
}

std::string value_of(const std::map<std::string, std::string>& properties, const char* name) {
  const auto found = properties.find(name);
  return found == properties.end() ? std::string() : found->second;
}

DaemonNames names_of(const KclDaemon::Settings& settings) {
  return {.stream = settings.stream,
          .application = value_of(settings.properties, "applicationName"),
          .region = settings.region,
          .endpoint = settings.endpoint,
          .java = settings.installation.java.string(),
          .jars = settings.installation.jars.string(),
          .heap_bytes = settings.heap_bytes};
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("killed by signal {}, {}", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

double seconds(milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

}  // namespace

struct KclDaemon::State : std::enable_shared_from_this<State> {
  // A run of the daemon's process.
  struct Run {
    Run(asio::io_context& io, const StartedProcess& process)
        : id(process.id), end(io), out(io), err(io) {
      take(end, process.end);
      take(out, process.out);
      take(err, process.err);
      if (failed) finish();
    }
    void take(asio::posix::stream_descriptor& descriptor, int native) {
      boost::system::error_code error;
      descriptor.assign(native, error);
      if (error) ::close(native);
      if (error) failed = error.value();
    }
    // Kills the group, waits for its leader, and closes what is left. Returns the status.
    int finish() {
      // While it is not waited for, its number is nobody else's: what is left of its group can go.
      ::kill(-id, SIGKILL);
      int status = 0;
      ::waitpid(id, &status, 0);
      return status;
    }
    void close() {
      for (auto* descriptor : {&end, &out, &err}) {
        boost::system::error_code ignored;
        descriptor->close(ignored);
      }
    }

    const pid_t id;
    asio::posix::stream_descriptor end, out, err;
    std::array<char, kReadBytes> out_bytes, err_bytes;
    std::int64_t started_ns = 0;
    int failed = 0;  // why it cannot be watched; then it is ended already
  };
  using RunPtr = std::shared_ptr<Run>;

  State(asio::io_context& io_context, Settings with, Clock& time, ComponentLog& component_log)
      : io(io_context),
        settings(std::move(with)),
        clock(time),
        log(component_log),
        daemon_log(names_of(settings), clock, log),
        restart_timer(io),
        grace_timer(io),
        end_timer(io),
        log_timer(io),
        delay(settings.restart_least) {
    settings.properties.insert_or_assign("executableName", fmt::format("./{}", kBridge));
  }

  void launch();
  void write_files() const;
  void launch_later();
  void read(const RunPtr& of, DaemonLog::From from);
  void watch_log();
  void watch_end(const RunPtr& of);
  void reap();
  void last_words(DaemonLog::From from, int descriptor);
  void report_end(int status, milliseconds lasted);
  void look_for_release();
  void kill_group() const {
    if (run) ::kill(-run->id, SIGKILL);
  }
  void ended();
  void close();

  asio::io_context& io;
  Settings settings;
  Clock& clock;
  ComponentLog& log;
  DaemonLog daemon_log;
  asio::steady_timer restart_timer, grace_timer, end_timer, log_timer;
  RunPtr run;
  milliseconds delay;
  int starts = 0;
  bool stopping = false;
  std::int64_t with_others_ns = 0;  // while it stops: when bridges were last seen
  bool closed = false;              // the owner is gone: nothing of it may be touched
  std::vector<std::function<void()>> when_ended;
};

void KclDaemon::State::write_files() const {
  make_link(settings.directory / kJars, settings.installation.jars);
  make_link(settings.directory / kBridge, settings.installation.bridge);
  write_private_file(settings.directory / kLogConfiguration, log_configuration());
  write_private_file(settings.directory / kProperties, properties_text(settings.properties));
}

void KclDaemon::State::launch() {
  if (stopping || closed || run) return;
  try {
    std::map<std::string, std::string> environment;
    if (settings.environment) environment = settings.environment();
    environment.merge(inherited_environment());
    daemon_log.begin(environment);
    write_files();
    const StartedProcess process = start_process({.program = settings.installation.java,
                                                  .arguments = java_arguments(settings),
                                                  .environment = std::move(environment),
                                                  .directory = settings.directory});
    auto started = std::make_shared<Run>(io, process);
    if (started->failed != 0) throw std::system_error(started->failed, std::generic_category());
    run = std::move(started);
  } catch (const ProcessException& error) {
    log.error("the KCL for stream {} is not started: {}; tried again in {:.3g} s", settings.stream,
              error.what(), seconds(delay));
    return launch_later();
  } catch (const std::system_error& error) {
    log.error("the KCL for stream {} cannot be started: {}; tried again in {:.3g} s",
              settings.stream, error.what(), seconds(delay));
    return launch_later();
  }
  ++starts;
  run->started_ns = clock.steady_ns();
  log.debug("the KCL for stream {} runs as process {}", settings.stream, run->id);
  read(run, DaemonLog::From::out);
  read(run, DaemonLog::From::err);
  watch_end(run);
}

void KclDaemon::State::launch_later() {
  restart_timer.expires_after(delay);
  delay = std::min(delay * 2, settings.restart_most);
  restart_timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error) self->launch();
  });
}

void KclDaemon::State::read(const RunPtr& of, DaemonLog::From from) {
  const bool is_out = from == DaemonLog::From::out;
  auto& bytes = is_out ? of->out_bytes : of->err_bytes;
  (is_out ? of->out : of->err)
      .async_read_some(asio::buffer(bytes),
                       [self = shared_from_this(), of, from, &bytes](
                           const boost::system::error_code& error, std::size_t size) {
                         if (error || self->closed || self->run != of) return;
                         self->daemon_log.read(from, {bytes.data(), size});
                         self->watch_log();
                         self->read(of, from);
                       });
}

void KclDaemon::State::watch_log() {
  const auto deadline_ns = daemon_log.deadline_ns();
  if (!deadline_ns) return;
  const auto wait = std::chrono::nanoseconds(*deadline_ns - clock.steady_ns());
  const auto at = std::chrono::steady_clock::now() + std::max(wait, std::chrono::nanoseconds(0));
  // Armed for earlier or about then: leave it. A timer never armed stands at the epoch.
  const bool armed = log_timer.expiry() > std::chrono::steady_clock::now();
  if (armed && log_timer.expiry() <= at + std::chrono::seconds(1)) return;
  log_timer.expires_at(at);
  log_timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (error || self->closed) return;
    self->daemon_log.progress();
    self->watch_log();
  });
}

void KclDaemon::State::watch_end(const RunPtr& of) {
  of->end.async_wait(asio::posix::descriptor_base::wait_read,
                     [self = shared_from_this(), of](const boost::system::error_code& error) {
                       if (!error && !self->closed && self->run == of) self->reap();
                     });
}

void KclDaemon::State::reap() {
  const int status = run->finish();
  last_words(DaemonLog::From::out, run->out.native_handle());
  last_words(DaemonLog::From::err, run->err.native_handle());
  daemon_log.end();
  watch_log();
  const auto lasted = std::chrono::duration_cast<milliseconds>(
      std::chrono::nanoseconds(clock.steady_ns() - run->started_ns));
  run->close();
  run.reset();
  if (stopping) return ended();
  if (lasted >= settings.steady_after) delay = settings.restart_least;
  report_end(status, lasted);
  launch_later();
}

// What still stands in the pipe of a process that is gone.
void KclDaemon::State::last_words(DaemonLog::From from, int descriptor) {
  std::array<char, kReadBytes> bytes;
  for (std::size_t all = 0; all < kMostLastWordsBytes;) {
    pollfd waiting{.fd = descriptor, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 0) <= 0) return;
    const ssize_t got = ::read(descriptor, bytes.data(), bytes.size());
    if (got <= 0) return;
    daemon_log.read(from, {bytes.data(), static_cast<std::size_t>(got)});
    all += static_cast<std::size_t>(got);
  }
}

void KclDaemon::State::report_end(int status, milliseconds lasted) {
  const std::string& reason = daemon_log.last_error();
  log.error(
      "the KCL for stream {} ended by itself after {:.3g} s ({}){}{}; started again in {:.3g} s",
      settings.stream, seconds(lasted), how_it_ended(status), reason.empty() ? "" : ": ", reason,
      seconds(delay));
}

void KclDaemon::State::look_for_release() {
  end_timer.expires_after(kLookForEnd);
  end_timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (error || self->closed || !self->run) return;
    const std::int64_t now_ns = self->clock.steady_ns();
    if (leads_others(self->run->id)) self->with_others_ns = now_ns;
    const std::chrono::nanoseconds alone(now_ns - self->with_others_ns);
    const bool hangs = alone >= self->settings.alone_enough;
    if (hangs || (self->daemon_log.released() && alone.count() > 0)) return self->kill_group();
    self->look_for_release();
  });
}

void KclDaemon::State::ended() {
  grace_timer.cancel();
  end_timer.cancel();
  for (auto& call : std::exchange(when_ended, {})) call();
}

void KclDaemon::State::close() {
  closed = true;
  for (auto* timer : {&restart_timer, &grace_timer, &end_timer, &log_timer}) timer->cancel();
  if (!run) return;
  kill_group();
  pollfd end{.fd = run->end.native_handle(), .events = POLLIN, .revents = 0};
  // A process that the kernel does not let go of in this time is left to it.
  if (::poll(&end, 1, kReapMs) > 0) ::waitpid(run->id, nullptr, 0);
  run->close();
  run.reset();
}

KclDaemon::KclDaemon(asio::io_context& io, Settings settings, Clock& clock, ComponentLog& log)
    : state_(std::make_shared<State>(io, std::move(settings), clock, log)) {}

KclDaemon::~KclDaemon() {
  state_->close();
}

void KclDaemon::start() {
  state_->launch();
}

void KclDaemon::stop(milliseconds grace, std::function<void()> ended) {
  State& state = *state_;
  state.when_ended.push_back(std::move(ended));
  state.stopping = true;
  state.restart_timer.cancel();
  if (!state.run) {
    asio::post(state.io, [self = state_] {
      if (!self->closed && !self->run) self->ended();
    });
    return;
  }
  state.daemon_log.stopping();
  ::kill(state.run->id, SIGTERM);
  state.grace_timer.expires_after(grace);
  state.grace_timer.async_wait([self = state_, grace](const boost::system::error_code& error) {
    if (error || self->closed || !self->run) return;
    self->log.warn(
        "the KCL for stream {} did not end within {:.3g} s and is killed: what was not "
        "checkpointed is read again",
        self->settings.stream, seconds(grace));
    self->kill_group();
  });
  if (value_of(state.settings.properties, "metricsLevel") != "NONE") return;
  state.with_others_ns = state.clock.steady_ns();
  state.look_for_release();
}

void KclDaemon::kill() {
  state_->stopping = true;
  state_->restart_timer.cancel();
  state_->kill_group();
}

std::optional<int> KclDaemon::process_id() const {
  if (!state_->run) return std::nullopt;
  return state_->run->id;
}

int KclDaemon::starts() const {
  return state_->starts;
}

}  // namespace weir::processors::kinesis
