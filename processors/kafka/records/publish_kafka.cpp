#include "processors/kafka/records/publish_kafka.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>

#include "processors/kafka/records/demarcated_reader.h"
#include "processors/kafka/records/nifi_1.h"
#include "processors/kafka/records/offsets_ledger.h"
#include "processors/kafka/records/outgoing.h"
#include "processors/kafka/records/producer_pool.h"
#include "processors/kafka/records/publish_options.h"
#include "processors/support/declare.h"

namespace weir::processors::kafka {
namespace {

const Relationship success{.name = "success",
                           .description = "FlowFiles all of whose records were acknowledged."};
const Relationship failure{.name = "failure",
                           .description = "FlowFiles of which a record was not acknowledged."};

// As much as NiFi takes at once.
constexpr std::size_t kMostFlowFiles = 500;
constexpr std::uint64_t kMostBytes = 1024 * 1024;
// Of records that wait to be sent.
constexpr const char* kMostQueued_kb = "16384";
constexpr const char* kIdOfProducers = "transactional.id";

using Check = std::vector<ValidationProblem> (*)(const PropertyContext&);
using Read = PublishOptions (*)(ProcessContext&);

struct Outgoing {
  FlowFile flow_file;
  std::string topic;
  Delivery delivery;
  std::optional<ConsumedRecords> consumed;
  bool was_published = false;  // by a transaction before a crash

  bool sent() const { return delivery.sent > 0; }
};

class PublishKafka : public Processor {
 public:
  PublishKafka(Check check, Read read) : check_(check), read_(read) {}

  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override {
    return check_(context);
  }
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;
  void on_unscheduled(ProcessContext&) override { stopping_ = true; }
  void on_stopped(ProcessContext&) override {
    pool_.reset();
    ledger_.reset();
  }

 private:
  ProducerOptions producer_options(ProcessContext& context) const;
  std::string id_of_producers(ProcessContext& context) const;
  std::deque<Outgoing> take(ProcessContext& context, ProcessSession& session);
  void look_up_published(std::deque<Outgoing>& all);
  void publish(ProcessSession& session, Producer& producer, std::deque<Outgoing>& all);
  bool take_back_batches(Producer& producer, std::deque<Outgoing>& all, ComponentLog& log);
  void commit_or_abort(Producer& producer, std::deque<Outgoing>& all);
  void settle(ProcessContext& context, ProcessSession& session, std::deque<Outgoing>& all) const;
  void succeed(ProcessSession& session, const Outgoing& one) const;

