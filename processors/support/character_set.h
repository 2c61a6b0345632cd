#pragma once

#include <string>
#include <string_view>

namespace weir::processors {

// UTF-8 text in another character set. What the set does not have becomes '?', as in Java.
// Throws ProcessException where the set is unknown.
std::string encode_text(std::string_view utf8, const std::string& character_set);

// Bytes of a character set as UTF-8. What is malformed becomes U+FFFD.
std::string decode_text(std::string_view bytes, const std::string& character_set);

}  // namespace weir::processors
