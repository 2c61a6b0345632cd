#include "processors/kafka/records/consumer.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::processors::kafka {
namespace {

// How long a stop waits for the last commit and for the group to hear of it. Both count polls, not
// time: no clock is asked while librdkafka waits.
constexpr int kCommitWait_ms = 5'000;
constexpr int kCommitAttempts = 5;
constexpr int kCommitPause_ms = 200;
constexpr int kClosePolls = 200;
constexpr int kClosePoll_ms = 50;
// What came while nobody polled is held, but not more than this.
constexpr std::size_t kMostKept = 1'000;

Owned<rd_kafka_topic_partition_list_t> list_of(const Offsets& offsets) {
  Owned<rd_kafka_topic_partition_list_t> list(
      rd_kafka_topic_partition_list_new(static_cast<int>(offsets.size())));
  for (const auto& [key, next] : offsets) {
    rd_kafka_topic_partition_list_add(list.get(), key.first.c_str(), key.second)->offset = next;
  }
  return list;
}

std::span<rd_kafka_topic_partition_t> all_of(const rd_kafka_topic_partition_list_t& list) {
  return {list.elems, static_cast<std::size_t>(list.cnt)};
}

std::string names_of(const rd_kafka_topic_partition_list_t& list) {
  std::string names;
  for (const auto& one : all_of(list)) {
    names += fmt::format("{}{}-{}", names.empty() ? "" : ", ", one.topic, one.partition);
  }
  return names;
}

bool is_cooperative(rd_kafka_t* client) {
  const char* const protocol = rd_kafka_rebalance_protocol(client);
  return protocol != nullptr && std::string_view(protocol) == "COOPERATIVE";
}

// The group is finding its new order, as it does every day.
bool is_usual(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION ||
         code == RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS;
}

// Of the consumer as a whole, or such that nobody may pass over: a trigger fails with them.
bool ends_session(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR__FATAL:
    case RD_KAFKA_RESP_ERR__STATE:
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL:
    case RD_KAFKA_RESP_ERR_INVALID_GROUP_ID:
    case RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
      return true;
    default:
      return false;
  }
}

// A record of which is there and cannot be read: its partition stands still.
bool is_damage(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR__BAD_MSG || code == RD_KAFKA_RESP_ERR__BAD_COMPRESSION ||
         code == RD_KAFKA_RESP_ERR_INVALID_MSG;
}

}  // namespace

Consumer::Consumer(const ConsumerOptions& options, Clock& clock, ComponentLog& log)
    : options_(options), log_(log), topics_(options.topics, clock, log), last_(uncommitted_.end()) {
  Settings settings = options.settings;
  settings["enable.auto.commit"] = "false";
  settings["enable.auto.offset.store"] = "false";
  auto made = configuration(settings);
  rd_kafka_conf_set_opaque(made.get(), this);
  rd_kafka_conf_set_rebalance_cb(made.get(), &Consumer::on_rebalance);
  rd_kafka_conf_set_offset_commit_cb(made.get(), &Consumer::on_commit);
  client_ = std::make_unique<Client>(RD_KAFKA_CONSUMER, std::move(made), log);
  check(rd_kafka_poll_set_consumer(client_->get()), "consumer");
}

Consumer::~Consumer() {
  close();
  kept_.clear();
}

// librdkafka 2.0.2 aborts the process where it destroys a consumer with the cooperative-sticky
// assignor that has joined its group and was never assigned anything.
void Consumer::await_first_assignment() {
  for (int i = 0; i < kClosePolls && !was_assigned_ && is_cooperative(client_->get()); ++i) {
    const Owned<rd_kafka_message_t> dropped(rd_kafka_consumer_poll(client_->get(), kClosePoll_ms));
  }
}