  const Check check_;
  const Read read_;
  PublishOptions options_;
  std::unique_ptr<RecordSender> sender_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> told_{false};  // that offsets are committed by nobody
  std::unique_ptr<ProducerPool> pool_;
  // Held from before what was published is looked up until the session is committed, so that a
  // crash leaves at most one transaction whose FlowFiles are still in the queue.
  std::mutex ledger_mutex_;
  std::unique_ptr<OffsetsLedger> ledger_;
};

}  // namespace

// Of this processor in this engine, for ever.
std::string PublishKafka::id_of_producers(ProcessContext& context) const {
  auto values = context.state().get().values;
  if (!values.contains(kIdOfProducers)) {
    values[kIdOfProducers] = random_uuid(context.random());
    context.state().set(values);
  }
  return values[kIdOfProducers];
}

ProducerOptions PublishKafka::producer_options(ProcessContext& context) const {
  ProducerOptions options;
  options.settings = options_.connection->producer_settings();
  options.settings["acks"] = options_.acks;
  options.settings["compression.type"] = options_.compression;
  options.settings["message.max.bytes"] =
      std::to_string(std::clamp<std::uint64_t>(options_.most_bytes, 1'000, 1'000'000'000));
  options.settings.emplace("queue.buffering.max.kbytes", kMostQueued_kb);
  if (options_.acks == "all") options.settings.emplace("enable.idempotence", "true");
  if (options_.choice == PartitionChoice::by_key) {
    options.settings.emplace("partitioner", "murmur2_random");
  } else {
    options.settings["sticky.partitioning.linger.ms"] = "0";  // it passes over records without key
  }
  if (options_.transactions) {
    options.transactional_id = options_.transactional_id_prefix + id_of_producers(context);
  }
  options.choice = options_.choice;
  options.timeout = options_.connection->api_timeout();
  options.ack_wait = options_.connection->ack_wait();
  options.going = [this] { return !stopping_; };
  return options;
}

void PublishKafka::on_scheduled(ProcessContext& context) {
  stopping_ = false;
  options_ = read_(context);
  sender_ = std::make_unique<RecordSender>(options_);
  pool_ = std::make_unique<ProducerPool>(producer_options(context), context.concurrent_tasks(),
                                         context.log());
  if (options_.transactions) {
    ledger_ = std::make_unique<OffsetsLedger>(options_.connection->consumer_settings(),
                                              id_of_producers(context),
                                              options_.connection->api_timeout(), context.log());
  }
}

std::deque<Outgoing> PublishKafka::take(ProcessContext& context, ProcessSession& session) {
  std::size_t count = 0;
  std::size_t consumed = 0;
  std::uint64_t bytes = 0;
  const auto flow_files = session.get([&](const flowfile::FlowFileRecord& record) {
    ++count;
    if (ledger_ && record.attributes->find("kafka.consumer.id") != nullptr) ++consumed;
    bytes += record.size();
    return count >= kMostFlowFiles || consumed >= PublishedFlowFiles::kMostFlowFiles ||
                   bytes >= kMostBytes
               ? FilterDecision::accept_and_stop
               : FilterDecision::accept;
  });
  std::deque<Outgoing> all;
  for (const FlowFile& flow_file : flow_files) {
    all.push_back({.flow_file = flow_file,
                   .topic = options_.topic.evaluate(flow_file),
                   .delivery = {},
                   .consumed = consumed_records(flow_file)});
    if (ledger_ || !all.back().consumed) continue;
    all.back().consumed.reset();
    if (!told_.exchange(true)) {
      context.log().warn(
          "FlowFiles of a ConsumeKafka that commits no offsets: without transactions "
          "nobody commits them");
    }
  }
  return all;
}

void PublishKafka::look_up_published(std::deque<Outgoing>& all) {
  for (Outgoing& one : all) {
    if (!one.consumed) continue;
    if (!ledger_->knows(*one.consumed)) {
      pool_->make_all();
      if (!ledger_->load(*one.consumed)) {
        one.consumed.reset();
        continue;
      }
    }
    one.was_published = ledger_->is_published(*one.consumed);
  }
}

void PublishKafka::publish(ProcessSession& session, Producer& producer, std::deque<Outgoing>& all) {
  try {
    producer.begin();
    for (Outgoing& one : all) {
      const bool is_due = !one.was_published && !one.sent() && one.delivery.error.empty();
      if (is_due) sender_->send(session, one.flow_file, one.topic, producer, one.delivery);
    }
    producer.wait();
  } catch (const std::exception&) {
    producer.wait();  // `all` must outlive the reports
    producer.abort();
    throw;
  }
}

// A topic that takes smaller batches than usual refuses them whole, whichever record is too large:
// true where FlowFiles are to be sent again, each record alone. Of these nothing was written, or
// nothing that anybody sees.
bool PublishKafka::take_back_batches(Producer& producer, std::deque<Outgoing>& all,
                                     ComponentLog& log) {
  const auto was_refused = [](const Outgoing& one) { return one.delivery.shared_batch_refused; };
  const auto first = std::ranges::find_if(all, was_refused);
  if (first == all.end()) return false;
  log.info("Topic {} does not take batches of this size; records are sent one by one from now on",
           first->topic);
  pool_->send_one_by_one();
  producer.abort();
  for (Outgoing& one : all) {
    const bool unseen =
        producer.transactional() ? one.sent() : was_refused(one) && one.delivery.acknowledged == 0;
    if (unseen) one.delivery = {};
  }
  return true;
}

// What is wrong with one record of a transaction is wrong with all that were sent in it.
void PublishKafka::commit_or_abort(Producer& producer, std::deque<Outgoing>& all) {
  if (!producer.transactional()) return;
  std::string why;
  for (const Outgoing& one : all) {
    const bool half_sent = one.sent() && !one.delivery.complete();
    if (half_sent) why = one.delivery.error;
  }
  if (producer.broken() && why.empty()) why = "the producer broke";
  std::vector<ConsumedRecords> published;
  for (const Outgoing& one : all) {
    const bool goes = !one.was_published && one.delivery.complete();
    if (one.consumed && goes) published.push_back(*one.consumed);
  }
  if (why.empty()) {
    try {
      producer.commit(ledger_->offsets_of(published));
      ledger_->committed(published);
      return;
    } catch (const ProcessException& error) {
      why = error.what();
      if (producer.broken()) ledger_->forget();
    }
  }
  producer.abort();
  for (Outgoing& one : all) {
    if (!one.was_published && one.delivery.complete()) one.delivery.fail(why);
  }
}

void PublishKafka::succeed(ProcessSession& session, const Outgoing& one) const {
  if (!one.was_published) {
    const auto count = static_cast<std::int64_t>(one.delivery.acknowledged);
    session.put_attribute(one.flow_file, "msg.count", std::to_string(count));
    session.adjust_counter("Messages Sent", count);
    session.adjust_counter(fmt::format("Messages Sent to {}", one.topic), count);
  }
  // Of one that was published before a crash, too: that session's events went with it.
  session.provenance().send(one.flow_file, fmt::format("kafka://{}", one.topic));
  session.transfer(one.flow_file, success);
}

void PublishKafka::settle(ProcessContext& context, ProcessSession& session,
                          std::deque<Outgoing>& all) const {
  std::size_t failed = 0;
  const Outgoing* first = nullptr;
  for (const Outgoing& one : all) {
    if (one.delivery.complete()) continue;
    ++failed;
    if (first == nullptr) first = &one;
  }
  if (first != nullptr) {
    context.log().error("{} of {} FlowFiles could not be published; {} to {}: {}", failed,
                        all.size(), first->flow_file.uuid(), first->topic, first->delivery.error);
    if (options_.rolls_back) {
      session.rollback();
      context.yield();
      return;
    }
  }
  for (const Outgoing& one : all) {
    if (one.delivery.complete()) {
      succeed(session, one);
    } else {
      session.penalize(one.flow_file);
      session.transfer(one.flow_file, failure);
    }
  }
  session.commit();
}

void PublishKafka::on_trigger(ProcessContext& context, ProcessSession& session) {
  std::deque<Outgoing> all = take(context, session);
  if (all.empty()) return;
  std::unique_lock<std::mutex> lock;
  if (std::ranges::any_of(all, [](const Outgoing& one) { return one.consumed.has_value(); })) {
    lock = std::unique_lock(ledger_mutex_);
    look_up_published(all);
  }
  std::optional<ProducerPool::Lease> producer(pool_->take());
  publish(session, **producer, all);
  if (take_back_batches(**producer, all, context.log())) {
    producer.reset();  // it is replaced
    producer.emplace(pool_->take());
    publish(session, **producer, all);
  }
  commit_or_abort(**producer, all);
  settle(context, session, all);
}

namespace {

ProcessorDefinition declare_common(Check check, Read read) {
  ProcessorDefinition definition;
  definition.summary =
      "Writes FlowFiles to Kafka topics: each as one record, or as the records between a text. A "
      "FlowFile succeeds when the brokers have acknowledged all of them.";
  definition.tags = {"kafka", "put", "send", "message", "pubsub", "publish"};
  definition.relationships = {success, failure};
  definition.reads_attributes = {
      {"kafka.tombstone", "true on an empty FlowFile: a record without value is sent."},
      {"kafka.key", "The key, where Kafka Key is not set."},
      {"kafka.consumer.offsets.committed, kafka.consumer.id",
       "Of ConsumeKafka: the transaction commits the offsets of what it publishes."}};
  definition.writes_attributes = {{"msg.count", "How many records were sent of the FlowFile."}};
  definition.input = InputRequirement::required;
  definition.blocking = true;
  definition.delivery_note =
      "At least once: a crash between the acknowledgement and the session's commit sends FlowFiles "
      "again. Exactly once for FlowFiles of a ConsumeKafka that commits no offsets, with "
      "transactions, as long as the partition stays with this engine: what the last transaction "
      "published is recognized after a crash.";
  definition.example =
      R"({"type": "PublishKafka", "properties": {"Kafka Connection Service": {"service": "cluster"}, "Topic Name": "orders"}})";
  definition.make = [check, read] { return std::make_unique<PublishKafka>(check, read); };
  return definition;
}

ProcessorDefinition declare() {
  ProcessorDefinition definition = declare_common(check_publish, read_publish);
  definition.type = "org.apache.nifi.kafka.processors.PublishKafka";
  definition.properties = publish_properties();
  return definition;
}

}  // namespace

const ProcessorDefinition& publish_kafka() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

const ProcessorDefinition& publish_kafka_1() {
  static const ProcessorDefinition definition =
      as_in_1(declare_common(check_publish_1, read_publish_1), "PublishKafka",
              publish_properties_1(), true);
  return definition;
}

const ProcessorDefinition& publish_kafka_record_1() {
  static const ProcessorDefinition definition =
      as_in_1(declare_common(check_publish_1, read_publish_1), "PublishKafkaRecord",
              publish_record_properties_1(), false);
  return definition;
}

}  // namespace weir::processors::kafka
