#pragma once

#include <cstdio>
#include <string_view>

namespace weir::tools {

bool is_terminal(std::FILE* stream);
// On a terminal that takes them, and never where NO_COLOR is set.
bool use_colours(std::FILE* stream);
// Columns of the terminal behind the stream; 80 where that is unknown.
std::size_t terminal_columns(std::FILE* stream);

namespace colour {
inline constexpr std::string_view none = "";
inline constexpr std::string_view bold = "\x1b[1m";
inline constexpr std::string_view dim = "\x1b[2m";
inline constexpr std::string_view red = "\x1b[31m";
inline constexpr std::string_view green = "\x1b[32m";
inline constexpr std::string_view yellow = "\x1b[33m";
inline constexpr std::string_view cyan = "\x1b[36m";
inline constexpr std::string_view reset = "\x1b[0m";
}  // namespace colour

}  // namespace weir::tools
