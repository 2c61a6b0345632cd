#include "processors/support/character_set.h"

#include <fmt/format.h>

#include "engine/api/error.h"
#include "engine/text/character_set.h"

namespace weir::processors {
namespace {

const text::CharacterSet& find(const std::string& name) {
  const text::CharacterSet* found = text::CharacterSet::find(name);
  if (!found) throw ProcessException(fmt::format("unknown character set: \"{}\"", name));
  return *found;
}

}  // namespace

std::string encode_text(std::string_view utf8, const std::string& character_set) {
  return text::encode(utf8, find(character_set));
}

std::string decode_text(std::string_view bytes, const std::string& character_set) {
  return text::decode(bytes, find(character_set));
}

}  // namespace weir::processors