void Consumer::close() {
  uncommitted_.clear();  // whoever drops the consumer has given its session up
  finish_ = nullptr;
  const bool may_be_cooperative =
      options_.settings.contains("partition.assignment.strategy") &&
      options_.settings.at("partition.assignment.strategy").find("cooperative") !=
          std::string::npos;
  if (may_be_cooperative) await_first_assignment();
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(client_->get()));
  if (rd_kafka_error_t* const error = rd_kafka_consumer_close_queue(client_->get(), queue.get())) {
    log_.warn("The consumer cannot leave its group: {}", rd_kafka_error_string(error));
    rd_kafka_error_destroy(error);
    return;
  }
  // Records that were fetched ahead come as events, too, and at once.
  for (int waits = 0; waits < kClosePolls && rd_kafka_consumer_closed(client_->get()) == 0;) {
    const Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), kClosePoll_ms));
    if (!event) ++waits;
    if (!event || rd_kafka_event_type(event.get()) != RD_KAFKA_EVENT_REBALANCE) continue;
    on_rebalance(client_->get(), rd_kafka_event_error(event.get()),
                 rd_kafka_event_topic_partition_list(event.get()), this);
  }
  if (rd_kafka_consumer_closed(client_->get()) == 0) {
    log_.warn("The consumer leaves without a word to its group: no broker answers");
    client_->abandon();
  } else if (may_be_cooperative && !was_assigned_) {
    client_->abandon();
  }
}

void Consumer::on_rebalance(rd_kafka_t*, rd_kafka_resp_err_t code,
                            rd_kafka_topic_partition_list_t* partitions, void* self) {
  auto& consumer = *static_cast<Consumer*>(self);
  try {
    if (code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
      consumer.assigned(*partitions);
    } else {
      consumer.taken_away(*partitions);
    }
  } catch (const std::exception&) {
    consumer.failure_ = std::current_exception();  // librdkafka is C: it is thrown out of `poll`
  }
}

void Consumer::on_commit(rd_kafka_t*, rd_kafka_resp_err_t code,
                         rd_kafka_topic_partition_list_t* offsets, void* self) {
  auto& consumer = *static_cast<Consumer*>(self);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR__NO_OFFSET) {
    consumer.commits_fail_ = false;
    return;
  }
  if (!is_usual(code) && !std::exchange(consumer.commits_fail_, true)) {
    consumer.log_.warn("Offsets could not be committed, which is tried again: {}",
                       rd_kafka_err2str(code));
  }
  for (const auto& one : all_of(*offsets)) {
    const auto owned = consumer.committed_.find({one.topic, one.partition});
    if (owned != consumer.committed_.end()) consumer.to_commit_.insert(*owned);
  }
}

void Consumer::assigned(rd_kafka_topic_partition_list_t& partitions) {
  was_assigned_ = true;
  if (partitions.cnt > 0) log_.debug("Partitions assigned: {}", names_of(partitions));
  if (options_.positions) begin_at(partitions);
  if (is_cooperative(client_->get())) {
    check(rd_kafka_incremental_assign(client_->get(), &partitions), "assign partitions");
  } else {
    check(rd_kafka_assign(client_->get(), &partitions), "assign partitions");
  }
}

// The later one of where the group is and where the positions are.
void Consumer::begin_at(rd_kafka_topic_partition_list_t& partitions) const {
  const Offsets positions = options_.positions();
  const Owned<rd_kafka_topic_partition_list_t> group(
      rd_kafka_topic_partition_list_copy(&partitions));
  const rd_kafka_resp_err_t error =
      rd_kafka_committed(client_->get(), group.get(), static_cast<int>(options_.timeout.count()));
  for (int i = 0; i < partitions.cnt; ++i) {
    auto& one = partitions.elems[i];
    const auto known = positions.find({one.topic, one.partition});
    if (known == positions.end()) continue;
    const std::int64_t committed =
        error == RD_KAFKA_RESP_ERR_NO_ERROR ? group->elems[i].offset : RD_KAFKA_OFFSET_INVALID;
    one.offset = std::max(known->second, committed);
  }
}

