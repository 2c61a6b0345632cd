#include "engine/json/value.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "engine/json/containers.h"
#include "engine/text/java_number.h"

namespace weir::json {
namespace {

std::uint32_t grown(std::uint32_t capacity) {
  return std::max<std::uint32_t>(4, capacity * 2);
}

template <typename T>
void grow(Arena& arena, T*& elements, std::uint32_t size, std::uint32_t& capacity) {
  capacity = grown(capacity);
  T* const larger = arena.allocate_array<T>(capacity);
  std::copy_n(elements, size, larger);
  elements = larger;
}

}  // namespace

void MemberIndex::build(Arena& arena, std::span<const Member> members, std::size_t room) {
  std::size_t capacity = 64;
  while (capacity < room * 2) capacity *= 2;
  slots_ = arena.allocate_array<std::uint32_t>(capacity);
  std::fill_n(slots_, capacity, 0);
  mask_ = capacity - 1;
  for (std::size_t i = 0; i < members.size(); ++i) {
    *find_slot(members[i].name, members) = static_cast<std::uint32_t>(i + 1);
  }
}

std::uint32_t* MemberIndex::find_slot(std::string_view name,
                                      std::span<const Member> members) const {
  std::size_t at = std::hash<std::string_view>{}(name)&mask_;
  while (slots_[at] != 0 && members[slots_[at] - 1].name != name) at = (at + 1) & mask_;
  return slots_ + at;
}

Value Value::boolean(bool value) {
  Value made;
  made.kind_ = Kind::boolean;
  made.integer_ = value ? 1 : 0;
  return made;
}

Value Value::integer(std::int64_t value) {
  Value made;
  made.kind_ = Kind::integer;
  made.integer_ = value;
  return made;
}

Value Value::number_text(Kind kind, std::string_view text) {
  Value made;
  made.kind_ = kind;
  made.text_ = text.data();
  made.size_ = static_cast<std::uint32_t>(text.size());
  return made;
}

Value Value::decimal(double value, Arena& arena) {
  return number_text(Kind::decimal, arena.copy(text::double_to_string(value)));
}

Value Value::string(std::string_view text) {
  return number_text(Kind::string, text);
}

Value Value::array(Arena& arena, std::size_t capacity) {
  Value made;
  made.kind_ = Kind::array;
  made.array_ = static_cast<Array*>(arena.allocate(sizeof(Array)));
  *made.array_ = {arena.allocate_array<Value>(capacity), 0, static_cast<std::uint32_t>(capacity)};
  return made;
}

Value Value::object(Arena& arena, std::size_t capacity) {
  Value made;
  made.kind_ = Kind::object;
  made.object_ = static_cast<Object*>(arena.allocate(sizeof(Object)));
  *made.object_ = {arena.allocate_array<Member>(capacity), 0, static_cast<std::uint32_t>(capacity),
                   MemberIndex()};
  return made;
}

Value Value::as_key_set() const {
  Value made = *this;
  made.kind_ = Kind::key_set;
  return made;
}

double Value::as_double() const {
  if (kind_ == Kind::integer) return static_cast<double>(integer_);
  double value = 0;
  const auto [end, error] = std::from_chars(text_, text_ + size_, value);
  if (error == std::errc::result_out_of_range)
    value = std::strtod(std::string(as_text()).c_str(), nullptr);
  return value;
}

std::span<const Value> Value::items() const {
  return {array_->items, array_->size};
}

std::size_t Value::size() const {
  return kind_ == Kind::object ? object_->size : array_->size;
}

void Value::push_back(Arena& arena, Value item) {
  Array& array = *array_;
  if (array.size == array.capacity) grow(arena, array.items, array.size, array.capacity);
  array.items[array.size++] = item;
}

void Value::set_item(std::size_t index, Value item) {
  array_->items[index] = item;
}

void Value::erase_item(std::size_t index) {
  std::copy(array_->items + index + 1, array_->items + array_->size, array_->items + index);
  --array_->size;
}

void Value::erase_items(std::span<const std::size_t> rising_indexes) {
  if (rising_indexes.empty()) return;
  std::size_t kept = rising_indexes.front();
  auto next = rising_indexes.begin();
  for (std::size_t i = kept; i < array_->size; ++i) {
    if (next != rising_indexes.end() && *next == i) {
      ++next;
    } else {
      array_->items[kept++] = array_->items[i];
    }
  }
  array_->size = static_cast<std::uint32_t>(kept);
}

std::span<const Member> Value::members() const {
  return {object_->members, object_->size};
}

Member* Value::find_member(std::string_view name) const {
  const Object& object = *object_;
  if (object.index.is_built()) {
    const std::uint32_t slot = *object.index.find_slot(name, members());
    return slot == 0 ? nullptr : object.members + slot - 1;
  }
  for (Member *at = object.members, *end = at + object.size; at != end; ++at) {
    if (at->name == name) return at;
  }
  return nullptr;
}

const Value* Value::find(std::string_view name) const {
  const Member* const member = find_member(name);
  return member ? &member->value : nullptr;
}

void Value::set(Arena& arena, std::string_view name, Value value) {
  if (Member* const found = find_member(name)) {
    found->value = value;
    return;
  }
  Object& object = *object_;
  if (object.size == object.capacity) grow(arena, object.members, object.size, object.capacity);
  object.members[object.size++] = {name, value};
  if (object.size < Object::indexed_from) return;
  if (!object.index.is_built() || object.index.is_full(object.size)) {
    object.index.build(arena, members(), object.capacity);
  } else {
    *object.index.find_slot(name, members()) = object.size;
  }
}

bool Value::erase(std::string_view name) {
  const std::uint32_t before = object_->size;
  erase(std::span(&name, 1));
  return object_->size < before;
}

void Value::erase(std::span<const std::string_view> names) {
  static constexpr char removed = 0;  // a name that stands here is gone
  Object& object = *object_;
  for (const std::string_view name : names) {
    if (Member* const member = find_member(name)) member->name = {&removed, 0};
  }
  Member* const end =
      std::remove_if(object.members, object.members + object.size,
                     [](const Member& member) { return member.name.data() == &removed; });
  object.size = static_cast<std::uint32_t>(end - object.members);
  object.index = MemberIndex();
}

Value Value::clone(Arena& arena) const {
  if (is_array()) {
    Value made = array(arena, size());
    for (const Value& item : items()) made.push_back(arena, item.clone(arena));
    return made;
  }
  if (is_object()) {
    Value made = object(arena, size());
    for (const Member& member : members()) {
      made.set(arena, member.name, member.value.clone(arena));
    }
    return made;
  }
  return *this;
}

bool Value::equals(const Value& other) const {
  if (kind_ != other.kind_) return false;
  switch (kind_) {
    case Kind::null:
      return true;
    case Kind::boolean:
    case Kind::integer:
      return integer_ == other.integer_;
    case Kind::decimal:
      return as_double() == other.as_double();
    case Kind::big_integer:
    case Kind::string:
      return as_text() == other.as_text();
    case Kind::array:
    case Kind::key_set:
      return std::ranges::equal(items(), other.items(),
                                [](const Value& a, const Value& b) { return a.equals(b); });
    case Kind::object:
      return size() == other.size() && std::ranges::all_of(members(), [&](const Member& member) {
               const Value* const found = other.find(member.name);
               return found && member.value.equals(*found);
             });
  }
  return false;
}

}  // namespace weir::json
