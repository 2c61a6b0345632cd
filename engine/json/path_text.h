#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "engine/json/path.h"

// What Expression Language's jsonPath functions do: text in, text out. Thread safe.
namespace weir::json {

// A value as Expression Language has it; monostate is null.
using Scalar = std::variant<std::monostate, bool, std::int64_t, double, std::string_view>;

// The error of all these: `json` is empty, null, or not JSON (an evaluation error there).
// What the path cannot do with the document is no error but an empty text.

// jsonPath: the text of a scalar, compact JSON of anything else; of an array of one element that
// element. "" where nothing is found.
std::expected<std::string, std::string> path_text(std::string_view json, const JsonPath& path);

// jsonPathDelete, jsonPathAdd, jsonPathSet: the changed document as compact JSON, unchanged where
// the path finds nothing.
std::expected<std::string, std::string> path_delete(std::string_view json, const JsonPath& path);
std::expected<std::string, std::string> path_add(std::string_view json, const JsonPath& path,
                                                 const Scalar& value);
std::expected<std::string, std::string> path_set(std::string_view json, const JsonPath& path,
                                                 const Scalar& value);

// jsonPathPut: `value` is always stored as a string, nullopt as null. "" where the path finds
// nothing, or no object, or the key is empty.
std::expected<std::string, std::string> path_put(std::string_view json, const JsonPath& path,
                                                 std::string_view key,
                                                 std::optional<std::string_view> value);

}  // namespace weir::json
