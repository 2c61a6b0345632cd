// Works of the Expression Language and of the text, JSON and archive processors.
#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "engine/expression/expression.h"
#include "tools/bench/bench.h"

namespace weir::bench {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t megabyte = 1u << 20;

// Wall time of a program; its output goes nowhere. Throws where it fails.
double program_seconds(const std::string& command) {
  const double begin = wall_seconds();
  const int status = std::system((command + " >/dev/null").c_str());
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
    throw std::runtime_error("cannot run " + command);
  }
  return wall_seconds() - begin;
}

// Lines like those of a web server's log, about 100 bytes each; one in ten has "ERROR".
void write_log(const fs::path& path, std::uint64_t bytes) {
  std::ofstream out(path, std::ios::binary);
  std::uint64_t written = 0;
  for (std::uint64_t i = 0; written < bytes; ++i) {
    const std::string line = fmt::format(
        "2026-11-30T12:{:02}:{:02}.{:03}Z host-{:03} worker {} request {:08x} took {} ms, {} "
        "bytes\n",
        i / 60 % 60, i % 60, i * 7 % 1000, i * 31 % 200, i % 10 == 0 ? "ERROR" : "INFO",
        i * 2654435761u, i * 13 % 900, i * 17 % 100'000);
    out << line;
    written += line.size();
  }
}

runtime::ComponentStatus status_of(const runtime::FlowController& controller,
                                   const std::string& name) {
  for (const auto& status : controller.status().components) {
    if (status.name == name) return status;
  }
  throw std::runtime_error("the flow has no component " + name);
}

// Seconds from the start of `processor` until it has worked on the one file of the folder "in",
// queued before it. Nobody takes what comes out; of the relationship `kept` it stays queued.
double one_file_seconds(const Scratch& scratch, const std::string& processor,
                        const std::string& kept = "") {
  Engine engine(scratch.path() / "data");
  runtime::FlowController& controller = engine.start(fmt::format(
      R"({{"processors": {{
        "get": {{"type": "GetFile", "schedule": "0 sec", "properties": {{
          "Input Directory": "{}", "Keep Source File": "true", "Minimum File Age": "0 sec",
          "Polling Interval": "1 hour"}}}},
        "work": {}}}, "funnels": ["kept"],
      "connections": ["get.success -> work"{}]}})",
      (scratch.path() / "in").string(), processor,
      kept.empty() ? "" : fmt::format(R"(, "work.{} -> kept")", kept)));
  engine.wait([&] { return controller.status().queued_count == 1; }, 600);
  const double begin = wall_seconds();
  controller.start_component(status_of(controller, "work").id);
  engine.wait([&] { return status_of(controller, "work").flow_files_in == 1; }, 600);
  const double seconds = wall_seconds() - begin;
  controller.stop_at_once();
  return seconds;
}

// Wall time a FlowFile that the component "work" takes for `flow_files` of those that "generate"
// has queued before it; `spare` more of them, for what waits in bins at the end.
double queued_seconds(const std::string& flow, std::uint64_t flow_files, std::uint64_t spare = 0) {
  Scratch scratch;
  Engine engine(scratch.path());
  engine.config.swap_threshold = 10 * flow_files;  // reading swap files is another measure
  auto& controller = engine.start(flow);
  engine.wait([&] { return controller.status().queued_count >= flow_files + spare; }, 120);
  controller.stop_component(status_of(controller, "generate").id, std::chrono::seconds(10));
  const std::string work = status_of(controller, "work").id;
  const double begin = wall_seconds();
  controller.start_component(work);
  engine.wait([&] { return engine.flow_files_in("work") >= flow_files; }, 600);
  const double seconds = wall_seconds() - begin;
  controller.stop_at_once();
  return seconds / static_cast<double>(flow_files);
}

std::string generator(const std::string& properties) {
  return fmt::format(
      R"("generate": {{"type": "GenerateFlowFile", "schedule": "0 sec", "runDuration": "25 ms",
        "properties": {{"Batch Size": "1000", "Unique FlowFiles": "false", {}}}}})",
      properties);
}

