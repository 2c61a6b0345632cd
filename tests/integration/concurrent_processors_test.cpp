// Every processor that may have several tasks gives the same results with eight as with one. Also
// run under the thread sanitizer: what a processor keeps from one FlowFile must not reach another
// that is worked on at the same time.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cstdlib>
#include <map>
#include <mutex>

#include "engine/flow/read.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/flow_controller.h"
#include "processors/registry.h"
#include "repositories/storage/fault_file_system.h"

#ifdef __SANITIZE_THREAD__
// The C library guards the local zone, which libarchive asks for, by a lock that the sanitizer
// does not see.
extern "C" const char* __tsan_default_suppressions() {
  return "race:tzset_internal\n";
}
#endif

namespace weir {
namespace {

using std::chrono::seconds;

// What FlowFiles took which relationship: the same of each run, whatever the order.
class Tally : public runtime::RouteObserver {
 public:
  void routed(const std::string& component_id, const std::string& relationship,
              const flowfile::FlowFilePtr& flow_file) override {
    std::string line = fmt::format("{} {} {} bytes", component_id, relationship, flow_file->size());
    for (const auto& [name, value] : flow_file->attributes->entries()) {
      if (!changes_each_time(name)) line += fmt::format(", {}={}", name, value);
    }
    const std::lock_guard lock(mutex_);
    ++counts_[line];
  }
  const std::map<std::string, int>& counts() const { return counts_; }

 private:
  // Identifiers, times and what follows from the order of arrival.
  static bool changes_each_time(std::string_view name) {
    return name.ends_with("identifier") || name.ends_with("uuid") || name.ends_with("Time") ||
           name.ends_with("LastMetadataChange") || name.ends_with("age") || name == "count" ||
           name == "turn";
  }

  std::mutex mutex_;
  std::map<std::string, int> counts_;
};

struct Work {
  const char* name;
  const char* type;
  const char* properties;
  const char* ends;  // relationships that go nowhere, besides those of `flow`
};

// Each gets every input.
constexpr std::array works = {
    Work{"hash", "CryptographicHashContent", "", R"("success", "failure")"},
    Work{"convert", "ConvertCharacterSet",
         R"("Input Character Set": "UTF-8", "Output Character Set": "UTF-16")",
         R"("success", "failure")"},
    Work{"count", "CountText", "", R"("success", "failure")"},
    Work{"json path", "EvaluateJsonPath",
         R"("Destination": "flowfile-attribute", "n": "$.n", "last": "$.list[-1]")",
         R"("matched", "unmatched", "failure")"},
    Work{"extract", "ExtractText", R"json("word": "(\\w+) of (\\d+)")json",
         R"("matched", "unmatched")"},
    Work{"flatten", "FlattenJson", "", R"("success", "failure")"},
    Work{"mime", "IdentifyMimeType", "", R"("success")"},
    Work{"jolt", "JoltTransformJSON",
         R"("Jolt Transform": "jolt-transform-shift", "Jolt Specification": "{\"n\": \"m\"}")",
         R"("success", "failure")"},
    Work{"modify", "ModifyBytes", R"("Start Offset": "${n:replaceEmpty(1)} B")", R"("success")"},
    Work{"replace", "ReplaceText",
         R"json("Regular Expression": "(\\w+) of",
              "Replacement Value": "${number}: $1 ${'$1':toUpper()}")json",
         R"("success", "failure")"},
    Work{"route attribute", "RouteOnAttribute",
         R"("even": "${number:mod(2):equals(0)}", "odd": "${number:mod(2):equals(1)}")",
         R"("even", "odd", "unmatched")"},
    Work{"route content", "RouteOnContent",
         R"("Match Requirement": "content must contain match", "seven": "of ${number}7?")",
         R"("seven", "unmatched")"},
    Work{"route text", "RouteText", R"("Matching Strategy": "Contains", "ours": "of ${number}")",
         R"("ours", "unmatched", "original")"},
    Work{"split content", "SplitContent",
         R"("Byte Sequence Format": "Text", "Byte Sequence": "of")", R"("splits", "original")"},
    Work{"split json", "SplitJson", R"("JsonPath Expression": "$.list")",
         R"("split", "original", "failure")"},
    Work{"split text", "SplitText", R"("Line Split Count": "2")",
         R"("splits", "original", "failure")"},
    Work{"split xml", "SplitXml", "", R"("split", "original", "failure")"},
    Work{"to csv", "AttributesToCSV",
         R"("Attribute List": "number,n", "Include Core Attributes": "false")",
         R"("success", "failure")"},
    Work{"to json", "AttributesToJSON",
         R"("Attributes List": "number,n", "Include Core Attributes": "false")",
         R"("success", "failure")"},
    Work{"update", "UpdateAttribute", R"("squared": "${number:multiply(${number})}")",
         R"("success")"},
    Work{"segment", "SegmentContent", R"("Segment Size": "10 B")", R"("segments", "original")"},
    Work{"encode", "EncodeContent", R"("Mode": "Encode", "Encoding": "base64")",
         R"("success", "failure")"},
};

std::string flow_of(int tasks) {
  std::string processors = fmt::format(
      R"("spread": {{"id": "spread", "type": "UpdateAttribute"}},
         "package": {{"id": "package", "type": "PackageFlowFile", "concurrentTasks": {0},
           "autoTerminate": ["original"]}},
         "zip": {{"id": "zip", "type": "MergeContent", "autoTerminate": ["original", "failure"],
           "properties": {{"Merge Format": "ZIP", "Maximum Number of Entries": "1"}}}},
         "tar": {{"id": "tar", "type": "MergeContent", "autoTerminate": ["original", "failure"],
           "properties": {{"Merge Format": "TAR", "Maximum Number of Entries": "1"}}}},
         "unpack": {{"id": "unpack", "type": "UnpackContent", "concurrentTasks": {0},
           "autoTerminate": ["success", "original", "failure"]}},
         "gzip": {{"id": "gzip", "type": "CompressContent", "concurrentTasks": {0},
           "autoTerminate": ["failure"], "properties": {{"Mode": "compress",
             "Compression Format": "gzip"}}}},
         "zstd": {{"id": "zstd", "type": "CompressContent", "concurrentTasks": {0},
           "autoTerminate": ["failure"], "properties": {{"Mode": "compress",
             "Compression Format": "zstd"}}}},
         "plain": {{"id": "plain", "type": "CompressContent", "concurrentTasks": {0},
           "autoTerminate": ["success", "failure"], "properties": {{"Mode": "decompress",
             "Compression Format": "use mime.type attribute"}}}})",
      tasks);
  std::string connections;
  for (const Work& work : works) {
    processors += fmt::format(
        R"(, "{0}": {{"id": "{0}", "type": "{1}", "concurrentTasks": {2},
          "properties": {{ {3} }}, "autoTerminate": [{4}]}})",
        work.name, work.type, tasks, work.properties, work.ends);
    connections += fmt::format(R"(, {{"from": "spread.success", "to": "{}"}})", work.name);
  }
  return fmt::format(R"({{"processors": {{ {} }}, "inputPorts": ["in"], "connections": [
      {{"from": "in", "to": "spread", "name": "input"}},
      "spread.success -> package", "spread.success -> zip", "spread.success -> tar",
      "spread.success -> gzip", "spread.success -> zstd",
      "package.success -> unpack", "zip.merged -> unpack", "tar.merged -> unpack",
      "gzip.success -> plain", "zstd.success -> plain" {} ]}})",
                     processors, connections);
}

