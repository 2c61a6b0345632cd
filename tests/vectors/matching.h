#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/processors/bench/test_bench.h"

namespace weir::vectors {

// The content that a case describes: contentUtf8, contentBase64 or contentRule.
std::string content_of(const nlohmann::json& described);

// Compares FlowFiles with what a case expects. Remembers the meaning of @uuidN@ placeholders from
// call to call.
class Matcher {
 public:
  struct Settings {
    std::string directory;      // what @dir@ stands for
    bool decoded_only = false;  // compressed bytes may differ
    bool any_order = false;
    bool json_key_order_free = false;
    bool csv_column_order_free = false;
    std::set<std::string> loose_attributes = {};  // must be there, whatever their values are
    std::string component_id = {};                // what @processorId stands for
  };
  explicit Matcher(Settings settings) : settings_(std::move(settings)) {}

  // Sentences about what differs; empty: nothing.
  std::vector<std::string> match(const nlohmann::json& wanted,
                                 const std::vector<bench::Output>& got);
  // A text with its uuids and @uuidN placeholders replaced by one sign.
  static std::string without_uuids(const std::string& text);

 private:
  using Uuids = std::map<std::string, std::string>;  // placeholder -> uuid

  std::string difference(const nlohmann::json& wanted, const bench::Output& got,
                         Uuids& uuids) const;
  std::string attribute_difference(const nlohmann::json& wanted, const bench::Output& got,
                                   Uuids& uuids) const;
  std::string content_difference(const nlohmann::json& wanted, const bench::Output& got) const;
  bool same_text(const std::string& wanted, const std::string& got, Uuids& uuids) const;

  Settings settings_;
  Uuids uuids_;
};

}  // namespace weir::vectors
