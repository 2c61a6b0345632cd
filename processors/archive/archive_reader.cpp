#include "processors/archive/archive_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <locale.h>

namespace weir::processors {
namespace {

// libarchive turns names into the thread's character set, whatever is asked for.
class Utf8Locale {
 public:
  Utf8Locale() : before_(uselocale(utf8())) {}
  ~Utf8Locale() { uselocale(before_); }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  static locale_t utf8() {
    static const locale_t made = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    if (!made) throw ProcessException("the locale C.UTF-8 is missing");
    return made;
  }
  locale_t before_;
};

std::string text_or_empty(const char* text) {
  return text ? text : "";
}

std::int64_t milliseconds(std::int64_t seconds, long nanoseconds) {
  constexpr std::int64_t most_s = INT64_MAX / 1000 - 1;
  return std::clamp(seconds, -most_s, most_s) * 1000 + nanoseconds / 1'000'000;
}

}  // namespace

ssize_t ArchiveReader::read_callback(archive*, void* self, const void** data) {
  auto& reader = *static_cast<ArchiveReader*>(self);
  try {
    *data = reader.buffer_.data();
    return static_cast<ssize_t>(reader.in_.read(reader.buffer_));
  } catch (...) {
    // Thrown again as soon as the C code between has returned.
    reader.thrown_ = std::current_exception();
    return -1;
  }
}

std::int64_t ArchiveReader::skip_callback(archive*, void* self, std::int64_t bytes) {
  InputStream& in = static_cast<ArchiveReader*>(self)->in_;
  const std::uint64_t left = in.size() - in.position();
  const std::uint64_t skipped = std::min(left, static_cast<std::uint64_t>(bytes));
  in.seek(in.position() + skipped);
  return static_cast<std::int64_t>(skipped);
}

ArchiveReader::ArchiveReader(Format format, InputStream& in, const std::string* password)
    : in_(in), buffer_(64 * 1024), archive_(archive_read_new(), &archive_read_free) {
  const Utf8Locale locale;
  if (format == Format::zip) {
    archive_read_support_format_zip_streamable(archive_.get());
  } else {
    archive_read_support_format_tar(archive_.get());
  }
  if (format == Format::concatenated_tars) {
    archive_read_set_options(archive_.get(), "tar:read_concatenated_archives");
  }
  if (password) archive_read_add_passphrase(archive_.get(), password->c_str());
  archive_read_set_read_callback(archive_.get(), &read_callback);
  archive_read_set_skip_callback(archive_.get(), &skip_callback);
  archive_read_set_callback_data(archive_.get(), this);
  if (archive_read_open1(archive_.get()) != ARCHIVE_OK) fail();
}

ArchiveReader::~ArchiveReader() = default;

void ArchiveReader::fail() {
  if (thrown_) std::rethrow_exception(thrown_);
  const char* message = archive_error_string(archive_.get());
  throw ArchiveError(message ? message : "the archive is damaged");
}

bool ArchiveReader::next() {
  const Utf8Locale locale;
  // The rest of the entry before is skipped first: where the next header begins is to be known
  // also where reading it fails.
  if (is_in_entry_ && archive_read_data_skip(archive_.get()) < ARCHIVE_WARN) fail();
  is_in_entry_ = false;
  header_position_ = static_cast<std::uint64_t>(archive_filter_bytes(archive_.get(), 0));
  archive_entry* entry = nullptr;
  const int result = archive_read_next_header(archive_.get(), &entry);
  if (thrown_) std::rethrow_exception(thrown_);
  if (result == ARCHIVE_EOF) return false;
  // A warning is about a name in an unknown character set, or an attribute that nobody asks for.
  if (result != ARCHIVE_OK && result != ARCHIVE_WARN) fail();
  is_in_entry_ = true;
  set_entry(entry);
  return true;
}

void ArchiveReader::set_entry(archive_entry* entry) {
  entry_ = {};
  const char* name = archive_entry_pathname_utf8(entry);
  entry_.name = text_or_empty(name ? name : archive_entry_pathname(entry));
  entry_.is_directory = archive_entry_filetype(entry) == AE_IFDIR || entry_.name.ends_with('/');
  entry_.mode = archive_entry_mode(entry);
  entry_.owner = text_or_empty(archive_entry_uname_utf8(entry));
  entry_.group = text_or_empty(archive_entry_gname_utf8(entry));
  entry_.size = static_cast<std::uint64_t>(std::max<std::int64_t>(0, archive_entry_size(entry)));
  entry_.modified_ms = milliseconds(archive_entry_mtime(entry), archive_entry_mtime_nsec(entry));
  if (archive_entry_birthtime_is_set(entry)) {
    entry_.created_ms =
        milliseconds(archive_entry_birthtime(entry), archive_entry_birthtime_nsec(entry));
  }
  if (archive_entry_ctime_is_set(entry)) {
    entry_.changed_ms = milliseconds(archive_entry_ctime(entry), archive_entry_ctime_nsec(entry));
  }
  if (archive_entry_atime_is_set(entry)) {
    entry_.accessed_ms = milliseconds(archive_entry_atime(entry), archive_entry_atime_nsec(entry));
  }
}

std::size_t ArchiveReader::read(std::span<std::byte> out) {
  const Utf8Locale locale;
  const la_ssize_t count = archive_read_data(archive_.get(), out.data(), out.size());
  if (thrown_) std::rethrow_exception(thrown_);
  if (count < 0) fail();
  return static_cast<std::size_t>(count);
}

}  // namespace weir::processors
