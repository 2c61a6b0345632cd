#include <fmt/format.h>

#include <fstream>

#include "tools/bench/bench.h"

namespace weir::bench {

namespace fs = std::filesystem;

namespace {

void write_file(const fs::path& path, std::uint64_t bytes) {
  std::ofstream out(path, std::ios::binary);
  std::string piece(std::min<std::uint64_t>(bytes, 1u << 20), 'x');
  for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<char>(i * 31 >> 3);
  for (std::uint64_t done = 0; done < bytes; done += piece.size()) {
    out.write(piece.data(),
              static_cast<std::streamsize>(std::min<std::uint64_t>(piece.size(), bytes - done)));
  }
}

std::string move_flow(const fs::path& from, const fs::path& to) {
  return fmt::format(
      R"({{"processors": {{
        "get": {{"type": "GetFile", "schedule": "0 sec", "properties": {{
          "Input Directory": "{}", "Batch Size": "1000", "Keep Source File": "false",
          "Minimum File Age": "0 sec"}}}},
        "put": {{"type": "PutFile", "runDuration": "25 ms", "autoTerminate": ["success", "failure"],
          "properties": {{"Directory": "{}"}}}}}},
      "connections": ["get.success -> put"]}})",
      from.string(), to.string());
}

double move_seconds(const Scratch& scratch, std::size_t files) {
  Engine engine(scratch.path() / "data");
  fs::create_directories(scratch.path() / "out");
  const double begin = wall_seconds();
  engine.start(move_flow(scratch.path() / "in", scratch.path() / "out"));
  engine.wait([&] { return engine.flow_files_in("put") >= files; }, 600);
  const double seconds = wall_seconds() - begin;
  engine.controller().stop_at_once();
  return seconds;
}

}  // namespace

std::vector<Figure> files() {
  constexpr std::size_t kFiles = 10'000;
  Scratch scratch;
  fs::create_directories(scratch.path() / "in");
  for (std::size_t i = 0; i < kFiles; ++i) {
    write_file(scratch.path() / "in" / fmt::format("file-{}", i), 4096);
  }
  const double baseline = copy_seconds(scratch.path() / "in", scratch.path() / "copy");
  const double seconds = move_seconds(scratch, kFiles);
  return {{"files", seconds, "s", 2 * baseline, baseline, "cp -r",
           fmt::format("{:.0f} files of 4 KB a second", kFiles / seconds)}};
}

std::vector<Figure> bigfile() {
  const char* megabytes = std::getenv("WEIR_BENCH_BIGFILE_MB");
  const std::uint64_t bytes = (megabytes != nullptr ? std::strtoull(megabytes, nullptr, 10) : 4096)
                              << 20;
  Scratch scratch;
  fs::create_directories(scratch.path() / "in");
  write_file(scratch.path() / "in" / "big", bytes);
  const double baseline = copy_seconds(scratch.path() / "in", scratch.path() / "copy");
  fs::remove_all(scratch.path() / "copy");
  const double seconds = move_seconds(scratch, 1);
  return {{"bigfile", seconds, "s", 1.3 * baseline, baseline, "cp -r",
           fmt::format("{:.0f} MB/s", static_cast<double>(bytes >> 20) / seconds)}};
}

namespace {

constexpr std::uint64_t kLineBytes = 100;

void write_lines(const fs::path& path, std::uint64_t lines) {
  std::ofstream out(path, std::ios::binary);
  const std::string filler(kLineBytes - 12, 'l');
  for (std::uint64_t i = 0; i < lines; ++i) out << fmt::format("{:010} {}\n", i, filler);
}

double count_lines_seconds(const fs::path& path) {
  const double begin = wall_seconds();
  std::ifstream in(path, std::ios::binary);
  std::vector<char> piece(1u << 20);
  std::uint64_t lines = 0;
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() > 0) {
    lines +=
        static_cast<std::uint64_t>(std::count(piece.begin(), piece.begin() + in.gcount(), '\n'));
  }
  return wall_seconds() - begin + (lines == 0 ? 1 : 0);
}

}  // namespace

