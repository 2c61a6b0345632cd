#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Spellings that NiFi takes from Java's library and that flows rely on.
namespace weir::processors {

std::string_view trim(std::string_view text);  // without control characters and spaces around
std::vector<std::string> split_list(std::string_view text);  // "a , b" -> a, b; none empty

// java.util.Date::toString: "Tue Nov 14 22:13:20 UTC 2023", in the local zone.
std::string java_date(std::int64_t ms);
// "2023-11-14T22:13:20+0000", in the local zone: file.lastModifiedTime and its like.
std::string file_time(std::int64_t ms);
// The reverse; milliseconds since the epoch. Also takes a zone of "Z" or "+00:00". Throws
// ProcessException where the text is no such time.
std::int64_t parse_file_time(std::string_view text);

// The line around a message of LogAttribute: dashes, with a prefix centred in them.
std::string dashed_line(std::string_view prefix);

}  // namespace weir::processors
