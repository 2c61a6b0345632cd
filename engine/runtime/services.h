#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/runtime/engine_config.h"
#include "engine/runtime/flow_controller.h"
#include "engine/runtime/gated_executor.h"
#include "repositories/provenance/event.h"
#include "repositories/state/state_repository.h"

namespace weir::runtime {

// The last bulletins, and the engine's log behind them. Thread safe.
class BulletinBoard {
 public:
  explicit BulletinBoard(Clock& clock) : clock_(clock) {}
  void add(LogLevel level, const std::string& component_id, const std::string& component_name,
           std::string_view message);
  std::vector<Bulletin> after(std::uint64_t number) const;

 private:
  static constexpr std::size_t kKept = 1000;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::deque<Bulletin> bulletins_;
  std::uint64_t next_number_ = 1;
};

// What every component of a running engine shares. Owned by the controller, outlives them all.
struct Services {
  EngineConfig config;
  storage::FileSystem& files;
  Clock& clock;
  Random& random;
  GatedExecutor executor;
  RouteObserver* const routes;  // null: nobody listens
  BulletinBoard bulletins;
  std::unique_ptr<content::ContentRepository> contents;
  std::unique_ptr<flowfile::FlowFileRepository> flow_files;
  std::unique_ptr<provenance::ProvenanceRepository> provenance;
  std::unique_ptr<state::StateRepository> states;
  std::atomic<std::uint64_t> hops{0};

  Services(const EngineConfig& engine_config, const Environment& environment)
      : config(engine_config),
        files(environment.files),
        clock(environment.clock),
        random(environment.random),
        executor(environment.executor),
        routes(environment.routes),
        bulletins(environment.clock) {}
};

// Logs under the component's name; from the bulletin level on also to the board.
class BulletinLog : public ComponentLog {
 public:
  BulletinLog(BulletinBoard& board, std::string component_id, std::string component_name,
              LogLevel bulletin_level)
      : board_(board),
        component_id_(std::move(component_id)),
        component_name_(std::move(component_name)),
        bulletin_level_(bulletin_level) {}
  bool enabled(LogLevel level) const override;
  void write(LogLevel level, std::string_view message) override;

 private:
  BulletinBoard& board_;
  const std::string component_id_;
  const std::string component_name_;
  const LogLevel bulletin_level_;
};

LogLevel parse_log_level(std::string_view name);  // NiFi's names; unknown: warn

}  // namespace weir::runtime
