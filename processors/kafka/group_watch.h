#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/api/environment.h"
#include "processors/kafka/client.h"

namespace weir::processors::kafka {

// Tells when a member of a cooperative group may commit.
//
// A cooperative group is joined without a word to the application: an answer to a heartbeat, or
// metadata that tells of other partitions, makes librdkafka send JoinGroup. A commit that goes out
// behind that, and before its answer, waits at the broker until the group has its next generation
// and is refused for its own; librdkafka 2.0.2 takes the whole assignment for lost then, and the
// next owners of its partitions begin at older offsets. A commit that goes out before a JoinGroup,
// or after its SyncGroup was answered, is as good as any.
//
// So this watches the client's requests. It is quiet where no join is under way, none is about to
// follow from what the application did, and nothing that can set one off is unanswered or was
// answered only just now. librdkafka takes what it is told in order: what is handed to it in a
// quiet moment is sent before a join that an answer sets off later.
//
// All of it is thread safe; `sent` and `answered` never wait for long.
class GroupWatch {
 public:
  struct Times {
    std::int64_t heartbeat_ns = 3'000'000'000;    // heartbeat.interval.ms
    std::int64_t rebalance_ns = 300'000'000'000;  // max.poll.interval.ms: a join takes no longer
  };

  // Watches the consumer that is made of `made`, which was made of `settings`. Null where its
  // assignor is not a cooperative one: a join is then announced by a callback, in which
  // librdkafka waits for the application. Throws ProcessException where librdkafka can make no
  // consumer of the settings.
  static std::shared_ptr<GroupWatch> attach(rd_kafka_conf_t& made, const Settings& settings,
                                            Clock& clock, ComponentLog& log);

  GroupWatch(const Times& times, Clock& clock);

  // To be called when the consumer is given up: librdkafka may keep its threads for longer, and
  // the clock is not asked any more.
  void end();

  // Lives as long as the rebalance callback runs, which it tells of. Only one at a time. May be
  // made of null.
  class Callback {
   public:
    Callback(GroupWatch* watch, rd_kafka_resp_err_t what);
    ~Callback();
    Callback(const Callback&) = delete;
    Callback& operator=(const Callback&) = delete;

   private:
    GroupWatch* const watch_;
  };

  // To be called before the subscription changes, as the group is joined again then.
  void subscribing();

  // A join is on its way to its end. It needs nothing of the application until then.
  bool is_joining() const;
  // Nor does a callback wait for the application. librdkafka 2.0.2 does not leave the group where
  // its consumer is closed with an empty assignment that waits so.
  bool is_quiet() const;

  // Calls `hand_over`, which gives librdkafka a commit without waiting for its answer, where that
  // is safe: in a quiet moment, or within the rebalance callback. False, and nothing is called,
  // where it is not. Does not refuse for ever: after five seconds without a quiet moment and
  // without a join, a commit is taken the way it always was.
  bool commit(const std::function<void()>& hand_over);

  // A request of the client was written to its connection; it was answered, or will not be.
  void sent(std::int16_t api_key);
  void answered(std::int16_t api_key, bool failed);

 private:
  bool joins(std::int64_t now_ns) const;
  bool is_still(std::int64_t now_ns) const;
  bool expects_join(std::int64_t now_ns) const;
  bool may_commit();
  void settle(std::int64_t now_ns);

  const std::int64_t settle_ns_;
  const std::int64_t rebalance_ns_;

  // Held while a commit is handed over, so that nothing that sets a join off comes in between.
  // Taken before the other one.
  std::mutex gate_;

  mutable std::mutex mutex_;
  // Guarded by it.
  Clock* clock_;
  int unanswered_ = 0;  // requests whose answers can set a join off
  bool joining_ = false;
  bool owes_callback_ = false;    // of the last join
  bool was_joined_ = false;       // ever
  std::int64_t joined_ns_ = 0;    // when the last JoinGroup was sent
  std::int64_t settled_ns_ = 0;   // until then a join may follow from an answer
  std::int64_t deferred_ns_ = 0;  // the same, where librdkafka holds that join back
  bool expects_join_ = false;     // after what the application did
  std::int64_t expected_ns_ = 0;  // when it did that
  bool changes_ = false;          // the subscription of a member, and has not joined since
  std::thread::id callback_;      // that runs the rebalance callback
  bool is_refusing_ = false;      // a commit, and there was no quiet moment since
  std::int64_t refusing_ns_ = 0;  // since when
};

}  // namespace weir::processors::kafka
