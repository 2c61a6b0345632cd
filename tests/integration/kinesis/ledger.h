#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/integration/kinesis/kinesis_engine.h"
#include "tests/integration/kinesis/lease_table.h"

namespace weir::kinesis_testing {

// What came out, put beside what went in. Each check returns one line for each thing that is
// wrong, at most ten.
class Ledger {
 public:
  Ledger(std::vector<Delivery> deliveries, Sink& sink);
  // Of several engines on one application, in the order of time.
  static Ledger merged(std::vector<std::pair<std::vector<Delivery>, Sink*>> engines);

  // Every record came out.
  std::vector<std::string> check_complete(const LaneCounts& sent) const;
  // The first occurrences of a lane's records come in their order.
  std::vector<std::string> check_order() const;
  // What came out since `time_ms` lies behind the checkpoints that were known then.
  std::vector<std::string> check_behind(const std::map<std::string, LeaseRow>& checkpoints,
                                        std::int64_t time_ms) const;
  std::size_t duplicates() const;
  std::size_t records() const;  // duplicates too

 private:
  struct Entry {
    Delivery delivery;
    std::vector<RecordName> records;
  };
  Ledger() = default;
  void add(std::vector<Delivery> deliveries, Sink& sink);

  std::vector<Entry> entries_;            // in the order of commits
  std::vector<std::string> not_written_;  // FlowFiles that no sink has
};

std::int64_t now_ms();

}  // namespace weir::kinesis_testing