void Consumer::taken_away(rd_kafka_topic_partition_list_t& partitions) {
  const bool lost = rd_kafka_assignment_lost(client_->get()) != 0;
  if (partitions.cnt > 0) {
    log_.debug("Partitions {}: {}", lost ? "lost" : "given up", names_of(partitions));
  }
  const bool holds = std::ranges::any_of(all_of(partitions), [&](const auto& one) {
    return uncommitted_.contains({one.topic, one.partition});
  });
  try {
    if (holds && lost) {
      throw ProcessException(
          "The group took partitions away from this consumer, which it had not "
          "heard of for too long: their next owner reads the records again");
    }
    if (holds) save_uncommitted();
    if (!lost && options_.commits) {
      Offsets last;
      for (const auto& one : all_of(partitions)) {
        const auto done = committed_.find({one.topic, one.partition});
        if (done != committed_.end()) last.insert(*done);
      }
      commit(last, true);
    }
  } catch (const std::exception&) {
    failure_ = std::current_exception();
  }
  forget(partitions);
  if (is_cooperative(client_->get())) {
    check(rd_kafka_incremental_unassign(client_->get(), &partitions), "give partitions up");
  } else {
    check(rd_kafka_assign(client_->get(), nullptr), "give partitions up");
  }
}

void Consumer::save_uncommitted() {
  if (finish_ == nullptr) throw ProcessException("Partitions went while their records were held");
  (*finish_)();
  note_committed();
}

void Consumer::note_committed() {
  last_topic_ = nullptr;
  if (uncommitted_.empty()) return;
  for (const auto& [key, span] : uncommitted_) {
    committed_[key] = span.next;
    to_commit_[key] = span.next;
  }
  uncommitted_.clear();
  if (options_.keep) options_.keep(committed_);
}

void Consumer::forget(const rd_kafka_topic_partition_list_t& partitions) {
  for (const auto& one : all_of(partitions)) {
    const Key key(one.topic, one.partition);
    uncommitted_.erase(key);
    committed_.erase(key);
    to_commit_.erase(key);
    std::erase_if(kept_, [&](const auto& message) {
      return message->partition == one.partition && rd_kafka_topic_name(message->rkt) == key.first;
    });
  }
  last_topic_ = nullptr;
}

Owned<rd_kafka_message_t> Consumer::next(std::chrono::milliseconds timeout) {
  if (!kept_.empty()) {
    Owned<rd_kafka_message_t> first = std::move(kept_.front());
    kept_.pop_front();
    return first;
  }
  return Owned<rd_kafka_message_t>(
      rd_kafka_consumer_poll(client_->get(), static_cast<int>(timeout.count())));
}

Owned<rd_kafka_message_t> Consumer::poll(std::chrono::milliseconds timeout,
                                         const std::function<void()>& finish) {
  if (paused_) set_paused(false);
  topics_.refresh(client_->get());
  finish_ = &finish;
  Owned<rd_kafka_message_t> message = next(timeout);
  finish_ = nullptr;
  if (failure_) {
    // What `message` is comes again: its offset is behind none that is committed.
    if (message && message->err == RD_KAFKA_RESP_ERR_NO_ERROR) note(*message);
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  if (!message) return nullptr;
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    check_error(*message);
    return nullptr;
  }
  note(*message);
  return message;
}

void Consumer::check_error(const rd_kafka_message_t& message) {
  std::string text =
      fmt::format("{}: {}", rd_kafka_err2name(message.err), rd_kafka_message_errstr(&message));
  if (!ends_session(message.err)) {
    if (text == last_problem_) return;
    log_.log(is_damage(message.err) ? LogLevel::error : LogLevel::warn,
             "Consuming goes on where it can after {}", text);
    last_problem_ = std::move(text);
    return;
  }
  char fatal[512];
  if (rd_kafka_fatal_error(client_->get(), fatal, sizeof fatal) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    broken_ = true;
    throw ProcessException(fmt::format("The consumer has to be made anew: {}", fatal));
  }
  throw ProcessException(fmt::format("Consuming failed: {}", text));
}

