#include "processors/file/file_attributes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "processors/support/java_text.h"

namespace weir::processors {
namespace {

std::int64_t to_ms(const struct statx_timestamp& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1'000'000;
}

std::string owner_name(std::uint32_t id) {
  std::array<char, 4096> buffer;
  struct passwd entry {};
  struct passwd* found = nullptr;
  getpwuid_r(id, &entry, buffer.data(), buffer.size(), &found);
  return found ? found->pw_name : std::to_string(id);
}

std::string group_name(std::uint32_t id) {
  std::array<char, 4096> buffer;
  struct group entry {};
  struct group* found = nullptr;
  getgrgid_r(id, &entry, buffer.data(), buffer.size(), &found);
  return found ? found->gr_name : std::to_string(id);
}

constexpr std::string_view permission_letters = "rwxrwxrwx";

}  // namespace

std::optional<FileFacts> file_facts(const std::filesystem::path& path, int* error_number) {
  struct statx status {};
  if (statx(AT_FDCWD, path.c_str(), 0, STATX_BASIC_STATS | STATX_BTIME, &status) != 0) {
    if (error_number) *error_number = errno;
    return std::nullopt;
  }
  FileFacts facts;
  facts.is_regular = S_ISREG(status.stx_mode);
  facts.is_directory = S_ISDIR(status.stx_mode);
  facts.size_bytes = status.stx_size;
  facts.device = static_cast<std::uint64_t>(status.stx_dev_major) << 32 | status.stx_dev_minor;
  facts.inode = status.stx_ino;
  facts.modified_ns =
      static_cast<std::int64_t>(status.stx_mtime.tv_sec) * 1'000'000'000 + status.stx_mtime.tv_nsec;
  facts.changed_ms = to_ms(status.stx_ctime);
  facts.accessed_ms = to_ms(status.stx_atime);
  facts.created_ms = status.stx_mask & STATX_BTIME ? to_ms(status.stx_btime) : facts.modified_ms();
  facts.mode = status.stx_mode & 07777u;
  facts.owner = status.stx_uid;
  facts.group = status.stx_gid;
  return facts;
}

void append_file_attributes(const FileFacts& facts,
                            std::vector<flowfile::Attributes::Entry>& attributes) {
  attributes.emplace_back("file.creationTime", file_time(facts.created_ms));
  attributes.emplace_back("file.lastModifiedTime", file_time(facts.modified_ms()));
  attributes.emplace_back("file.lastAccessTime", file_time(facts.accessed_ms));
  attributes.emplace_back("file.owner", owner_name(facts.owner));
  attributes.emplace_back("file.group", group_name(facts.group));
  attributes.emplace_back("file.permissions", permission_text(facts.mode));
}

std::string permission_text(std::uint32_t mode) {
  std::string text(permission_letters);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!(mode & (0400u >> i))) text[i] = '-';
  }
  return text;
}

std::optional<std::uint32_t> parse_permissions(std::string_view text) {
  std::uint32_t mode = 0;
  if (text.size() == permission_letters.size()) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == permission_letters[i]) {
        mode |= 0400u >> i;
      } else if (text[i] != '-') {
        return std::nullopt;
      }
    }
    return mode;
  }
  if (text.size() < 3 || text.size() > 4) return std::nullopt;
  for (const char digit : text) {
    if (digit < '0' || digit > '7') return std::nullopt;
    mode = mode * 8 + static_cast<std::uint32_t>(digit - '0');
  }
  return mode & 0777u;
}

std::string file_uri(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : path.native()) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) ||
                          std::string_view("/-._~!$&'()*+,;=:@").find(c) != std::string_view::npos;
    if (is_plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

}  // namespace weir::processors
