#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/integration/kinesis/local_services.h"

namespace weir::kinesis_testing {

struct Shard {
  std::string id;
  std::string first_hash_key, last_hash_key;
  std::vector<std::string> parents;
  bool open = true;
};

struct NewRecord {
  std::string data;
  std::string partition_key;
  std::string hash_key = {};  // chooses the shard; empty: the partition key does
};

// Where a record went.
struct Placed {
  std::string shard;
  std::string sequence_number;
};

// What tests do with streams. Each throws where the service refuses. Thread safe.
class KinesisControl {
 public:
  explicit KinesisControl(const LocalServices& services) : client_(services.kinesis_client()) {}

  void create_stream(const std::string& stream, int shards);  // waits until it is there
  void delete_stream(const std::string& stream);              // waits until it is gone
  std::vector<Shard> shards(const std::string& stream);       // open and closed ones, by id
  std::vector<Shard> open_shards(const std::string& stream);
  // In this order. One call for at most 500 records and 4 MB.
  std::vector<Placed> put(const std::string& stream, const std::vector<NewRecord>& records);
  // In the middle; waits until the children are there.
  void split(const std::string& stream, const Shard& shard);
  void merge(const std::string& stream, const Shard& lower, const Shard& upper);

 private:
  void wait_until_active(const std::string& stream);

  std::unique_ptr<processors::aws::Client> client_;
};

// The hash key in the middle between two others, all as decimal digits.
std::string middle_hash_key(const std::string& first, const std::string& last);

}  // namespace weir::kinesis_testing
