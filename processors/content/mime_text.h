#pragma once

#include <optional>
#include <string>
#include <string_view>

// Whether bytes are text, and of which character set.
namespace weir::processors {

// Nearly no control characters, and mostly ASCII or what may be UTF-8.
bool looks_like_text(std::string_view bytes);

// The character set that NiFi's detector names for a text. ASCII counts as ISO-8859-1, with
// carriage returns as windows-1252. Nothing: it cannot tell.
std::optional<std::string> detect_character_set(std::string_view bytes);

}  // namespace weir::processors
