#include "processors/kafka/mirror/mirror_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "processors/kafka/mirror/group_offsets.h"
#include "processors/kafka/mirror/mirror_clients.h"
#include "processors/kafka/mirror/ticker.h"

namespace weir::processors::kafka {
namespace {

using std::chrono::milliseconds;

// Records that one call takes from librdkafka.
constexpr std::size_t kReadAtOnce = 1000;
// How long the consumer's thread waits for records, and for room in a channel, before it looks
// around.
constexpr int kReadWaitMs = 100;
constexpr milliseconds kPassOnWait{50};
// From then on that records cannot be passed on, fetching is paused: the consumer's thread must
// not stay away from its group for long, and memory is bounded.
constexpr std::int64_t kPauseAfterNs = 1'000'000'000;
// Records that came so lately may be followed by others, and how often fetching is woken then.
constexpr std::int64_t kFlowNs = 1'500'000'000;
constexpr std::int64_t kWakeEveryNs = 10'000'000;
// How often what the target acknowledged is taken off the lists, which would grow for a whole
// commit interval otherwise.
constexpr milliseconds kPassEvery{100};
// How long a stop waits for a group that is being joined.
constexpr std::int64_t kFirstAssignmentNs = 3'000'000'000;
// How long it waits for a rebalance of a cooperative group.
constexpr std::int64_t kQuietNs = 20'000'000'000;
constexpr int kDropWaitMs = 10;

}  // namespace

MirrorRun::MirrorRun(const MirrorSettings& settings, MirrorMemory& memory, const Patience& patience,
                     MirrorListener& listener, Clock& clock, ComponentLog& log)
    : settings_(settings),
      memory_(memory),
      patience_(patience),
      listener_(listener),
      clock_(clock),
      log_(log),
      failures_(settings_, listener_, partitions_, memory_,
                [this](const std::string& reason) {
                  break_off(std::make_exception_ptr(MirrorRestart(reason)));
                }),
      messages_(kReadAtOnce) {}

MirrorRun::~MirrorRun() {
  tickers_.clear();
  if (consumer_ && !is_closed_) close();
  if (watch_) watch_->end();
  channels_.clear();
  waker_.reset();
  queue_.reset();
  // librdkafka up to 2.2 ends the process where it ends a consumer that is joining its group.
  if (abandons_consumer_) consumer_->abandon();
  if (consumer_ && (!end_in_time(std::move(consumer_)) || abandons_consumer_)) {
    log_.warn("The consumer of {} does not end; it is left to itself", settings_.source_name);
  }
}

void MirrorRun::make_producer() {
  MirrorProducer::Listener answers;
  answers.refused = [this](UnackedOffsetList::Entry& entry, const rd_kafka_message_t& message,
                           bool dead_letter) { failures_.refused(entry, message, dead_letter); };
  answers.broken = [this](rd_kafka_resp_err_t code, const std::string& reason) {
    break_off(std::make_exception_ptr(KafkaError(
        code,
        fmt::format("The producer for {} can do no more: {}", settings_.target_name, reason))));
  };
  answers.unavailable = [this](const std::string& reason) {
    listener_.noted(MirrorNote::unavailable,
                    fmt::format("target {}: {}", settings_.target_name, reason));
  };
  producer_ = std::make_unique<MirrorProducer>(producer_settings(settings_, memory_.batch_bytes()),
                                               answers, log_);
  failures_.set_producer(*producer_);
}

void MirrorRun::start() {
  make_producer();
  make_consumer();
  topics_ = std::make_unique<TopicKeeper>(settings_, consumer_->get(), *producer_, listener_,
                                          memory_, patience_);
  if (settings_.delivery == Delivery::exactly_once) {
    offsets_ = std::make_unique<TransactionOffsets>(
        settings_, *producer_, consumer_->get(), partitions_, gate_, listener_, clock_, patience_,
        log_, [this](std::exception_ptr error) { break_off(std::move(error)); });
  } else {
    offsets_ = std::make_unique<GroupOffsets>(settings_, consumer_->get(), watch_.get(), listener_,
                                              clock_, patience_);
  }
  const std::uint64_t channel_bytes =
      settings_.max_bytes / 8 / static_cast<std::uint64_t>(settings_.channels);
  for (int i = 0; i < settings_.channels; ++i) {
    forwarders_.push_back(std::make_unique<MirrorForwarder>(settings_.handler.get(), *producer_,
                                                            *topics_, failures_, memory_, gate_));
    channels_.push_back(std::make_unique<DataChannel>(
        channel_bytes,
        [forwarder = forwarders_.back().get()](DataBatch& batch) { forwarder->forward(batch); }));
  }
  assignment_ =
      std::make_unique<MirrorAssignment>(settings_, consumer_->get(), *offsets_, partitions_,
                                         *producer_, channels_, listener_, memory_, patience_);
}

void MirrorRun::make_consumer() {
  const Settings chosen = consumer_settings(settings_);
  queue_records_ = std::stoull(chosen.at("queued.min.messages"));
  Owned<rd_kafka_conf_t> made = configuration(chosen);
  rd_kafka_conf_set_opaque(made.get(), this);
  rd_kafka_conf_set_rebalance_cb(made.get(), [](rd_kafka_t*, rd_kafka_resp_err_t what,
                                                rd_kafka_topic_partition_list_t* list, void* self) {
    auto& run = *static_cast<MirrorRun*>(self);
    run.last_topic_ = nullptr;
    const GroupWatch::Callback rebalancing(run.watch_.get(), what);
    run.was_assigned_ |= what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS;
    run.assignment_->rebalance(what, *list);
    // The group has a position for what is new as soon as may be, so that a topic made anew before
    // the first commit is known by it that the position is gone.
    if (what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS && !run.tickers_.empty()) {
      run.tickers_.front()->hurry();
    }
  });
  rd_kafka_conf_set_error_cb(
      made.get(), [](rd_kafka_t* client, int code, const char* reason, void* self) {
        auto& run = *static_cast<MirrorRun*>(self);
        if (code == RD_KAFKA_RESP_ERR__FATAL) {
          char text[512] = "";
          const rd_kafka_resp_err_t cause = rd_kafka_fatal_error(client, text, sizeof text);
          run.break_off(std::make_exception_ptr(
              KafkaError(cause, fmt::format("The consumer of {} can do no more: {}",
                                            run.settings_.source_name, text))));
        } else if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN ||
                   code == RD_KAFKA_RESP_ERR__AUTHENTICATION) {
          run.listener_.noted(MirrorNote::unavailable,
                              fmt::format("source {}: {}", run.settings_.source_name, reason));
        }
      });
  if (settings_.delivery != Delivery::exactly_once) {
    watch_ = GroupWatch::attach(*made, chosen, clock_, log_);
  }
  consumer_ = std::make_unique<Client>(RD_KAFKA_CONSUMER, std::move(made), log_);
  rd_kafka_poll_set_consumer(consumer_->get());
  queue_.reset(rd_kafka_queue_get_consumer(consumer_->get()));
  waker_ = std::make_unique<FetchWaker>(consumer_->get());
}