std::string content_of(int number) {
  switch (number % 4) {
    case 0:
      return fmt::format(R"({{"n": {0}, "list": [1, "of {0}", {{"deep": [{0}]}}]}})", number);
    case 1:
      return fmt::format("<all n=\"{0}\"><one>word of {0}</one><two/></all>", number);
    case 2:
      return fmt::format("apples of {0}\nor pears of {1}\r\nnone\n", number, number + 1);
    default:
      return fmt::format("caf\xc3\xa9 of {0} \xff\xfe and more", number);
  }
}

int flow_files() {
  const char* loops = std::getenv("WEIR_LOOPS");
  return 100 * std::max(loops ? std::atoi(loops) : 1, 1);
}

std::map<std::string, int> results_with(int tasks) {
  storage::FaultFileSystem files;
  runtime::EngineConfig config;
  config.flow_files.directory = "/data/flowfile_repository";
  config.contents.containers = {{"default", "/data/content_repository"}};
  config.provenance.directories = {{"default", "/data/provenance_repository"}};
  config.state_directory = "/data/state";
  ComponentRegistry registry;
  register_standard_processors(registry);
  Tally tally;
  const auto executor = runtime::make_thread_executor(8, 16);
  {
    runtime::FlowController controller(
        config, registry,
        runtime::Environment{files, system_clock(), system_random(), *executor, &tally});
    const auto read = flow::read_flow(flow_of(tasks), "test.json");
    EXPECT_TRUE(read);
    if (!read) return {};
    for (const auto& problem : controller.load(read->flow)) {
      if (problem.severity == flow::Problem::Severity::error) ADD_FAILURE() << problem.to_string();
    }
    std::string input;
    for (const auto& connection : controller.status().connections) {
      if (connection.name == "input") input = connection.id;
    }
    for (int number = 0; number < flow_files(); ++number) {
      const std::array<flowfile::Attributes::Entry, 3> attributes = {
          {{"filename", fmt::format("file-{}", number)},
           {"number", std::to_string(number)},
           {"path", "./"}}};
      controller.inject(input, attributes, content_of(number));
    }
    controller.start();
    EXPECT_TRUE(
        executor->wait_until([&] { return controller.status().queued_count == 0; }, seconds(120)));
    controller.stop(seconds(10));
    for (const auto& bulletin : controller.bulletins()) {
      if (bulletin.level == LogLevel::error && bulletin.message.contains("rolled back")) {
        ADD_FAILURE() << bulletin.component_name << ": " << bulletin.message;
      }
    }
  }
  return tally.counts();
}

TEST(ConcurrentProcessors, GiveTheSameWithEightTasksAsWithOne) {
  spdlog::set_level(spdlog::level::off);  // failures are many here, and meant
  const std::map<std::string, int> one = results_with(1);
  const std::map<std::string, int> eight = results_with(8);
  EXPECT_GT(one.size(), works.size() * static_cast<std::size_t>(flow_files()) / 2);
  for (const auto& [line, count] : one) {
    const auto found = eight.find(line);
    EXPECT_EQ(found == eight.end() ? 0 : found->second, count) << line;
  }
  EXPECT_EQ(one.size(), eight.size());
}

}  // namespace
}  // namespace weir
