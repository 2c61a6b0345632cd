#include "tests/vectors/vector_case.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "processors/content/codec.h"
#include "tests/processors/bench/test_bench.h"
#include "tests/vectors/matching.h"

namespace weir::vectors {
namespace {

using bench::Output;
using bench::TestBench;
using nlohmann::json;

constexpr std::time_t files_time = 1'700'000'000;  // 2023-11-14T22:13:20Z

// A part of a case by reference; an empty one where it is not there.
const json& child(const json& parent, std::string_view name) {
  static const json none;
  const auto found = parent.find(name);
  return found == parent.end() ? none : *found;
}

// One case at work: its folder and the meaning of its placeholders.
class Run {
 public:
  Run(const json& vector_case, const std::string& scratch)
      : case_(vector_case), root_(std::filesystem::path(scratch) / id()) {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  ~Run() { std::filesystem::remove_all(root_); }

  CaseResult run(const ProcessorDefinition& definition) {
    make_files();
    TestBench bench(definition, values());
    check_validity(bench, definition);
    if (!valid() || !result_.mismatches.empty()) return finish();
    for (const json& input : child(case_, "inputs")) {
      bench.enqueue(content_of(input), attributes_of(input));
    }
    const int inputs = static_cast<int>(child(case_, "inputs").size());
    const int runs = case_.value("runs", std::max(1, inputs));
    bool threw = false, yielded = false;
    for (int i = 0; i < runs; ++i) {
      bench.run();
      threw = threw || bench.last_error();
      yielded = yielded || bench.yielded();
    }
    check_outcome(bench, threw, yielded);
    return finish();
  }

 private:
  bool is_of(std::string_view processor) const {
    return case_.at("processor").get_ref<const std::string&>().ends_with(processor);
  }
  std::string id() const { return case_.at("id").get<std::string>(); }
  const json& expected() const { return case_.at("expected"); }
  bool valid() const { return expected().value("valid", true); }

  template <typename... Args>
  void mismatch(fmt::format_string<Args...> format, Args&&... args) {
    result_.mismatches.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  CaseResult finish() {
    if (!result_.mismatches.empty()) result_.verdict = Verdict::failed;
    return result_;
  }

  std::string filled_in(std::string text) const {
    const auto replace = [&](std::string_view what, const std::string& by) {
      for (std::size_t at; (at = text.find(what)) != std::string::npos;) {
        text.replace(at, what.size(), by);
      }
    };
    replace("@dir@", root_.native());
    for (std::size_t at; (at = text.find("@file:")) != std::string::npos;) {
      const std::size_t end = text.find('@', at + 1);
      const std::string name = text.substr(at + 6, end - at - 6);
      text.replace(at, end + 1 - at, (root_ / name).native());
    }
    return text;
  }

  bench::Values values() const {
    bench::Values values;
    for (const char* part : {"properties", "dynamicProperties"}) {
      for (const auto& [name, value] : child(case_, part).items()) {
        values[name] = filled_in(value.get<std::string>());
      }
    }
    return values;
  }

  void make_files() const {
    for (const auto& [name, content] : child(case_, "files").items()) {
      const auto path = root_ / name;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary) << content.get<std::string>();
      chmod(path.c_str(), 0644);
      const struct timespec times[2] = {{files_time, 0}, {files_time, 0}};
      utimensat(AT_FDCWD, path.c_str(), times, 0);
    }
  }

  static bench::Values attributes_of(const json& input) {
    bench::Values attributes;
    for (const auto& [name, value] : child(input, "attributes").items()) {
      attributes[name] = value.get<std::string>();
    }
    return attributes;
  }

  void check_validity(const TestBench& bench, const ProcessorDefinition& definition) {
    const auto problems = bench.validate();
    if (valid()) {
      for (const auto& problem : problems) {
        mismatch("is valid, but: {} {}", problem.property, problem.message);
      }
      return;
    }
    if (problems.empty()) mismatch("is not valid, but nothing was found");
    for (const json& wanted : child(expected(), "invalidProperties")) {
      const auto& name = wanted.get_ref<const std::string&>();
      if (!is_property(definition, name)) continue;
      const bool found = std::ranges::any_of(problems, [&](const auto& problem) {
        return problem.property == name || shown_name(definition, problem.property) == name;
      });
      if (!found) mismatch("property {} is bad, but that was not found", name);
    }
  }

  static std::string shown_name(const ProcessorDefinition& definition, const std::string& name) {
    const PropertyDescriptor* property = definition.find_property(name);
    return property ? property->shown_name() : name;
  }
  // NiFi has words of its own for some problems, such as "Property Name" for that of a dynamic
  // property: any problem will do for them.
  bool is_property(const ProcessorDefinition& definition, const std::string& name) const {
    return child(case_, "dynamicProperties").contains(name) ||
           std::ranges::any_of(definition.properties, [&](const PropertyDescriptor& property) {
             return property.name == name || property.shown_name() == name;
           });
  }

  void check_outcome(TestBench& bench, bool threw, bool yielded) {
    if (expected().contains("exception") != threw) {
      mismatch("exception: {}", bench.last_error().value_or(threw ? "thrown" : "none thrown"));
    }
    if (expected().value("yielded", false) && !yielded) mismatch("did not yield");
    const std::size_t queued = expected().value("queueRemaining", 0);
    if (bench.queued() != queued) mismatch("{} queued instead of {}", bench.queued(), queued);
    check_relationships(bench);
    check_events(bench);
    check_log(bench);
    check_files();
  }

  void check_relationships(const TestBench& bench) {
    const json compare = case_.value("compare", json::object());
    // The mock lists by session, an engine by commit: several sessions come in any order. It also
    // puts what a filter rejects behind the queue's end.
    const bool any_order = compare.value("unorderedFlowFiles", false) || is_of("MergeContent") ||
                           is_of("PackageFlowFile");
    Matcher matcher({.directory = root_.native(),
                     .decoded_only = compare.value("decodedContentOnly", false),
                     .any_order = any_order,
                     .json_key_order_free = compare.value("jsonKeyOrderFree", false),
                     .csv_column_order_free = compare.value("csvColumnOrderFree", false),
                     .loose_attributes = compare.value("looseAttributes", std::set<std::string>()),
                     .component_id = bench.component_id()});
    const json relationships = expected().value("relationships", json::object());
    const std::vector<std::string> names = bench.relationships();
    for (const std::string& name : names) {
      const json wanted = relationships.value(name, json::array());
      for (const std::string& problem : matcher.match(wanted, bench.outputs(name))) {
        mismatch("{}: {}", name, problem);
      }
    }
    for (const auto& [name, wanted] : relationships.items()) {
      if (std::ranges::find(names, name) == names.end()) {
        mismatch("there is no relationship {}", name);
      }
    }
  }

  bool only_failures() const {
    const json& relationships = child(expected(), "relationships");
    return relationships.size() == 1 && relationships.contains("failure");
  }

  // What a mock and an engine report alike: exchange with the outside, and routes. Of the
  // automatic events only that they are there.
  void check_events(const TestBench& bench) {
    if (!expected().contains("provenance")) return;
    const auto is_explicit = [](const std::string& event) {
      return event == "SEND" || event == "RECEIVE" || event == "FETCH" || event == "CREATE" ||
             event.starts_with("ROUTE:");
    };
    std::multiset<std::string> wanted, got;
    std::set<std::string> all(bench.events().begin(), bench.events().end());
    for (const json& event : expected().at("provenance")) {
      const auto text = event.get<std::string>();
      if (is_explicit(text)) wanted.insert(text);
      // The mock also tells of FlowFiles that were made and removed again.
      if ((text == "FORK" || text == "JOIN") && only_failures()) continue;
      if (!all.contains(text)) mismatch("no {} event", text);
    }
    for (const std::string& event : bench.events()) {
      if (is_explicit(event)) got.insert(event);
    }
    if (got != wanted) mismatch("events {} instead of {}", got.size(), wanted.size());
  }

  void check_log(const TestBench& bench) {
    static constexpr std::pair<const char*, LogLevel> levels[] = {{"trace", LogLevel::trace},
                                                                  {"debug", LogLevel::debug},
                                                                  {"info", LogLevel::info},
                                                                  {"warn", LogLevel::warn},
                                                                  {"error", LogLevel::error}};
    for (const auto& [name, level] : levels) {
      for (const json& message : child(child(expected(), "log"), name)) {
        const auto wanted = message.get<std::string>();
        if (!is_logged(bench.messages(level), wanted)) mismatch("no {} message {}", name, wanted);
      }
    }
  }

  static bool is_logged(const std::vector<std::string>& messages, const std::string& wanted) {
    const std::size_t hole = wanted.find("@flowfile");
    return std::ranges::any_of(messages, [&](const std::string& got) {
      return hole == std::string::npos ? got == wanted
                                       : got.starts_with(wanted.substr(0, hole)) &&
                                             got.ends_with(wanted.substr(hole + 9));
    });
  }

  void check_files() {
    if (!expected().contains("filesAfter")) return;
    std::map<std::string, std::string> wanted, got;
    for (const auto& [name, content] : expected().at("filesAfter").items()) {
      wanted[Matcher::without_uuids(name)] = content.get<std::string>();
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      const std::string name = entry.path().lexically_relative(root_).native();
      if (entry.is_directory()) {
        got[name + "/"] = "@dir";
      } else {
        std::ifstream in(entry.path(), std::ios::binary);
        got[Matcher::without_uuids(name)] = std::string(std::istreambuf_iterator<char>(in), {});
      }
    }
    if (got == wanted) return;
    for (const auto& [name, content] : got) mismatch("file there: {} {}", name, content);
  }

  const json& case_;
  std::filesystem::path root_;
  CaseResult result_;
};

}  // namespace

CaseResult run_case(const json& vector_case, const ComponentRegistry& registry,
                    const std::string& scratch) {
  const auto* definition =
      registry.find_processor(vector_case.at("processor").get_ref<const std::string&>());
  return Run(vector_case, scratch).run(*definition);
}

}  // namespace weir::vectors
