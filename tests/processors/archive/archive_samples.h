#pragma once

#include <string>
#include <vector>

#include "engine/api/process_session.h"

// Archives made by libarchive, and streams over strings, for the tests of this folder.
namespace weir::processors {

struct SampleEntry {
  std::string name;
  std::string content = {};
  std::string link_to = {};  // a symbolic link where it is set
};

std::string sample_tar(const std::vector<SampleEntry>& entries);
// `options` as libarchive's, such as "zip:encryption=aes256".
std::string sample_zip(const std::vector<SampleEntry>& entries, const std::string& options = {},
                       const std::string& password = {});

class TextInput : public InputStream {
 public:
  explicit TextInput(std::string text) : text_(std::move(text)) {}
  std::size_t read(std::span<std::byte> out) override;
  std::uint64_t size() const override { return text_.size(); }
  std::uint64_t position() const override { return position_; }
  void seek(std::uint64_t position) override { position_ = position; }

 private:
  std::string text_;
  std::uint64_t position_ = 0;
};

class TextOutput : public OutputStream {
 public:
  using OutputStream::write;
  void write(std::span<const std::byte> data) override;
  std::uint64_t written() const override { return text.size(); }
  void close() override {}

  std::string text;
};

}  // namespace weir::processors
