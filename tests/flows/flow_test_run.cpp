#include "tests/flows/flow_test_run.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/api/pattern.h"
#include "engine/flow/read.h"
#include "processors/registry.h"

namespace weir::flows {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kStopWait{60};
constexpr std::size_t kShownBytes = 200;

// What a test says cannot be done: a name that does not exist, a bad pattern.
struct TestError {
  std::string what;
};

bool matches(const std::string& pattern, std::string_view text, bool whole) {
  const auto compiled = Pattern::compile(pattern);
  if (!compiled) throw TestError{compiled.error()};
  return whole ? compiled->matches(text) : compiled->contains(text);
}

std::string shown(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, kShownBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      result += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + (text.size() > kShownBytes ? fmt::format("\" and so on, {} bytes", text.size())
                                             : std::string("\""));
}

std::string read_content(content::ContentRepository& contents,
                         const flowfile::FlowFileRecord& record) {
  if (record.size() == 0) return {};
  const auto reader = contents.read(record.claim);
  std::string text(reader->size(), '\0');
  for (std::size_t at = 0; at < text.size();) {
    const auto got =
        reader->read_at(at, std::as_writable_bytes(std::span(text.data() + at, text.size() - at)));
    if (got == 0) throw TestError{"a content ends early"};
    at += got;
  }
  return text;
}

}  // namespace

FlowTestRun::FlowTestRun(FlowTest test, std::string file_name, std::uint64_t seed)
    : test_(std::move(test)), file_name_(std::move(file_name)), files_(seed), simulation_(seed) {
  folder_ = (fs::temp_directory_path() / "weir-flow-test-XXXXXX").string();
  if (::mkdtemp(folder_.data()) == nullptr) throw storage::IoError("create", folder_, errno);
  register_standard_processors(registry_);
}

FlowTestRun::~FlowTestRun() {
  simulation_.drop_everything();
  controller_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void FlowTestRun::fail(int line, const std::string& what) {
  failures_.push_back(fmt::format("{}:{}: {}", file_name_, line, what));
}

std::string FlowTestRun::expanded(std::string text) const {
  constexpr std::string_view kVariable = "{{dir}}";
  for (auto at = text.find(kVariable); at != std::string::npos; at = text.find(kVariable, at)) {
    text.replace(at, kVariable.size(), folder_);
  }
  return text;
}

std::vector<std::string> FlowTestRun::run() {
  // Lines before the flow count, so that its problems name lines of the test.
  const std::string text =
      std::string(static_cast<std::size_t>(test_.flow_line - 1), '\n') + expanded(test_.flow);
  auto read = flow::read_flow(text, file_name_);
  if (!read) {
    for (const auto& problem : read.error()) failures_.push_back(problem.to_string());
    return failures_;
  }
  for (const auto& problem : read->problems) failures_.push_back(problem.to_string());
  flow_ = std::move(read->flow);
  auto loaded = runtime::load_config(test_.properties, file_name_, "/data");
  if (!loaded) {
    for (const auto& problem : loaded.error()) failures_.push_back(problem.to_string());
    return failures_;
  }
  config_ = std::move(loaded->config);
  config_.provenance.own_thread = false;
  // Files first: a flow may read them as soon as it starts.
  const auto first = std::ranges::find_if(
      test_.steps, [](const Step& step) { return step.kind != Step::Kind::write_file; });
  for (auto step = test_.steps.begin(); step != first; ++step) perform(*step);
  if (!failures_.empty() || !open()) return failures_;
  for (auto step = first; step != test_.steps.end(); ++step) {
    try {
      perform(*step);
    } catch (const TestError& error) {
      fail(step->line, error.what);
    }
    if (!failures_.empty()) break;
  }
  return failures_;
}

bool FlowTestRun::open() {
  controller_ = std::make_unique<runtime::FlowController>(
      config_, registry_, runtime::Environment{files_, simulation_, simulation_, simulation_});
  for (const auto& problem : controller_->load(flow_)) {
    if (problem.severity == flow::Problem::Severity::error) {
      failures_.push_back(problem.to_string());
    }
  }
  if (failures_.empty()) controller_->start();
  return failures_.empty();
}

void FlowTestRun::restart() {
  simulation_.drop_everything();
  files_.kill_process();
  controller_.reset();
  simulation_.drop_everything();
  open();
}

std::string FlowTestRun::connection_id(const std::string& name) const {
  std::string id, names;
  int found = 0;
  for (const auto& connection : controller_->status().connections) {
    names += fmt::format("\n  {}", connection.name);
    if (connection.name != name && connection.id != name) continue;
    id = connection.id;
    ++found;
  }
  if (found == 1) return id;
  throw TestError{fmt::format("{} connection is called '{}'; there are:{}",
                              found == 0 ? "no" : "more than one", name, names)};
}

std::string FlowTestRun::component_id(const std::string& name) const {
  for (const auto& component : controller_->status().components) {
    if (component.name == name || component.id == name) return component.id;
  }
  throw TestError{fmt::format("no component is called '{}'", name)};
}

void FlowTestRun::perform(const Step& step) {
  using Kind = Step::Kind;
  switch (step.kind) {
    case Kind::send:
      return send(step);
    case Kind::run:
      return simulation_.advance(step.duration);
    case Kind::restart:
      return restart();
    case Kind::start:
      controller_->start_component(component_id(step.target));
      return;
    case Kind::stop:
      if (!controller_->stop_component(component_id(step.target), kStopWait)) {
        fail(step.line, step.target + " does not stop");
      }
      return;
    case Kind::write_file: {
      const fs::path path = fs::path(folder_) / step.target;
      fs::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary) << step.text;
      return;
    }
    case Kind::expect_flow_files:
      return expect_flow_files(step);
    case Kind::expect_count: {
      const auto count = queued(connection_id(step.target)).size();
      if (count != step.count) {
        fail(step.line, fmt::format("{} FlowFiles are queued, {} expected", count, step.count));
      }
      return;
    }
    case Kind::expect_bulletin: {
      const auto all = controller_->bulletins();
      if (std::ranges::any_of(all, [&](const auto& bulletin) {
            return matches(step.text, bulletin.message, false);
          })) {
        return;
      }
      std::string messages;
      for (const auto& bulletin : all) messages += "\n  " + bulletin.message;
      return fail(step.line, "no bulletin matches; there are:" + messages);
    }
    case Kind::expect_no_bulletin:
      for (const auto& bulletin : controller_->bulletins()) {
        fail(step.line, "there is a bulletin: " + bulletin.message);
      }
      return;
    case Kind::expect_provenance:
      return expect_provenance(step);
    case Kind::expect_file:
    case Kind::expect_no_file:
      return expect_file(step);
  }
}

