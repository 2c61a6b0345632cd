#include "processors/kinesis/daemon_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <system_error>

#include "engine/text/utf16.h"

namespace weir::processors::kinesis {
namespace {

void append_unit(std::string& out, char32_t unit) {
  fmt::format_to(std::back_inserter(out), "\\u{:04X}", static_cast<unsigned>(unit));
}

// Properties.load reads Latin-1 and takes a backslash before any character. A blank matters where
// it stands first; in a name it always does.
void append_escaped(std::string& out, std::string_view text, bool is_name) {
  for (std::size_t at = 0; at < text.size();) {
    const bool first = at == 0;
    const char32_t c = text::next_code_point(text, at);
    if (c == ' ' && (first || is_name)) {
      out += "\\ ";
    } else if (c == '\\' || c == '=' || c == ':' || c == '#' || c == '!') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c >= 0x20 && c < 0x7F) {
      out += static_cast<char>(c);
    } else if (c > 0xFFFF) {
      append_unit(out, 0xD800 + ((c - 0x10000) >> 10));
      append_unit(out, 0xDC00 + ((c - 0x10000) & 0x3FF));
    } else {
      append_unit(out, c);
    }
  }
}

// Fields are divided by tabs and free of line breaks. The exception's chain comes from its root
// on, without the stack's frames. Loggers that say the same all the time speak from WARN on. The
// SDK's own log of what it tries again, which goes on for a minute before the KCL says a word,
// passes where something failed; that of what went well is made into nothing.
constexpr std::string_view kLogConfiguration =
    R"XML(<?xml version="1.0" encoding="UTF-8"?>
<configuration>
  <appender name="EVENTS" class="ch.qos.logback.core.ConsoleAppender">
    <encoder>
      <charset>UTF-8</charset>
      <pattern>@%level\t%logger\t%replace(%.-4000msg){'[\r\n\t]+', ' '}\t%replace(%replace(%rEx{1}){'[\r\n]+\t+[^\r\n]*', ''}){'[\r\n\t]+', ' | '}%nopex%n</pattern>
    </encoder>
  </appender>
  <appender name="RETRIES" class="ch.qos.logback.core.ConsoleAppender">
    <encoder>
      <charset>UTF-8</charset>
      <pattern>%replace(@%level\t%logger\t%.-4000msg\t%replace(%replace(%rEx{1}){'[\r\n]+\t+[^\r\n]*', ''}){'[\r\n\t]+', ' | '}%n){'^@[A-Z]+\t[^\t]*\tRequest attempt \d+ (token|succeeded)[^\n]*\n', ''}%nopex</pattern>
    </encoder>
  </appender>
  <logger name="software.amazon.awssdk.retries" level="DEBUG" additivity="false">
    <appender-ref ref="RETRIES"/>
  </logger>
  <logger name="software.amazon.kinesis.coordinator.assignment" level="WARN"/>
  <logger name="software.amazon.kinesis.leases.dynamodb.DynamoDBLeaseDiscoverer" level="WARN"/>
  <logger name="software.amazon.kinesis.multilang.LineReaderTask" level="WARN"/>
  <logger name="software.amazon.kinesis.multilang.MessageWriter" level="WARN"/>
  <logger name="software.amazon.kinesis.multilang.MultiLangProtocol" level="WARN"/>
  <logger name="software.amazon.kinesis.multilang.config.KinesisClientLibConfigurator" level="WARN"/>
  <root level="INFO">
    <appender-ref ref="EVENTS"/>
  </root>
</configuration>
)XML";

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw std::system_error(error, std::generic_category(), path.string());
}

}  // namespace

std::string properties_text(const std::map<std::string, std::string>& properties) {
  std::string text;
  for (const auto& [name, value] : properties) {
    append_escaped(text, name, true);
    text += '=';
    append_escaped(text, value, false);
    text += '\n';
  }
  return text;
}

std::string_view log_configuration() {
  return kLogConfiguration;
}

void write_private_file(const std::filesystem::path& path, std::string_view text) {
  // A new file, so that no mode or link of an old one matters.
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail(path, errno);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) fail(path, errno);
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      ::close(file);
      fail(path, error);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  ::close(file);
}

}  // namespace weir::processors::kinesis
