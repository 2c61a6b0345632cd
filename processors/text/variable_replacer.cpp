#include "processors/text/variable_replacer.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::processors {

// Throws ProcessException where a value refers to itself.
bool VariableReplacer::substitute(std::string_view text, std::string& out) {
  std::size_t copied = 0;
  for (std::size_t at = 0; (at = text.find("${", at)) != std::string_view::npos;) {
    if (at > copied && text[at - 1] == '$') {
      out.append(text.substr(copied, at - 1 - copied));
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
    if (std::ranges::find(within_, name) != within_.end()) {
      throw ProcessException(fmt::format("attribute {} refers to itself", name));
    }
    std::optional<std::string> value = flow_file_.attribute(name);
    if (!value && has_default) value = std::string(inner.substr(name_end + 2));
    if (value) {
      out.append(text.substr(copied, at - copied));
      within_.push_back(name);
      if (!substitute(*value, out)) out.append(*value);
      within_.pop_back();
      copied = end + 1;
    }
    at = end + 1;
  }
  if (copied == 0) return false;
  out.append(text.substr(copied));
  return true;
}

void VariableReplacer::replace_lines(std::string_view lines, TextOutput& out) {
  ReplacedText replaced(out);
  std::size_t copied = 0;
  // Only lines that have a reference are looked at.
  for (std::size_t at = 0; (at = find_bytes(lines, "${", at)) != std::string_view::npos;) {
    const std::size_t before = lines.substr(copied, at - copied).find_last_of("\r\n");
    const std::size_t start = before == std::string_view::npos ? copied : copied + before + 1;
    const std::size_t end = start + first_line_length(lines.substr(start));
    const std::string_view line = lines.substr(start, end - start);
    replaced.keep(lines.substr(copied, start - copied));
    if (!substitute(line, replaced.made())) replaced.keep(line);
    at = copied = end;
  }
  replaced.keep(lines.substr(copied));
  replaced.finish();
}

bool VariableReplacer::replace_text(std::string_view text, std::string& out) {
  return substitute(text, out);
}

}  // namespace weir::processors
