#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/api/cron.h"
#include "engine/runtime/session.h"

namespace weir::runtime {

// What a node runs: a processor, or the plain passing on of ports and funnels.
class Behaviour {
 public:
  virtual ~Behaviour() = default;
  virtual void scheduled() {}
  virtual void trigger(Session& session, ProcessSessionFactory& sessions) = 0;
  virtual void unscheduled() {}
  virtual void stopped() {}
};

// How and when a node is triggered.
struct Schedule {
  bool needs_input = false;  // only with FlowFiles queued
  bool batching = false;     // several triggers, one commit
  bool manages_sessions = false;
  bool any_destination = false;  // runs while at least one relationship has room
  bool blocking = false;
  int tasks = 1;
  std::chrono::nanoseconds period{0};  // 0: whenever there is work
  std::optional<CronSchedule> cron;
  std::chrono::nanoseconds run_duration{0};
  std::int64_t yield_ms = 1000;
};

// A runnable component. The scheduling contract:
//   - a task runs when the node is running and not yielding, its period or cron time is due, it
//     needs no input or has some that is not penalized, its outgoing connections have room, and
//     its group's gate is open;
//   - a period is counted from a task's end to its next begin, each task by itself; a cron time at
//     which there is nothing to do passes;
//   - whatever can make one of these true wakes the node: FlowFiles put, a connection that is no
//     longer full, one that became empty (gates), a timer. Nothing polls;
//   - at most `tasks` tasks at a time; on_scheduled and on_stopped run alone;
//   - a connection to itself never holds a node back, and one that is part of a loop only while
//     none of the loop's connections into the node is full: loops cannot lock each other up;
//   - an exception rolls the trigger back, penalizes its FlowFiles, makes the node yield and is
//     told in a bulletin; the node goes on.
// Thread safe.
class Node : public Wakeable, public ProcessSessionFactory {
 public:
  using State = ComponentStatus::State;

  Node(Services& services, provenance::ComponentRef component, LogLevel bulletin_level);
  ~Node() override;

  // Set up while the flow is loaded, before `start`.
  struct Outgoing {
    FlowFileQueue* queue = nullptr;
    bool to_itself = false;
    bool in_loop = false;
  };
  struct Output {
    std::vector<Outgoing> connections;  // of one relationship
  };
  SessionOwner owner;
  Schedule schedule;
  std::vector<Output> outputs;
  std::vector<FlowFileQueue*> loop_inputs;
  std::function<std::shared_ptr<Behaviour>()> make_behaviour;
  std::function<bool()> gate;  // a port's: whether FlowFiles may pass now; null: always
  bool source = false;         // brings FlowFiles into the flow

  const std::string& id() const { return owner.component.id; }
  ComponentLog& log() { return log_; }

  void start();
  // Of a node that does not run: the next start makes its behaviour anew.
  void renew_behaviour(std::function<std::shared_ptr<Behaviour>()> make);
  void set_unavailable(State state);  // invalid or disabled: `start` does nothing
  // Asks for a stop; `State::stopped` follows when the last trigger has returned.
  void stop();
  void terminate();
  State state() const;
  bool stopped() const;
  bool is_scheduled() const;
  void yield(std::int64_t ms);
  bool outputs_have_room() const;
  bool relationship_has_room(std::size_t route) const;

  void wake() override;
  std::shared_ptr<ProcessSession> create_session() override;

  ComponentStatus status() const;

 private:
  using TaskSession = std::shared_ptr<Session>;

  void evaluate(std::unique_lock<std::mutex>& lock);
  void evaluate_cron();
  bool due(std::int64_t now_ns);
  std::uint64_t available_input() const;
  bool input_available(int running_tasks) const;
  void arm(std::int64_t at_ns);
  void arm_for_penalties();
  void post_task();
  void run_scheduled(std::uint64_t generation);
  void run(std::uint64_t generation);
  bool run_triggers(Behaviour& behaviour, Session& session, std::uint64_t generation);
  bool trigger_once(Behaviour& behaviour, Session& session);
  bool guarded(Session& session, const std::function<void()>& action);
  void failed(Session& session, const std::exception& error, std::int64_t yield_ms);
  bool may_go_on(std::uint64_t generation);
  TaskSession take_session();
  void give_session(TaskSession session);
  void finish_stop(std::unique_lock<std::mutex>& lock);
  void roll_back_kept_sessions();

  Services& services_;
  BulletinLog log_;
  std::atomic<std::uint64_t> triggers_{0};
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<bool> scheduled_{false};
  std::atomic<std::int64_t> yield_until_ns_{0};

  mutable std::mutex mutex_;
  // Guarded by mutex_:
  State state_ = State::stopped;
  State unavailable_ = State::stopped;
  bool starting_ = false;
  int active_ = 0;
  std::uint64_t generation_ = 0;  // rises with each terminate: tasks of before count no more
  std::vector<std::int64_t> idle_due_ns_;  // with a period: when each task not running is due
  std::int64_t next_cron_ms_ = 0;
  std::shared_ptr<Behaviour> behaviour_;
  std::unique_ptr<Executor::Timer> timer_;
  std::int64_t timer_at_ns_ = 0;
  std::vector<TaskSession> idle_sessions_;
  std::vector<TaskSession> active_sessions_;
  std::vector<std::weak_ptr<Session>> created_sessions_;
};

}  // namespace weir::runtime
