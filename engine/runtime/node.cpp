#include "engine/runtime/node.h"

#include <algorithm>

namespace weir::runtime {

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
// How long sources wait before they look again whether the content repository has room.
constexpr std::int64_t kNoRoomWaitMs = 250;

}  // namespace

Node::Node(Services& services, provenance::ComponentRef component, LogLevel bulletin_level)
    : owner(services, std::move(component)),
      services_(services),
      log_(services.bulletins, owner.component.id, owner.component.name, bulletin_level) {
  owner.log = &log_;
  owner.yield = [this](std::int64_t ms) { yield(ms); };
}

Node::~Node() = default;

void Node::set_unavailable(State state) {
  const std::lock_guard lock(mutex_);
  unavailable_ = state;
  state_ = state;
}

void Node::renew_behaviour(std::function<std::shared_ptr<Behaviour>()> make) {
  const std::lock_guard lock(mutex_);
  make_behaviour = std::move(make);
  behaviour_.reset();
}

void Node::start() {
  std::unique_lock lock(mutex_);
  if (unavailable_ != State::stopped || state_ != State::stopped) return;
  state_ = State::running;
  starting_ = true;
  // What it waited for before it was stopped counts no more.
  timer_at_ns_ = 0;
  yield_until_ns_.store(0, std::memory_order_relaxed);
  idle_due_ns_.assign(static_cast<std::size_t>(std::max(schedule.tasks, 1)), 0);
  if (!behaviour_) behaviour_ = make_behaviour();
  const std::uint64_t generation = generation_;
  lock.unlock();
  services_.executor.post_blocking([this, generation] { run_scheduled(generation); });
}

// Runs on_scheduled; where it throws, again after the administrative yield.
void Node::run_scheduled(std::uint64_t generation) {
  std::shared_ptr<Behaviour> behaviour;
  {
    const std::lock_guard lock(mutex_);
    if (generation != generation_) return;
    behaviour = behaviour_;
    scheduled_.store(state_ == State::running);
  }
  std::string failure;
  try {
    behaviour->scheduled();
  } catch (const std::exception& error) {
    failure = error.what();
    if (failure.empty()) failure = "an exception without a message";
  }
  std::unique_lock lock(mutex_);
  if (generation != generation_) return;
  if (!failure.empty()) scheduled_.store(false);
  if (failure.empty()) {
    starting_ = false;
    if (state_ == State::stopping) {
      if (active_ == 0) finish_stop(lock);
      return;
    }
    const std::int64_t now_ms = services_.clock.now_ms();
    if (schedule.cron) next_cron_ms_ = schedule.cron->next_after(now_ms).value_or(INT64_MAX);
    evaluate(lock);
    return;
  }
  failures_.fetch_add(1);
  if (state_ == State::stopping) {
    starting_ = false;
    state_ = State::stopped;
    return;
  }
  timer_ = services_.executor.post_after(services_.config.administrative_yield, [this, generation] {
    services_.executor.post_blocking([this, generation] { run_scheduled(generation); });
  });
  timer_at_ns_ = INT64_MAX;
  lock.unlock();
  log_.error("Cannot be scheduled, trying again in {} ms: {}",
             services_.config.administrative_yield.count(), failure);
}

bool Node::stopped() const {
  const std::lock_guard lock(mutex_);
  return state_ != State::running && state_ != State::stopping;
}

Node::State Node::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

bool Node::is_scheduled() const {
  return scheduled_.load(std::memory_order_relaxed);
}

void Node::stop() {
  std::shared_ptr<Behaviour> behaviour;
  std::uint64_t generation = 0;
  {
    std::unique_lock lock(mutex_);
    if (state_ != State::running) return;
    generation = generation_;
    state_ = State::stopping;
    scheduled_.store(false);
    timer_.reset();
    behaviour = behaviour_;
    if (starting_) {
      // Waiting for its next try: there is nothing to wait for.
      if (timer_at_ns_ == INT64_MAX) {
        starting_ = false;
        ++generation_;
        state_ = State::stopped;
      }
      return;
    }
    ++active_;  // keeps the end of a task from finishing the stop before on_unscheduled ran
  }
  try {
    behaviour->unscheduled();
  } catch (const std::exception& error) {
    log_.error("on_unscheduled failed: {}", error.what());
  }
  std::unique_lock lock(mutex_);
  if (generation != generation_) return;  // terminated meanwhile
  if (--active_ == 0 && state_ == State::stopping) finish_stop(lock);
}

