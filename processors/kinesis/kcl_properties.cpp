#include "processors/kinesis/kcl_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ranges>

#include "engine/api/units.h"
#include "engine/text/date_pattern.h"
#include "processors/kinesis/consume_kinesis_properties.h"

namespace weir::processors::kinesis {
namespace {

using namespace consume_kinesis_properties;

// How the KCL 3.1.3 reads a value. It takes 0 and false of the first three for "not given".
enum class Kind {
  integer,         // int
  whole,           // long
  decimal,         // double
  switch_on,       // boolean: only true has an effect
  boolean,         // Boolean
  integer_object,  // Integer
  whole_object,    // Long
  choice,
  duration,  // ISO 8601
  tags,      // key=value,key=value
  url,
  text,
};

struct Setting {
  std::string_view name;
  Kind kind;
  std::string_view choices = {};  // divided by '|'
};

// What a user may set, by the names that the daemon of the KCL 3.1.3 reads.
constexpr Setting kSettings[] = {
    {"allowThroughputOvershoot", Kind::boolean},
    {"cleanupLeasesUponShardCompletion", Kind::switch_on},
    {"cloudWatchClient.endpointOverride", Kind::url},
    {"cloudWatchClient.region", Kind::text},
    {"coordinatorStateBillingMode", Kind::choice, "PROVISIONED|PAY_PER_REQUEST"},
    {"coordinatorStateDeletionProtectionEnabled", Kind::boolean},
    {"coordinatorStatePointInTimeRecoveryEnabled", Kind::boolean},
    {"coordinatorStateReadCapacity", Kind::whole},
    {"coordinatorStateTableName", Kind::text},
    {"coordinatorStateTags", Kind::tags},
    {"coordinatorStateWriteCapacity", Kind::whole},
    {"dampeningPercentage", Kind::integer},
    {"disableWorkerMetrics", Kind::boolean},
    {"enablePriorityLeaseAssignment", Kind::boolean},
    {"fanoutConfig.consumerArn", Kind::text},
    {"fanoutConfig.maxDescribeStreamConsumerRetries", Kind::integer},
    {"fanoutConfig.maxDescribeStreamSummaryRetries", Kind::integer},
    {"fanoutConfig.registerStreamConsumerRetries", Kind::integer},
    {"fanoutConfig.retryBackoffMillis", Kind::whole},
    {"gracefulLeaseHandoffTimeoutMillis", Kind::whole_object},
    {"ignoreUnexpectedChildShards", Kind::switch_on},
    {"inMemoryWorkerMetricsCaptureFrequencyMillis", Kind::whole},
    {"initialLeaseTableReadCapacity", Kind::integer},
    {"initialLeaseTableWriteCapacity", Kind::integer},
    {"isGracefulLeaseHandoffEnabled", Kind::boolean},
    {"leaseAssignmentIntervalMillis", Kind::whole},
    {"leaseTableDeletionProtectionEnabled", Kind::boolean},
    {"leaseTablePitrEnabled", Kind::boolean},
    {"listShardsBackoffTimeInMillis", Kind::whole},
    {"logWarningForTaskAfterMillis", Kind::whole_object},
    {"maxActiveThreads", Kind::integer},
    {"maxGetRecordsThreadPool", Kind::integer_object},
    {"maxLeaseRenewalThreads", Kind::integer},
    {"maxLeasesForWorker", Kind::integer},
    {"maxLeasesToStealAtOneTime", Kind::integer},
    {"maxListShardsRetryAttempts", Kind::integer},
    {"maxThroughputPerHostKBps", Kind::decimal},
    {"metricsBufferTimeMillis", Kind::whole},
    {"metricsEnabledDimensions", Kind::text},
    {"metricsMaxQueueSize", Kind::integer},
    {"millisBehindLatestThresholdForReducedTps", Kind::whole},
    {"noOfPersistedMetricsPerWorkerMetrics", Kind::integer},
    {"parentShardPollIntervalMillis", Kind::whole},
    {"reBalanceThresholdPercentage", Kind::integer},
    {"retryGetRecordsInSeconds", Kind::integer_object},
    {"schedulerInitializationBackoffTimeMillis", Kind::whole},
    {"shardSyncIntervalMillis", Kind::whole},
    {"skipShardSyncAtWorkerInitializationIfLeasesExist", Kind::switch_on},
    {"staleWorkerMetricsEntryCleanupDuration", Kind::duration},
    {"taskBackoffTimeMillis", Kind::whole},
    {"varianceBalancingFrequency", Kind::integer},
    {"workerMetricsBillingMode", Kind::choice, "PROVISIONED|PAY_PER_REQUEST"},
    {"workerMetricsDeletionProtectionEnabled", Kind::boolean},
    {"workerMetricsEMAAlpha", Kind::decimal},
    {"workerMetricsPointInTimeRecoveryEnabled", Kind::boolean},
    {"workerMetricsReadCapacity", Kind::whole},
    {"workerMetricsReporterFreqInMillis", Kind::whole},
    {"workerMetricsTableName", Kind::text},
    {"workerMetricsTags", Kind::tags},
    {"workerMetricsWriteCapacity", Kind::whole},
};

// What ConsumeKinesis sets by itself, and the property that does so ("": none).
constexpr std::pair<std::string_view, std::string_view> kOwn[] = {
    {"applicationName", "Application Name"},
    {"callProcessRecordsEvenForEmptyRecordList", ""},
    {"clientVersionConfig", "Client Version Configuration"},
    {"dynamoDBEndpoint", "DynamoDB Override"},
    {"dynamoDbClient.endpointOverride", "DynamoDB Override"},
    {"dynamoDbClient.region", "Region"},
    {"executableName", ""},
    {"failoverTimeMillis", "Failover Time"},
    {"fanoutConfig.consumerName", "Enhanced Fan-Out Consumer Name"},
    {"idleTimeBetweenReadsInMillis", "Poll Interval"},
    {"initialPositionInStream", "Initial Stream Position"},
    {"initialPositionInStreamExtended", "Stream Position Timestamp"},
    {"kinesisClient.endpointOverride", "Endpoint Override URL"},
    {"kinesisClient.region", "Region"},
    {"kinesisEndpoint", "Endpoint Override URL"},
    {"maxRecords", "Max Records per Poll"},
    {"metricsLevel", "Metrics Publishing"},
    {"processingLanguage", ""},
    {"regionName", "Region"},
    {"retrievalMode", "Consumer Type"},
    {"shutdownGraceMillis", "Graceful Shutdown Timeout"},
    {"streamArn", "Stream Name"},
    {"streamName", "Stream Name"},
    {"tableName", "Lease Table Name"},
    {"timeoutInSeconds", ""},
    {"workerId", "Worker ID"},
    {"workerIdentifier", "Worker ID"},
};

template <typename T>
std::optional<std::string> check_whole(std::string_view value, bool zero_means_default) {
  T number{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || number < 0) {
    return fmt::format("'{}' is no whole number from 0 to {}", value,
                       std::numeric_limits<T>::max());
  }
  if (number == 0 && zero_means_default)
    return "the KCL takes 0 for its own default; leave it away";
  return std::nullopt;
}

std::optional<std::string> check_decimal(std::string_view value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc{} && end == value.data() + value.size() && number > 0) return std::nullopt;
  return fmt::format("'{}' is no number above 0", value);
}

std::optional<std::string> check_choice(std::string_view value, std::string_view choices) {
  std::vector<std::string_view> known;
  for (const auto part : choices | std::views::split('|'))
    known.emplace_back(part.begin(), part.end());
  if (std::ranges::find(known, value) != known.end()) return std::nullopt;
  return fmt::format("'{}' is none of {}", value, fmt::join(known, ", "));
}

std::optional<std::string> check_tags(std::string_view value) {
  for (const auto part : value | std::views::split(',')) {
    const std::string_view tag(part.begin(), part.end());
    const std::size_t equals = tag.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return fmt::format("'{}' is no tag of the form key=value", tag);
    }
  }
  return std::nullopt;
}