std::vector<Figure> split() {
  const char* megabytes = std::getenv("WEIR_BENCH_SPLIT_MB");
  const std::uint64_t lines =
      ((megabytes != nullptr ? std::strtoull(megabytes, nullptr, 10) : 1024) << 20) / kLineBytes;
  Scratch scratch;
  fs::create_directories(scratch.path() / "in");
  write_lines(scratch.path() / "in" / "lines", lines);
  const double baseline = count_lines_seconds(scratch.path() / "in" / "lines");
  Engine engine(scratch.path() / "data");
  const double begin = wall_seconds();
  engine.start(fmt::format(
      R"({{"processors": {{
        "get": {{"type": "GetFile", "schedule": "0 sec", "properties": {{
          "Input Directory": "{}", "Keep Source File": "false", "Minimum File Age": "0 sec"}}}},
        "split": {{"type": "SplitText", "autoTerminate": ["original", "failure"],
          "properties": {{"Line Split Count": "1"}}}},
        "log": {{"type": "LogAttribute", "runDuration": "25 ms", "autoTerminate": ["success"],
          "properties": {{"Log Level": "debug"}}}}}},
      "connections": ["get.success -> split", "split.splits -> log"]}})",
      (scratch.path() / "in").string()));
  engine.wait([&] { return engine.flow_files_in("log") >= lines; }, 900);
  const double seconds = wall_seconds() - begin;
  const double peak = static_cast<double>(peak_memory_bytes()) / (1 << 20);
  engine.controller().stop_at_once();
  return {{"split", seconds / static_cast<double>(lines) * 1e6, "us a split", 2.0,
           baseline / static_cast<double>(lines) * 1e6, "counting the lines",
           fmt::format("{:.0f} splits a second", static_cast<double>(lines) / seconds)},
          {"split-memory", peak, "MB", 300, 0, "", "peak"}};
}

std::vector<Figure> merge() {
  constexpr std::uint64_t kLines = (1024ull << 20) / kLineBytes;
  constexpr std::uint64_t kPieces = (kLines + 999) / 1000;
  Scratch scratch;
  fs::create_directories(scratch.path() / "in");
  fs::create_directories(scratch.path() / "out");
  write_lines(scratch.path() / "in" / "lines", kLines);
  const double baseline = copy_seconds(scratch.path() / "in", scratch.path() / "copy");
  fs::remove_all(scratch.path() / "copy");
  Engine engine(scratch.path() / "data");
  const double begin = wall_seconds();
  engine.start(fmt::format(
      R"({{"processors": {{
        "get": {{"type": "GetFile", "schedule": "0 sec", "properties": {{
          "Input Directory": "{}", "Keep Source File": "false", "Minimum File Age": "0 sec"}}}},
        "split": {{"type": "SplitText", "autoTerminate": ["original", "failure"],
          "properties": {{"Line Split Count": "1000", "Remove Trailing Newlines": "false"}}}},
        "merge": {{"type": "MergeContent", "autoTerminate": ["original", "failure"],
          "properties": {{"Merge Strategy": "Defragment"}}}},
        "put": {{"type": "PutFile", "autoTerminate": ["success", "failure"],
          "properties": {{"Directory": "{}"}}}}}},
      "connections": ["get.success -> split", "split.splits -> merge", "merge.merged -> put"]}})",
      (scratch.path() / "in").string(), (scratch.path() / "out").string()));
  engine.wait([&] { return engine.flow_files_in("put") >= 1; }, 600);
  const double seconds = wall_seconds() - begin;
  engine.controller().stop_at_once();
  const double megabytes = static_cast<double>(kLines * kLineBytes) / (1 << 20);
  return {{"merge", seconds / megabytes * 1e3, "ms a MB", 1e3 / 600, baseline / megabytes * 1e3,
           "cp -r", fmt::format("{:.0f} MB/s, {} pieces", megabytes / seconds, kPieces)}};
}

}  // namespace weir::bench
