#include "processors/kafka/mirror/mirror_producer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace weir::processors::kafka {
namespace {

using std::chrono::milliseconds;

// How long the acknowledging thread sleeps where nothing comes.
constexpr int kPollMs = 100;

// A dead letter's entry is marked by the lowest bit of its address.
void* opaque_of(UnackedOffsetList::Entry& entry, bool dead_letter) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(&entry) |
                                 (dead_letter ? 1U : 0U));
}

class Arguments {
 public:
  Arguments(TargetTopic& topic, std::int32_t partition, std::int64_t timestamp_ms, void* opaque) {
    next(RD_KAFKA_VTYPE_RKT).u.rkt = topic.handle;
    next(RD_KAFKA_VTYPE_PARTITION).u.i32 = partition;
    next(RD_KAFKA_VTYPE_MSGFLAGS).u.i = RD_KAFKA_MSG_F_COPY;
    next(RD_KAFKA_VTYPE_OPAQUE).u.ptr = opaque;
    // librdkafka cannot send a record without a timestamp, nor one of the epoch itself.
    if (timestamp_ms > 0) next(RD_KAFKA_VTYPE_TIMESTAMP).u.i64 = timestamp_ms;
  }
  void bytes(rd_kafka_vtype_t type, const void* data, std::size_t size) {
    rd_kafka_vu_t& argument = next(type);
    argument.u.mem.ptr = const_cast<void*>(data);
    argument.u.mem.size = size;
  }
  void headers(rd_kafka_headers_t* headers) { next(RD_KAFKA_VTYPE_HEADERS).u.headers = headers; }

  rd_kafka_resp_err_t produce(rd_kafka_t* client) const {
    rd_kafka_error_t* const error = rd_kafka_produceva(client, arguments_.data(), count_);
    if (error == nullptr) return RD_KAFKA_RESP_ERR_NO_ERROR;
    const rd_kafka_resp_err_t code = rd_kafka_error_code(error);
    rd_kafka_error_destroy(error);
    return code;
  }

 private:
  rd_kafka_vu_t& next(rd_kafka_vtype_t type) {
    rd_kafka_vu_t& argument = arguments_[count_++];
    argument.vtype = type;
    return argument;
  }

  std::array<rd_kafka_vu_t, 8> arguments_;
  std::size_t count_ = 0;
};

Owned<rd_kafka_headers_t> headers_of(const MirrorRecord& record) {
  if (record.headers.empty()) return nullptr;
  Owned<rd_kafka_headers_t> made(rd_kafka_headers_new(record.headers.size()));
  for (const MirrorHeader& header : record.headers) {
    check(rd_kafka_header_add(made.get(), header.name.data(),
                              static_cast<ssize_t>(header.name.size()),
                              header.value ? header.value->data() : nullptr,
                              header.value ? static_cast<ssize_t>(header.value->size()) : 0),
          "A header cannot be added");
  }
  return made;
}

}  // namespace

MirrorProducer::MirrorProducer(const Settings& settings, Listener listener, ComponentLog& log)
    : listener_(std::move(listener)) {
  Owned<rd_kafka_conf_t> made = configuration(settings);
  rd_kafka_conf_set_opaque(made.get(), this);
  rd_kafka_conf_set_dr_msg_cb(made.get(), &MirrorProducer::on_delivery);
  rd_kafka_conf_set_error_cb(made.get(), &MirrorProducer::on_error);
  client_ = std::make_unique<Client>(RD_KAFKA_PRODUCER, std::move(made), log);
  thread_ = std::thread([this] { run(); });
}

MirrorProducer::~MirrorProducer() {
  ending_ = true;
  thread_.join();
  rd_kafka_purge(get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  rd_kafka_poll(get(), 0);
  for (const auto& [name, topic] : topics_) rd_kafka_topic_destroy(topic->handle);
}

TargetTopic& MirrorProducer::topic(const std::string& name) {
  const std::lock_guard lock(topics_mutex_);
  std::unique_ptr<TargetTopic>& topic = topics_[name];
  if (!topic) {
    rd_kafka_topic_t* const handle = rd_kafka_topic_new(get(), name.c_str(), nullptr);
    if (handle == nullptr) check(rd_kafka_last_error(), "Topic " + name);
    topic = std::make_unique<TargetTopic>();
    topic->name = name;
    topic->handle = handle;
  }
  return *topic;
}

rd_kafka_resp_err_t MirrorProducer::send(TargetTopic& topic, rd_kafka_message_t& source,
                                         UnackedOffsetList::Entry& entry) {
  rd_kafka_timestamp_type_t type{};
  Arguments arguments(topic, source.partition, rd_kafka_message_timestamp(&source, &type),
                      opaque_of(entry, false));
  arguments.bytes(RD_KAFKA_VTYPE_VALUE, source.payload, source.len);
  arguments.bytes(RD_KAFKA_VTYPE_KEY, source.key, source.key_len);
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&source, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return arguments.produce(get());
  }
  Owned<rd_kafka_headers_t> copy(rd_kafka_headers_copy(headers));
  arguments.headers(copy.get());
  const rd_kafka_resp_err_t code = arguments.produce(get());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) static_cast<void>(copy.release());
  return code;
}

