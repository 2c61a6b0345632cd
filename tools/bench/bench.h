#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/registry.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/flow_controller.h"

namespace weir::bench {

// One figure of the table. Lower is better; `limit` is what it must stay under, and `baseline`
// the physical limit measured beside it in the same run.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  double limit = 0;
  double baseline = 0;
  std::string baseline_what;
  std::string note;
};

// A folder that goes with the object.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// An engine on the real file system and on threads, as `weir run` makes it.
class Engine {
 public:
  Engine(const std::filesystem::path& directory, bool always_sync = false);
  ~Engine();
  runtime::FlowController& start(const std::string& flow_text);
  runtime::FlowController& controller() { return *controller_; }
  // Waits until `done`, at most `seconds`; throws std::runtime_error past it.
  void wait(const std::function<bool()>& done, double seconds);
  std::uint64_t flow_files_in(const std::string& component) const;
  void stop();
  runtime::EngineConfig config;

 private:
  ComponentRegistry registry_;
  std::unique_ptr<runtime::Executor> executor_;
  std::unique_ptr<runtime::FlowController> controller_;
};

// Seconds of CPU time of this process, user and system; of wall time; memory in bytes.
double cpu_seconds();
double wall_seconds();
std::uint64_t peak_memory_bytes();

// Baselines.
double write_seconds(const std::filesystem::path& directory, std::uint64_t bytes,
                     std::size_t piece_bytes);
double fdatasync_seconds(const std::filesystem::path& directory);  // of one small append
double copy_seconds(const std::filesystem::path& from, const std::filesystem::path& to);
double read_seconds(const std::filesystem::path& path);  // of every file below it

// The work of each name. Figures of a work share its run.
std::vector<Figure> hop();
std::vector<Figure> commit();
std::vector<Figure> files();
std::vector<Figure> bigfile();
std::vector<Figure> split();
std::vector<Figure> merge();
std::vector<Figure> recover();
std::vector<Figure> tenmillion();
std::vector<Figure> expression();
std::vector<Figure> route();
std::vector<Figure> text();
std::vector<Figure> json();
std::vector<Figure> pack();
std::vector<Figure> compress();
std::vector<Figure> kafka(const std::string& weir_binary);
std::vector<Figure> kinesis(const std::string& weir_binary);
std::vector<Figure> start(const std::string& weir_binary);

}  // namespace weir::bench
