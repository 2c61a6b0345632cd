#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repositories/flowfile/flow_file_record.h"

namespace weir::runtime {

// NiFi's prioritizers in the order the connection names them; a tie goes to the next one, and in
// the end to the order of arrival.
class Prioritizers {
 public:
  // Last parts of the type names; unknown ones are left out (the flow check warns of them).
  explicit Prioritizers(const std::vector<std::string>& names = {});

  bool empty() const { return kinds_.empty(); }
  // Negative: `a` goes first; positive: `b`; zero: the order of arrival decides.
  int compare(const flowfile::FlowFileRecord& a, const flowfile::FlowFileRecord& b) const;

 private:
  enum class Kind { first_in_first_out, newest_first, oldest_first, priority_attribute };
  std::vector<Kind> kinds_;
};

}  // namespace weir::runtime
