#include "tools/weir/run_command.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <future>
#include <set>
#include <system_error>

#include "engine/flow/check.h"
#include "engine/flow/read.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/flow_controller.h"
#include "processors/registry.h"
#include "tools/common/exit_code.h"
#include "tools/common/flow_values.h"
#include "tools/weir/console.h"
#include "tools/weir/progress.h"
#include "tools/weir/stop_signals.h"

namespace weir::tools {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStatusInterval{1000};
// Without a terminal, lines come less and less often, up to this.
constexpr milliseconds kMostLogInterval{10000};
// Some supervisors signal a process and its group: that is one wish to stop, not two.
constexpr milliseconds kSameSignal{250};
// Threads beyond those the flow asks for: so many triggers may never return.
constexpr unsigned kSpareThreads = 16;
// How long the end of the process waits for those.
constexpr milliseconds kCloseWait{5000};

// Prints all problems. True where the flow as a whole cannot be used, or nothing in it could run.
bool report_problems(const std::vector<flow::Problem>& problems) {
  bool unusable = false;
  for (const flow::Problem& problem : problems) {
    fmt::print(stderr, "{}\n", problem.to_string());
    unusable |= problem.severity == flow::Problem::Severity::error && problem.component_id.empty();
  }
  return unusable;
}

bool any_processor_outside(const std::set<std::string>& invalid, const flow::Group& group) {
  return std::ranges::any_of(group.processors,
                             [&](const auto& one) { return !invalid.contains(one.id); }) ||
         std::ranges::any_of(group.groups, [&](const flow::Group& child) {
           return any_processor_outside(invalid, child);
         });
}

// nullopt: no flow; the reasons were printed.
std::optional<flow::ReadResult> read_file(const std::string& file) {
  std::string text;
  try {
    text = read_whole_file(file);
  } catch (const storage::IoError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return std::nullopt;
  }
  auto read = flow::read_flow(text, file);
  if (!read) {
    report_problems(read.error());
    return std::nullopt;
  }
  return *std::move(read);
}

// nullopt: nothing to run; the reasons were printed.
std::optional<flow::Flow> load_flow(const std::string& file, const runtime::EngineConfig& config,
                                    const ComponentRegistry& registry) {
  auto read = read_file(file);
  if (!read) return std::nullopt;
  std::vector<flow::Problem> problems = std::move(read->problems);
  for (flow::Problem& problem : check_opened(read->flow, config, registry).problems) {
    problems.push_back(std::move(problem));
  }
  if (report_problems(problems)) return std::nullopt;
  std::set<std::string> invalid;
  for (const flow::Problem& problem : problems) {
    if (problem.severity == flow::Problem::Severity::error) invalid.insert(problem.component_id);
  }
  if (!invalid.empty() && !any_processor_outside(invalid, read->flow.root)) {
    fmt::print(stderr, "{}: no processor of the flow can run\n", file);
    return std::nullopt;
  }
  return std::move(read->flow);
}

// A flow that runs from where the engine would save it needs no copy of itself.
void spare_flow_file(runtime::EngineConfig& config, const std::string& flow_file) {
  std::error_code none_there;
  if (std::filesystem::equivalent(config.flow_copy, flow_file, none_there)) {
    config.flow_copy.clear();
  }
}

class Run {
 public:
  Run(runtime::FlowController& controller, Console& console, StopSignals& signals,
      std::string flow_file)
      : controller_(controller),
        console_(console),
        signals_(signals),
        flow_file_(std::move(flow_file)) {}

  void until_signal() {
    milliseconds interval = kStatusInterval;
    for (;;) {
      const StopSignals::Event event = signals_.wait(interval);
      if (event == StopSignals::Event::signal) return;
      if (event == StopSignals::Event::update) update();
      show();
      if (!console_.on_terminal()) interval = std::min(interval * 2, kMostLogInterval);
    }
  }

