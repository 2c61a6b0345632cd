#include "processors/content/mime_config.h"

#include <expat.h>
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <memory>
#include <new>

#include "engine/text/java_case.h"

namespace weir::processors {
namespace {

using Attributes = std::map<std::string, std::string, std::less<>>;

// What a value in a configuration cannot be.
struct BadValue {
  std::string message;
};

std::size_t to_number(std::string_view text, int radix = 10) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, radix);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw BadValue{fmt::format("\"{}\" is no number", text)};
  }
  return number;
}

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    bytes += static_cast<char>(to_number(digits.substr(at, 2), 16));
  }
  return bytes;
}

// Characters as bytes, \n \r \\ \xHH and up to three octal digits.
std::string unescaped(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      bytes += text[at++];
      continue;
    }
    const char next = text[at + 1];
    if (next == '\\' || next == 'n' || next == 'r') {
      bytes += next == 'n' ? '\n' : next == 'r' ? '\r' : '\\';
      at += 2;
    } else if (next == 'x') {
      bytes += static_cast<char>(to_number(text.substr(at + 2, 2), 16));
      at += 4;
    } else {
      std::size_t end = at + 1;
      while (end < text.size() && end < at + 4 && text[end] >= '0' && text[end] <= '7') ++end;
      bytes += static_cast<char>(to_number(text.substr(at + 1, end - at - 1), 8));
      at = end;
    }
  }
  return bytes;
}

std::string in_two_bytes(const std::string& text, bool big_endian) {
  std::string bytes;
  for (const char c : text) {
    if (big_endian) bytes += '\0';
    bytes += c;
    if (!big_endian) bytes += '\0';
  }
  return bytes;
}

// The bytes that a value of a type stands for.
std::string bytes_of(std::string_view value, std::string_view type) {
  const bool is_hex = value.starts_with("0x");
  if (type == "string" || type == "stringignorecase" || type == "regex") {
    if (is_hex) return from_hex(value.substr(2));
    return unescaped(type == "stringignorecase" ? text::to_lower(value) : std::string(value));
  }
  if (type == "unicodeLE" || type == "unicodeBE") {
    return is_hex ? from_hex(value.substr(2)) : in_two_bytes(unescaped(value), type == "unicodeBE");
  }
  if (type == "byte") return std::string(is_hex ? value.substr(2) : value);
  const bool is_wide = type.ends_with("32");
  const bool is_big = type.starts_with("big");
  if (!is_wide && !type.ends_with("16")) throw BadValue{fmt::format("no type \"{}\"", type)};
  const std::size_t number = is_hex ? to_number(value.substr(2), 16) : to_number(value, 8);
  std::string bytes;
  const int size = is_wide ? 4 : 2;
  for (int index = 0; index < size; ++index) {
    const int shift = 8 * (is_big ? size - 1 - index : index);
    bytes += static_cast<char>(number >> shift & 0xFF);
  }
  return bytes;
}

