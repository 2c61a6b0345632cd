#include <algorithm>
#include <bit>

#include "engine/text/utf16.h"
#include "processors/jolt/values.h"

// Java's hash codes of what a JSON reader makes.
namespace weir::jolt {
namespace {

std::uint32_t hash_of(std::uint64_t bits) {
  return static_cast<std::uint32_t>(bits ^ bits >> 32);
}

std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t character = text::next_code_point(text, at);
    if (character < 0x10000) {
      hash = hash * 31 + character;
    } else {
      hash = hash * 31 + (0xD800 + ((character - 0x10000) >> 10));
      hash = hash * 31 + (0xDC00 + ((character - 0x10000) & 0x3FF));
    }
  }
  return hash;
}

std::uint32_t hash_of(const Value& value) {
  constexpr std::uint32_t of_true = 1231;
  constexpr std::uint32_t of_false = 1237;
  if (value.is_null()) return 0;
  if (value.is_string()) return hash_of(value.as_text());
  if (value.is_array()) {
    std::uint32_t hash = 1;
    for (const Value& item : value.items()) hash = hash * 31 + hash_of(item);
    return hash;
  }
  if (value.is_object()) {
    std::uint32_t hash = 0;
    for (const json::Member& member : value.members()) {
      hash += hash_of(member.name) ^ hash_of(member.value);
    }
    return hash;
  }
  if (value.kind() == json::Kind::boolean) return value.as_boolean() ? of_true : of_false;
  if (is_integer(value)) return static_cast<std::uint32_t>(value.as_integer());
  if (is_decimal(value)) return hash_of(std::bit_cast<std::uint64_t>(value.as_double()));
  return hash_of(static_cast<std::uint64_t>(long_value(value)));
}

}  // namespace

std::vector<json::Member> in_hash_order(const Value& object) {
  constexpr std::size_t fewest_buckets = 16;
  const auto wanted = static_cast<std::size_t>(static_cast<float>(object.size()) / .75F) + 1;
  const std::size_t buckets = std::bit_ceil(std::max(wanted, fewest_buckets));
  std::vector<std::pair<std::size_t, json::Member>> placed;
  for (const json::Member& member : object.members()) {
    const std::uint32_t hash = hash_of(member.name) ^ hash_of(member.value);
    placed.emplace_back((hash ^ hash >> 16) & (buckets - 1), member);
  }
  std::ranges::stable_sort(placed, {}, &std::pair<std::size_t, json::Member>::first);
  std::vector<json::Member> members;
  for (const auto& [bucket, member] : placed) members.push_back(member);
  return members;
}

}  // namespace weir::jolt
