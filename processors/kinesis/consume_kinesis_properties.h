#pragma once

#include "engine/api/property.h"

// The properties of ConsumeKinesis, in their order in `all`. Names up to `metrics` are NiFi's.
namespace weir::processors::consume_kinesis_properties {

extern const PropertyDescriptor stream_name;
extern const PropertyDescriptor application_name;
extern const PropertyDescriptor credentials;
extern const PropertyDescriptor region;
extern const PropertyDescriptor endpoint;
extern const PropertyDescriptor dynamodb_endpoint;
extern const PropertyDescriptor consumer_type;
extern const PropertyDescriptor strategy;
extern const PropertyDescriptor record_reader;
extern const PropertyDescriptor record_writer;
extern const PropertyDescriptor output_strategy;
extern const PropertyDescriptor demarcator;
extern const PropertyDescriptor initial_position;
extern const PropertyDescriptor position_timestamp;
extern const PropertyDescriptor max_bytes;
extern const PropertyDescriptor checkpoint_interval;
extern const PropertyDescriptor metrics;
extern const PropertyDescriptor max_batch_duration;
extern const PropertyDescriptor max_batch_size;
extern const PropertyDescriptor worker_id;
extern const PropertyDescriptor lease_table;
extern const PropertyDescriptor client_version;
extern const PropertyDescriptor failover_time;
extern const PropertyDescriptor poll_interval;
extern const PropertyDescriptor max_poll_records;
extern const PropertyDescriptor fan_out_consumer;
extern const PropertyDescriptor shutdown_timeout;
extern const PropertyDescriptor heap_size;

std::vector<PropertyDescriptor> all();

inline constexpr const char* kSharedThroughput = "SHARED_THROUGHPUT";
inline constexpr const char* kFlowFile = "FLOW_FILE";
inline constexpr const char* kRecord = "RECORD";
inline constexpr const char* kDemarcator = "DEMARCATOR";
inline constexpr const char* kAtTimestamp = "AT_TIMESTAMP";

}  // namespace weir::processors::consume_kinesis_properties
