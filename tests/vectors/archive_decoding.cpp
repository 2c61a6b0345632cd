#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <locale.h>

#include <charconv>
#include <chrono>
#include <memory>

#include "tests/vectors/decoding.h"

namespace weir::vectors {
namespace {

using nlohmann::json;

constexpr std::size_t block_bytes = 512;

// A field of a tar's header: up to its first NUL.
std::string field(std::string_view header, std::size_t at, std::size_t size) {
  const std::string_view text = header.substr(at, size);
  return std::string(text.substr(0, text.find('\0')));
}

std::int64_t octal(std::string_view header, std::size_t at, std::size_t size) {
  std::int64_t value = 0;
  const std::string text = field(header, at, size);
  std::from_chars(text.data(), text.data() + text.size(), value, 8);
  return value;
}

std::string instant(std::int64_t seconds) {
  const auto time = std::chrono::sys_seconds(std::chrono::seconds(seconds));
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

// Reads big-endian numbers and texts off the front of a package.
class PackageCursor {
 public:
  explicit PackageCursor(std::string_view rest) : rest_(rest) {}

  bool is_at_end() const { return rest_.empty(); }
  bool is_good() const { return is_good_; }
  std::string take(std::uint64_t size) {
    if (size > rest_.size()) {
      is_good_ = false;
      rest_ = {};
      return {};
    }
    const std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    for (const char byte : take(bytes)) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
  }
  std::uint64_t length() {
    const std::uint64_t value = number(2);
    return value == 0xffff ? number(4) : value;
  }
  std::string text() { return take(length()); }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

}  // namespace

// Not libarchive: it makes its own of the mode, which is to be compared as it stands.
Decoded decode_tar(const std::string& content) {
  if (content.size() % block_bytes != 0) return std::unexpected("not whole blocks");
  json entries = json::array();
  std::string long_name;
  for (std::size_t at = 0; at + block_bytes <= content.size();) {
    const auto header = std::string_view(content).substr(at, block_bytes);
    at += block_bytes;
    if (header.find_first_not_of('\0') == std::string_view::npos) continue;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < block_bytes; ++i) {
      sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(header[i]);
    }
    if (octal(header, 148, 8) != sum) return std::unexpected("a header with a wrong checksum");
    const auto size = static_cast<std::size_t>(octal(header, 124, 12));
    if (size > content.size() - at) return std::unexpected("an entry is cut off");
    const std::string data = content.substr(at, size);
    at += (size + block_bytes - 1) / block_bytes * block_bytes;
    if (header[156] == 'L') {
      long_name = field(data, 0, size);
      continue;
    }
    entries.push_back({{"name", long_name.empty() ? field(header, 0, 100) : long_name},
                       {"mode", fmt::format("{:o}", octal(header, 100, 8))},
                       {"uid", octal(header, 108, 8)},
                       {"gid", octal(header, 116, 8)},
                       {"mtime", instant(octal(header, 136, 12))},
                       {"user", field(header, 265, 32)},
                       {"group", field(header, 297, 32)},
                       {"content", data}});
    long_name.clear();
  }
  return json{{"totalSize", content.size()}, {"entries", std::move(entries)}};
}

Decoded decode_zip(const std::string& content) {
  // Names come in the thread's character set.
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  const std::unique_ptr<std::remove_pointer_t<locale_t>, locale_t (*)(locale_t)> before(
      uselocale(utf8), &uselocale);
  const std::unique_ptr<archive, int (*)(archive*)> reader(archive_read_new(), &archive_read_free);
  archive_read_support_format_zip_seekable(reader.get());
  if (archive_read_open_memory(reader.get(), content.data(), content.size()) != ARCHIVE_OK) {
    return std::unexpected("not a zip");
  }
  json entries = json::array();
  archive_entry* entry = nullptr;
  int result = ARCHIVE_OK;
  while ((result = archive_read_next_header(reader.get(), &entry)) == ARCHIVE_OK) {
    std::string data;
    char buffer[16384];
    la_ssize_t count = 0;
    while ((count = archive_read_data(reader.get(), buffer, sizeof(buffer))) > 0) {
      data.append(buffer, static_cast<std::size_t>(count));
    }
    if (count < 0) return std::unexpected(archive_error_string(reader.get()));
    const std::string_view kind = archive_format_name(reader.get());
    const bool is_deflated = kind.find("deflation") != std::string_view::npos;
    entries.push_back({{"name", archive_entry_pathname(entry)},
                       {"method", is_deflated ? "deflated" : "stored"},
                       {"content", std::move(data)}});
  }
  if (result != ARCHIVE_EOF) return std::unexpected(archive_error_string(reader.get()));
  return json{{"entries", std::move(entries)}};
}

Decoded decode_package(const std::string& content, bool has_magic) {
  PackageCursor cursor(content);
  json entries = json::array();
  while (!cursor.is_at_end()) {
    if (has_magic && cursor.take(7) != "NiFiFF3") return std::unexpected("the magic is missing");
    json attributes = json::object();
    for (std::uint64_t left = cursor.length(); left > 0 && cursor.is_good(); --left) {
      const std::string name = cursor.text();
      attributes[name] = cursor.text();
    }
    std::string data = cursor.take(cursor.number(8));
    if (!cursor.is_good()) return std::unexpected("the package is cut off");
    const bool has_uuid = attributes.erase("uuid") > 0;
    const bool has_path = attributes.contains("path");
    if (has_path && attributes.at("path") == "./") attributes.erase("path");
    entries.push_back({{"attributes", std::move(attributes)},
                       {"hasUuidAttribute", has_uuid},
                       {"hasPathAttribute", has_path},
                       {"content", std::move(data)}});
  }
  return json{{"entries", std::move(entries)}};
}

}  // namespace weir::vectors
