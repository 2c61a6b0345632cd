#include "processors/kinesis/consume_kinesis_properties.h"

#include <algorithm>
#include <chrono>

#include "engine/text/date_pattern.h"
#include "processors/aws/credentials.h"
#include "processors/aws/regions.h"

namespace weir::processors::consume_kinesis_properties {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

// Names of AWS's streams and tables, which take the same letters.
Validator aws_name(std::size_t least, std::size_t most, std::string wrong) {
  return [least, most,
          wrong = std::move(wrong)](std::string_view value) -> std::optional<std::string> {
    const bool fits =
        value.size() >= least && value.size() <= most &&
        std::ranges::all_of(value, [](unsigned char letter) {
          return std::isalnum(letter) != 0 || letter == '_' || letter == '-' || letter == '.';
        });
    if (fits) return std::nullopt;
    return wrong;
  };
}

// What DynamoDB takes for a table's name, which these names become.
Validator table_name() {
  return aws_name(3, 255,
                  "it names a DynamoDB table: 3 to 255 of the letters a-z, A-Z, 0-9, '_', '-' and "
                  "'.'");
}

Validator stream_name_validator() {
  return aws_name(1, 128,
                  "a stream's name has 1 to 128 of the letters a-z, A-Z, 0-9, '_', '-' and '.'");
}

Validator instant() {
  return [](std::string_view value) -> std::optional<std::string> {
    const bool has_time = value.find('T') != std::string_view::npos;
    if (has_time && text::parse_instant_text(value)) return std::nullopt;
    return "it is no instant in ISO 8601, such as 2026-01-31T12:00:00Z";
  };
}

Validator url() {
  return [](std::string_view value) -> std::optional<std::string> {
    const std::size_t scheme = value.starts_with("https://")  ? 8
                               : value.starts_with("http://") ? 7
                                                              : 0;
    if (scheme != 0 && value.size() > scheme && value[scheme] != '/') return std::nullopt;
    return "it must begin with http:// or https://, followed by a host";
  };
}

// Of a property that only reaches the KCL: everything a line of its settings can hold.
Validator one_line() {
  return [](std::string_view value) -> std::optional<std::string> {
    if (!value.empty() && value.find_first_of("\r\n") == std::string_view::npos) {
      return std::nullopt;
    }
    return "it must be one line that is not empty";
  };
}

}  // namespace

const PropertyDescriptor stream_name{.name = "Stream Name",
                                     .description = "The stream to read.",
                                     .required = true,
                                     .validator = stream_name_validator()};
const PropertyDescriptor application_name{
    .name = "Application Name",
    .description =
        "Consumers of one name share the stream's shards among them, and go on where "
        "one of them ended. Names the DynamoDB table of leases and checkpoints.",
    .required = true,
    .validator = table_name()};
const PropertyDescriptor credentials{
    .name = "AWS Credentials Provider Service",
    .description =
        "Gives the credentials for Kinesis and DynamoDB, and for CloudWatch where "
        "metrics go there.",
    .required = true,
    .controller_service = aws::kCredentialsProviderInterface,
    .old_names = {"AWS Credentials Provider service"}};
