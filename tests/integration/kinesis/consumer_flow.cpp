#include "tests/integration/kinesis/consumer_flow.h"

#include <nlohmann/json.hpp>

namespace weir::kinesis_testing {

using nlohmann::json;

std::map<std::string, std::string> consumer_properties(const LocalServices& services,
                                                       const ConsumerSpec& consumer) {
  std::map<std::string, std::string> properties = {
      {"Stream Name", consumer.stream},
      {"Application Name", consumer.application},
      {"Region", kRegion},
      {"Endpoint Override URL", services.kinesis()},
      {"DynamoDB Override", services.dynamodb()},
      {"Consumer Type", "SHARED_THROUGHPUT"},
      {"Client Version Configuration", "CLIENT_VERSION_CONFIG_COMPATIBLE_WITH_2X"},
      {"Checkpoint Interval", "0 sec"},
      {"Failover Time", "2 sec"},
      {"Poll Interval", "250 ms"},
      {"Graceful Shutdown Timeout", "15 sec"},
      {"KCL Heap Size", "128 MB"},
      {"inMemoryWorkerMetricsCaptureFrequencyMillis", "500"},
      {"leaseAssignmentIntervalMillis", "1000"},
      {"parentShardPollIntervalMillis", "500"},
      {"schedulerInitializationBackoffTimeMillis", "200"},
      {"shardSyncIntervalMillis", "1000"},
      {"workerMetricsReporterFreqInMillis", "1000"}};
  for (const auto& [name, value] : consumer.properties) properties[name] = value;
  return properties;
}

std::string consumer_flow(const LocalServices& services, const std::vector<ConsumerSpec>& consumers,
                          const std::filesystem::path& out,
                          const std::map<std::string, std::string>& parameters) {
  json flow = {
      {"name", "kinesis"},
      {"services",
       {{"credentials",
         {{"type", "AWSCredentialsProviderControllerService"},
          {"properties", {{"Access Key ID", kAccessKey}, {"Secret Access Key", kSecretKey}}}}}}},
      {"processors", json::object()},
      {"connections", json::array()}};
  for (const auto& [name, file] : parameters) flow["parameters"][name] = {{"file", file}};
  for (const ConsumerSpec& consumer : consumers) {
    json properties = consumer_properties(services, consumer);
    properties["AWS Credentials Provider Service"] = {{"service", "credentials"}};
    flow["processors"][consumer.name] = {{"type", "ConsumeKinesis"},
                                         {"properties", properties},
                                         {"concurrentTasks", 2},
                                         {"yieldDuration", "1 sec"},
                                         {"penaltyDuration", "1 sec"}};
    const std::string writer = "write " + consumer.name;
    flow["processors"][writer] = {{"type", "PutFile"},
                                  {"state", consumer.state},
                                  {"autoTerminate", {"success"}},
                                  {"properties",
                                   {{"Directory", (out / consumer.name).string()},
                                    {"Conflict Resolution Strategy", "replace"}}}};
    flow["connections"].push_back({{"from", consumer.name},
                                   {"to", writer},
                                   {"relationships", {"success"}},
                                   {"backpressure", {{"count", consumer.backpressure}}}});
    flow["connections"].push_back(
        {{"from", writer}, {"to", writer}, {"relationships", {"failure"}}});
  }
  return flow.dump(2);
}

}  // namespace weir::kinesis_testing