class ConfigurationReader {
 public:
  ConfigurationReader(MimeTypes& types)
      : types_(types), parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetStartDoctypeDeclHandler(parser_.get(), on_doctype);
  }

  std::expected<void, std::string> read(std::string_view xml) {
    const XML_Status status =
        XML_Parse(parser_.get(), xml.data(), static_cast<int>(xml.size()), XML_TRUE);
    if (status == XML_STATUS_OK && failure_.empty()) return {};
    if (failure_.empty()) failure_ = with_place(XML_ErrorString(XML_GetErrorCode(parser_.get())));
    return std::unexpected(failure_);
  }

 private:
  static void on_start(void* data, const XML_Char* name, const XML_Char** attributes) {
    ConfigurationReader& self = *static_cast<ConfigurationReader*>(data);
    if (!self.failure_.empty()) return;
    Attributes values;
    for (const XML_Char** at = attributes; *at; at += 2) values[at[0]] = at[1];
    try {
      self.start(name, values);
    } catch (const BadValue& bad) {  // nothing may pass through expat
      self.fail(bad.message);
    }
  }
  static void on_end(void* data, const XML_Char* name) {
    ConfigurationReader& self = *static_cast<ConfigurationReader*>(data);
    if (self.failure_.empty()) self.end(name);
  }
  static void on_doctype(void* data, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    static_cast<ConfigurationReader*>(data)->fail("a document type declaration is not allowed");
  }

  std::string with_place(std::string_view message) const {
    return fmt::format("{} at line {}, column {}", message, XML_GetCurrentLineNumber(parser_.get()),
                       XML_GetCurrentColumnNumber(parser_.get()) + 1);
  }

  void fail(std::string_view message) {
    failure_ = with_place(message);
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  static const std::string& needed(const Attributes& attributes, std::string_view name) {
    const auto found = attributes.find(name);
    if (found == attributes.end()) throw BadValue{fmt::format("no attribute {}", name)};
    return found->second;
  }
  static std::string given(const Attributes& attributes, std::string_view name,
                           std::string fallback = "") {
    const auto found = attributes.find(name);
    return found == attributes.end() ? fallback : found->second;
  }
  static std::string type_name(const std::string& text) {
    const std::string name = text::to_lower(text::trim(text));
    const std::size_t slash = name.find('/');
    if (slash == 0 || slash == std::string::npos || slash + 1 == name.size()) {
      throw BadValue{fmt::format("\"{}\" is no MIME type", text)};
    }
    return name.substr(0, name.find(';'));
  }

  void start(std::string_view name, const Attributes& attributes) {
    if (name == "mime-type") {
      type_ = type_name(needed(attributes, "type"));
      return;
    }
    if (type_.empty()) return;
    if (name == "alias") {
      types_.add_alias(type_, type_name(needed(attributes, "type")));
    } else if (name == "sub-class-of") {
      types_.add_parent(type_, type_name(needed(attributes, "type")));
    } else if (name == "root-XML") {
      types_.add_root(type_, given(attributes, "namespaceURI"), given(attributes, "localName"));
    } else if (name == "glob") {
      add_glob(attributes);
    } else if (name == "magic") {
      const std::string priority = given(attributes, "priority", "50");
      priority_ = static_cast<int>(to_number(priority.empty() ? "50" : priority));
    } else if (name == "match") {
      constexpr std::size_t deepest_match = 20;
      if (open_.size() == deepest_match) throw BadValue{"match elements are nested too deeply"};
      open_.push_back(read_match(attributes));
    }
  }

  void add_glob(const Attributes& attributes) {
    const std::string& pattern = needed(attributes, "pattern");
    if (given(attributes, "isregex") != "true") {
      if (!types_.add_glob(type_, pattern)) {
        throw BadValue{fmt::format("the pattern {} is that of another type", pattern)};
      }
      return;
    }
    auto expression = Pattern::compile(pattern);
    if (!expression) throw BadValue{expression.error()};
    types_.add_name_expression(type_, std::move(*expression));
  }

  // The element's own condition; those within it come later.
  static MagicRule read_match(const Attributes& attributes) {
    if (const auto least = attributes.find("minShouldMatch"); least != attributes.end()) {
      return {.kind = MagicRule::Kind::at_least, .least = to_number(least->second)};
    }
    MagicRule rule;
    const std::string type = given(attributes, "type", "string");
    const std::string offset = given(attributes, "offset", "0");
    const std::size_t colon = offset.find(':');
    MagicMatch& match = rule.match;
    match.first_offset = to_number(offset.substr(0, colon));
    match.last_offset =
        colon == std::string::npos ? match.first_offset : to_number(offset.substr(colon + 1));
    match.bytes = bytes_of(needed(attributes, "value"), type);
    if (match.last_offset < match.first_offset || match.bytes.empty()) {
      throw BadValue{"an empty value, or an offset before the first"};
    }
    match.ignores_case = type == "stringignorecase";
    if (const auto mask = attributes.find("mask"); mask != attributes.end()) {
      match.mask = bytes_of(mask->second, type);
      match.fit_mask();
    }
    if (type == "regex") {
      auto expression = Pattern::compile(fmt::format("\\A(?:{})", match.bytes));
      if (!expression) throw BadValue{expression.error()};
      match.expression = std::move(*expression);
    }
    return rule;
  }

  void end(std::string_view name) {
    if (name == "mime-type") type_.clear();
    if (name != "match" || type_.empty()) return;
    MagicRule rule = std::move(open_.back());
    open_.pop_back();
    if (rule.kind == MagicRule::Kind::at_least && rule.parts.empty()) {
      return fail("minShouldMatch without match elements");
    }
    if (open_.empty()) {
      types_.add_magic(type_, priority_, std::move(rule));
      return;
    }
    add_part(open_.back(), std::move(rule));
  }

  // A match holds together with one of those within it.
  static void add_part(MagicRule& parent, MagicRule part) {
    if (parent.kind == MagicRule::Kind::at_least) {
      parent.parts.push_back(std::move(part));
    } else if (parent.kind == MagicRule::Kind::all) {
      parent.parts.back().parts.push_back(std::move(part));
    } else {
      MagicRule one_of{.kind = MagicRule::Kind::at_least};
      one_of.parts.push_back(std::move(part));
      MagicRule both{.kind = MagicRule::Kind::all};
      both.parts.push_back(std::move(parent));
      both.parts.push_back(std::move(one_of));
      parent = std::move(both);
    }
  }

  MimeTypes& types_;
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  std::string failure_;
  std::string type_;
  int priority_ = 50;
  std::vector<MagicRule> open_;
};

}  // namespace

std::expected<void, std::string> add_mime_configuration(std::string_view xml, MimeTypes& types) {
  return ConfigurationReader(types).read(xml);
}

}  // namespace weir::processors
