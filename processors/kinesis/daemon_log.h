#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/api/component.h"
#include "processors/kinesis/daemon_causes.h"

namespace weir::processors::kinesis {

// Turns what a daemon of the KCL writes into the component's log.
//
//  - An event keeps its level, except that the KCL's INFO is DEBUG here but for a few facts.
//  - The same statement, numbers and ids aside, is said once a minute; the minute's end tells how
//    often it came.
//  - A cause that a user can act upon gets a sentence of its own, at most once a minute while it
//    lasts; the events that show it are DEBUG.
//  - What the daemon's environment keeps secret is masked, wherever it stands.
//  - Bounded, whatever is written: a line is cut at 64 KB, a second holds 1,000 lines, and 500
//    statements are remembered.
//
// Not thread safe. Time is the clock's steady one.
class DaemonLog {
 public:
  enum class From { out, err };

  DaemonLog(DaemonNames names, Clock& clock, ComponentLog& log);

  // A new run, whose environment holds these secrets.
  void begin(const std::map<std::string, std::string>& environment);
  void read(From from, std::string_view bytes);
  // The run is over: a line without its end is one.
  void end();
  // It was asked to stop: what goes wrong on the way out is no news.
  void stopping() { stopping_ = true; }

  // All shards were told to shut down, what they checkpointed is written, and the lock of the
  // leader, where it was held, is released: from here on the daemon only waits.
  bool released() const { return released_; }
  // The last cause of this run, or else the last error; empty where there was none.
  const std::string& last_error() const { return last_cause_.empty() ? last_error_ : last_cause_; }

  // When `progress` has something to say at the latest.
  std::optional<std::int64_t> deadline_ns() const;
  void progress();

 private:
  struct Line {
    std::string text;
    bool cut = false;
  };
  struct Said {
    std::int64_t since_ns = 0;
    std::uint64_t again = 0;
    LogLevel level = LogLevel::info;
    std::string text = {};
  };

  void line(From from, Line& line);
  bool within_budget();
  void event(const DaemonEvent& event);
  void java_line(From from, std::string_view text);
  LogLevel level_of(const DaemonEvent& event, std::string& text);
  bool cause(const DaemonEvent& event);
  void say(LogLevel level, std::string_view text);
  void leave_out();
  void say_left_out();
  void due(std::int64_t at_ns);
  void mask(std::string& text) const;

  const DaemonNames names_;
  Clock& clock_;
  ComponentLog& log_;

  std::vector<std::string> secrets_;  // the longest first
  std::map<From, Line> lines_;        // the beginnings of
  bool stopping_ = false;
  bool released_ = false;
  std::string last_cause_, last_error_;

  std::unordered_map<std::string, Said> said_;  // by statement
  std::map<std::string, std::int64_t> caused_;  // by cause: when it was said
  std::optional<std::int64_t> deadline_ns_;
  std::int64_t second_ns_ = 0;  // when the second began whose lines are counted
  std::uint64_t lines_in_second_ = 0;
  std::uint64_t left_out_ = 0;
  std::int64_t left_out_since_ns_ = 0;
};

}  // namespace weir::processors::kinesis