const PropertyDescriptor region = aws::any_region_property();
const PropertyDescriptor endpoint{
    .name = "Endpoint Override URL",
    .description =
        "Where Kinesis is reached instead of the region's own endpoint. It must speak "
        "HTTP/2.",
    .validator = url(),
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor dynamodb_endpoint{
    .name = "DynamoDB Override",
    .description = "Where DynamoDB is reached instead of the region's own endpoint.",
    .validator = url(),
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor consumer_type{
    .name = "Consumer Type",
    .description = "How records are fetched.",
    .default_value = "ENHANCED_FAN_OUT",
    .required = true,
    .allowable_values = {
        {kSharedThroughput, "Shared Throughput",
         "Polls each shard; all such consumers of the stream share its read limit."},
        {"ENHANCED_FAN_OUT", "Enhanced Fan-Out",
         "Records are pushed as they come, with a read limit of its own; costs extra."}}};
const PropertyDescriptor strategy{
    .name = "Processing Strategy",
    .description = "What becomes of the records.",
    .default_value = kFlowFile,
    .required = true,
    .allowable_values = {
        {kFlowFile, "Flow File", "A FlowFile for each record."},
        {kRecord, "Record", "Many records in a FlowFile, read and written by services."},
        {kDemarcator, "Demarcator", "Many records in a FlowFile, with a text between them."}}};
const PropertyDescriptor record_reader{
    .name = "Record Reader",
    .description = "Reads the data of each Kinesis record.",
    .required = true,
    .controller_service = "org.apache.nifi.serialization.RecordReaderFactory",
    .depends_on = {{strategy.name, {kRecord}}}};
const PropertyDescriptor record_writer{
    .name = "Record Writer",
    .description = "Writes the records of a FlowFile.",
    .required = true,
    .controller_service = "org.apache.nifi.serialization.RecordSetWriterFactory",
    .depends_on = {{strategy.name, {kRecord}}}};
const PropertyDescriptor output_strategy{
    .name = "Output Strategy",
    .description = "What a written record holds.",
    .default_value = "USE_VALUE",
    .required = true,
    .allowable_values = {{"USE_VALUE", "Use Content as Value"},
                         {"USE_WRAPPER", "Use Wrapper"},
                         {"INJECT_METADATA", "Inject Metadata"}},
    .depends_on = {{strategy.name, {kRecord}}}};
const PropertyDescriptor demarcator{
    .name = "Message Demarcator",
    .description =
        "Stands between the records of a FlowFile, in UTF-8. Without it they follow "
        "each other directly.",
    .validator = validators::non_empty(),
    .depends_on = {{strategy.name, {kDemarcator}}}};
const PropertyDescriptor initial_position{
    .name = "Initial Stream Position",
    .description = "Where an application without checkpoints begins.",
    .default_value = "TRIM_HORIZON",
    .required = true,
    .allowable_values = {
        {"TRIM_HORIZON", "Trim Horizon", "The oldest record that the stream still holds."},
        {"LATEST", "Latest", "What comes in from now on."},
        {kAtTimestamp, "At Timestamp", "What came in since a point in time."}}};
const PropertyDescriptor position_timestamp{
    .name = "Stream Position Timestamp",
    .description =
        "The point in time, in ISO 8601. The KCL takes full seconds; a part of a "
        "second is left away, so that nothing is missed.",
    .required = true,
    .validator = instant(),
    .depends_on = {{initial_position.name, {kAtTimestamp}}}};
const PropertyDescriptor max_bytes{
    .name = "Max Bytes to Buffer",
    .description =
        "How much of the engine's memory may hold records that are not written yet. "
        "Where it is full, the KCL waits.",
    .default_value = "100 MB",
    .required = true,
    .validator = validators::data_size(1)};
const PropertyDescriptor checkpoint_interval{
    .name = "Checkpoint Interval",
    .description =
        "A shard's progress is written to DynamoDB at most once in this time while "
        "records keep coming, and at once when they pause. After a crash so much is "
        "delivered again.",
    .default_value = "5 sec",
    .required = true,
    .validator = validators::duration()};
const PropertyDescriptor metrics{
    .name = "Metrics Publishing",
    .description = "Where measurements of the consumption go.",
    .default_value = "DISABLED",
    .required = true,
    .allowable_values = {{"DISABLED", "Disabled"},
                         {"LOGS", "Logs", "The state of each shard, to the log once a minute."},
                         {"CLOUDWATCH", "CloudWatch", "The KCL's own metrics."}}};
const PropertyDescriptor max_batch_duration{
    .name = "Max Batch Duration",
    .description = "So long a record waits for others that could share its FlowFile.",
    .default_value = "0 sec",
    .required = true,
    .validator = validators::duration(),
    .depends_on = {{strategy.name, {kDemarcator}}}};
const PropertyDescriptor max_batch_size{
    .name = "Max Batch Size",
    .description =
        "A FlowFile that has reached this size is complete. So much also ends the "
        "wait for others.",
    .default_value = "16 MB",
    .required = true,
    .validator = validators::data_size(1),
    .depends_on = {{strategy.name, {kDemarcator}}}};
const PropertyDescriptor worker_id{
    .name = "Worker ID",
    .description =
        "Names this consumer among those of the application; no two may have the same. "
        "Without it a random one is kept in the component's state, so that its leases "
        "are taken up again at once after a restart.",
    .validator = one_line(),
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor lease_table{
    .name = "Lease Table Name",
    .description = "The DynamoDB table of leases, where it is not named as the application.",
    .validator = table_name()};
const PropertyDescriptor client_version{
    .name = "Client Version Configuration",
    .description = "How the consumers of the application find out who reads which shard.",
    .default_value = "CLIENT_VERSION_CONFIG_3X",
    .required = true,
    .allowable_values = {
        {"CLIENT_VERSION_CONFIG_3X", "Version 3",
         "An elected leader assigns shards by load. Where the leader is killed, up to two "
         "minutes pass before there is a new one."},
        {"CLIENT_VERSION_CONFIG_COMPATIBLE_WITH_2X", "Compatible with version 2",
         "Each consumer takes shards by itself, and takes over those of a dead one within the "
         "failover time."}}};
const PropertyDescriptor failover_time{
    .name = "Failover Time",
    .description = "A consumer that has not renewed its lease for so long has lost it.",
    .default_value = "10 sec",
    .required = true,
    .validator = validators::duration(1s)};
const PropertyDescriptor poll_interval{
    .name = "Poll Interval",
    .description = "How long to wait between two reads of a shard.",
    .default_value = "1 sec",
    .required = true,
    .validator = validators::duration(200ms),
    .depends_on = {{consumer_type.name, {kSharedThroughput}}}};
const PropertyDescriptor max_poll_records{
    .name = "Max Records per Poll",
    .description = "How many records one read may bring.",
    .default_value = "10000",
    .required = true,
    .validator = validators::integer(1, 10'000),
    .depends_on = {{consumer_type.name, {kSharedThroughput}}}};
const PropertyDescriptor fan_out_consumer{
    .name = "Enhanced Fan-Out Consumer Name",
    .description = "The name to register with the stream, where it is not the application's.",
    .validator = stream_name_validator(),
    .depends_on = {{consumer_type.name, {"ENHANCED_FAN_OUT"}}}};
const PropertyDescriptor shutdown_timeout{
    .name = "Graceful Shutdown Timeout",
    .description =
        "So long the KCL may take to write the last checkpoints and to release its "
        "leases when the processor stops.",
    .default_value = "20 secs",
    .required = true,
    .validator = validators::duration(1s)};
const PropertyDescriptor heap_size{
    .name = "KCL Heap Size",
    .description = "The memory of the KCL's own process for its objects.",
    .default_value = "256 MB",
    .required = true,
    .validator = validators::data_size(64ULL << 20)};

std::vector<PropertyDescriptor> all() {
  return {stream_name,      application_name,   credentials,      region,
          endpoint,         dynamodb_endpoint,  consumer_type,    strategy,
          record_reader,    record_writer,      output_strategy,  demarcator,
          initial_position, position_timestamp, max_bytes,        checkpoint_interval,
          metrics,          max_batch_duration, max_batch_size,   worker_id,
          lease_table,      client_version,     failover_time,    poll_interval,
          max_poll_records, fan_out_consumer,   shutdown_timeout, heap_size};
}

}  // namespace weir::processors::consume_kinesis_properties
