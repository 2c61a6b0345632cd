// The consumer as a member of its group: rebalances, commits, its end.

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "processors/kafka/records/consumer.h"

namespace weir::processors::kafka {
namespace {

// How long a stop waits for the last commit and for the group to hear of it. Both count polls, not
// time: no clock is asked while librdkafka waits.
constexpr int kCommitWait_ms = 5'000;
constexpr int kCommitAttempts = 5;
constexpr int kCommitPause_ms = 200;
constexpr int kClosePolls = 200;
constexpr int kClosePoll_ms = 50;
// A join takes as long as the slowest member needs.
constexpr int kQuietPolls = 400;
// Of records that were fetched ahead, between two polls of a stop.
constexpr int kMostDropped = 100'000;

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

}  // namespace

// librdkafka 2.0.2 aborts the process where it destroys a consumer with the cooperative-sticky
// assignor that has joined its group and was never assigned anything.
void Consumer::await_first_assignment() {
  for (int i = 0; i < kClosePolls && !was_assigned_ && is_cooperative(client_->get()); ++i) {
    const Owned<rd_kafka_message_t> dropped(rd_kafka_consumer_poll(client_->get(), kClosePoll_ms));
  }
}

// A group that is left while it is joined does not take the last offsets. What is read meanwhile is
// of no session; its offsets go nowhere.
void Consumer::await_quiet() {
  rd_kafka_topic_partition_list_t* raw = nullptr;
  if (watch_->is_quiet() || rd_kafka_assignment(client_->get(), &raw) != 0) return;
  const Owned<rd_kafka_topic_partition_list_t> all(raw);
  rd_kafka_pause_partitions(client_->get(), all.get());
  for (int i = 0; i < kQuietPolls && !watch_->is_quiet(); ++i) {
    for (int dropped = 0; dropped < kMostDropped; ++dropped) {
      if (!Owned<rd_kafka_message_t>(rd_kafka_consumer_poll(client_->get(), 0))) break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kClosePoll_ms));
  }
}

void Consumer::close() {
  uncommitted_.clear();  // whoever drops the consumer has given its session up
  finish_ = nullptr;
  if (watch_) {
    await_first_assignment();
    await_quiet();
  }
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
  } else if (watch_ && !was_assigned_) {
    client_->abandon();
  }
}

void Consumer::on_rebalance(rd_kafka_t*, rd_kafka_resp_err_t code,
                            rd_kafka_topic_partition_list_t* partitions, void* self) {
  auto& consumer = *static_cast<Consumer*>(self);
  const GroupWatch::Callback rebalancing(consumer.watch_.get(), code);
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
  const bool failed = code != RD_KAFKA_RESP_ERR_NO_ERROR && code != RD_KAFKA_RESP_ERR__NO_OFFSET;
  if (!failed) {
    consumer.commits_fail_ = false;
  } else if (!is_usual(code) && !std::exchange(consumer.commits_fail_, true)) {
    consumer.log_.warn("Offsets could not be committed, which is tried again: {}",
                       rd_kafka_err2str(code));
  }
  for (const auto& one : all_of(*offsets)) {
    const auto owned = consumer.committed_.find({one.topic, one.partition});
    if (owned == consumer.committed_.end()) continue;
    const rd_kafka_resp_err_t own =
        failed && one.err == RD_KAFKA_RESP_ERR_NO_ERROR ? code : one.err;
    if (own == RD_KAFKA_RESP_ERR_NO_ERROR) {
      consumer.in_group_[owned->first] = one.offset;
    } else if (own == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
      consumer.topic_gone(one.topic);
    } else {
      consumer.to_commit_.insert(*owned);
    }
  }
}

// Committed later, its offsets would be taken for those of another topic of the name.
void Consumer::topic_gone(const std::string& topic) {
  gone_.insert(topic);
  const auto is_of_topic = [&topic](const auto& one) { return one.first.first == topic; };
  std::erase_if(committed_, is_of_topic);
  std::erase_if(to_commit_, is_of_topic);
  std::erase_if(in_group_, is_of_topic);
}

void Consumer::take_up_again() {
  if (gone_.empty()) return;
  for (const std::string& topic : topics_.back_of(gone_, client_->get())) find_positions(topic);
}

// A broker forgets a group's positions of a topic that is deleted: where there is one, it is the
// same topic. What is new is read from its beginning, whatever the first position is to be.
void Consumer::find_positions(const std::string& topic) {
  rd_kafka_topic_partition_list_t* raw = nullptr;
  check(rd_kafka_assignment(client_->get(), &raw), "assignment");
  const Owned<rd_kafka_topic_partition_list_t> assigned(raw);
  const Owned<rd_kafka_topic_partition_list_t> list(
      rd_kafka_topic_partition_list_new(assigned->cnt));
  for (const auto& one : all_of(*assigned)) {
    if (topic == one.topic) {
      rd_kafka_topic_partition_list_add(list.get(), one.topic, one.partition);
    }
  }
  if (list->cnt > 0) {
    const auto timeout_ms = static_cast<int>(options_.timeout.count());
    check(rd_kafka_committed(client_->get(), list.get(), timeout_ms), "find positions");
    for (auto& one : all_of(*list)) {
      if (one.offset < 0) one.offset = RD_KAFKA_OFFSET_BEGINNING;
    }
    const Owned<rd_kafka_error_t> error(
        rd_kafka_seek_partitions(client_->get(), list.get(), timeout_ms));
    // One that begins anew finds its positions by itself.
    broken_ |= error != nullptr || std::ranges::any_of(all_of(*list), [](const auto& one) {
                 return one.err != RD_KAFKA_RESP_ERR_NO_ERROR;
               });
    log_.warn(
        "Topic '{}' was away and is there again, perhaps as another one: it is read from its "
        "group's position, or from its beginning where the group has none",
        topic);
  }
  // What an open session holds of it comes again where the topic is the same.
  std::erase_if(uncommitted_, [&topic](const auto& one) { return one.first.first == topic; });
  last_topic_ = nullptr;
  gone_.erase(topic);
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
  for (const auto& one : all_of(partitions)) halted_.erase({one.topic, one.partition});
  // One that was paused when it went comes back so.
  if (!paused_) check(rd_kafka_resume_partitions(client_->get(), &partitions), "resume");
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
        if (done == committed_.end()) continue;
        const auto there = in_group_.find(done->first);
        if (there == in_group_.end() || there->second != done->second) last.insert(*done);
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
    if (gone_.contains(key.first)) continue;
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
    in_group_.erase(key);
    to_commit_.erase(key);
    halted_.erase(key);
    std::erase_if(kept_, [&](const auto& message) {
      return message->partition == one.partition && rd_kafka_topic_name(message->rkt) == key.first;
    });
  }
  last_topic_ = nullptr;
}

// In a cooperative group offsets wait for a quiet moment, or for their partitions to go.
void Consumer::commit_due() {
  if (to_commit_.empty() || !options_.commits) return;
  const auto hand_over = [this] { commit(std::exchange(to_commit_, {}), false); };
  if (watch_) {
    watch_->commit(hand_over);
  } else {
    hand_over();
  }
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

}  // namespace weir::processors::kafka
