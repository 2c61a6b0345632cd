#include "engine/json/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "engine/text/character_set.h"
#include "engine/text/utf16.h"

namespace weir::json {
namespace {

// What one large text needed is given back.
constexpr std::size_t most_kept_elements = 16 * 1024;

template <typename T>
void shrink(T& container) {
  if (container.capacity() > most_kept_elements) T().swap(container);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_identifier_part(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::uint64_t each_byte(std::uint8_t byte) {
  return std::uint64_t{0x0101010101010101} * byte;
}

static_assert(std::endian::native == std::endian::little, "bytes are looked at eight at a time");

// Bits at those of eight bytes that are a quote, a backslash, a control character, or not ASCII.
// Only the lowest one is sure: a byte right after such a one may be marked as well.
std::uint64_t special_bytes(std::uint64_t bytes) {
  const auto zeros = [](std::uint64_t x) { return (x - each_byte(1)) & ~x; };
  return (zeros(bytes ^ each_byte('"')) | zeros(bytes ^ each_byte('\\')) |
          (bytes - each_byte(0x20)) | bytes) &
         each_byte(0x80);
}

bool is_special(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte >= 0x80 || c == '"' || c == '\\';
}

// Where the next such byte is.
const char* find_special(const char* at, const char* end) {
  while (end - at >= 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, at, 8);
    const std::uint64_t special = special_bytes(bytes);
    if (special != 0) return at + std::countr_zero(special) / 8;
    at += 8;
  }
  while (at != end && !is_special(*at)) ++at;
  return at;
}

// Tells most names apart without looking at all of their bytes.
std::uint64_t name_mark(std::string_view name) {
  std::uint32_t ends[2] = {};
  if (name.size() >= 4) {
    std::memcpy(&ends[0], name.data(), 4);
    std::memcpy(&ends[1], name.data() + name.size() - 4, 4);
  } else if (!name.empty()) {
    std::memcpy(&ends[0], name.data(), name.size());
  }
  return (std::uint64_t{ends[1]} << 32 | ends[0]) ^ (name.size() << 56);
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  text::append_code_point(out, code_point);
}

}  // namespace

Reader::Scratch& Reader::scratch() {
  thread_local Scratch scratch;
  return scratch;
}

bool Reader::fail(const char* where, std::string message) {
  error_offset_ = static_cast<std::size_t>(where - begin_);
  error_message_ = std::move(message);
  return false;
}

bool Reader::fail_here(std::string_view expected) {
  if (at_ == end_) return fail(at_, fmt::format("the text ends where {} should be", expected));
  const auto byte = static_cast<unsigned char>(*at_);
  if (byte < 0x20 || byte >= 0x7F) {
    return fail(at_, fmt::format("byte 0x{:02X} where {} should be", byte, expected));
  }
  return fail(at_, fmt::format("'{}' where {} should be", *at_, expected));
}

std::optional<Value> Reader::read() {
  open_.clear();
  values_.clear();
  members_.clear();
  Value root;
  const bool is_read = read_document(root) && check_root_end();
  shrink(open_);
  shrink(values_);
  shrink(members_);
  shrink(buffer_);
  if (!is_read) return std::nullopt;
  return root;
}

bool Reader::read_document(Value& root) {
  for (;;) {
    Value value;
    bool opened = false;
    skip_space();
    if (++values_read_ > options_.most_values) {
      return fail(at_, fmt::format("more than {} values", options_.most_values));
    }
    if (!read_value(value, opened)) return false;
    if (opened) continue;
    for (bool closed = true; closed;) {
      if (open_.empty()) {
        root = value;
        return true;
      }
      store(value);
      if (!after_element(closed)) return false;
      if (closed) value = close();
    }
  }
}

void Reader::store(const Value& value) {
  if (open_.back().is_object) {
    members_.back().value = value;
  } else {
    values_.push_back(value);
  }
}

bool Reader::read_value(Value& value, bool& opened) {
  if (at_ == end_) return fail_here("a value");
  switch (*at_) {
    case '{':
      return open_container(true, value, opened);
    case '[':
      return open_container(false, value, opened);
    case '"': {
      std::string_view string;
      if (!read_string(string, options_.longest_string_bytes, "a string")) return false;
      value = Value::string(string);
      return true;
    }
    case 't':
      return read_word("true", Value::boolean(true), value);
    case 'f':
      return read_word("false", Value::boolean(false), value);
    case 'n':
      return read_word("null", Value(), value);
    default:
      return read_number(value);
  }
}

bool Reader::open_container(bool is_object, Value& value, bool& opened) {
  if (open_.size() >= options_.most_nesting) {
    return fail(at_, fmt::format("nested more than {} levels deep", options_.most_nesting));
  }
  ++at_;
  open_.push_back({is_object, is_object ? members_.size() : values_.size()});
  skip_space();
  if (at_ != end_ && *at_ == (is_object ? '}' : ']')) {
    ++at_;
    value = close();
    return true;
  }
  opened = true;
  return !is_object || read_member_name();
}

bool Reader::read_member_name() {
  if (at_ == end_ || *at_ != '"') return fail_here("a name in double quotes");
  std::string_view name;
  if (!read_string(name, options_.longest_name_bytes, "a name")) return false;
  skip_space();
  if (at_ == end_ || *at_ != ':') return fail_here("a colon");
  ++at_;
  members_.push_back({name, Value()});
  return true;
}

bool Reader::after_element(bool& closed) {
  const bool is_object = open_.back().is_object;
  skip_space();
  closed = at_ != end_ && *at_ == (is_object ? '}' : ']');
  if (closed) {
    ++at_;
    return true;
  }
  if (at_ == end_ || *at_ != ',') return fail_here(is_object ? "',' or '}'" : "',' or ']'");
  ++at_;
  if (!is_object) return true;
  skip_space();
  return read_member_name();
}

Value Reader::close() {
  const Open top = open_.back();
  open_.pop_back();
  return top.is_object ? close_object(top.first) : close_array(top.first);
}

Value Reader::close_array(std::size_t first) {
  const std::size_t count = values_.size() - first;
  Value made = Value::array(arena_, count);
  std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(first), count, made.array_->items);
  made.array_->size = static_cast<std::uint32_t>(count);
  values_.resize(first);
  return made;
}

Value Reader::close_object(std::size_t first) {
  if (members_.size() - first >= Value::Object::indexed_from) {
    const Value made = close_large_object(std::span(members_).subspan(first));
    members_.resize(first);
    return made;
  }
  drop_doubled(first);
  const std::size_t count = members_.size() - first;
  Value made = Value::object(arena_, count);
  std::copy_n(members_.begin() + static_cast<std::ptrdiff_t>(first), count, made.object_->members);
  made.object_->size = static_cast<std::uint32_t>(count);
  members_.resize(first);
  return made;
}

Value Reader::close_large_object(std::span<const Member> members) {
  Value made = Value::object(arena_, members.size());
  Value::Object& object = *made.object_;
  object.index.build(arena_, {}, members.size());
  for (const Member& member : members) {
    std::uint32_t* const slot = object.index.find_slot(member.name, made.members());
    if (*slot != 0) {
      object.members[*slot - 1].value = member.value;
      continue;
    }
    object.members[object.size++] = member;
    *slot = object.size;
  }
  return made;
}

void Reader::drop_doubled(std::size_t first) {
  std::array<std::uint64_t, Value::Object::indexed_from> marks;
  std::size_t count = 0;
  for (std::size_t i = first; i < members_.size(); ++i) {
    const Member& member = members_[i];
    const std::uint64_t mark = name_mark(member.name);
    std::size_t same = 0;
    while (same < count && (marks[same] != mark || members_[first + same].name != member.name)) {
      ++same;
    }
    if (same < count) {
      members_[first + same].value = member.value;
      continue;
    }
    marks[count] = mark;
    members_[first + count++] = member;
  }
  members_.resize(first + count);
}

bool Reader::read_word(std::string_view word, Value made, Value& value) {
  const auto left = static_cast<std::size_t>(end_ - at_);
  if (std::string_view(at_, std::min(left, word.size())) != word) {
    return fail(at_, fmt::format("a word that is not {}", word));
  }
  if (left > word.size() && is_identifier_part(at_[word.size()])) {
    return fail(at_, fmt::format("a word that is not {}", word));
  }
  at_ += word.size();
  value = made;
  return true;
}

bool Reader::read_number(Value& value) {
  const char* const start = at_;
  const auto digits = [&] {
    const char* const first = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != first;
  };
  if (*at_ == '-') ++at_;
  const char* const first_digit = at_;
  if (!digits()) {
    if (first_digit == start) return fail_here("a value");
    return fail_here("a digit");
  }
  if (*first_digit == '0' && at_ - first_digit > 1) {
    return fail(first_digit, "a number that begins with 0");
  }
  bool is_decimal = false;
  if (at_ != end_ && *at_ == '.') {
    is_decimal = true;
    ++at_;
    if (!digits()) return fail_here("a digit after the point");
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    is_decimal = true;
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!digits()) return fail_here("a digit of the exponent");
  }
  const auto length = static_cast<std::size_t>(at_ - start);
  if (length > options_.longest_number) {
    return fail(start, fmt::format("a number of more than {} characters", options_.longest_number));
  }
  if (is_decimal) {
    value = Value::number_text(Kind::decimal, {start, length});
    return true;
  }
  std::int64_t whole = 0;
  if (std::from_chars(start, at_, whole).ec == std::errc()) {
    value = Value::integer(whole);
  } else {
    value = Value::number_text(Kind::big_integer, {start, length});
  }
  return true;
}

