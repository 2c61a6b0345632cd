#include "processors/kafka/records/producer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace weir::processors::kafka {
namespace {

constexpr std::chrono::milliseconds kSlice{100};
constexpr std::chrono::milliseconds kBeginSlice{500};
constexpr int kPurgeTimeout_ms = 1'000;
constexpr const char* kBatchSize = "1000000";

Owned<rd_kafka_topic_partition_list_t> list_of(const std::vector<const GroupOffset*>& offsets) {
  Owned<rd_kafka_topic_partition_list_t> list(
      rd_kafka_topic_partition_list_new(static_cast<int>(offsets.size())));
  for (const GroupOffset* one : offsets) {
    rd_kafka_topic_partition_t* const place =
        rd_kafka_topic_partition_list_add(list.get(), one->topic.c_str(), one->partition);
    place->offset = one->next;
    if (one->metadata.empty()) continue;
    // librdkafka frees it with the list.
    place->metadata = ::strdup(one->metadata.c_str());
    place->metadata_size = one->metadata.size();
  }
  return list;
}

}  // namespace

Producer::Producer(const ProducerOptions& options, ComponentLog& log)
    : options_(options), log_(log) {
  Settings settings = options.settings;
  if (!options.transactional_id.empty()) settings["transactional.id"] = options.transactional_id;
  batch_bytes_ = std::stoull(settings.try_emplace("batch.size", kBatchSize).first->second);
  auto made = configuration(settings);
  rd_kafka_conf_set_opaque(made.get(), this);
  rd_kafka_conf_set_dr_msg_cb(made.get(), &Producer::on_delivery);
  if (options.choice != PartitionChoice::by_key) {
    rd_kafka_topic_conf_t* of_topics = rd_kafka_conf_get_default_topic_conf(made.get());
    if (of_topics == nullptr) {
      of_topics = rd_kafka_topic_conf_new();
      rd_kafka_conf_set_default_topic_conf(made.get(), of_topics);
    }
    rd_kafka_topic_conf_set_opaque(of_topics, this);
    rd_kafka_topic_conf_set_partitioner_cb(of_topics, &Producer::choose_partition);
  }
  client_ = std::make_unique<Client>(RD_KAFKA_PRODUCER, std::move(made), log);
  if (!transactional()) return;
  begin_with_transactions();
}

// Nothing is under way yet, so that a stop need not wait for the cluster.
void Producer::begin_with_transactions() {
  for (std::chrono::milliseconds waited{0};; waited += kBeginSlice) {
    const Owned<rd_kafka_error_t> error(
        rd_kafka_init_transactions(client_->get(), static_cast<int>(kBeginSlice.count())));
    if (!error) return;
    const bool again = rd_kafka_error_is_retriable(error.get()) != 0;
    if (!again || waited >= options_.timeout || !options_.going()) {
      throw ProcessException(
          fmt::format("Cannot begin with transactions: {}", rd_kafka_error_string(error.get())));
    }
    if (rd_kafka_error_code(error.get()) != RD_KAFKA_RESP_ERR__TIMED_OUT) {
      std::this_thread::sleep_for(kBeginSlice);
    }
  }
}

// Called by `wait` and `send`, in the session's thread.
void Producer::on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* self) {
  auto& producer = *static_cast<Producer*>(self);
  auto& delivery = *static_cast<Delivery*>(message->_private);
  ++producer.reports_;
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    ++delivery.acknowledged;
    return;
  }
  delivery.fail(rd_kafka_err2str(message->err));
  // A broker refuses a batch as a whole.
  if (message->err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE &&
      message->len + message->key_len < producer.batch_bytes_) {
    delivery.shared_batch_refused = true;
    producer.broken_ = true;
  }
}

// In librdkafka's threads, too.
std::int32_t Producer::choose_partition(const rd_kafka_topic_t*, const void*, std::size_t,
                                        std::int32_t count, void* self, void* delivery) {
  auto& producer = *static_cast<Producer*>(self);
  const std::uint32_t number = producer.options_.choice == PartitionChoice::round_robin
                                   ? producer.turn_++
                                   : static_cast<const Delivery*>(delivery)->hash;
  return static_cast<std::int32_t>(number % static_cast<std::uint32_t>(count));
}

void Producer::begin() {
  if (!transactional()) return;
  until_done("begin a transaction", [this] { return rd_kafka_begin_transaction(client_->get()); });
  in_transaction_ = true;
}

