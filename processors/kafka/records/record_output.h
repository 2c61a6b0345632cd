#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/processor.h"
#include "processors/kafka/records/consume_options.h"

namespace weir::processors::kafka {

// Writes the records of one session to FlowFiles, in the order of their partition.
class RecordOutput {
 public:
  // All are referred to while it lives. `rules` say how.
  RecordOutput(ProcessSession& session, const Relationship& relationship, const RecordRules& rules)
      : session_(session), relationship_(relationship), rules_(rules) {}

  void add(const rd_kafka_message_t& record);
  // Ends FlowFiles that wait for more records; to be called before each commit.
  void finish();

  std::uint64_t bytes() const { return bytes_; }  // of values and keys, since the last `finish`
  std::size_t records() const { return records_; }
  std::size_t open_flow_files() const { return bundles_.size(); }

 private:
  // Records of one partition, with equal keys where these separate, and equal chosen headers.
  struct BundleKey {
    std::string topic;
    std::int32_t partition = 0;
    bool has_key = false;
    std::string key;
    std::vector<flowfile::Attributes::Entry> headers;
    auto operator<=>(const BundleKey&) const = default;
  };
  struct Bundle {
    std::vector<flowfile::Attributes::Entry> attributes;  // of its first record
    std::string content;                                  // not written yet
    FlowFile flow_file = {};
    std::unique_ptr<OutputStream> stream = {};
    std::uint64_t count = 0;
    std::int64_t last_offset = 0;
  };

  std::vector<flowfile::Attributes::Entry> header_attributes(
      const rd_kafka_message_t& record) const;
  std::vector<flowfile::Attributes::Entry> attributes_of(const rd_kafka_message_t& record) const;
  void add_flow_file(const rd_kafka_message_t& record);
  void add_to_bundle(const rd_kafka_message_t& record);
  void flush(Bundle& bundle);
  void transfer(FlowFile flow_file, std::string_view topic, std::int32_t partition,
                std::uint64_t records);

  ProcessSession& session_;
  const Relationship& relationship_;
  const RecordRules& rules_;
  std::map<BundleKey, Bundle> bundles_;
  std::vector<decltype(bundles_)::iterator> order_;  // of their first records
  std::uint64_t bytes_ = 0;
  std::size_t records_ = 0;
};

// The attributes that it sets, NiFi's names.
std::vector<AttributeNote> consumed_attributes();

}  // namespace weir::processors::kafka