// Of java.time.Duration what a user writes: PT10S, PT5M, PT1H, P1D.
std::optional<std::string> check_duration(std::string_view value) {
  const bool fits =
      value.size() >= 3 && value.front() == 'P' &&
      std::ranges::all_of(value.substr(1),
                          [](char letter) {
                            return std::string_view("0123456789DTHMS.").find(letter) !=
                                   std::string_view::npos;
                          }) &&
      std::string_view("DHMS").find(value.back()) != std::string_view::npos;
  if (fits) return std::nullopt;
  return fmt::format("'{}' is no duration in ISO 8601, such as PT1H", value);
}

std::optional<std::string> check_value(const Setting& setting, std::string_view value) {
  switch (setting.kind) {
    case Kind::integer:
      return check_whole<std::int32_t>(value, true);
    case Kind::whole:
      return check_whole<std::int64_t>(value, true);
    case Kind::integer_object:
      return check_whole<std::int32_t>(value, false);
    case Kind::whole_object:
      return check_whole<std::int64_t>(value, false);
    case Kind::decimal:
      return check_decimal(value);
    case Kind::switch_on:
      if (value == "true") return std::nullopt;
      return "the KCL takes only 'true' here; anything else leaves its own default";
    case Kind::boolean:
      return check_choice(value, "true|false");
    case Kind::choice:
      return check_choice(value, setting.choices);
    case Kind::duration:
      return check_duration(value);
    case Kind::tags:
      return check_tags(value);
    case Kind::url:
      if (value.starts_with("https://") || value.starts_with("http://")) return std::nullopt;
      return fmt::format("'{}' does not begin with http:// or https://", value);
    case Kind::text:
      if (!value.empty() && value.find_first_of("\r\n") == std::string_view::npos) {
        return std::nullopt;
      }
      return "it must be one line that is not empty";
  }
  std::abort();
}

