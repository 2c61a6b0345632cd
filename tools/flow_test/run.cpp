#include "tools/flow_test/run.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/api/units.h"
#include "engine/flow/read.h"
#include "processors/registry.h"
#include "tools/common/config_option.h"
#include "tools/flow_test/groups.h"
#include "tools/flow_test/runner.h"
#include "tools/flow_test/text_syntax.h"

namespace weir::flow_test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kStopWait{60};
constexpr std::int64_t kDefaultStartMs = 1'700'000'000'000;

std::string with_nearest(std::string what, const std::string& nearest) {
  if (!nearest.empty()) what += fmt::format(" (did you mean {}?)", nearest);
  return what;
}

}  // namespace

Runner::Runner(const FlowTest& test, std::uint64_t seed)
    : test_(test),
      files_(seed),
      simulation_(seed, test.start_ms.value_or(kDefaultStartMs)),
      clock_(simulation_, test.most_steps) {
  result_.file = test.file;
  result_.name = test.name;
  result_.line = test.line;
  result_.flow = test.flow_file.empty() ? test.file : test.flow_file.lexically_normal().string();
  std::error_code none;
  folder_ = (fs::temp_directory_path(none) / "weir-flow-test-XXXXXX").string();
  if (::mkdtemp(folder_.data()) == nullptr) throw storage::IoError("create", folder_, errno);
  register_standard_processors(registry_);
}

