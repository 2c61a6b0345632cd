#include "processors/archive/properties_xml.h"

#include <fmt/format.h>

#include <charconv>

namespace weir::processors {
namespace {

void append_escaped(std::string& out, std::string_view text) {
  for (const char character : text) {
    switch (character) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      case '\0':
        break;
      default:
        // Control characters as references: a parser would make a line break a blank in a key.
        if (static_cast<unsigned char>(character) < 0x20) {
          fmt::format_to(std::back_inserter(out), "&#{};", static_cast<int>(character));
        } else {
          out += character;
        }
    }
  }
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  PackageAttributes run() {
    skip_prolog();
    if (!take("<properties")) fail("<properties> is missing");
    skip_past(">");
    PackageAttributes attributes;
    for (;;) {
      skip_between();
      if (take("</properties")) return attributes;
      if (take("<comment")) {
        skip_past("</comment>");
      } else if (take("<entry")) {
        attributes.push_back(entry());
      } else {
        fail("an unknown element stands in it");
      }
    }
  }

 private:
  [[noreturn]] static void fail(std::string_view what) {
    throw ArchiveError(fmt::format("the attributes are no properties in XML: {}", what));
  }
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  std::string_view take_until(std::string_view token) {
    const std::size_t at = rest_.find(token);
    if (at == std::string_view::npos) fail(fmt::format("{} is missing", token));
    const std::string_view before = rest_.substr(0, at);
    rest_.remove_prefix(at + token.size());
    return before;
  }
  void skip_past(std::string_view token) { take_until(token); }
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }
  void skip_between() {
    skip_blanks();
    while (take("<!--")) {
      skip_past("-->");
      skip_blanks();
    }
  }
  void skip_prolog() {
    take("\xef\xbb\xbf");
    skip_between();
    while (rest_.starts_with("<?") || rest_.starts_with("<!DOCTYPE")) {
      const std::string_view skipped = take_until(">");
      if (skipped.find('[') != std::string_view::npos) fail("it declares entities");
      skip_between();
    }
  }

  flowfile::Attributes::Entry entry() {
    skip_blanks();
    if (!take("key")) fail("an entry has no key");
    skip_blanks();
    if (!take("=")) fail("an entry has no key");
    skip_blanks();
    const std::string quote(rest_.substr(0, 1));
    if (quote != "\"" && quote != "'") fail("a key is not quoted");
    rest_.remove_prefix(1);
    std::string key = unescaped(take_until(quote));
    skip_blanks();
    if (take("/>")) return {std::move(key), ""};
    if (!take(">")) fail("an entry has more than a key");
    return {std::move(key), value()};
  }

  std::string value() {
    std::string text;
    for (;;) {
      const std::size_t at = rest_.find('<');
      if (at == std::string_view::npos) fail("an entry is not closed");
      text += unescaped(rest_.substr(0, at));
      rest_.remove_prefix(at);
      if (take("<![CDATA[")) {
        text += take_until("]]>");
      } else if (take("<!--")) {
        skip_past("-->");
      } else if (take("</entry")) {
        skip_past(">");
        return text;
      } else {
        fail("an element stands in an entry");
      }
    }
  }

  static std::string unescaped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
      const std::size_t at = std::min(text.find('&'), text.size());
      out += text.substr(0, at);
      text.remove_prefix(at);
      if (text.empty()) break;
      const std::size_t end = text.find(';');
      if (end == std::string_view::npos) fail("a reference is not closed");
      append_reference(out, text.substr(1, end - 1));
      text.remove_prefix(end + 1);
    }
    return out;
  }

  static void append_reference(std::string& out, std::string_view name) {
    if (name == "lt") {
      out += '<';
    } else if (name == "gt") {
      out += '>';
    } else if (name == "amp") {
      out += '&';
    } else if (name == "quot") {
      out += '"';
    } else if (name == "apos") {
      out += '\'';
    } else if (name.starts_with("#")) {
      append_utf8(out, number(name.substr(1)));
    } else {
      fail(fmt::format("&{}; is not known", name));
    }
  }

  static std::uint32_t number(std::string_view digits) {
    const int base = digits.starts_with("x") ? 16 : 10;
    if (base == 16) digits.remove_prefix(1);
    std::uint32_t code = 0;
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, base);
    const bool is_number = error == std::errc() && stop == digits.data() + digits.size();
    if (!is_number || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      fail("a reference is no character");
    }
    return code;
  }

  std::string_view rest_;
};

}  // namespace

std::string properties_xml(std::string_view uuid,
                           std::span<const flowfile::Attributes::Entry> attributes) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!DOCTYPE properties\n"
      "  SYSTEM \"http://java.sun.com/dtd/properties.dtd\">\n<properties>";
  const auto append = [&](std::string_view name, std::string_view value) {
    out += "\n  <entry key=\"";
    append_escaped(out, name);
    out += "\">";
    append_escaped(out, value);
    out += "</entry>";
  };
  for (const auto& [name, value] : attributes) append(name, value);
  append(attribute::uuid, uuid);
  out += "</properties>";
  return out;
}

PackageAttributes parse_properties_xml(std::string_view text) {
  return Parser(text).run();
}

}  // namespace weir::processors