// Where the KCL's own defaults make a user wait for nothing. The first shard sync of a new
// application sleeps for shardSyncIntervalMillis (60 s) after its work; a leader gives leases only
// to workers whose metrics it has seen (every 30 s), at intervals of twice the failover time; the
// children of a shard that ended are looked for every 10 s. The price is a request or two to
// DynamoDB each few seconds.
constexpr std::pair<const char*, const char*> kQuicker[] = {
    {"inMemoryWorkerMetricsCaptureFrequencyMillis", "1000"},
    {"leaseAssignmentIntervalMillis", "5000"},
    {"parentShardPollIntervalMillis", "2000"},
    {"shardSyncIntervalMillis", "1000"},
    {"workerMetricsReporterFreqInMillis", "5000"},
};

bool names_credentials(std::string_view name) {
  constexpr std::string_view kPrefix = "awscredentialsprovider";
  return name.size() >= kPrefix.size() &&
         std::ranges::equal(name.substr(0, kPrefix.size()), kPrefix, {},
                            [](unsigned char letter) { return std::tolower(letter); });
}

std::int64_t whole_ms(std::chrono::nanoseconds duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

void add_position(const PropertyContext& context, std::map<std::string, std::string>& out) {
  const std::string& position = context.property(initial_position).text();
  if (position != kAtTimestamp) {
    out["initialPositionInStream"] = position;
    return;
  }
  // The KCL counts in seconds. Validated before: it parses.
  const auto instant = text::parse_instant_text(context.property(position_timestamp).text());
  if (!instant) throw ProcessException(position_timestamp.name + ": " + instant.error().message);
  out["initialPositionInStreamExtended"] = std::to_string(instant->epoch_s);
}

void add_retrieval(const PropertyContext& context, std::map<std::string, std::string>& out) {
  if (context.property(consumer_type).text() == kSharedThroughput) {
    out["retrievalMode"] = "POLLING";
    out["idleTimeBetweenReadsInMillis"] =
        std::to_string(whole_ms(context.property(poll_interval).duration()));
    out["maxRecords"] = context.property(max_poll_records).text();
    return;
  }
  out["retrievalMode"] = "FANOUT";
  const PropertyValue consumer = context.property(fan_out_consumer);
  out["fanoutConfig.consumerName"] =
      consumer.is_set() ? consumer.text() : context.property(application_name).text();
}

}  // namespace

std::optional<std::string> check_kcl_property(std::string_view name, std::string_view value) {
  if (names_credentials(name)) {
    return fmt::format("'{}' gives the credentials for all services", credentials.name);
  }
  if (const auto own =
          std::ranges::find(kOwn, name, &std::pair<std::string_view, std::string_view>::first);
      own != std::end(kOwn)) {
    if (own->second.empty()) return "the processor sets it by itself";
    return fmt::format("it is set by the property '{}'", own->second);
  }
  const auto setting = std::ranges::find(kSettings, name, &Setting::name);
  if (setting != std::end(kSettings)) return check_value(*setting, value);
  const std::string nearest = nearest_name(name, kSettings | std::views::transform(&Setting::name));
  return fmt::format("the KCL 3.1.3 knows no such setting{}",
                     nearest.empty() ? "" : fmt::format("; is '{}' meant?", nearest));
}

std::map<std::string, std::string> kcl_properties(const PropertyContext& context,
                                                  const std::string& worker_id) {
  std::map<std::string, std::string> out(std::begin(kQuicker), std::end(kQuicker));
  out["processingLanguage"] = "C++";
  out["streamName"] = context.property(stream_name).text();
  out["applicationName"] = context.property(application_name).text();
  out["workerId"] = worker_id;
  out["regionName"] = context.property(region).text();
  if (const PropertyValue value = context.property(endpoint); value.is_set()) {
    out["kinesisEndpoint"] = value.evaluate();
  }
  if (const PropertyValue value = context.property(dynamodb_endpoint); value.is_set()) {
    out["dynamoDBEndpoint"] = value.evaluate();
  }
  if (const PropertyValue value = context.property(lease_table); value.is_set()) {
    out["tableName"] = value.text();
  }
  out["clientVersionConfig"] = context.property(client_version).text();
  out["failoverTimeMillis"] = std::to_string(whole_ms(context.property(failover_time).duration()));
  out["shutdownGraceMillis"] =
      std::to_string(whole_ms(context.property(shutdown_timeout).duration()));
  out["metricsLevel"] = context.property(consume_kinesis_properties::metrics).text() == "CLOUDWATCH"
                            ? "DETAILED"
                            : "NONE";
  // Without empty calls the last records of a pausing shard could not be checkpointed.
  out["callProcessRecordsEvenForEmptyRecordList"] = "true";
  add_position(context, out);
  add_retrieval(context, out);
  for (const std::string& name : context.dynamic_properties()) {
    out[name] = context.property(name).text();
  }
  return out;
}

}  // namespace weir::processors::kinesis