void MirrorRun::break_off(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (!broken_) broken_ = std::move(error);
  attention_ = true;
}

// Subscribes to what is there now. A topic that vanished is let go, so that one made anew under
// its name is taken up from its beginning.
void MirrorRun::follow_topics(const std::vector<SourceTopic>& topics) {
  std::set<std::string> names;
  std::map<std::int32_t, FetchWaker::Partition> of_leaders;
  for (const SourceTopic& topic : topics) {
    names.insert(topic.name);
    for (std::size_t i = 0; i < topic.leaders.size(); ++i) {
      of_leaders.try_emplace(topic.leaders[i], topic.name, static_cast<std::int32_t>(i));
    }
  }
  std::vector<FetchWaker::Partition> woken;
  for (auto& [leader, partition] : of_leaders) woken.push_back(std::move(partition));
  waker_->set_partitions(std::move(woken));
  if (settings_.delivery == Delivery::exactly_once) {
    take_up_partitions(topics);
    return;
  }
  if (names == subscribed_) return;
  const Owned<rd_kafka_topic_partition_list_t> list(
      rd_kafka_topic_partition_list_new(static_cast<int>(names.size())));
  for (const std::string& name : names) {
    rd_kafka_topic_partition_list_add(list.get(), name.c_str(), RD_KAFKA_PARTITION_UA);
  }
  if (watch_) watch_->subscribing();
  if (names.empty()) {
    check(rd_kafka_unsubscribe(consumer_->get()), "Unsubscribing");
  } else {
    check(rd_kafka_subscribe(consumer_->get(), list.get()), "Subscribing");
  }
  subscribed_ = std::move(names);
}

// Without a group of consumers: all partitions that are there.
void MirrorRun::take_up_partitions(const std::vector<SourceTopic>& topics) {
  std::vector<std::pair<std::string, std::int32_t>> wanted;
  for (const SourceTopic& topic : topics) {
    if (patience_.is_ending()) return;
    // Its positions stand under its name in the target.
    if (!prepare(topic)) continue;
    for (std::int32_t i = 0; i < topic.partitions; ++i) {
      if (!partitions_.find(topic.name, i)) wanted.emplace_back(topic.name, i);
    }
  }
  if (!wanted.empty()) assignment_->add(wanted);
}