  // A second signal ends the process where it is: the repositories are made for that.
  void stop(milliseconds drain) {
    spdlog::info("stopping; queues may drain for {} sec, a second signal stops at once",
                 std::chrono::duration<double>(drain).count());
    struct Notifier {
      StopSignals& signals;
      ~Notifier() { signals.notify(); }
    };
    std::future<bool> stopped = std::async(std::launch::async, [this, drain] {
      const Notifier notifier{signals_};
      return controller_.stop(drain);
    });
    const auto asked = std::chrono::steady_clock::now();
    for (;;) {
      const StopSignals::Event event = signals_.wait(kStatusInterval);
      if (event == StopSignals::Event::notified) break;
      if (event == StopSignals::Event::signal) {
        if (std::chrono::steady_clock::now() - asked < kSameSignal) continue;
        spdlog::warn("stopped at once; what was committed goes on at the next start");
        console_.show_status("");
        std::_Exit(kFoundProblem);
      }
      show();
    }
    const bool drained = stopped.get();
    const auto status = controller_.status();
    console_.show_status("");
    if (drained) {
      spdlog::info("stopped; all queues are empty");
    } else {
      spdlog::info("stopped; {} FlowFiles stay queued for the next start", status.queued_count);
    }
  }

 private:
  // The flow file is read anew for the values of its parameters.
  void update() {
    const auto read = read_file(flow_file_);
    if (!read) return;
    report_problems(controller_.update_parameters(read->flow));
    spdlog::info("the values of parameters were read anew");
  }

  void show() {
    const auto status = controller_.status();
    const std::size_t bulletins = controller_.bulletins().size();
    const bool changed = progress_.update(status, bulletins, system_clock().steady_ns());
    if (console_.on_terminal()) {
      console_.show_status(progress_.line());
    } else if (changed) {
      spdlog::info("{}", progress_.line());
    }
  }

  runtime::FlowController& controller_;
  Console& console_;
  StopSignals& signals_;
  const std::string flow_file_;
  Progress progress_{system_clock().steady_ns()};
};

void announce(const std::string& flow_file, const runtime::EngineStatus& status) {
  std::size_t invalid = 0;
  for (const auto& component : status.components) {
    invalid += component.state == runtime::ComponentStatus::State::invalid;
  }
  std::string text = fmt::format("{}: {} components, {} connections", flow_file,
                                 status.components.size(), status.connections.size());
  if (invalid > 0) text += fmt::format(", {} invalid", invalid);
  if (status.queued_count > 0) {
    text += fmt::format(", {} FlowFiles queued from the last run", status.queued_count);
  }
  spdlog::info("{}", text);
}

}  // namespace

int run_flow(const RunOptions& options) {
  StopSignals signals;
  auto config = load_config_option(options.config, true);
  ComponentRegistry registry;
  register_standard_processors(registry);
  // Bad properties do not hide what is wrong with the flow.
  const auto flow =
      load_flow(options.flow_file, config.value_or(runtime::EngineConfig()), registry);
  if (!config || !flow) return kWrongUsage;
  spare_flow_file(*config, options.flow_file);

  Console console(options.log_level);
  try {
    const auto most = static_cast<unsigned>(std::max(flow->max_timer_driven_threads, 1));
    // Commits that wait for the disk share their syncs only where enough of them wait together.
    const unsigned threads = config->flow_files.always_sync
                                 ? most
                                 : std::clamp(std::thread::hardware_concurrency(), 1u, most);
    const auto executor = runtime::make_thread_executor(threads, most + kSpareThreads);
    runtime::FlowController controller(*config, registry,
                                       {.files = storage::real_file_system(),
                                        .clock = system_clock(),
                                        .random = system_random(),
                                        .executor = *executor,
                                        .variables = process_environment()});
    controller.load(*flow);
    announce(options.flow_file, controller.status());
    controller.start();
    Run run(controller, console, signals, options.flow_file);
    run.until_signal();
    run.stop(config->graceful_shutdown);
    if (!controller.close(kCloseWait)) {
      spdlog::error("a terminated component has not returned; the process ends without it");
      std::_Exit(kDone);
    }
  } catch (const storage::StorageError& error) {
    spdlog::error("{}", error.what());
    return kFoundProblem;
  }
  return kDone;
}

}  // namespace weir::tools
