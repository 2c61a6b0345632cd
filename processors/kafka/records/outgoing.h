#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/api/process_session.h"
#include "processors/kafka/records/publish_options.h"

namespace weir::processors::kafka {

// Makes records of FlowFiles, as the options say. Thread safe; they outlive it.
class RecordSender {
 public:
  explicit RecordSender(const PublishOptions& options) : options_(options) {}

  // Hands all records of the FlowFile to the producer. What is wrong with it counts as a failure of
  // its delivery.
  void send(ProcessSession& session, const FlowFile& flow_file, const std::string& topic,
            Producer& producer, Delivery& delivery) const;

 private:
  std::optional<std::string> key_of(const FlowFile& flow_file) const;
  std::vector<std::pair<std::string, std::string>> headers_of(const FlowFile& flow_file) const;

  const PublishOptions& options_;
};

// java.lang.String's hashCode, of which the Expression Language Partitioner takes the absolute
// value.
std::uint32_t partition_hash(std::string_view utf8);

}  // namespace weir::processors::kafka