void Producer::send(const OutgoingRecord& record, Delivery& delivery) {
  rd_kafka_headers_t* const headers = rd_kafka_headers_new(record.headers.size());
  for (const auto& [name, value] : record.headers) {
    rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()), value.data(),
                        static_cast<ssize_t>(value.size()));
  }
  // An empty text has an address, too: null means there is none.
  const auto data = [](const std::optional<std::string_view>& text) {
    return !text ? nullptr : const_cast<char*>(text->empty() ? "" : text->data());
  };
  void* const value = data(record.value);
  void* const key = data(record.key);
  const std::size_t value_size = record.value ? record.value->size() : 0;
  const std::size_t key_size = record.key ? record.key->size() : 0;
  while (true) {
    const rd_kafka_resp_err_t error = rd_kafka_producev(
        client_->get(), RD_KAFKA_V_TOPIC(record.topic.c_str()),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_VALUE(value, value_size),
        RD_KAFKA_V_KEY(key, key_size), RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_OPAQUE(&delivery),
        RD_KAFKA_V_END);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
      ++delivery.sent;
      rd_kafka_poll(client_->get(), 0);
      return;
    }
    if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL && wait_for_progress()) continue;
    rd_kafka_headers_destroy(headers);
    delivery.fail(rd_kafka_err2str(error));
    return;
  }
}

// Whether anything was acknowledged or failed within the wait for acknowledgements.
bool Producer::wait_for_progress() {
  const std::uint64_t before = reports_;
  for (std::chrono::milliseconds waited{0}; waited < options_.ack_wait; waited += kSlice) {
    const auto slice = std::min(kSlice, options_.ack_wait);
    if (rd_kafka_flush(client_->get(), static_cast<int>(slice.count())) ==
        RD_KAFKA_RESP_ERR_NO_ERROR) {
      return true;
    }
    if (reports_ != before) return true;
  }
  return false;
}

void Producer::wait() {
  while (rd_kafka_outq_len(client_->get()) > 0) {
    if (!wait_for_progress()) return give_up();
  }
  char why[512];
  if (rd_kafka_fatal_error(client_->get(), why, sizeof why) == RD_KAFKA_RESP_ERR_NO_ERROR) return;
  broken_ = true;
  log_.warn("The producer has to be made anew: {}", why);
}

// Every record gets its report: `Delivery` objects may go after this.
void Producer::give_up() {
  broken_ = true;  // what the broker knows of this producer's sequence is not known here any more
  check(rd_kafka_purge(client_->get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT),
        "give records up");
  while (rd_kafka_outq_len(client_->get()) > 0) rd_kafka_flush(client_->get(), kPurgeTimeout_ms);
}

// Asks again where librdkafka says that this is how to go on; nobody can say earlier whether a
// transaction was committed.
void Producer::until_done(std::string_view what, const std::function<rd_kafka_error_t*()>& call) {
  constexpr int attempts = 3;
  for (int attempt = 1;; ++attempt) {
    const Owned<rd_kafka_error_t> error(call());
    if (!error) return;
    const bool again = rd_kafka_error_is_retriable(error.get()) != 0;
    if (again && attempt < attempts) continue;
    if (rd_kafka_error_is_fatal(error.get()) != 0 || again) broken_ = true;
    throw ProcessException(fmt::format("Cannot {}: {}", what, rd_kafka_error_string(error.get())));
  }
}

void Producer::send_offsets(const std::vector<GroupOffset>& offsets) {
  std::map<std::string, std::vector<const GroupOffset*>> groups;
  for (const GroupOffset& one : offsets) groups[one.group].push_back(&one);
  for (const auto& [group, of_group] : groups) {
    const auto list = list_of(of_group);
    rd_kafka_consumer_group_metadata_t* const metadata =
        rd_kafka_consumer_group_metadata_new(group.c_str());
    const std::unique_ptr<rd_kafka_consumer_group_metadata_t,
                          void (*)(rd_kafka_consumer_group_metadata_t*)>
        held(metadata, rd_kafka_consumer_group_metadata_destroy);
    until_done("commit offsets in a transaction", [&] {
      return rd_kafka_send_offsets_to_transaction(client_->get(), list.get(), metadata,
                                                  static_cast<int>(options_.timeout.count()));
    });
  }
}

void Producer::commit(const std::vector<GroupOffset>& offsets) {
  if (!in_transaction_) return;
  send_offsets(offsets);
  until_done("commit a transaction", [this] {
    return rd_kafka_commit_transaction(client_->get(), static_cast<int>(options_.timeout.count()));
  });
  in_transaction_ = false;
}

void Producer::abort() {
  if (!in_transaction_) return;
  in_transaction_ = false;
  if (broken_) return;  // the next producer of this id ends the transaction
  const Owned<rd_kafka_error_t> error(
      rd_kafka_abort_transaction(client_->get(), static_cast<int>(options_.timeout.count())));
  if (!error) return;
  broken_ = true;
  log_.warn("A transaction could not be aborted and ends by its time-out: {}",
            rd_kafka_error_string(error.get()));
}

}  // namespace weir::processors::kafka