Runner::~Runner() {
  simulation_.drop_everything();
  controller_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Runner::fail(int line, std::string message, std::string expected, std::string got) {
  result_.failures.push_back(
      {test_.file, line, std::move(message), std::move(expected), std::move(got)});
}

void Runner::fail(const flow::Problem& problem) {
  std::string message = problem.message;
  if (!problem.component.empty()) message = problem.component + ": " + message;
  result_.failures.push_back({problem.file,
                              static_cast<int>(problem.place.line),
                              with_nearest(std::move(message), problem.nearest),
                              {},
                              {}});
}

std::string Runner::expanded(std::string text) const {
  replace_all(text, "{{dir}}", folder_);
  return text;
}

TestResult Runner::run() {
  try {
    if (prepare()) steps();
  } catch (const storage::StorageError& error) {
    fail(test_.line, error.what());
  }
  if (controller_) collect_coverage();
  return std::move(result_);
}

bool Runner::read_flow() {
  std::string text = test_.flow, file = test_.file;
  if (test_.flow_file.empty()) {
    // Lines before the flow count, so that its problems name lines of the test.
    text = std::string(static_cast<std::size_t>(test_.flow_line - 1), '\n') + expanded(text);
  } else {
    file = result_.flow;
    try {
      text = tools::read_whole_file(file);
    } catch (const storage::IoError& error) {
      fail(test_.flow_line, error.what());
      return false;
    }
  }
  auto read = flow::read_flow(text, file);
  if (!read) {
    for (const auto& problem : read.error()) fail(problem);
    return false;
  }
  flow_ = make_flow_under_test(std::move(read->flow), test_, registry_,
                               [this](std::string given) { return expanded(std::move(given)); });
  for (const Mistake& mistake : flow_->mistakes) {
    result_.failures.push_back(
        {mistake.file, mistake.line, with_nearest(mistake.what, mistake.nearest), {}, {}});
  }
  std::set<std::string> there;  // ids: what is outside of the part may be as wrong as it likes
  each_group(flow_->flow.root, [&](const flow::Group& group) {
    there.insert(group.id);
    for (const auto& one : group.processors) there.insert(one.id);
    for (const auto& one : group.services) there.insert(one.id);
    for (const auto& one : group.connections) {
      there.insert(one.id);
      destinations_[one.id] = one.to.id;
    }
  });
  for (const auto& problem : read->problems) {
    if (problem.severity != flow::Problem::Severity::error) continue;
    if (problem.component_id.empty() || there.contains(problem.component_id)) fail(problem);
  }
  return result_.failures.empty();
}

bool Runner::prepare() {
  if (!read_flow()) return false;
  auto loaded = runtime::load_config(test_.properties, test_.file, "/data");
  if (!loaded) {
    for (const auto& problem : loaded.error()) {
      const bool known = problem.line > 0 && problem.line <= test_.property_lines.size();
      fail(known ? test_.property_lines[problem.line - 1] : test_.line,
           with_nearest(fmt::format("{}: {}", problem.key, problem.message), problem.nearest));
    }
    return false;
  }
  config_ = std::move(loaded->config);
  config_.provenance.own_thread = false;
  // Files first: a flow may read them as soon as it starts.
  for (const Step& step : test_.steps) {
    if (step.kind != Step::Kind::write_file) break;
    write_file(step);
  }
  if (!open()) return false;
  resolve_targets();
  for (const Mock& mock : test_.mocks) {
    if (!mock.source || mock.flow_files.empty() || !result_.failures.empty()) continue;
    const std::string id = flow_->names.processor(mock.name).id;
    const std::string relationship = flow_->sources.at(id);
    if (relationship.empty()) {
      fail(mock.line, "its relationships are several: mock NAME source to RELATIONSHIP");
      return false;
    }
    for (const FlowFileText& one : mock.flow_files) {
      send_one({Where::Kind::relationship, id, relationship, {}}, one);
    }
  }
  return result_.failures.empty();
}

bool Runner::open() {
  controller_ = std::make_unique<runtime::FlowController>(
      config_, registry_,
      runtime::Environment{files_, clock_, simulation_, simulation_, &captures_});
  captures_.set_contents(&controller_->contents());
  for (const auto& problem : controller_->load(flow_->flow)) {
    if (problem.severity == flow::Problem::Severity::error) fail(problem);
  }
  if (!result_.failures.empty()) return false;
  controller_->start();
  return true;
}

// Every name of every step, so that a misspelled one is told before anything runs.
void Runner::resolve_targets() {
  std::map<std::string, std::vector<std::string>> relationships;
  for (auto& component : controller_->status().components) {
    relationships[component.id] = std::move(component.relationships);
  }
  flow_->names.set_relationships(std::move(relationships));
  for (const Step& step : test_.steps) {
    const bool named = step.kind == Step::Kind::send || step.kind == Step::Kind::start ||
                       step.kind == Step::Kind::stop ||
                       step.kind == Step::Kind::expect_flow_files ||
                       step.kind == Step::Kind::expect_count ||
                       (step.kind == Step::Kind::expect_bulletin && !step.target.empty());
    if (!named) continue;
    try {
      const bool component = step.kind == Step::Kind::start || step.kind == Step::Kind::stop ||
                             step.kind == Step::Kind::expect_bulletin;
      Where where;
      if (component) {
        where.component_id = flow_->names.component(step.target, "component").id;
      } else {
        where = flow_->names.where(step.target);
      }
      if (where.kind == Where::Kind::relationship) {
        captures_.watch({where.component_id, where.relationship});
      }
      targets_[&step] = std::move(where);
    } catch (const SyntaxError& error) {
      fail(step.line, with_nearest(error.what, error.nearest));
    }
  }
}

// A failed expectation is followed by the others beside it: together they tell more. After a step
// that failed otherwise they would tell nothing.
void Runner::steps() {
  bool files_written = false;
  for (const Step& step : test_.steps) {
    if (!files_written && step.kind == Step::Kind::write_file) continue;  // `prepare` did
    files_written = true;
    if (!result_.failures.empty() && !step.expects()) return;  // expectations before it failed
    try {
      perform(step);
    } catch (const SyntaxError& error) {
      fail(step.line, error.what);
    } catch (const storage::StorageError& error) {
      fail(step.line, error.what());
    } catch (const fs::filesystem_error& error) {
      fail(step.line, error.what());
    }
    if (!result_.failures.empty() && !step.expects()) return;
  }
}

void Runner::perform(const Step& step) {
  using Kind = Step::Kind;
  switch (step.kind) {
    case Kind::send:
      for (const FlowFileText& one : step.flow_files) send_one(targets_.at(&step), one);
      return;
    case Kind::run:
      advance(step.duration, step.line);
      return;
    case Kind::run_until_idle:
      return run_until_idle(step);
    case Kind::restart:
      return restart();
    case Kind::start:
    case Kind::stop:
      return start_or_stop(step);
    case Kind::write_file:
      return write_file(step);
    default:
      return expect(step);
  }
}

void Runner::send_one(const Where& where, const FlowFileText& flow_file) {
  for (std::uint64_t number = 1; number <= flow_file.times; ++number) {
    const FlowFileText made = flow_file.numbered(number);
    std::vector<flowfile::Attributes::Entry> attributes;
    for (const auto& [name, value] : made.attributes) {
      attributes.emplace_back(name, expanded(value.text));
    }
    const std::string content = expanded(made.content.value_or(""));
    const std::string& id = where.component_id;
    const auto source = flow_->sources.find(id);
    if (where.kind == Where::Kind::connection) {
      controller_->inject(where.connection_id, attributes, content);
    } else if (source != flow_->sources.end()) {
      const auto& relationship = where.relationship;
      controller_->inject_from(id, relationship.empty() ? source->second : relationship, attributes,
                               content);
    } else {
      controller_->inject(flow_->inputs.at(id), attributes, content);
    }
  }
}

// Time passes in the simulation; false where the flow never comes to the end of an instant.
bool Runner::advance(std::chrono::nanoseconds time, int line) {
  const auto most = std::chrono::ceil<std::chrono::milliseconds>(time);
  simulation_.wait_until([this] { return clock_.endless(); }, most);
  if (!clock_.endless()) return true;
  const auto queues = waiting_queues(true);
  fail(line,
       fmt::format("the flow goes on and on without time passing: more than {} steps; "
                   "'steps N' allows more",
                   test_.most_steps),
       {}, queues.empty() ? "" : listed(queues));
  return false;
}

void Runner::run_until_idle(const Step& step) {
  const std::int64_t end_ns = simulation_.steady_ns() + step.duration.count();
  std::chrono::milliseconds pause{1};
  while (advance(pause, step.line)) {
    const auto queues = waiting_queues(true);
    if (queues.empty()) return;
    if (simulation_.steady_ns() >= end_ns) {
      return fail(step.line,
                  "the flow does not come to rest within " + format_duration(step.duration),
                  "empty queues", listed(queues));
    }
    pause = std::min<std::chrono::milliseconds>(pause * 2, std::chrono::seconds(1));
  }
}

// Kills the engine and starts it on what is left.
void Runner::restart() {
  simulation_.drop_everything();
  files_.kill_process();
  captures_.set_contents(nullptr);
  controller_.reset();
  simulation_.drop_everything();
  open();
}

void Runner::start_or_stop(const Step& step) {
  const std::string& id = targets_.at(&step).component_id;
  if (step.kind == Step::Kind::stop) {
    if (!controller_->stop_component(id, kStopWait))
      fail(step.line, step.target + " does not stop");
  } else if (!controller_->start_component(id)) {
    fail(step.line, step.target + " does not start");
  }
}

void Runner::write_file(const Step& step) {
  const fs::path path = fs::path(folder_) / step.target;
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << expanded(step.text);
  if (!out.flush()) throw storage::IoError("write", path, errno);
}

// Of all processors of the flow: of those outside of the part only that they are there.
void Runner::collect_coverage() {
  std::map<std::string, runtime::ComponentStatus> components;
  for (auto& one : controller_->status().components) components[one.id] = std::move(one);
  for (const NamedComponent& one : flow_->whole.components()) {
    if (one.kind != NamedComponent::Kind::processor) continue;
    CoveredProcessor covered;
    covered.id = one.id;
    covered.path = one.path;
    covered.tested = flow_->tested.contains(one.id);
    if (covered.tested) {
      const auto& status = components[one.id];
      covered.type = status.type;
      for (const std::string& name : status.relationships) {
        const auto count = captures_.counts().find({one.id, name});
        covered.relationships.emplace_back(name,
                                           count == captures_.counts().end() ? 0 : count->second);
      }
    }
    result_.coverage.push_back(std::move(covered));
  }
}

TestResult run_flow_test(const FlowTest& test, std::uint64_t seed) {
  const auto begin = std::chrono::steady_clock::now();
  TestResult result = Runner(test, seed).run();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace weir::flow_test