void Consumer::note(const rd_kafka_message_t& message) {
  if (!last_problem_.empty()) last_problem_.clear();
  if (message.rkt != last_topic_ || last_->first.second != message.partition) {
    const auto [place, is_new] = uncommitted_.try_emplace(
        Key(rd_kafka_topic_name(message.rkt), message.partition), Span{message.offset, 0});
    last_ = place;
    last_topic_ = message.rkt;
  }
  last_->second.next = message.offset + 1;
}

void Consumer::session_committed() {
  note_committed();
  if (options_.commits) commit(std::exchange(to_commit_, {}), false);
}

void Consumer::session_failed() {
  last_topic_ = nullptr;
  rewind(std::exchange(uncommitted_, {}));
}

void Consumer::rewind(const std::map<Key, Span>& spans) {
  if (spans.empty()) return;
  Offsets firsts;
  for (const auto& [key, span] : spans) firsts[key] = span.first;
  std::erase_if(kept_, [&](const auto& message) {
    return firsts.contains({rd_kafka_topic_name(message->rkt), message->partition});
  });
  const auto list = list_of(firsts);
  const Owned<rd_kafka_error_t> error(rd_kafka_seek_partitions(
      client_->get(), list.get(), static_cast<int>(options_.timeout.count())));
  const bool all = std::ranges::all_of(
      all_of(*list), [](const auto& one) { return one.err == RD_KAFKA_RESP_ERR_NO_ERROR; });
  if (!error && all) return;
  // The group's committed offsets are the same place.
  broken_ = true;
  log_.warn("The consumer cannot go back to where its session began, and is made anew");
}

void Consumer::commit(const Offsets& offsets, bool wait) {
  if (offsets.empty()) return;
  const auto list = list_of(offsets);
  if (!wait) {
    check(rd_kafka_commit(client_->get(), list.get(), 1), "commit offsets");
    return;
  }
  const Owned<rd_kafka_queue_t> answers(rd_kafka_queue_new(client_->get()));
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR__TIMED_OUT;
  for (int attempt = 0; attempt < kCommitAttempts; ++attempt) {
    check(rd_kafka_commit_queue(client_->get(), list.get(), answers.get(), nullptr, nullptr),
          "commit offsets");
    const Owned<rd_kafka_event_t> answer(rd_kafka_queue_poll(answers.get(), kCommitWait_ms));
    error = answer ? rd_kafka_event_error(answer.get()) : RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR__NO_OFFSET) return;
    // A group that has just found its new order tells its members' number a moment later.
    if (!is_usual(error)) break;
    const Owned<rd_kafka_event_t> nothing(rd_kafka_queue_poll(answers.get(), kCommitPause_ms));
  }
  log_.warn(
      "Offsets could not be committed before their partitions went: {}; the next owner reads "
      "some records again",
      rd_kafka_err2str(error));
}

void Consumer::set_paused(bool paused) {
  rd_kafka_topic_partition_list_t* raw = nullptr;
  check(rd_kafka_assignment(client_->get(), &raw), "assignment");
  const Owned<rd_kafka_topic_partition_list_t> all(raw);
  check(paused ? rd_kafka_pause_partitions(client_->get(), all.get())
               : rd_kafka_resume_partitions(client_->get(), all.get()),
        "pause");
  paused_ = paused;
}

void Consumer::keep_alive() {
  topics_.refresh(client_->get());
  set_paused(true);
  while (kept_.size() < kMostKept) {
    Owned<rd_kafka_message_t> message(rd_kafka_consumer_poll(client_->get(), 0));
    if (!message) break;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) kept_.push_back(std::move(message));
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace weir::processors::kafka
