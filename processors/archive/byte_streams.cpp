#include "processors/archive/byte_streams.h"

#include <algorithm>
#include <cstring>

namespace weir::processors {
namespace {

constexpr std::size_t out_buffer_bytes = 256 * 1024;
constexpr std::size_t in_buffer_bytes = 64 * 1024;

[[noreturn]] void ends_early() {
  throw ArchiveError("the content ends too early");
}

}  // namespace

BufferedOutput::BufferedOutput(OutputStream& out) : out_(out), buffer_(out_buffer_bytes) {}

void BufferedOutput::write(std::span<const std::byte> data) {
  if (data.size() > buffer_.size() - used_) flush();
  if (data.size() >= buffer_.size()) {
    out_.write(data);
    written_ += data.size();
    return;
  }
  std::memcpy(buffer_.data() + used_, data.data(), data.size());
  used_ += data.size();
}

void BufferedOutput::fill(std::size_t zeros) {
  static constexpr std::byte block[1024]{};
  for (; zeros > 0; zeros -= std::min(zeros, sizeof(block))) {
    write(std::span(block).first(std::min(zeros, sizeof(block))));
  }
}

std::uint64_t BufferedOutput::copy(InputStream& in) {
  std::uint64_t copied = 0;
  for (;;) {
    // A read of less than this is worth a flush before it.
    constexpr std::size_t least_room = 16 * 1024;
    const std::uint64_t left = in.size() - in.position();
    if (left == 0) return copied;
    if (buffer_.size() - used_ < std::min<std::uint64_t>(left, least_room)) flush();
    const std::size_t count = in.read(std::span(buffer_).subspan(used_));
    if (count == 0) return copied;
    used_ += count;
    copied += count;
  }
}

void BufferedOutput::flush() {
  if (used_ == 0) return;
  out_.write(std::span<const std::byte>(buffer_).first(used_));
  written_ += used_;
  used_ = 0;
}

BufferedInput::BufferedInput(InputStream& in) : in_(in), buffer_(in_buffer_bytes) {}

bool BufferedInput::refill() {
  at_ = 0;
  end_ = in_.read(buffer_);
  return end_ > 0;
}

bool BufferedInput::at_end() {
  return at_ == end_ && !refill();
}

std::uint8_t BufferedInput::byte() {
  if (at_end()) ends_early();
  return static_cast<std::uint8_t>(buffer_[at_++]);
}

std::uint64_t BufferedInput::big_endian(std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | byte();
  return value;
}

std::string BufferedInput::text(std::uint64_t bytes) {
  std::string out;
  while (bytes > 0) {
    if (at_end()) ends_early();
    const auto piece = buffered().first(std::min<std::uint64_t>(bytes, end_ - at_));
    out.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    at_ += piece.size();
    bytes -= piece.size();
  }
  return out;
}

std::size_t BufferedInput::read_some(std::span<std::byte> out) {
  if (out.empty()) return 0;
  if (at_ == end_) {
    if (out.size() >= buffer_.size()) return in_.read(out);
    if (!refill()) return 0;
  }
  const std::size_t count = std::min(out.size(), end_ - at_);
  std::memcpy(out.data(), buffer_.data() + at_, count);
  at_ += count;
  return count;
}

void BufferedInput::copy(std::uint64_t bytes, BufferedOutput& out) {
  while (bytes > 0) {
    if (at_end()) ends_early();
    const auto piece = buffered().first(std::min<std::uint64_t>(bytes, end_ - at_));
    out.write(piece);
    at_ += piece.size();
    bytes -= piece.size();
  }
}

}  // namespace weir::processors