// What is gone is in doubt at once: it may be made anew before anybody is told of it.
TopicKeeper::Look MirrorRun::look_at_topics() {
  TopicKeeper::Look look = topics_->refresh();
  for (const std::string& name : look.gone) {
    memory_.forget_topic(name);
    partitions_.doubt(name);
    listener_.noted(MirrorNote::topic_vanished,
                    fmt::format("topic '{}' of the source is gone", name));
  }
  for (const std::string& name : look.again) {
    listener_.noted(MirrorNote::topic_recreated,
                    fmt::format("topic '{}' of the source was deleted and made anew", name));
  }
  std::map<std::string, int> partitions;
  for (const SourceTopic& topic : look.topics) partitions.emplace(topic.name, topic.partitions);
  memory_.set_first_topics(std::move(partitions));
  return look;
}

// On its own thread, as it waits for both clusters.
void MirrorRun::refresh_topics() {
  try {
    std::vector<SourceTopic> topics = look_at_topics().topics;
    if (settings_.handler == nullptr || settings_.handler->keeps_topic_names()) {
      for (const SourceTopic& topic : topics) {
        if (patience_.is_ending()) return;
        prepare(topic);
      }
    }
    const std::lock_guard lock(mutex_);
    found_topics_ = std::move(topics);
    attention_ = true;
  } catch (const KafkaError& error) {
    listener_.noted(MirrorNote::unavailable, error.what());
  } catch (const MirrorRestart&) {
    break_off(std::current_exception());
  }
}

// False where the target does not take the topic now.
bool MirrorRun::prepare(const SourceTopic& topic) {
  try {
    topics_->ensure(topic.name, topic.name, topic.partitions);
    return true;
  } catch (const TopicRefused& error) {
    listener_.noted(MirrorNote::suspended, error.what());
    return false;
  }
}

void MirrorRun::throw_broken() const {
  try {
    std::rethrow_exception(broken_);
  } catch (const KafkaError& error) {
    const auto* const transactions = dynamic_cast<const TransactionOffsets*>(offsets_.get());
    if (transactions != nullptr && transactions->is_taken_over(error.code())) {
      throw MirrorFenced(
          fmt::format("Another mirror of group '{}' has taken over, and this one ends: {}",
                      settings_.group_id, error.what()));
    }
    throw;
  }
}

void MirrorRun::look_around() {
  if (partitions_.take_attention()) assignment_->pause_stopped();
  assignment_->check();
  if (!attention_.load(std::memory_order_relaxed) || !attention_.exchange(false)) return;
  std::optional<std::vector<SourceTopic>> topics;
  {
    const std::lock_guard lock(mutex_);
    if (broken_) throw_broken();
    topics = std::exchange(found_topics_, std::nullopt);
  }
  if (!topics) return;
  follow_topics(*topics);
  assignment_->settle_doubts(*topics_);
  assignment_->retry_suspended();
}

// On its own thread.
void MirrorRun::commit_all() {
  try {
    offsets_->commit(partitions_.all());
  } catch (const KafkaError&) {
    break_off(std::current_exception());
  }
}

void MirrorRun::run() {
  start();
  follow_topics(look_at_topics().topics);
  tickers_.push_back(
      std::make_unique<Ticker>(settings_.commit_interval, true, [this] { commit_all(); }));
  // At once, so that the target's topics are made while the group is joined.
  tickers_.push_back(std::make_unique<Ticker>(settings_.topic_refresh_interval, false,
                                              [this] { refresh_topics(); }));
  tickers_.push_back(std::make_unique<Ticker>(kPassEvery, true, [this] {
    for (const MirrorPartitionPtr& partition : partitions_.all()) offsets_->position(*partition);
  }));
  while (!patience_.is_ending()) {
    look_around();
    if (backlog_.empty()) {
      read(kReadWaitMs);
    } else {
      pass_on();
      if (!backlog_.empty() && clock_.steady_ns() - stalled_since_ns_ > kPauseAfterNs) {
        assignment_->pause_all();
        read(0);
      }
    }
  }
  tickers_.clear();
  close();
}

// Leaves the group; what it has is given up in `MirrorAssignment::rebalance`.
void MirrorRun::close() {
  is_closed_ = true;
  backlog_.clear();
  if (!assignment_) return;
  await_first_assignment();
  await_quiet();
  assignment_->release_all();
  rd_kafka_consumer_close(consumer_->get());
}

