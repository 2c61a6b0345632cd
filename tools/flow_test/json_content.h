#pragma once

#include <expected>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace weir::flow_test {

// Contents as JSON. What is nested more than a thousand levels deep is refused, so that nothing
// recursive meets it.
std::expected<nlohmann::json, std::string> parse_json(std::string_view text);

// Where two values differ first: "at /orders/0/id: expected 1, got 2". "" where they are equal;
// the order of members does not count.
std::string json_difference(const nlohmann::json& expected, const nlohmann::json& got);

}  // namespace weir::flow_test
