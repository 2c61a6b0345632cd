#include <fmt/format.h>

#include "tools/bench/bench.h"

namespace weir::bench {

namespace {

constexpr double kMaximumHopUs = 2.5;
constexpr std::uint64_t kFlowFiles = 1'000'000;
constexpr int kContentBytes = 1024;

std::string hop_flow() {
  return R"({"processors": {
    "generate": {"type": "GenerateFlowFile", "schedule": "0 sec", "runDuration": "25 ms",
      "properties": {"File Size": "1 KB", "Batch Size": "100", "Unique FlowFiles": "false"}},
    "log": {"type": "LogAttribute", "runDuration": "25 ms", "properties": {"Log Level": "debug"}},
    "duplicate": {"type": "DuplicateFlowFile", "runDuration": "25 ms", "autoTerminate": ["success"],
      "properties": {"Number of Copies": "1"}}},
  "connections": ["generate.success -> log", "log.success -> duplicate"]})";
}

}  // namespace

std::vector<Figure> hop() {
  Scratch scratch;
  Engine engine(scratch.path());
  auto& controller = engine.start(hop_flow());
  // The steady state counts: caches filled, files made.
  engine.wait([&] { return controller.status().hops > 100'000; }, 60);
  const std::uint64_t hops_before = controller.status().hops;
  const std::uint64_t journal_before = controller.flow_files().statistics().bytes_written;
  const std::uint64_t events_before = controller.provenance().statistics().bytes;
  const double cpu_before = cpu_seconds();
  const double wall_before = wall_seconds();
  engine.wait([&] { return controller.status().hops - hops_before > 4 * kFlowFiles; }, 300);
  controller.maintain(false);
  const auto hops = static_cast<double>(controller.status().hops - hops_before);
  const double cpu = cpu_seconds() - cpu_before;
  const double wall = wall_seconds() - wall_before;
  const double journal =
      static_cast<double>(controller.flow_files().statistics().bytes_written - journal_before);
  const double events =
      static_cast<double>(controller.provenance().statistics().bytes - events_before);
  controller.stop_at_once();
  const double baseline =
      write_seconds(scratch.path(), kFlowFiles * kContentBytes, kContentBytes) / kFlowFiles * 1e6;
  return {{"hop", cpu / hops * 1e6, "us CPU", kMaximumHopUs, baseline, "write() of 1 KB",
           fmt::format("{:.0f} hops a second", hops / wall)},
          {"hop-bytes", (journal + events) / hops, "bytes", 250, 0, "",
           fmt::format("journal {:.0f}, provenance {:.0f}", journal / hops, events / hops)},
          {"hop-period", wall / hops * 1e6, "us", 1e6 / 700'000, 0, "", "wall time a hop"}};
}

std::vector<Figure> commit() {
  std::vector<Figure> figures;
  for (const int tasks : {1, 8}) {
    for (const int batch : {1, 100}) {
      Scratch scratch;
      const double baseline = fdatasync_seconds(scratch.path()) * 1e6;
      Engine engine(scratch.path(), true);
      auto& controller = engine.start(fmt::format(
          R"({{"processors": {{"generate": {{"type": "GenerateFlowFile", "schedule": "0 sec",
            "concurrentTasks": {}, "autoTerminate": ["success"], "runDuration": "0 ms",
            "properties": {{"File Size": "1 KB", "Batch Size": "{}"}}}}}}}})",
          tasks, batch));
      engine.wait([&] { return controller.status().commits > 20; }, 60);
      const std::uint64_t before = controller.status().commits;
      const double begin = wall_seconds();
      engine.wait([&] { return wall_seconds() - begin > 3; }, 10);
      const double period = (wall_seconds() - begin) /
                            static_cast<double>(controller.status().commits - before) * 1e6;
      controller.stop_at_once();
      const double limit = tasks == 1 ? baseline * 1.5 : baseline / 4;
      figures.push_back({fmt::format("commit-{}x{}", tasks, batch), period, "us", limit, baseline,
                         "fdatasync", fmt::format("{} tasks, batches of {}", tasks, batch)});
    }
  }
  return figures;
}

}  // namespace weir::bench
