#include "tests/processors/archive/archive_samples.h"

#include <archive.h>
#include <archive_entry.h>

#include <cstring>
#include <memory>
#include <stdexcept>

namespace weir::processors {
namespace {

using Writer = std::unique_ptr<archive, int (*)(archive*)>;

la_ssize_t append(archive*, void* out, const void* data, std::size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

std::string written(Writer writer, const std::vector<SampleEntry>& entries) {
  std::string out;
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  if (archive_write_open2(writer.get(), &out, nullptr, &append, nullptr, nullptr) != ARCHIVE_OK) {
    throw std::runtime_error(archive_error_string(writer.get()));
  }
  for (const SampleEntry& sample : entries) {
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                         &archive_entry_free);
    archive_entry_set_pathname(entry.get(), sample.name.c_str());
    archive_entry_set_perm(entry.get(), 0640);
    archive_entry_set_mtime(entry.get(), 1'700'000'000, 0);
    archive_entry_set_uname(entry.get(), "ann");
    archive_entry_set_gname(entry.get(), "staff");
    const bool is_directory = sample.name.ends_with('/');
    archive_entry_set_filetype(entry.get(), is_directory ? AE_IFDIR : AE_IFREG);
    if (!sample.link_to.empty()) {
      archive_entry_set_filetype(entry.get(), AE_IFLNK);
      archive_entry_set_symlink(entry.get(), sample.link_to.c_str());
    }
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(sample.content.size()));
    if (archive_write_header(writer.get(), entry.get()) != ARCHIVE_OK) {
      throw std::runtime_error(archive_error_string(writer.get()));
    }
    archive_write_data(writer.get(), sample.content.data(), sample.content.size());
  }
  archive_write_close(writer.get());
  return out;
}

}  // namespace

std::string sample_tar(const std::vector<SampleEntry>& entries) {
  Writer writer(archive_write_new(), &archive_write_free);
  archive_write_set_format_pax_restricted(writer.get());
  return written(std::move(writer), entries);
}

std::string sample_zip(const std::vector<SampleEntry>& entries, const std::string& options,
                       const std::string& password) {
  Writer writer(archive_write_new(), &archive_write_free);
  archive_write_set_format_zip(writer.get());
  if (!options.empty() && archive_write_set_options(writer.get(), options.c_str()) != ARCHIVE_OK) {
    throw std::runtime_error(archive_error_string(writer.get()));
  }
  if (!password.empty()) archive_write_set_passphrase(writer.get(), password.c_str());
  return written(std::move(writer), entries);
}

std::size_t TextInput::read(std::span<std::byte> out) {
  const std::size_t count = std::min<std::uint64_t>(out.size(), text_.size() - position_);
  std::memcpy(out.data(), text_.data() + position_, count);
  position_ += count;
  return count;
}

void TextOutput::write(std::span<const std::byte> data) {
  text.append(reinterpret_cast<const char*>(data.data()), data.size());
}

}  // namespace weir::processors