bool Reader::check_root_end() {
  const bool was_number = at_ != begin_ && is_digit(at_[-1]);
  if (was_number && at_ != end_ && *at_ != ' ' && *at_ != '\t' && *at_ != '\n' && *at_ != '\r') {
    return fail_here("white space after the number");
  }
  if (!options_.whole_text) return true;
  skip_space();
  return at_ == end_ || fail_here("the end");
}

bool Reader::read_string(std::string_view& string, std::size_t longest, const char* what) {
  const char* const start = ++at_;
  bool is_ascii = true;
  for (;;) {
    at_ = find_special(at_, end_);
    if (at_ == end_) return fail(start - 1, fmt::format("{} without its end", what));
    if (*at_ == '"') break;
    if (*at_ == '\\') return read_slow_string(start, string, longest, what);
    if (static_cast<unsigned char>(*at_) < 0x20) return fail_here("a character of a string");
    is_ascii = false;
    while (at_ != end_ && static_cast<unsigned char>(*at_) >= 0x80) ++at_;
  }
  string = {start, static_cast<std::size_t>(at_ - start)};
  ++at_;
  if (!is_ascii && !text::is_valid_utf8(string)) {
    string = arena_.copy(text::repair_utf8(string));
  }
  if (string.size() > longest && text::utf16_length(string) > longest) {
    return fail(start - 1, fmt::format("{} of more than {} characters", what, longest));
  }
  return true;
}