Figure a_megabyte(const std::string& name, double seconds, std::uint64_t bytes, double limit_ms,
                  double baseline_seconds, const std::string& baseline) {
  const double megabytes = static_cast<double>(bytes) / megabyte;
  return {name,
          seconds / megabytes * 1e3,
          "ms a MB",
          limit_ms,
          baseline_seconds / megabytes * 1e3,
          baseline,
          fmt::format("{:.0f} MB/s", megabytes / seconds)};
}

Figure a_flow_file(const std::string& name, double seconds, double limit_us) {
  return {name,
          seconds * 1e6,
          "us",
          limit_us,
          0,
          "",
          fmt::format("{:.0f} FlowFiles a second", 1 / seconds)};
}

std::uint64_t text_bytes() {
  const char* megabytes = std::getenv("WEIR_BENCH_TEXT_MB");
  return (megabytes != nullptr ? std::strtoull(megabytes, nullptr, 10) : 1024) * megabyte;
}

constexpr double route_text_ms = 1e3 / 700;    // 700 MB/s
constexpr double replace_text_ms = 1e3 / 300;  // 300 MB/s
constexpr double merge_ms = 1e3 / 400;         // 400 MB/s

}  // namespace

std::vector<Figure> expression() {
  constexpr int evaluations = 4'000'000;
  const auto prepared =
      expression::prepare("${filename:substringBefore('.'):toUpper()}",
                          ExpressionScope::flow_file_attributes, {system_clock(), system_random()});
  if (!prepared) throw std::runtime_error(prepared.error().message);
  const std::map<std::string, std::string, std::less<>> variables = {
      {"filename", "orders-20261130.csv"}};
  const ExpressionInputs inputs{.flow_file = nullptr, .variables = &variables};
  std::string out;
  const double begin = cpu_seconds();
  for (int i = 0; i < evaluations; ++i) {
    out.clear();
    prepared->expression->evaluate(inputs, out);
  }
  const double seconds = (cpu_seconds() - begin) / evaluations;
  if (out != "ORDERS-20261130") throw std::runtime_error("wrong value: " + out);
  return {{"expression", seconds * 1e6, "us CPU", 0.5, 0, "",
           fmt::format("{:.1f} million evaluations a second and core", 1e-6 / seconds)}};
}

std::vector<Figure> route() {
  std::string rules;
  for (int i = 0; i < 10; ++i) {
    rules += fmt::format(R"("rule {}": "${{filename:endsWith('{}')}}", )", i, i);
  }
  const std::string flow = fmt::format(
      R"({{"processors": {{ {},
        "work": {{"type": "RouteOnAttribute", "state": "stopped", "runDuration": "25 ms",
          "properties": {{ {} "Routing Strategy": "Route to 'match' if all match"}},
          "autoTerminate": ["matched", "unmatched"]}}}},
      "connections": [{{"from": "generate.success", "to": "work",
                       "backpressure": {{"count": 0}}}}]}})",
      generator(R"("File Size": "0 B")"), rules);
  return {a_flow_file("route", queued_seconds(flow, 500'000), 1e6 / 200'000)};
}

std::vector<Figure> text() {
  Scratch scratch;
  fs::create_directories(scratch.path() / "in");
  const std::uint64_t bytes = text_bytes();
  const fs::path file = scratch.path() / "in" / "log";
  write_log(file, bytes);
  const std::string name = file.string();
  const double grep = program_seconds("LC_ALL=C grep -F ERROR " + name + " | cat");
  const double sed = program_seconds("LC_ALL=C sed -e 's/INFO/info/' " + name);
  const double sed_regex =
      program_seconds("LC_ALL=C sed -E -e 's/request ([0-9a-f]+)/id=\\1/' " + name);
  const auto route_text = [&](const char* dropped, const char* kept) {
    return one_file_seconds(scratch,
                            fmt::format(R"({{"type": "RouteText", "state": "stopped",
        "autoTerminate": ["original"{}], "properties": {{
          "Routing Strategy": "Route to each matching Property Name",
          "Matching Strategy": "Contains", "errors": "ERROR"}}}})",
                                        dropped),
                            kept);
  };
  const double route = route_text(R"(, "errors")", "unmatched");
  const double filter = route_text(R"(, "unmatched")", "errors");
  const double literal = one_file_seconds(scratch, R"({"type": "ReplaceText", "state": "stopped",
        "autoTerminate": ["success", "failure"], "properties": {
          "Replacement Strategy": "Literal Replace", "Evaluation Mode": "Line-by-Line",
          "Search Value": "INFO", "Replacement Value": "info"}})");
  const double regex = one_file_seconds(scratch, R"json({"type": "ReplaceText", "state": "stopped",
        "autoTerminate": ["success", "failure"], "properties": {
          "Replacement Strategy": "Regex Replace", "Evaluation Mode": "Line-by-Line",
          "Search Value": "request ([0-9a-f]+)", "Replacement Value": "id=$1"}})json");
  const double peak = static_cast<double>(peak_memory_bytes()) / megabyte;
  return {
      a_megabyte("route-text", route, bytes, route_text_ms, grep,
                 "grep -F; nine lines of ten written"),
      a_megabyte("filter-text", filter, bytes, route_text_ms, grep,
                 "grep -F; one line of ten written"),
      a_megabyte("replace-literal", literal, bytes, replace_text_ms, sed, "sed s/INFO/info/"),
      a_megabyte("replace-regex", regex, bytes, replace_text_ms, sed_regex, "sed -E, one group"),
      {"text-memory", peak, "MB", 300, 0, "", "peak"}};
}

