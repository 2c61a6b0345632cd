#include "tests/integration/kinesis/kinesis_control.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "engine/text/base64.h"

namespace weir::kinesis_testing {
namespace {

using nlohmann::json;
using tools::testing::eventually;
__extension__ using HashKey = unsigned __int128;

json call(processors::aws::Client& client, const std::string& operation, const json& request) {
  const std::string answer = client.call("Kinesis_20131202." + operation, request.dump());
  return answer.empty() ? json() : json::parse(answer);
}

HashKey parse(const std::string& digits) {
  HashKey value = 0;
  for (const char digit : digits) value = value * 10 + static_cast<HashKey>(digit - '0');
  return value;
}

std::string print(HashKey value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

}  // namespace

std::string middle_hash_key(const std::string& first, const std::string& last) {
  const HashKey low = parse(first), high = parse(last);
  return print(low + (high - low) / 2);
}

void KinesisControl::create_stream(const std::string& stream, int shards) {
  call(*client_, "CreateStream", {{"StreamName", stream}, {"ShardCount", shards}});
  wait_until_active(stream);
}

void KinesisControl::delete_stream(const std::string& stream) {
  call(*client_, "DeleteStream", {{"StreamName", stream}, {"EnforceConsumerDeletion", true}});
  const bool gone = eventually([&] {
    try {
      call(*client_, "DescribeStreamSummary", {{"StreamName", stream}});
    } catch (const processors::aws::ServiceError& error) {
      return error.code() == "ResourceNotFoundException";
    }
    return false;
  });
  if (!gone) throw std::runtime_error("stream " + stream + " stays");
}

void KinesisControl::wait_until_active(const std::string& stream) {
  const bool active = eventually([&] {
    const json answer = call(*client_, "DescribeStreamSummary", {{"StreamName", stream}});
    return answer.at("StreamDescriptionSummary").at("StreamStatus") == "ACTIVE";
  });
  if (!active) throw std::runtime_error("stream " + stream + " does not get active");
}

std::vector<Shard> KinesisControl::shards(const std::string& stream) {
  const json answer = call(*client_, "ListShards", {{"StreamName", stream}});
  std::vector<Shard> shards;
  for (const json& one : answer.at("Shards")) {
    Shard shard{.id = one.at("ShardId"),
                .first_hash_key = one.at("HashKeyRange").at("StartingHashKey"),
                .last_hash_key = one.at("HashKeyRange").at("EndingHashKey"),
                .parents = {}};
    for (const char* parent : {"ParentShardId", "AdjacentParentShardId"}) {
      if (one.contains(parent) && one.at(parent).is_string())
        shard.parents.push_back(one.at(parent));
    }
    const json& range = one.at("SequenceNumberRange");
    shard.open =
        !range.contains("EndingSequenceNumber") || range.at("EndingSequenceNumber").is_null();
    shards.push_back(std::move(shard));
  }
  std::ranges::sort(shards, {}, &Shard::id);
  return shards;
}

std::vector<Shard> KinesisControl::open_shards(const std::string& stream) {
  std::vector<Shard> all = shards(stream);
  std::erase_if(all, [](const Shard& shard) { return !shard.open; });
  return all;
}

std::vector<Placed> KinesisControl::put(const std::string& stream,
                                        const std::vector<NewRecord>& records) {
  json list = json::array();
  for (const NewRecord& record : records) {
    list.push_back(
        {{"Data", text::base64_encode(record.data)}, {"PartitionKey", record.partition_key}});
    if (!record.hash_key.empty()) list.back()["ExplicitHashKey"] = record.hash_key;
  }
  const json answer = call(*client_, "PutRecords", {{"StreamName", stream}, {"Records", list}});
  if (answer.at("FailedRecordCount") != 0) {
    throw std::runtime_error("not all records were taken: " + answer.dump());
  }
  std::vector<Placed> placed;
  for (const json& one : answer.at("Records")) {
    placed.push_back({.shard = one.at("ShardId"), .sequence_number = one.at("SequenceNumber")});
  }
  return placed;
}

void KinesisControl::split(const std::string& stream, const Shard& shard) {
  call(*client_, "SplitShard",
       {{"StreamName", stream},
        {"ShardToSplit", shard.id},
        {"NewStartingHashKey", middle_hash_key(shard.first_hash_key, shard.last_hash_key)}});
  wait_until_active(stream);
}

void KinesisControl::merge(const std::string& stream, const Shard& lower, const Shard& upper) {
  call(*client_, "MergeShards",
       {{"StreamName", stream}, {"ShardToMerge", lower.id}, {"AdjacentShardToMerge", upper.id}});
  wait_until_active(stream);
}

}  // namespace weir::kinesis_testing
