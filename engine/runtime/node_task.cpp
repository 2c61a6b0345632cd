#include "engine/runtime/node.h"

namespace weir::runtime {

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
// A task gives its thread back after this long, so that components share the threads.
constexpr std::int64_t kSliceNs = 10 * kNsPerMs;
// A commit never gathers more FlowFiles than this, however long the run duration is.
constexpr std::size_t kMostEntries = 10000;

}  // namespace

bool Node::may_go_on(std::uint64_t generation) {
  if (!is_scheduled() || !outputs_have_room() || !input_available(0)) return false;
  if (gate && !gate()) return false;
  const std::lock_guard lock(mutex_);
  return generation == generation_ && state_ == State::running;
}

void Node::failed(Session& session, const std::exception& error, std::int64_t yield_ms) {
  yield(yield_ms);  // first: FlowFiles that are back in their queues wake the node
  session.rollback(true);
  failures_.fetch_add(1, std::memory_order_relaxed);
  log_.error("{}", error.what());
}

// Runs an action of a trigger. False: it threw; everything of the trigger is undone.
bool Node::guarded(Session& session, const std::function<void()>& action) {
  try {
    action();
    return true;
  } catch (const storage::StorageError& error) {
    failed(session, error, schedule.yield_ms);
  } catch (const std::exception& error) {
    failed(session, error, services_.config.administrative_yield.count());
  }
  return false;
}

// One trigger. True where it did something and may be followed by another.
bool Node::trigger_once(Behaviour& behaviour, Session& session) {
  triggers_.fetch_add(1, std::memory_order_relaxed);
  bool worked = false;
  const std::uint64_t polls = owner.polls.load(std::memory_order_relaxed);
  const bool fine = guarded(session, [&] {
    behaviour.trigger(session, *this);
    worked = session.touched() || owner.polls.load(std::memory_order_relaxed) != polls;
    if (schedule.batching) {
      session.checkpoint();
    } else {
      session.commit();
    }
  });
  return fine && worked;
}

bool Node::run_triggers(Behaviour& behaviour, Session& session, std::uint64_t generation) {
  const std::int64_t start_ns = services_.clock.steady_ns();
  const std::int64_t batch_ns = schedule.run_duration.count();
  const bool repeats = schedule.period.count() == 0 && !schedule.cron;
  std::int64_t batch_start_ns = start_ns;
  bool worked = false;
  for (;;) {
    const bool did = trigger_once(behaviour, session);
    worked = worked || did;
    if (!did) break;
    const std::int64_t now_ns = services_.clock.steady_ns();
    const bool yielding = yield_until_ns_.load(std::memory_order_relaxed) > now_ns;
    const bool batch_full =
        now_ns - batch_start_ns >= batch_ns || session.entry_count() >= kMostEntries;
    const bool slice_over = now_ns - start_ns >= std::max(kSliceNs, batch_ns);
    if (yielding || slice_over || (!repeats && (!schedule.batching || batch_full))) break;
    if (schedule.batching && batch_full) {
      if (!guarded(session, [&] { session.commit(); })) break;
      batch_start_ns = now_ns;
    }
    if (!may_go_on(generation)) break;
  }
  if (schedule.batching) guarded(session, [&] { session.commit(); });
  return worked;
}

void Node::run(std::uint64_t generation) {
  std::shared_ptr<Behaviour> behaviour;
  TaskSession session;
  {
    std::unique_lock lock(mutex_);
    if (generation != generation_) return;
    if (state_ == State::stopping) {  // the stop came before the task began
      if (--active_ == 0) finish_stop(lock);
      return;
    }
    behaviour = behaviour_;
    session = take_session();
  }
  const bool worked = run_triggers(*behaviour, *session, generation);
  std::unique_lock lock(mutex_);
  if (generation != generation_) return;
  give_session(std::move(session));
  --active_;
  if (state_ == State::stopping) {
    if (active_ == 0) finish_stop(lock);
    return;
  }
  const std::int64_t now_ns = services_.clock.steady_ns();
  if (schedule.period.count() > 0) idle_due_ns_.push_back(now_ns + schedule.period.count());
  if (!worked && schedule.period.count() == 0 && !schedule.cron &&
      yield_until_ns_.load(std::memory_order_relaxed) <= now_ns) {
    yield(services_.config.bored_yield.count());
  }
  evaluate(lock);
}

}  // namespace weir::runtime
