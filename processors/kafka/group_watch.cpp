#include "processors/kafka/group_watch.h"

#include <algorithm>
#include <utility>

namespace weir::processors::kafka {
namespace {

constexpr const char* kName = "group-watch";

// Requests by their numbers in Kafka's protocol.
constexpr std::int16_t kMetadata = 3;
constexpr std::int16_t kJoinGroup = 11;
constexpr std::int16_t kHeartbeat = 12;
constexpr std::int16_t kSyncGroup = 14;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMs;

// How long librdkafka may take from an answer to the JoinGroup that follows from it, on a machine
// that has other things to do; but a small part of the time between heartbeats.
constexpr std::int64_t kLeastSettle = 50 * kMs;
constexpr std::int64_t kMostSettle = 250 * kMs;
// librdkafka joins at most once a second where the group makes it join, and looks whether it is
// time at least once a second.
constexpr std::int64_t kJoinPause = kSecond;
constexpr std::int64_t kJoinLook = kSecond;
// A join that the application's doing sets off comes sooner, or not at all.
constexpr std::int64_t kExpectJoin = 3 * kSecond;
constexpr std::int64_t kMostRefusing = 5 * kSecond;

std::int64_t settle_time(std::int64_t heartbeat_ns) {
  return std::clamp(heartbeat_ns / 10, std::min(kLeastSettle, heartbeat_ns / 4), kMostSettle);
}

bool sets_joins_off(std::int16_t api_key) {
  return api_key == kHeartbeat || api_key == kMetadata;
}

std::int64_t milliseconds_of(const Settings& settings, const std::string& name,
                             std::int64_t otherwise_ns) {
  const auto found = settings.find(name);
  return found == settings.end() ? otherwise_ns : std::stoll(found->second) * kMs;
}

using Held = std::shared_ptr<GroupWatch>;

rd_kafka_resp_err_t on_request_sent(rd_kafka_t*, int, const char*, std::int32_t,
                                    std::int16_t api_key, std::int16_t, std::int32_t, std::size_t,
                                    void* held) {
  (*static_cast<Held*>(held))->sent(api_key);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_resp_err_t on_response_received(rd_kafka_t*, int, const char*, std::int32_t,
                                         std::int16_t api_key, std::int16_t, std::int32_t,
                                         std::size_t, std::int64_t, rd_kafka_resp_err_t error,
                                         void* held) {
  (*static_cast<Held*>(held))->answered(api_key, error != RD_KAFKA_RESP_ERR_NO_ERROR);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_resp_err_t on_new(rd_kafka_t* client, const rd_kafka_conf_t*, void* held, char*,
                           std::size_t) {
  rd_kafka_interceptor_add_on_request_sent(client, kName, &on_request_sent, held);
  return rd_kafka_interceptor_add_on_response_received(client, kName, &on_response_received, held);
}

// The last that librdkafka does with a client's configuration, behind all its threads.
rd_kafka_resp_err_t on_conf_destroy(void* held) {
  delete static_cast<Held*>(held);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

}  // namespace

std::shared_ptr<GroupWatch> GroupWatch::attach(rd_kafka_conf_t& made, const Settings& settings,
                                               Clock& clock, ComponentLog& log) {
  const auto strategy = settings.find("partition.assignment.strategy");
  if (strategy == settings.end() || !strategy->second.contains("cooperative")) return nullptr;
  // librdkafka 2.0.2 frees a configuration with interceptors twice where it fails to make a client
  // of it (keys and certificates that cannot be read). So that is tried without them before; a
  // consumer without a group asks nobody anything.
  Settings alone = settings;
  alone.erase("group.id");
  const Client tried(RD_KAFKA_CONSUMER, configuration(alone), log);

  const Times usual;
  const Times times{
      .heartbeat_ns = milliseconds_of(settings, "heartbeat.interval.ms", usual.heartbeat_ns),
      .rebalance_ns = milliseconds_of(settings, "max.poll.interval.ms", usual.rebalance_ns)};
  auto watch = std::make_shared<GroupWatch>(times, clock);
  auto* const held = new Held(watch);  // on_conf_destroy deletes it
  rd_kafka_conf_interceptor_add_on_conf_destroy(&made, kName, &on_conf_destroy, held);
  rd_kafka_conf_interceptor_add_on_new(&made, kName, &on_new, held);
  return watch;
}

GroupWatch::GroupWatch(const Times& times, Clock& clock)
    : settle_ns_(settle_time(times.heartbeat_ns)),
      rebalance_ns_(times.rebalance_ns),
      clock_(&clock) {}

void GroupWatch::end() {
  const std::lock_guard lock(mutex_);
  clock_ = nullptr;
}

GroupWatch::Callback::Callback(GroupWatch* watch, rd_kafka_resp_err_t what) : watch_(watch) {
  if (watch_ == nullptr) return;
  const std::lock_guard gate(watch_->gate_);
  const std::lock_guard lock(watch_->mutex_);
  watch_->callback_ = std::this_thread::get_id();
  watch_->owes_callback_ = false;
  watch_->is_refusing_ = false;
  watch_->deferred_ns_ = 0;  // no join waits: the last one has brought this callback
  // Those that give something up join again, at once or behind what they are given next.
  if (what != RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) watch_->expects_join_ = true;
}

GroupWatch::Callback::~Callback() {
  if (watch_ == nullptr) return;
  const std::lock_guard lock(watch_->mutex_);
  watch_->callback_ = {};
  if (watch_->clock_ != nullptr) watch_->expected_ns_ = watch_->clock_->steady_ns();
}

void GroupWatch::subscribing() {
  const std::lock_guard gate(gate_);
  const std::lock_guard lock(mutex_);
  expects_join_ = true;
  changes_ = was_joined_;
  if (clock_ != nullptr) expected_ns_ = clock_->steady_ns();
}

void GroupWatch::sent(std::int16_t api_key) {
  const std::lock_guard lock(mutex_);
  if (clock_ == nullptr) return;
  const std::int64_t now_ns = clock_->steady_ns();
  if (sets_joins_off(api_key)) {
    if (is_still(now_ns)) is_refusing_ = false;
    ++unanswered_;
  }
  // A member that waits to join sends none.
  if (api_key == kHeartbeat) deferred_ns_ = 0;
  if (api_key != kJoinGroup) return;
  joining_ = true;
  owes_callback_ = false;
  was_joined_ = true;
  joined_ns_ = now_ns;
  // One that was on its way before librdkafka heard of the new subscription is followed by another.
  expects_join_ = std::exchange(changes_, false) && now_ns - expected_ns_ < settle_ns_;
}

void GroupWatch::answered(std::int16_t api_key, bool failed) {
  const std::lock_guard lock(mutex_);
  if (clock_ == nullptr) return;
  const std::int64_t now_ns = clock_->steady_ns();
  if (sets_joins_off(api_key)) {
    // Some fail before they were sent.
    unanswered_ = std::max(unanswered_ - 1, 0);
    settle(now_ns);
  }
  // One that the group refuses is followed by another join, as after a heartbeat.
  if (api_key == kSyncGroup && !failed) {
    joining_ = false;
    owes_callback_ = true;
    settle(now_ns);
  }
}

void GroupWatch::settle(std::int64_t now_ns) {
  settled_ns_ = now_ns + settle_ns_;
  if (was_joined_ && now_ns < joined_ns_ + kJoinPause) {
    deferred_ns_ = joined_ns_ + kJoinPause + kJoinLook + settle_ns_;
  }
}

bool GroupWatch::joins(std::int64_t now_ns) const {
  return joining_ && now_ns - joined_ns_ < rebalance_ns_;
}

bool GroupWatch::expects_join(std::int64_t now_ns) const {
  return expects_join_ && (callback_ != std::thread::id() || now_ns - expected_ns_ < kExpectJoin);
}

bool GroupWatch::is_still(std::int64_t now_ns) const {
  return unanswered_ == 0 && now_ns >= std::max(settled_ns_, deferred_ns_);
}

bool GroupWatch::is_joining() const {
  const std::lock_guard lock(mutex_);
  return clock_ != nullptr && joins(clock_->steady_ns());
}

bool GroupWatch::is_quiet() const {
  const std::lock_guard lock(mutex_);
  if (clock_ == nullptr) return true;
  const std::int64_t now_ns = clock_->steady_ns();
  return !joins(now_ns) && !expects_join(now_ns) && !owes_callback_ && is_still(now_ns);
}

bool GroupWatch::may_commit() {
  const std::lock_guard lock(mutex_);
  if (clock_ == nullptr || callback_ == std::this_thread::get_id()) return true;
  const std::int64_t now_ns = clock_->steady_ns();
  if (joins(now_ns) || expects_join(now_ns)) {
    is_refusing_ = false;
    return false;
  }
  if (!is_still(now_ns)) {
    if (!std::exchange(is_refusing_, true)) refusing_ns_ = now_ns;
    if (now_ns - refusing_ns_ < kMostRefusing) return false;
  }
  is_refusing_ = false;
  return true;
}

bool GroupWatch::commit(const std::function<void()>& hand_over) {
  const std::lock_guard gate(gate_);
  if (!may_commit()) return false;
  hand_over();
  return true;
}

}  // namespace weir::processors::kafka