// The last trigger has returned. Runs on_stopped, alone, off this thread.
void Node::finish_stop(std::unique_lock<std::mutex>&) {
  const std::uint64_t generation = generation_;
  ++active_;
  services_.executor.post_blocking([this, generation, behaviour = behaviour_] {
    try {
      behaviour->stopped();
    } catch (const std::exception& error) {
      log_.error("on_stopped failed: {}", error.what());
    }
    roll_back_kept_sessions();
    const std::lock_guard lock(mutex_);
    if (generation != generation_) return;
    --active_;
    idle_sessions_.clear();
    state_ = State::stopped;
  });
}

// A processor that kept sessions of its own and ended without commit holds FlowFiles: they go
// back to their queues.
void Node::roll_back_kept_sessions() {
  std::vector<std::weak_ptr<Session>> created;
  {
    const std::lock_guard lock(mutex_);
    created.swap(created_sessions_);
  }
  for (const auto& weak : created) {
    if (const auto session = weak.lock()) session->terminate();
  }
}

void Node::terminate() {
  std::vector<TaskSession> sessions, idle;
  // Ends after the lock: sessions that a processor kept give their FlowFiles back, which wakes.
  std::shared_ptr<Behaviour> behaviour;
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::running && state_ != State::stopping) return;
    ++generation_;
    scheduled_.store(false);
    timer_.reset();
    sessions.swap(active_sessions_);
    idle.swap(idle_sessions_);
    behaviour.swap(behaviour_);  // the hanging trigger keeps its own; a new start gets a new one
    active_ = 0;
    starting_ = false;
    state_ = State::stopped;
  }
  for (const TaskSession& session : sessions) session->terminate();
  roll_back_kept_sessions();
  log_.warn("Terminated; {} running triggers can commit nothing any more", sessions.size());
}

void Node::yield(std::int64_t ms) {
  yield_until_ns_.store(services_.clock.steady_ns() + ms * kNsPerMs, std::memory_order_relaxed);
}

std::uint64_t Node::available_input() const {
  std::uint64_t total = 0;
  for (FlowFileQueue* queue : owner.incoming) {
    if (queue->count() != 0) total += queue->available();
  }
  return total;
}

bool Node::input_available(int running_tasks) const {
  if (!schedule.needs_input) return true;
  for (FlowFileQueue* queue : owner.incoming) {
    if (queue->count() == 0) continue;
    const std::uint64_t available = queue->available();
    if (available > static_cast<std::uint64_t>(running_tasks)) return true;
  }
  return false;
}

bool Node::relationship_has_room(std::size_t route) const {
  if (route >= outputs.size()) return true;
  const bool loop_full = std::any_of(loop_inputs.begin(), loop_inputs.end(),
                                     [](const FlowFileQueue* queue) { return queue->full(); });
  for (const Outgoing& outgoing : outputs[route].connections) {
    if (!outgoing.queue->full() || outgoing.to_itself) continue;
    if (outgoing.in_loop && loop_full) continue;
    return false;
  }
  return true;
}

bool Node::outputs_have_room() const {
  bool any = outputs.empty();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool room = relationship_has_room(i);
    if (room) any = true;
    if (!room && !schedule.any_destination) return false;
  }
  return any;
}

void Node::arm(std::int64_t at_ns) {
  if (timer_ && timer_at_ns_ <= at_ns) return;
  timer_at_ns_ = at_ns;
  const std::int64_t delay = std::max<std::int64_t>(at_ns - services_.clock.steady_ns(), 0);
  timer_ = services_.executor.post_after(std::chrono::nanoseconds(delay), [this, at_ns] {
    std::unique_lock lock(mutex_);
    if (timer_at_ns_ == at_ns) timer_.reset();
    evaluate(lock);
  });
}

void Node::arm_for_penalties() {
  const std::int64_t now_ms = services_.clock.now_ms();
  for (FlowFileQueue* queue : owner.incoming) {
    if (queue->count() == 0) continue;
    if (const auto end_ms = queue->next_penalty_end_ms()) {
      arm(services_.clock.steady_ns() + std::max<std::int64_t>(*end_ms - now_ms, 0) * kNsPerMs);
    }
  }
}