void FlowTestRun::send(const Step& step) {
  const auto id = connection_id(step.target);
  for (const FlowFileText& sent : step.flow_files) {
    for (std::uint64_t number = 1; number <= sent.times; ++number) {
      const FlowFileText flow_file = sent.numbered(number);
      controller_->inject(id, flow_file.attributes, flow_file.content.value_or(""));
    }
  }
}

// From the repository, not from the queue: what counts is what a restart would find.
std::vector<FlowTestRun::Queued> FlowTestRun::queued(const std::string& connection_id) {
  auto& contents = controller_->contents();
  const auto image =
      flowfile::read_repository_image(files_, config_.flow_files.directory, contents);
  std::vector<Queued> result;
  const auto add = [&](const flowfile::FlowFilePtr& record) {
    result.push_back({read_content(contents, *record), record});
  };
  for (const auto& queue : image.state.queues) {
    if (queue.connection != connection_id) continue;
    std::ranges::for_each(queue.flow_files, add);
    for (const auto& file : queue.swap_files) {
      std::ranges::for_each(
          flowfile::read_swapped_flow_files(files_, config_.flow_files.directory, contents, *file),
          add);
    }
  }
  std::ranges::sort(result, {}, [](const Queued& queued) { return queued.record->arrival(); });
  return result;
}

std::string FlowTestRun::mismatch(const Queued& found, const FlowFileText& expected) const {
  if (expected.content && found.content != *expected.content) {
    return fmt::format("its content is {}, not {}", shown(found.content), shown(*expected.content));
  }
  if (expected.content_pattern && !matches(*expected.content_pattern, found.content, true)) {
    return fmt::format("its content {} does not match", shown(found.content));
  }
  if (expected.size_bytes && found.content.size() != *expected.size_bytes) {
    return fmt::format("it has {} bytes, not {}", found.content.size(), *expected.size_bytes);
  }
  const auto& attributes = *found.record->attributes;
  for (const auto& [name, given] : expected.attributes) {
    const std::string value = expanded(given);
    const std::string* is = attributes.find(name);
    if (is == nullptr) return fmt::format("it has no attribute {}", name);
    const bool pattern = value.size() >= 2 && value.front() == '/' && value.back() == '/';
    if (pattern ? !matches(value.substr(1, value.size() - 2), *is, true) : *is != value) {
      return fmt::format("its attribute {} is {}, not {}", name, shown(*is), shown(value));
    }
  }
  for (const auto& name : expected.absent) {
    if (const auto* is = attributes.find(name)) {
      return fmt::format("it has an attribute {}: {}", name, shown(*is));
    }
  }
  return {};
}

void FlowTestRun::expect_flow_files(const Step& step) {
  const auto found = queued(connection_id(step.target));
  std::size_t at = 0;
  for (const FlowFileText& expected : step.flow_files) {
    for (std::uint64_t number = 1; number <= expected.times; ++number, ++at) {
      if (at >= found.size()) {
        return fail(expected.line, fmt::format("only {} FlowFiles are queued", found.size()));
      }
      const auto what = mismatch(found[at], expected.numbered(number));
      if (!what.empty()) {
        return fail(expected.line, fmt::format("of FlowFile {}, {}", at + 1, what));
      }
    }
  }
  if (at < found.size()) {
    fail(step.line, fmt::format("{} FlowFiles are queued, {} expected; the next is {}",
                                found.size(), at, shown(found[at].content)));
  }
}

void FlowTestRun::expect_provenance(const Step& step) {
  provenance::Query query;
  query.after_event = seen_event_id_;
  query.newest_first = false;
  query.limit = SIZE_MAX;
  std::map<std::string, std::uint64_t> found;
  for (const auto& event : controller_->provenance().query(query).events) {
    if (event.id != ++seen_event_id_) {
      return fail(step.line, fmt::format("event {} is missing", seen_event_id_));
    }
    ++found[std::string(provenance::to_string(event.type))];
  }
  std::map<std::string, std::uint64_t> expected;
  for (const auto& [type, count] : step.events) {
    if (!provenance::parse_event_type(type)) throw TestError{type + " is no type of event"};
    expected[type] += count;
  }
  if (found == expected) return;
  std::string text;
  for (const auto& [type, count] : found) text += fmt::format(" {}*{}", type, count);
  fail(step.line, "the events are:" + (text.empty() ? " none" : text));
}

void FlowTestRun::expect_file(const Step& step) {
  const fs::path path = fs::path(folder_) / step.target;
  const bool there = fs::exists(fs::symlink_status(path));
  if (step.kind == Step::Kind::expect_no_file) {
    if (there) fail(step.line, "the file is there");
    return;
  }
  if (!there) return fail(step.line, "there is no such file");
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  if (text != step.text) fail(step.line, "the file holds " + shown(text));
}

}  // namespace weir::flows
