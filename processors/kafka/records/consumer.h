#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "processors/kafka/client.h"
#include "processors/kafka/group_watch.h"
#include "processors/kafka/records/consumer_offsets.h"
#include "processors/kafka/records/topic_selection.h"

namespace weir::processors::kafka {

struct ConsumerOptions {
  Settings settings;  // of the connection and the processor; bootstrap.servers and group.id in them
  TopicSelection topics;
  bool commits = true;                        // offsets, behind each session
  std::chrono::milliseconds timeout{60'000};  // of the cluster's answers
  // Where to begin in place of the group's committed offsets, where that is later; only asked
  // where nothing is committed by this consumer.
  std::function<Offsets()> positions = {};
  // Told of each session that is committed, before a partition of it goes.
  std::function<void(const Offsets&)> keep = {};
};

// A member of a consumer group for one trigger at a time, which holds records in an open session:
//
//   poll … poll       hands out records; they are uncommitted
//   session_committed the session with all of them is committed: their offsets may be
//   session_failed    it is not, and never will be: they are handed out again
//
// When partitions are taken away while records of them are uncommitted, `poll` calls `finish`
// first, which commits the session if it can (and must call neither of the two above): then their
// offsets are committed before the partition goes, and its next owner gets no record twice. If it
// throws, or the partitions are lost already, `poll` throws and nothing is committed of them.
//
// A partition with a batch that cannot be read stands still there, which is told as an error, until
// it is assigned anew or its session fails: nothing is read past a hole.
//
// What holds: an offset is committed only for a partition that is owned, only of records in a
// committed session, and never moves back; nothing is handed out of a partition that went. Offsets
// may be committed later than their session, with a later call, but no later than their partition
// goes.
//
// One thread at a time.
class Consumer {
 public:
  Consumer(const ConsumerOptions& options, Clock& clock, ComponentLog& log);
  // Leaves the group; offsets of committed sessions are committed before. Bounded in time.
  ~Consumer();
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

  // Null where nothing comes in time. Throws ProcessException where consuming cannot go on.
  Owned<rd_kafka_message_t> poll(std::chrono::milliseconds timeout,
                                 const std::function<void()>& finish);
  void session_committed();
  void session_failed();

  // Keeps the membership of a consumer that nobody polls: fetches no more, and lets partitions go
  // that others shall have.
  void keep_alive();
  // It cannot be used any more: to be replaced.
  bool broken() const { return broken_; }

 private:
  struct Span {
    std::int64_t first = 0;
    std::int64_t next = 0;
  };
  using Key = std::pair<std::string, std::int32_t>;

  static void on_rebalance(rd_kafka_t*, rd_kafka_resp_err_t code,
                           rd_kafka_topic_partition_list_t* partitions, void* self);
  static void on_commit(rd_kafka_t*, rd_kafka_resp_err_t code,
                        rd_kafka_topic_partition_list_t* offsets, void* self);
  void assigned(rd_kafka_topic_partition_list_t& partitions);
  void taken_away(rd_kafka_topic_partition_list_t& partitions);
  void save_uncommitted();
  void note_committed();
  void topic_gone(const std::string& topic);
  void take_up_again();
  void find_positions(const std::string& topic);
  void forget(const rd_kafka_topic_partition_list_t& partitions);
  void begin_at(rd_kafka_topic_partition_list_t& partitions) const;
  void commit_due();
  void commit(const Offsets& offsets, bool wait);
  void close();
  void await_first_assignment();
  void await_quiet();
  Owned<rd_kafka_message_t> receive(int timeout_ms);
  Owned<rd_kafka_message_t> next(std::chrono::milliseconds timeout);
  void halt(const rd_kafka_message_t& message);
  void check_error(const rd_kafka_message_t& message);
  void note(const rd_kafka_message_t& message);
  void rewind(const std::map<Key, Span>& spans);
  void set_paused(bool paused);

  const ConsumerOptions options_;
  ComponentLog& log_;
  std::shared_ptr<GroupWatch> watch_;  // null without a cooperative group
  std::unique_ptr<Client> client_;
  TopicWatch topics_;
  std::map<Key, Span> uncommitted_;
  // The partition of the last record: most often that of the next one, too.
  std::map<Key, Span>::iterator last_;
  const rd_kafka_topic_t* last_topic_ = nullptr;
  Offsets committed_;  // of sessions, of partitions that are owned
  // Topics that were away: what comes of them may be another topic's of the name, and is held until
  // the group's position tells where to begin.
  TopicNames gone_;
  Offsets in_group_;                            // what the group has acknowledged of these
  Offsets to_commit_;                           // what of these is not sent yet
  std::set<Key> halted_;                        // partitions that stand still
  std::deque<Owned<rd_kafka_message_t>> kept_;  // came while nobody polled
  const std::function<void()>* finish_ = nullptr;
  std::exception_ptr failure_;  // out of a callback of librdkafka
  bool paused_ = false;
  bool was_assigned_ = false;  // ever
  bool commits_fail_ = false;  // the last one did
  std::string last_problem_;   // that was told, since the last record
  bool broken_ = false;
};

}  // namespace weir::processors::kafka
