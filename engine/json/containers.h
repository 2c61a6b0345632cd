#pragma once

#include "engine/json/value.h"

// How arrays and objects lie in an Arena. Only for the files that make them.
namespace weir::json {

// Finds members of a large object by name: open addressing, positions counted from 1.
class MemberIndex {
 public:
  bool is_built() const { return slots_ != nullptr; }
  bool is_full(std::size_t size) const { return size * 2 > mask_ + 1; }
  // With room for `room` members.
  void build(Arena& arena, std::span<const Member> members, std::size_t room);
  // The slot that holds the member, or the empty one where it belongs.
  std::uint32_t* find_slot(std::string_view name, std::span<const Member> members) const;

 private:
  std::uint32_t* slots_ = nullptr;
  std::size_t mask_ = 0;
};

struct Value::Array {
  Value* items = nullptr;
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;
};

struct Value::Object {
  static constexpr std::uint32_t indexed_from = 24;  // members; fewer are found one by one

  Member* members = nullptr;
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;
  MemberIndex index;
};

}  // namespace weir::json
