// Runs one work of the benchmark table and prints its figures; tools/bench/run calls it for each.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/bench/bench.h"
#include "tools/bench/kafka/bare_loop.h"
#include "tools/bench/kinesis_daemon.h"
#include "tools/common/allocator.h"

namespace {

using weir::bench::Figure;

void print_json(const Figure& figure) {
  const nlohmann::ordered_json line = {
      {"name", figure.name},         {"value", figure.value},
      {"unit", figure.unit},         {"limit", figure.limit},
      {"baseline", figure.baseline}, {"baseline_what", figure.baseline_what},
      {"note", figure.note}};
  std::printf("%s\n", line.dump().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (weir::bench::is_kinesis_daemon(argc, argv)) {
    return weir::bench::kinesis_daemon(std::filesystem::path(argv[0]).parent_path().parent_path());
  }
  if (weir::bench::is_kafka_bare_loop(argc, argv)) return weir::bench::kafka_bare_loop(argv);
  weir::tools::tune_allocator();
  spdlog::set_default_logger(spdlog::stderr_logger_mt("bench"));  // figures alone on stdout
  const std::string weir = argc > 2 ? argv[2] : "";
  const std::map<std::string, std::function<std::vector<Figure>()>> works = {
      {"hop", weir::bench::hop},
      {"commit", weir::bench::commit},
      {"files", weir::bench::files},
      {"bigfile", weir::bench::bigfile},
      {"split", weir::bench::split},
      {"merge", weir::bench::merge},
      {"recover", weir::bench::recover},
      {"tenmillion", weir::bench::tenmillion},
      {"expression", weir::bench::expression},
      {"route", weir::bench::route},
      {"text", weir::bench::text},
      {"json", weir::bench::json},
      {"pack", weir::bench::pack},
      {"compress", weir::bench::compress},
      {"kafka", [&] { return weir::bench::kafka(weir); }},
      {"kinesis", [&] { return weir::bench::kinesis(weir); }},
      {"start", [&] { return weir::bench::start(weir); }}};
  const auto work = argc > 1 ? works.find(argv[1]) : works.end();
  if (work == works.end()) {
    std::fprintf(stderr, "usage: weir_bench NAME WEIR-BINARY; names:");
    for (const auto& [name, function] : works) std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  try {
    for (const Figure& figure : work->second()) print_json(figure);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    return 1;
  }
  return 0;
}
