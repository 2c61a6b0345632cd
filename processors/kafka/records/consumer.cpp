#include "processors/kafka/records/consumer.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::processors::kafka {
namespace {

// What came while nobody polled is held, but not more than this.
constexpr std::size_t kMostKept = 1'000;

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

// A batch is there and cannot be read. What librdkafka tells of its partition from then on means
// nothing: 2.0.2 goes on in the midst of the batch, and may begin the partition again.
bool is_damage(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR__BAD_MSG:
    case RD_KAFKA_RESP_ERR__BAD_COMPRESSION:
    case RD_KAFKA_RESP_ERR__PARTIAL:
    case RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED:
    case RD_KAFKA_RESP_ERR_INVALID_MSG:
      return true;
    default:
      return false;
  }
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
  watch_ = GroupWatch::attach(*made, settings, clock, log);
  client_ = std::make_unique<Client>(RD_KAFKA_CONSUMER, std::move(made), log);
  check(rd_kafka_poll_set_consumer(client_->get()), "consumer");
}

Consumer::~Consumer() {
  close();
  kept_.clear();
  if (watch_) watch_->end();
  if (!end_in_time(std::move(client_))) {
    log_.warn("The consumer does not end; it is left to itself");
  }
}

Owned<rd_kafka_message_t> Consumer::receive(int timeout_ms) {
  Owned<rd_kafka_message_t> message(rd_kafka_consumer_poll(client_->get(), timeout_ms));
  if (!message || message->rkt == nullptr) return message;
  const bool damaged = is_damage(message->err);
  if (message->err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
    topic_gone(rd_kafka_topic_name(message->rkt));
    return message;
  }
  if (halted_.empty() && gone_.empty() && !damaged) return message;
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR &&
      gone_.contains(rd_kafka_topic_name(message->rkt))) {
    return nullptr;
  }
  if (halted_.contains({rd_kafka_topic_name(message->rkt), message->partition})) return nullptr;
  if (!damaged) return message;
  halt(*message);
  return nullptr;
}

void Consumer::halt(const rd_kafka_message_t& message) {
  const Key key(rd_kafka_topic_name(message.rkt), message.partition);
  halted_.insert(key);
  const auto one = list_of({{key, message.offset}});
  check(rd_kafka_pause_partitions(client_->get(), one.get()), "pause");
  log_.error("Partition {} of '{}' stands still, as a batch of it cannot be read: {}", key.second,
             key.first, rd_kafka_message_errstr(&message));
}

Owned<rd_kafka_message_t> Consumer::next(std::chrono::milliseconds timeout) {
  if (!kept_.empty()) {
    Owned<rd_kafka_message_t> first = std::move(kept_.front());
    kept_.pop_front();
    return first;
  }
  return receive(static_cast<int>(timeout.count()));
}

Owned<rd_kafka_message_t> Consumer::poll(std::chrono::milliseconds timeout,
                                         const std::function<void()>& finish) {
  if (paused_) set_paused(false);
  topics_.refresh(client_->get(), watch_.get());
  take_up_again();
  commit_due();
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
    log_.warn("Consuming goes on where it can after {}", text);
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
  commit_due();
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
  if (!error && all) {
    for (const auto& [key, first] : firsts) halted_.erase(key);
    set_paused(paused_);
    return;
  }
  // The group's committed offsets are the same place.
  broken_ = true;
  log_.warn("The consumer cannot go back to where its session began, and is made anew");
}

void Consumer::set_paused(bool paused) {
  rd_kafka_topic_partition_list_t* raw = nullptr;
  check(rd_kafka_assignment(client_->get(), &raw), "assignment");
  const Owned<rd_kafka_topic_partition_list_t> all(raw);
  if (!paused) {
    for (const auto& [topic, partition] : halted_) {
      rd_kafka_topic_partition_list_del(all.get(), topic.c_str(), partition);
    }
  }
  check(paused ? rd_kafka_pause_partitions(client_->get(), all.get())
               : rd_kafka_resume_partitions(client_->get(), all.get()),
        "pause");
  paused_ = paused;
}

void Consumer::keep_alive() {
  topics_.refresh(client_->get(), watch_.get());
  take_up_again();
  commit_due();
  set_paused(true);
  while (kept_.size() < kMostKept) {
    Owned<rd_kafka_message_t> message = receive(0);
    if (!message) break;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) kept_.push_back(std::move(message));
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace weir::processors::kafka
