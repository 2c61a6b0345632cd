#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tools/common/text.h"
#include "tools/flow_test/runner.h"
#include "tools/flow_test/text_syntax.h"

// What a test expects, against what there is.
namespace weir::flow_test {
namespace {

namespace fs = std::filesystem;

}  // namespace

void Runner::expect(const Step& step) {
  using Kind = Step::Kind;
  switch (step.kind) {
    case Kind::expect_flow_files:
      return expect_flow_files(step);
    case Kind::expect_count: {
      const std::size_t count = count_at(step);
      if (count == step.count) return;
      return fail(step.line, step.target + ": another number of FlowFiles",
                  std::to_string(step.count), std::to_string(count));
    }
    case Kind::expect_queued:
      return expect_queued(step);
    case Kind::expect_bulletin:
      return expect_bulletin(step);
    case Kind::expect_no_bulletin:
      for (const auto& bulletin : controller_->bulletins()) {
        fail(step.line, "there is a bulletin", {},
             fmt::format("{}: {}", bulletin.component_name, tools::printable(bulletin.message)));
      }
      return;
    case Kind::expect_provenance:
      return expect_provenance(step);
    default:
      return expect_file(step);
  }
}

void Runner::expect_flow_files(const Step& step) {
  if (auto difference = compare_flow_files(step, seen_at(step), folder_)) {
    fail(difference->line, std::move(difference->message), std::move(difference->expected),
         std::move(difference->got));
  }
}

std::set<std::string> Runner::connections_of(const Where& where) const {
  if (where.kind == Where::Kind::connection) return {where.connection_id};
  std::set<std::string> ids;
  for (const auto& [id, destination] : destinations_) {
    if (destination == where.component_id) ids.insert(id);
  }
  return ids;
}

std::vector<Seen> Runner::seen_at(const Step& step) {
  const Where& where = targets_.at(&step);
  if (where.kind == Where::Kind::relationship) {
    return captures_.seen({where.component_id, where.relationship});
  }
  if (where.kind == Where::Kind::component) {
    const auto sink = flow_->sinks.find(where.component_id);
    if (sink != flow_->sinks.end()) return sink->second->arrived;
  }
  return waiting(connections_of(where));
}

std::size_t Runner::count_at(const Step& step) {
  const Where& where = targets_.at(&step);
  const auto sink = flow_->sinks.find(where.component_id);
  if (where.kind == Where::Kind::relationship ||
      (where.kind == Where::Kind::component && sink != flow_->sinks.end())) {
    return seen_at(step).size();
  }
  const auto ids = connections_of(where);
  std::size_t count = 0;
  for (const auto& connection : controller_->status().connections) {
    if (ids.contains(connection.id)) count += connection.queued_count;
  }
  return count;
}

// From the repository, not from the queue: what counts is what a restart would find.
std::vector<Seen> Runner::waiting(const std::set<std::string>& connections) {
  auto& contents = controller_->contents();
  const auto& directory = config_.flow_files.directory;
  const auto image = flowfile::read_repository_image(files_, directory, contents);
  std::vector<flowfile::FlowFilePtr> records;
  for (const auto& queue : image.state.queues) {
    if (!connections.contains(queue.connection)) continue;
    records.insert(records.end(), queue.flow_files.begin(), queue.flow_files.end());
    for (const auto& file : queue.swap_files) {
      auto swapped = flowfile::read_swapped_flow_files(files_, directory, contents, *file);
      records.insert(records.end(), swapped.begin(), swapped.end());
    }
  }
  std::ranges::sort(records, {}, [](const auto& record) { return record->arrival(); });
  std::vector<Seen> seen;
  for (const auto& record : records) {
    seen.push_back({read_content(contents, *record), record->attributes});
  }
  return seen;
}

std::vector<Runner::Waiting> Runner::waiting_queues(bool only_running) const {
  std::set<std::string> running;
  const runtime::EngineStatus status = controller_->status();
  for (const auto& component : status.components) {
    if (component.state == runtime::ComponentStatus::State::running) running.insert(component.id);
  }
  std::vector<Waiting> waiting;
  for (const auto& connection : status.connections) {
    const bool counts = !only_running || running.contains(destinations_.at(connection.id));
    if (counts && connection.queued_count > 0) {
      waiting.push_back({connection.name, connection.queued_count});
    }
  }
  return waiting;
}

std::string Runner::listed(const std::vector<Waiting>& queues) const {
  std::string text;
  for (const auto& queue : queues) {
    text += fmt::format("{}{} in {}", text.empty() ? "" : "\n", queue.count, queue.name);
  }
  return text;
}

void Runner::expect_queued(const Step& step) {
  const auto queues = waiting_queues(false);
  std::uint64_t count = 0;
  for (const auto& queue : queues) count += queue.count;
  if (count == step.count) return;
  fail(step.line, "another number of FlowFiles is left in the queues", std::to_string(step.count),
       queues.empty() ? "0" : listed(queues));
}

void Runner::expect_bulletin(const Step& step) {
  const auto all = controller_->bulletins();
  const auto target = targets_.find(&step);
  std::string messages;
  for (const auto& bulletin : all) {
    const bool from_there =
        target == targets_.end() || bulletin.component_id == target->second.component_id;
    if (from_there && pattern_matches(step.text, bulletin.message, false)) return;
    messages += fmt::format("{}{}: {}", messages.empty() ? "" : "\n", bulletin.component_name,
                            tools::printable(bulletin.message));
  }
  fail(step.line, "no bulletin is like this", "/" + step.text + "/",
       messages.empty() ? "no bulletins" : messages);
}

void Runner::expect_provenance(const Step& step) {
  provenance::Query query;
  query.after_event = seen_event_id_;
  query.newest_first = false;
  query.limit = SIZE_MAX;
  std::map<std::string, std::uint64_t> found, expected;
  for (const auto& event : controller_->provenance().query(query).events) {
    if (event.id != ++seen_event_id_) {
      return fail(step.line, fmt::format("event {} is missing", seen_event_id_));
    }
    ++found[std::string(provenance::to_string(event.type))];
  }
  for (const auto& [type, count] : step.events) expected[type] += count;
  if (found == expected) return;
  const auto text_of = [](const auto& counts) {
    std::string text;
    for (const auto& [type, count] : counts) {
      text += fmt::format("{}{}*{}", text.empty() ? "" : " ", type, count);
    }
    return text.empty() ? std::string("none") : text;
  };
  fail(step.line, "other provenance events", text_of(expected), text_of(found));
}

void Runner::expect_file(const Step& step) {
  const fs::path path = fs::path(folder_) / step.target;
  const bool there = fs::exists(fs::symlink_status(path));
  if (step.kind == Step::Kind::expect_no_file) {
    if (there) fail(step.line, fmt::format("the file {} is there", step.target));
    return;
  }
  if (!there) return fail(step.line, fmt::format("there is no file {}", step.target));
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string expected = expanded(step.text);
  if (text != expected) {
    fail(step.line, fmt::format("the file {} holds something else", step.target), shown(expected),
         shown(text));
  }
}

}  // namespace weir::flow_test
