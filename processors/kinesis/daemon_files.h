#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

// What the KCL's daemon reads from its working folder.
namespace weir::processors::kinesis {

// In the syntax of Java's Properties, such that each name and value arrives as it is given (UTF-8;
// bytes that are none arrive as U+FFFD).
std::string properties_text(const std::map<std::string, std::string>& properties);

// Logback's configuration: all events to standard output, one a line, as DaemonLog reads them.
std::string_view log_configuration();

// Writes a file that only the user may read, in place of one that is there. Throws
// std::system_error.
void write_private_file(const std::filesystem::path& path, std::string_view text);

}  // namespace weir::processors::kinesis
