#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "processors/kinesis/record.h"
#include "tests/integration/kinesis/kinesis_control.h"

namespace weir::kinesis_testing {

struct LeaseRow {
  std::string owner;  // empty: nobody
  std::int64_t counter = 0;
  processors::kinesis::Position checkpoint;  // its sequence number may be TRIM_HORIZON, SHARD_END

  // Whether it stands in the shard, and is neither its beginning nor its end.
  bool in_shard() const;
};

// The KCL's table of leases in DynamoDB.
class LeaseTable {
 public:
  LeaseTable(const LocalServices& services, std::string name)
      : client_(services.dynamodb_client()), name_(std::move(name)) {}

  // Makes the table with a row for each shard, all at TRIM_HORIZON and without an owner. Where the
  // KCL finds it empty, it waits for up to 30 s first.
  void seed(const std::vector<Shard>& shards);
  void set_checkpoint(const std::string& shard, const processors::kinesis::Position& position);
  std::map<std::string, LeaseRow> rows();  // by shard; empty where there is no table
  std::optional<LeaseRow> row(const std::string& shard);
  void remove(const std::string& shard);
  // As another worker does who takes the lease.
  void take(const std::string& shard, const std::string& owner);

 private:
  std::unique_ptr<processors::aws::Client> client_;
  const std::string name_;
};

}  // namespace weir::kinesis_testing
