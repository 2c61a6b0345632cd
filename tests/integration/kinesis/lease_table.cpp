#include "tests/integration/kinesis/lease_table.h"

#include <nlohmann/json.hpp>

namespace weir::kinesis_testing {
namespace {

using nlohmann::json;

json call(processors::aws::Client& client, const std::string& operation, const json& request) {
  return json::parse(
      client.call("DynamoDB_20120810." + operation, request.dump(), "application/x-amz-json-1.0"));
}

json text(const std::string& value) {
  return {{"S", value}};
}
json number(std::int64_t value) {
  return {{"N", std::to_string(value)}};
}

json table(const std::string& name) {
  const json throughput = {{"ReadCapacityUnits", 100}, {"WriteCapacityUnits", 100}};
  const json owner_index = {{"IndexName", "LeaseOwnerToLeaseKeyIndex"},
                            {"KeySchema",
                             {{{"AttributeName", "leaseOwner"}, {"KeyType", "HASH"}},
                              {{"AttributeName", "leaseKey"}, {"KeyType", "RANGE"}}}},
                            {"Projection", {{"ProjectionType", "KEYS_ONLY"}}},
                            {"ProvisionedThroughput", throughput}};
  return {{"TableName", name},
          {"AttributeDefinitions",
           {{{"AttributeName", "leaseKey"}, {"AttributeType", "S"}},
            {{"AttributeName", "leaseOwner"}, {"AttributeType", "S"}}}},
          {"KeySchema", json::array({{{"AttributeName", "leaseKey"}, {"KeyType", "HASH"}}})},
          {"GlobalSecondaryIndexes", json::array({owner_index})},
          {"ProvisionedThroughput", throughput}};
}

json item(const Shard& shard) {
  json row = {{"leaseKey", text(shard.id)},
              {"leaseCounter", number(0)},
              {"ownerSwitchesSinceCheckpoint", number(0)},
              {"checkpoint", text("TRIM_HORIZON")},
              {"checkpointSubSequenceNumber", number(0)},
              {"startingHashKey", text(shard.first_hash_key)},
              {"endingHashKey", text(shard.last_hash_key)}};
  if (!shard.parents.empty()) row["parentShardId"] = {{"SS", shard.parents}};
  return row;
}

LeaseRow parse(const json& item) {
  LeaseRow row;
  if (item.contains("leaseOwner")) row.owner = item.at("leaseOwner").at("S");
  row.counter = std::stoll(item.at("leaseCounter").at("N").get<std::string>());
  row.checkpoint.sequence_number = item.at("checkpoint").at("S");
  row.checkpoint.sub_sequence_number =
      std::stoll(item.at("checkpointSubSequenceNumber").at("N").get<std::string>());
  return row;
}

json key(const std::string& shard) {
  return {{"leaseKey", text(shard)}};
}

}  // namespace

bool LeaseRow::in_shard() const {
  return !checkpoint.sequence_number.empty() &&
         checkpoint.sequence_number.find_first_not_of("0123456789") == std::string::npos;
}

void LeaseTable::seed(const std::vector<Shard>& shards) {
  call(*client_, "CreateTable", table(name_));
  const bool active = tools::testing::eventually([&] {
    return call(*client_, "DescribeTable", {{"TableName", name_}}).at("Table").at("TableStatus") ==
           "ACTIVE";
  });
  if (!active) throw std::runtime_error("table " + name_ + " does not get active");
  for (const Shard& shard : shards) {
    call(*client_, "PutItem", {{"TableName", name_}, {"Item", item(shard)}});
  }
}

void LeaseTable::set_checkpoint(const std::string& shard,
                                const processors::kinesis::Position& position) {
  call(*client_, "UpdateItem",
       {{"TableName", name_},
        {"Key", key(shard)},
        {"UpdateExpression", "SET checkpoint = :place, checkpointSubSequenceNumber = :sub"},
        {"ExpressionAttributeValues",
         {{":place", text(position.sequence_number)},
          {":sub", number(position.sub_sequence_number)}}}});
}

std::map<std::string, LeaseRow> LeaseTable::rows() {
  json answer;
  try {
    answer = call(*client_, "Scan", {{"TableName", name_}, {"ConsistentRead", true}});
  } catch (const processors::aws::ServiceError& error) {
    if (error.code() == "ResourceNotFoundException") return {};
    throw;
  }
  std::map<std::string, LeaseRow> rows;
  for (const json& one : answer.at("Items")) rows[one.at("leaseKey").at("S")] = parse(one);
  return rows;
}

std::optional<LeaseRow> LeaseTable::row(const std::string& shard) {
  const auto all = rows();
  const auto found = all.find(shard);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

void LeaseTable::remove(const std::string& shard) {
  call(*client_, "DeleteItem", {{"TableName", name_}, {"Key", key(shard)}});
}

void LeaseTable::take(const std::string& shard, const std::string& owner) {
  call(*client_, "UpdateItem",
       {{"TableName", name_},
        {"Key", key(shard)},
        {"UpdateExpression", "SET leaseOwner = :owner ADD leaseCounter :one"},
        {"ExpressionAttributeValues", {{":owner", text(owner)}, {":one", number(1)}}}});
}

}  // namespace weir::kinesis_testing