// librdkafka up to 2.2 ends the process where a consumer with the cooperative assignor is destroyed
// while it joins its group, before its first assignment. So that is waited for; a consumer that
// gets none is left to itself, as its threads then do nothing but wait for brokers.
void MirrorRun::await_first_assignment() {
  const auto strategy = consumer_settings(settings_).at("partition.assignment.strategy");
  if (was_assigned_ || subscribed_.empty() || !strategy.starts_with("cooperative")) return;
  const std::int64_t until_ns = clock_.steady_ns() + kFirstAssignmentNs;
  while (!was_assigned_ && clock_.steady_ns() < until_ns) drop(kReadWaitMs);
  if (was_assigned_) return;
  abandons_consumer_ = true;
}

// The last positions can be committed then. What is read meanwhile is not passed on.
void MirrorRun::await_quiet() {
  const std::int64_t until_ns = clock_.steady_ns() + kQuietNs;
  while (watch_ && !watch_->is_quiet() && clock_.steady_ns() < until_ns) drop(kDropWaitMs);
}

void MirrorRun::drop(int timeout_ms) {
  const ssize_t count = rd_kafka_consume_batch_queue(queue_.get(), timeout_ms, messages_.data(), 1);
  for (ssize_t i = 0; i < count; ++i) {
    rd_kafka_message_destroy(messages_[static_cast<std::size_t>(i)]);
  }
}

void MirrorRun::read(int timeout_ms) {
  // A call for many records waits out its time, unless they are there.
  ssize_t count = rd_kafka_consume_batch_queue(queue_.get(), 0, messages_.data(), kReadAtOnce);
  if (count == 0 && timeout_ms > 0) {
    count = rd_kafka_consume_batch_queue(queue_.get(), timeout_ms, messages_.data(), 1);
  }
  if (count > 0) sort_out(static_cast<std::size_t>(count));
  keep_fetching();
}

// Fetching stops where librdkafka's queue is full, and goes on by itself only after a second. When
// it was full cannot be seen from here; so it is woken steadily while records come.
void MirrorRun::keep_fetching() {
  const std::int64_t now_ns = clock_.steady_ns();
  if (now_ns - last_read_ns_ > kFlowNs || now_ns - last_wake_ns_ < kWakeEveryNs) return;
  if (rd_kafka_queue_length(queue_.get()) >= queue_records_) return;
  last_wake_ns_ = now_ns;
  waker_->wake();
}

// Null where the mirror has no such partition any more.
const MirrorPartitionPtr& MirrorRun::partition_of(const rd_kafka_message_t& message) {
  if (message.rkt != last_topic_ || message.partition != last_number_ || !last_partition_ ||
      last_partition_->stopped) {
    last_topic_ = message.rkt;
    last_number_ = message.partition;
    last_partition_ = partitions_.find(rd_kafka_topic_name(message.rkt), message.partition);
  }
  return last_partition_;
}

// Makes batches of what was read, a run of records of one partition each.
void MirrorRun::sort_out(std::size_t count) {
  DataBatch batch;
  const auto finish = [this, &batch] {
    if (batch.messages().empty()) return;
    if (backlog_.empty()) stalled_since_ns_ = clock_.steady_ns();
    backlog_.push_back(std::exchange(batch, {}));
  };
  for (std::size_t i = 0; i < count; ++i) {
    Owned<rd_kafka_message_t> message(messages_[i]);
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      finish();
      last_topic_ = nullptr;
      assignment_->failed(*message);
      continue;
    }
    const MirrorPartitionPtr& partition = partition_of(*message);
    if (!partition || partition->stopped || partition->halted ||
        message->offset < partition->next_offset)
      continue;
    if (partition->doubts != 0) {
      assignment_->hold(partition);
      continue;
    }
    partition->next_offset = message->offset + 1;
    if (batch.partition() != partition) {
      finish();
      batch = DataBatch(partition);
    }
    batch.add(std::move(message));
  }
  finish();
  last_read_ns_ = clock_.steady_ns();
  pass_on();
}

void MirrorRun::pass_on() {
  while (!backlog_.empty()) {
    DataBatch& batch = backlog_.front();
    const MirrorPartition& partition = *batch.partition();
    if (!partition.stopped &&
        !assignment_->channel(partition.topic, partition.partition).push(batch, kPassOnWait)) {
      return;
    }
    backlog_.pop_front();
    stalled_since_ns_ = clock_.steady_ns();
  }
  assignment_->resume_all();
}

}  // namespace weir::processors::kafka
