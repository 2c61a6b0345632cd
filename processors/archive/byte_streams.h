#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/process_session.h"

namespace weir::processors {

// An archive or package that is damaged, cut off, or past what this engine reads.
class ArchiveError : public ProcessException {
 public:
  using ProcessException::ProcessException;
};

// Gathers small writes. A session completes what was written to it before each read of another
// content: without a buffer every piece of a bundle would be a write of its own.
class BufferedOutput {
 public:
  explicit BufferedOutput(OutputStream& out);
  BufferedOutput(const BufferedOutput&) = delete;
  BufferedOutput& operator=(const BufferedOutput&) = delete;

  void write(std::span<const std::byte> data);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  void fill(std::size_t zeros);
  // What is left of `in`, read straight into the buffer. Returns the number of bytes.
  std::uint64_t copy(InputStream& in);
  // The last bytes; nothing does it unasked.
  void flush();
  std::uint64_t written() const { return written_ + used_; }

 private:
  OutputStream& out_;
  std::vector<std::byte> buffer_;
  std::size_t used_ = 0;
  std::uint64_t written_ = 0;  // already handed on
};

// Reads binary formats: whole fields, or an ArchiveError that the input ends too early.
class BufferedInput {
 public:
  explicit BufferedInput(InputStream& in);
  BufferedInput(const BufferedInput&) = delete;
  BufferedInput& operator=(const BufferedInput&) = delete;

  bool at_end();
  std::uint8_t byte();
  std::uint64_t big_endian(std::size_t bytes);
  // Grows with what is there, not with what a length field claims.
  std::string text(std::uint64_t bytes);
  std::size_t read_some(std::span<std::byte> out);  // 0 only at the end
  void copy(std::uint64_t bytes, BufferedOutput& out);

 private:
  bool refill();
  std::span<const std::byte> buffered() const {
    return std::span(buffer_).subspan(at_, end_ - at_);
  }

  InputStream& in_;
  std::vector<std::byte> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace weir::processors
