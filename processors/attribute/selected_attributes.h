#pragma once

#include <array>
#include <string>
#include <string_view>

#include "engine/api/flow_file.h"
#include "engine/api/pattern.h"

namespace weir::processors {

// NiFi's CoreAttributes, in its order.
inline constexpr std::array<std::string_view, 8> core_attributes = {
    attribute::path,           attribute::absolute_path,
    attribute::filename,       attribute::uuid,
    attribute::priority,       attribute::mime_type,
    attribute::discard_reason, attribute::alternate_identifier};

bool is_core_attribute(std::string_view name);

// Attributes in the order they were first put in. Few: looking one up is a walk over all.
class SelectedAttributes {
 public:
  struct Selected {
    std::string name;
    std::string value;
    bool is_null = false;
  };

  // A name that is there keeps its place and gets the new value.
  void put(std::string_view name, std::string_view value, bool is_null = false);
  // All of the FlowFile's, `uuid` too, by name; with a pattern those whose whole name it matches.
  void put_all(const FlowFile& flow_file, const Pattern* pattern);
  template <typename Predicate>
  void remove_if(Predicate predicate) {
    std::erase_if(all_, [&](const Selected& one) { return predicate(one.name); });
  }

  const std::vector<Selected>& all() const { return all_; }

 private:
  std::vector<Selected> all_;
};

}  // namespace weir::processors
