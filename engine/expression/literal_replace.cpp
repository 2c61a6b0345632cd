#include "engine/expression/literal_replace.h"

#include "engine/api/error.h"
#include "engine/text/utf16.h"

namespace weir::expression {
namespace {

void check(const std::string& out, std::size_t limit_bytes) {
  if (out.size() > limit_bytes) {
    throw ProcessException("replace: the result grows past 64 MB");
  }
}

}  // namespace

void replace_literally(std::string_view text, std::string_view search, std::string_view replacement,
                       std::size_t limit_bytes, std::string& out) {
  std::size_t at = 0;
  if (search.empty()) {
    out += replacement;
    while (at < text.size()) {
      const std::size_t start = at;
      weir::text::next_code_point(text, at);
      out += text.substr(start, at - start);
      out += replacement;
      check(out, limit_bytes);
    }
    return;
  }
  while (true) {
    const std::size_t found = text.find(search, at);
    if (found == std::string_view::npos) break;
    out += text.substr(at, found - at);
    out += replacement;
    at = found + search.size();
    check(out, limit_bytes);
  }
  out += text.substr(at);
}

}  // namespace weir::expression