rd_kafka_resp_err_t MirrorProducer::produce(TargetTopic& topic, const MirrorRecord& record,
                                            void* opaque) {
  Arguments arguments(topic, record.partition, record.timestamp_ms, opaque);
  if (record.value) {
    arguments.bytes(RD_KAFKA_VTYPE_VALUE, record.value->data(), record.value->size());
  }
  if (record.key) arguments.bytes(RD_KAFKA_VTYPE_KEY, record.key->data(), record.key->size());
  Owned<rd_kafka_headers_t> headers = headers_of(record);
  if (headers) arguments.headers(headers.get());
  const rd_kafka_resp_err_t code = arguments.produce(get());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) static_cast<void>(headers.release());
  return code;
}

rd_kafka_resp_err_t MirrorProducer::send(TargetTopic& topic, const MirrorRecord& record,
                                         UnackedOffsetList::Entry& entry) {
  return produce(topic, record, opaque_of(entry, false));
}

void MirrorProducer::send_dead_letter(const std::string& topic_name, MirrorRecord record,
                                      UnackedOffsetList::Entry& entry) {
  const std::lock_guard lock(dead_letters_mutex_);
  dead_letters_.push_back({topic_name, std::move(record), &entry});
}

// Tells of a refusal, but not of a full queue.
rd_kafka_resp_err_t MirrorProducer::send(DeadLetter& letter) {
  TargetTopic& where = topic(letter.topic);
  letter.record.partition = RD_KAFKA_PARTITION_UA;
  const rd_kafka_resp_err_t code = produce(where, letter.record, opaque_of(*letter.entry, true));
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR && code != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
    rd_kafka_message_t message{};
    message.err = code;
    message.rkt = where.handle;
    listener_.refused(*letter.entry, message, true);
  }
  return code;
}

void MirrorProducer::send_dead_letters() {
  const std::lock_guard lock(dead_letters_mutex_);
  while (!dead_letters_.empty()) {
    if (send(dead_letters_.front()) == RD_KAFKA_RESP_ERR__QUEUE_FULL) return;
    dead_letters_.pop_front();
  }
}

void MirrorProducer::send_dead_letter_now(const std::string& topic_name, MirrorRecord record,
                                          UnackedOffsetList::Entry& entry) {
  DeadLetter letter{topic_name, std::move(record), &entry};
  while (send(letter) == RD_KAFKA_RESP_ERR__QUEUE_FULL && !ending_) {
    wait_for_room(milliseconds(kPollMs));
  }
}

void MirrorProducer::give_up() {
  broken_ = true;
  { const std::lock_guard lock(round_mutex_); }
  round_.notify_all();
}

bool MirrorProducer::wait_for_room(milliseconds most) {
  // The queue is bounded by bytes as well: an eighth of what is there now is room.
  const int queued = rd_kafka_outq_len(get());
  const int enough = queued - std::max(queued / 8, 1);
  return wait_until([this, enough] { return rd_kafka_outq_len(get()) <= enough; }, most);
}

bool MirrorProducer::wait_until(const std::function<bool()>& done, milliseconds most) {
  ++waiting_;
  std::unique_lock lock(round_mutex_);
  const bool is_done = round_.wait_for(lock, most, done);
  --waiting_;
  return is_done;
}

bool MirrorProducer::await_acknowledged(const std::vector<MirrorPartitionPtr>& partitions,
                                        milliseconds most) {
  const auto is_done = [this, &partitions] {
    return broken_ || std::ranges::all_of(partitions, [](const MirrorPartitionPtr& partition) {
             return partition->unacked.in_flight() == 0;
           });
  };
  return wait_until(is_done, most);
}

void MirrorProducer::on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
  MirrorProducer& self = *static_cast<MirrorProducer*>(opaque);
  const auto address = reinterpret_cast<std::uintptr_t>(message->_private);
  auto& entry = *reinterpret_cast<UnackedOffsetList::Entry*>(address & ~std::uintptr_t{1});
  switch (message->err) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
      entry.list().acknowledge(entry);
      break;
    // The producer ends or is broken: what it had is read again.
    case RD_KAFKA_RESP_ERR__PURGE_QUEUE:
    case RD_KAFKA_RESP_ERR__PURGE_INFLIGHT:
    case RD_KAFKA_RESP_ERR__FATAL:
      entry.list().fail();
      break;
    default:
      // Of a producer that goes on, RD_KAFKA_RESP_ERR__DESTROY tells of a partition that is gone.
      if (self.ending_) {
        entry.list().fail();
      } else {
        self.listener_.refused(entry, *message, (address & 1U) != 0);
      }
  }
}

void MirrorProducer::on_error(rd_kafka_t* client, int code, const char* reason, void* opaque) {
  MirrorProducer& self = *static_cast<MirrorProducer*>(opaque);
  if (code == RD_KAFKA_RESP_ERR__FATAL) {
    char text[512] = "";
    const rd_kafka_resp_err_t cause = rd_kafka_fatal_error(client, text, sizeof text);
    self.broken_ = true;
    self.listener_.broken(cause, text);
  } else if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN ||
             code == RD_KAFKA_RESP_ERR__AUTHENTICATION) {
    self.listener_.unavailable(reason);
  }
}

void MirrorProducer::run() {
  while (!ending_) {
    const int served = rd_kafka_poll(get(), kPollMs);
    send_dead_letters();
    if (served > 0 && waiting_ > 0) {
      { const std::lock_guard lock(round_mutex_); }
      round_.notify_all();
    }
  }
}

}  // namespace weir::processors::kafka
