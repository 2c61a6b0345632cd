#include "engine/json/write.h"

#include <array>
#include <charconv>
#include <cmath>

#include "engine/text/java_number.h"

namespace weir::json {
namespace {

constexpr char hex_digits[] = "0123456789ABCDEF";

// What each ASCII character needs: 0 nothing, 'u' a \u escape, else the letter after a backslash.
constexpr auto escapes = [] {
  std::array<char, 256> table{};
  for (int c = 0; c < 0x20; ++c) table[static_cast<std::size_t>(c)] = 'u';
  table['\b'] = 'b';
  table['\f'] = 'f';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  table['"'] = '"';
  table['\\'] = '\\';
  return table;
}();

void append_decimal(const Value& value, std::string& out, bool is_plain) {
  const double number = value.as_double();
  if (!is_plain || !std::isfinite(number)) {
    text::append_double(out, number);
    return;
  }
  char digits[400];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed);
  const std::string_view text(digits, end);
  out += text;
  if (text.find('.') == std::string_view::npos) out += ".0";
}

class Writer {
 public:
  Writer(std::string& out, const WriteOptions& options) : out_(out), options_(options) {}

  void write(const Value& value) {
    switch (value.kind()) {
      case Kind::null:
        out_ += "null";
        return;
      case Kind::boolean:
        out_ += value.as_boolean() ? "true" : "false";
        return;
      case Kind::integer:
        text::append_whole(out_, value.as_integer());
        return;
      case Kind::big_integer:
        out_ += value.as_text();
        return;
      case Kind::decimal:
        write_decimal(value);
        return;
      case Kind::string:
        write_string(value.as_text(), out_);
        return;
      case Kind::array:
      case Kind::key_set:
        write_array(value);
        return;
      case Kind::object:
        write_object(value);
        return;
    }
  }

 private:
  // JSON has no infinity: Jackson writes it as a string.
  void write_decimal(const Value& value) {
    const bool is_finite = std::isfinite(value.as_double());
    if (!is_finite) out_ += '"';
    append_decimal(value, out_, options_.plain_decimals);
    if (!is_finite) out_ += '"';
  }

  void write_array(const Value& value) {
    const bool is_pretty = options_.layout == Layout::pretty;
    const auto items = value.items();
    out_ += '[';
    if (is_pretty) out_ += ' ';
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_ += is_pretty ? ", " : ",";
      write(items[i]);
    }
    if (is_pretty && !items.empty()) out_ += ' ';
    out_ += ']';
  }

  void write_object(const Value& value) {
    const bool is_pretty = options_.layout == Layout::pretty;
    const auto members = value.members();
    out_ += '{';
    ++depth_;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out_ += ',';
      if (is_pretty) indent();
      write_string(members[i].name, out_);
      out_ += is_pretty ? " : " : ":";
      write(members[i].value);
    }
    --depth_;
    if (is_pretty) {
      if (members.empty()) {
        out_ += ' ';
      } else {
        indent();
      }
    }
    out_ += '}';
  }

  void indent() {
    out_ += '\n';
    out_.append(depth_ * 2, ' ');
  }

  std::string& out_;
  const WriteOptions& options_;
  std::size_t depth_ = 0;
};

}  // namespace

void write(const Value& value, std::string& out, const WriteOptions& options) {
  Writer(out, options).write(value);
}

std::string to_json(const Value& value, const WriteOptions& options) {
  std::string out;
  write(value, out, options);
  return out;
}

void write_string(std::string_view text, std::string& out) {
  out += '"';
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char escape = escapes[static_cast<unsigned char>(text[i])];
    if (escape == 0) continue;
    out.append(text, copied, i - copied);
    copied = i + 1;
    out += '\\';
    out += escape;
    if (escape == 'u') {
      const auto byte = static_cast<unsigned char>(text[i]);
      out += "00";
      out += hex_digits[byte >> 4];
      out += hex_digits[byte & 15];
    }
  }
  out.append(text, copied);
  out += '"';
}

void append_java_text(const Value& value, std::string& out) {
  switch (value.kind()) {
    case Kind::string:
      out += value.as_text();
      return;
    case Kind::decimal:
      append_decimal(value, out, false);
      return;
    case Kind::array:
    case Kind::key_set: {
      out += '[';
      bool is_first = true;
      for (const Value& item : value.items()) {
        if (!is_first) out += ", ";
        is_first = false;
        append_java_text(item, out);
      }
      out += ']';
      return;
    }
    case Kind::object: {
      out += '{';
      bool is_first = true;
      for (const Member& member : value.members()) {
        if (!is_first) out += ", ";
        is_first = false;
        out += member.name;
        out += '=';
        append_java_text(member.value, out);
      }
      out += '}';
      return;
    }
    default:
      write(value, out);
  }
}

}  // namespace weir::json