bool Reader::read_slow_string(const char* start, std::string_view& string, std::size_t longest,
                              const char* what) {
  std::string& out = buffer_;
  out.assign(start, at_);
  for (;;) {
    const char* const plain = at_;
    while (at_ != end_ && static_cast<unsigned char>(*at_) >= 0x20 && *at_ != '"' && *at_ != '\\') {
      ++at_;
    }
    out.append(plain, at_);
    if (at_ == end_) return fail(start - 1, fmt::format("{} without its end", what));
    if (*at_ == '"') break;
    if (*at_ != '\\') return fail_here("a character of a string");
    ++at_;
    if (!read_escape(out)) return false;
  }
  ++at_;
  string = arena_.copy(text::is_valid_utf8(out) ? std::string_view(out)
                                                : std::string_view(text::repair_utf8(out)));
  if (string.size() > longest && text::utf16_length(string) > longest) {
    return fail(start - 1, fmt::format("{} of more than {} characters", what, longest));
  }
  return true;
}

bool Reader::read_escape(std::string& out) {
  if (at_ == end_) return fail_here("an escaped character");
  switch (*at_++) {
    case '"':
      out += '"';
      return true;
    case '\\':
      out += '\\';
      return true;
    case '/':
      out += '/';
      return true;
    case 'b':
      out += '\b';
      return true;
    case 'f':
      out += '\f';
      return true;
    case 'n':
      out += '\n';
      return true;
    case 'r':
      out += '\r';
      return true;
    case 't':
      out += '\t';
      return true;
    case 'u':
      break;
    default:
      --at_;
      return fail_here("an escaped character");
  }
  std::uint32_t unit = 0;
  if (!read_unicode_escape(unit)) return false;
  const bool is_high = unit >= 0xD800 && unit < 0xDC00;
  if (is_high && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u') {
    const char* const second = at_;
    at_ += 2;
    std::uint32_t low = 0;
    if (!read_unicode_escape(low)) return false;
    if (low >= 0xDC00 && low < 0xE000) {
      append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
      return true;
    }
    at_ = second;
  }
  append_utf8(out, unit);  // half of a pair becomes '?', as Java writes it
  return true;
}

bool Reader::read_unicode_escape(std::uint32_t& unit) {
  if (end_ - at_ < 4) return fail(at_, "\\u without four hexadecimal digits");
  const auto [end, error] = std::from_chars(at_, at_ + 4, unit, 16);
  if (error != std::errc() || end != at_ + 4) {
    return fail(at_, "\\u without four hexadecimal digits");
  }
  at_ += 4;
  return true;
}

}  // namespace weir::json