// Whether the period and the yield allow a task now; arms the timer where not.
bool Node::due(std::int64_t now_ns) {
  std::int64_t at_ns = yield_until_ns_.load(std::memory_order_relaxed);
  if (schedule.period.count() > 0) {
    at_ns = std::max(at_ns, *std::min_element(idle_due_ns_.begin(), idle_due_ns_.end()));
  }
  if (at_ns <= now_ns) return true;
  arm(at_ns);
  return false;
}

void Node::wake() {
  std::unique_lock lock(mutex_);
  evaluate(lock);
}

void Node::evaluate(std::unique_lock<std::mutex>&) {
  if (state_ != State::running || starting_) return;
  if (schedule.cron) {
    evaluate_cron();
    return;
  }
  while (active_ < schedule.tasks) {
    const std::int64_t now_ns = services_.clock.steady_ns();
    if (!due(now_ns)) return;
    if (!outputs_have_room() || (gate && !gate())) return;
    if (!input_available(active_)) {
      arm_for_penalties();
      return;
    }
    if (source && !services_.contents->has_room()) {
      arm(now_ns + kNoRoomWaitMs * kNsPerMs);
      return;
    }
    if (schedule.period.count() > 0) {
      idle_due_ns_.erase(std::min_element(idle_due_ns_.begin(), idle_due_ns_.end()));
    }
    ++active_;
    post_task();
  }
}

// At each time of the rule every free task runs once. A time at which the node yields or has no
// work passes: it is not made up for later.
void Node::evaluate_cron() {
  const std::int64_t now_ms = services_.clock.now_ms();
  const std::int64_t now_ns = services_.clock.steady_ns();
  if (next_cron_ms_ <= now_ms) {
    const bool yielding = yield_until_ns_.load(std::memory_order_relaxed) > now_ns;
    const bool room = !source || services_.contents->has_room();
    while (!yielding && room && active_ < schedule.tasks && outputs_have_room() &&
           input_available(active_)) {
      ++active_;
      post_task();
    }
    next_cron_ms_ = schedule.cron->next_after(now_ms).value_or(INT64_MAX);
  }
  if (next_cron_ms_ != INT64_MAX) arm(now_ns + (next_cron_ms_ - now_ms) * kNsPerMs);
}

void Node::post_task() {
  const std::uint64_t generation = generation_;
  auto task = [this, generation] { run(generation); };
  if (schedule.blocking) {
    services_.executor.post_blocking(std::move(task));
  } else {
    services_.executor.post(std::move(task));
  }
}

Node::TaskSession Node::take_session() {
  TaskSession session;
  if (idle_sessions_.empty()) {
    session = std::make_shared<Session>(owner);
  } else {
    session = std::move(idle_sessions_.back());
    idle_sessions_.pop_back();
  }
  active_sessions_.push_back(session);
  return session;
}

void Node::give_session(TaskSession session) {
  std::erase(active_sessions_, session);
  idle_sessions_.push_back(std::move(session));
}

std::shared_ptr<ProcessSession> Node::create_session() {
  auto session = std::make_shared<Session>(owner);
  const std::lock_guard lock(mutex_);
  std::erase_if(created_sessions_, [](const auto& weak) { return weak.expired(); });
  created_sessions_.push_back(session);
  return session;
}

ComponentStatus Node::status() const {
  ComponentStatus status;
  status.id = owner.component.id;
  status.name = owner.component.name;
  status.type = owner.component.type;
  status.triggers = triggers_.load();
  status.failures = failures_.load();
  status.flow_files_in = owner.flow_files_in.load();
  status.flow_files_out = owner.flow_files_out.load();
  status.bytes_in = owner.bytes_in.load();
  status.bytes_out = owner.bytes_out.load();
  status.counters = owner.counters();
  for (const Route& route : owner.routes) {
    if (!route.relationship.empty()) status.relationships.push_back(route.relationship);
  }
  const std::lock_guard lock(mutex_);
  status.state = state_;
  status.active_tasks = active_;
  return status;
}

}  // namespace weir::runtime