std::vector<Figure> json() {
  std::string document =
      R"({\"id\": 17, \"user\": {\"name\": \"ida\", \"mail\": \"i@x.org\"}, )"
      R"(\"items\": [{\"sku\": \"a-1\", \"n\": 2}, {\"sku\": \"b-7\", \"n\": 1}], )";
  while (document.size() < 980) {
    document += fmt::format(R"(\"field {}\": \"some text of this field\", )", document.size());
  }
  document += R"(\"last\": true})";
  const std::string flow = fmt::format(
      R"({{"processors": {{ {},
        "work": {{"type": "EvaluateJsonPath", "state": "stopped", "runDuration": "25 ms",
          "properties": {{
          "Destination": "flowfile-attribute", "id": "$.id", "name": "$.user.name",
          "mail": "$.user.mail", "sku": "$.items[1].sku", "last": "$.last"}},
          "autoTerminate": ["matched", "unmatched", "failure"]}}}},
      "connections": [{{"from": "generate.success", "to": "work",
                       "backpressure": {{"count": 0}}}}]}})",
      generator(fmt::format(R"("Custom Text": "{}")", document)));
  return {a_flow_file("json", queued_seconds(flow, 300'000), 1e6 / 100'000)};
}

std::vector<Figure> pack() {
  const std::string flow = fmt::format(
      R"({{"processors": {{ {},
        "work": {{"type": "MergeContent", "state": "stopped", "properties": {{
          "Minimum Number of Entries": "1", "Maximum Number of Entries": "1000000",
          "Minimum Group Size": "64 MB", "Maximum Group Size": "65 MB"}},
          "autoTerminate": ["merged", "original", "failure"]}}}},
      "connections": [{{"from": "generate.success", "to": "work",
                       "backpressure": {{"count": 0, "size": "0 B"}}}}]}})",
      generator(R"("File Size": "1 KB")"));
  constexpr std::uint64_t bundle = 65'536;
  const double seconds = queued_seconds(flow, 6 * bundle, 2 * bundle);
  Scratch scratch;
  const double baseline = write_seconds(scratch.path(), 1ull << 30, 64u << 10);
  return {
      a_megabyte("pack", seconds * 1024, megabyte, merge_ms, baseline / 1024, "write() of 64 KB")};
}

std::vector<Figure> compress() {
  Scratch scratch;
  fs::create_directories(scratch.path() / "in");
  const std::uint64_t bytes = text_bytes() / 4;
  const fs::path file = scratch.path() / "in" / "log";
  write_log(file, bytes);
  const double gzip = program_seconds("gzip -6 -c " + file.string());
  const double seconds =
      one_file_seconds(scratch, R"({"type": "CompressContent", "state": "stopped",
        "autoTerminate": ["success", "failure"], "properties": {
          "Mode": "compress", "Compression Format": "gzip", "Compression Level": "6"}})");
  const double megabytes = static_cast<double>(bytes) / megabyte;
  return {a_megabyte("compress", seconds, bytes, 1.2 * gzip / megabytes * 1e3, gzip, "gzip -6")};
}

}  // namespace weir::bench
