#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/json/arena.h"

namespace weir::json {

enum class Kind : std::uint8_t {
  null,
  boolean,
  integer,      // within 64 bits
  big_integer,  // kept as its digits
  decimal,      // kept as it was written; its value is the nearest double
  string,
  array,
  object,
  key_set,  // what JSONPath's keys() gives: an array that a Java Set stands for
};

class Value;
struct Member;

// A JSON value of 16 bytes, cheap to copy. It owns nothing: strings refer to the text that was
// parsed or to an Arena, arrays and objects live in an Arena. A copy of an array or object is the
// same array or object, as a reference in Java is.
class Value {
 public:
  Value() = default;  // null
  static Value boolean(bool value);
  static Value integer(std::int64_t value);
  static Value decimal(double value, Arena& arena);
  static Value string(std::string_view text);  // refers to `text`
  static Value string(std::string_view text, Arena& arena) { return string(arena.copy(text)); }
  static Value array(Arena& arena, std::size_t capacity = 0);
  static Value object(Arena& arena, std::size_t capacity = 0);
  // For readers: digits of a whole number beyond 64 bits, or a decimal as written.
  static Value number_text(Kind kind, std::string_view text);
  Value as_key_set() const;  // the same array

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }
  bool is_string() const { return kind_ == Kind::string; }
  bool is_array() const { return kind_ == Kind::array; }
  bool is_object() const { return kind_ == Kind::object; }
  bool is_container() const { return is_array() || is_object(); }
  bool is_number() const {
    return kind_ == Kind::integer || kind_ == Kind::big_integer || kind_ == Kind::decimal;
  }

  bool as_boolean() const { return integer_ != 0; }
  std::int64_t as_integer() const { return integer_; }  // of Kind::integer
  double as_double() const;                             // of any number
  // Of a string; of big_integer and decimal their text.
  std::string_view as_text() const { return {text_, size_}; }

  // Of arrays.
  std::span<const Value> items() const;
  std::size_t size() const;  // of objects as well
  void push_back(Arena& arena, Value item);
  void set_item(std::size_t index, Value item);
  void erase_item(std::size_t index);
  void erase_items(std::span<const std::size_t> rising_indexes);

  // Of objects. Members keep their order; a name occurs once.
  std::span<const Member> members() const;
  const Value* find(std::string_view name) const;  // null where there is none
  // Replaces the value of `name`, which keeps its place, or appends the member. The name is
  // referred to, not copied.
  void set(Arena& arena, std::string_view name, Value value);
  bool erase(std::string_view name);
  void erase(std::span<const std::string_view> names);

  // A deep copy that shares nothing with this value but the bytes of strings.
  Value clone(Arena& arena) const;

  // As Java's equals of what Jackson makes: numbers of different kinds differ, the order of
  // members does not matter.
  bool equals(const Value& other) const;
  // The same for all copies of one array or object, and for no other.
  const void* identity() const { return array_; }

 private:
  friend class Reader;
  struct Array;
  struct Object;

  Member* find_member(std::string_view name) const;

  union {
    std::int64_t integer_ = 0;
    const char* text_;
    Array* array_;
    Object* object_;
  };
  std::uint32_t size_ = 0;
  Kind kind_ = Kind::null;
};

struct Member {
  std::string_view name;
  Value value;
};

static_assert(sizeof(Value) == 16);

}  // namespace weir::json
