#include "processors/text/variable_replacer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace weir::processors {
namespace {

// Few attributes that refer to others twice each would give a text without end.
constexpr std::uint64_t most_nested = 1'000'000;

}  // namespace

void VariableReplacer::put_value(const std::string& name, const std::string& value,
                                 ReplacedText& out) {
  if (std::ranges::find(within_, name) != within_.end()) {
    throw ProcessException(fmt::format("attribute {} refers to itself", name));
  }
  if (!within_.empty() && ++nested_ > most_nested) {
    throw ProcessException("attributes refer to attributes too often");
  }
  within_.push_back(name);
  // `value` goes away before the text does: its parts are copied.
  if (!substitute(value, out)) out.made().append(value);
  within_.pop_back();
}

// Writes nothing and gives false where nothing is to be changed.
bool VariableReplacer::substitute(std::string_view text, ReplacedText& out) {
  std::size_t copied = 0;
  for (std::size_t at = 0; (at = text.find("${", at)) != std::string_view::npos;) {
    if (at > copied && text[at - 1] == '$') {
      out.made().append(text.substr(copied, at - 1 - copied));
      copied = at;
      at += 2;
      continue;
    }
    const std::size_t end = text.find('}', at);
    if (end == std::string_view::npos) break;
    const std::string_view inner = text.substr(at + 2, end - at - 2);
    std::size_t name_end = std::min(inner.find(":-"), inner.find("${"));
    const bool has_default = name_end < inner.size() && inner[name_end] == ':';
    if (!has_default) name_end = inner.size();
    const std::string name(inner.substr(0, name_end));
    std::optional<std::string> value = flow_file_.attribute(name);
    if (!value && has_default) value = std::string(inner.substr(name_end + 2));
    if (value) {
      out.made().append(text.substr(copied, at - copied));
      put_value(name, *value, out);
      copied = end + 1;
    }
    at = end + 1;
  }
  if (copied == 0) return false;
  out.made().append(text.substr(copied));
  return true;
}

void VariableReplacer::replace_lines(std::string_view lines, ReplacedText& out) {
  std::size_t copied = 0;
  // Only lines that have a reference are looked at.
  for (std::size_t at = 0; (at = find_bytes(lines, "${", at)) != std::string_view::npos;) {
    const std::size_t before = lines.substr(copied, at - copied).find_last_of("\r\n");
    const std::size_t start = before == std::string_view::npos ? copied : copied + before + 1;
    const std::size_t end = start + first_line_length(lines.substr(start));
    const std::string_view line = lines.substr(start, end - start);
    out.keep(lines.substr(copied, start - copied));
    if (!substitute(line, out)) out.keep(line);
    at = copied = end;
  }
  out.keep(lines.substr(copied));
}

bool VariableReplacer::replace_text(std::string_view text, ReplacedText& out) {
  if (substitute(text, out)) return true;
  out.keep(text);
  return false;
}

}  // namespace weir::processors
