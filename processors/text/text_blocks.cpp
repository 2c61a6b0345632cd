#include "processors/text/text_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/text/utf16.h"
#include "engine/text/utf8_sequence.h"
#include "processors/text/text_lines.h"

namespace weir::processors {
namespace {

constexpr std::size_t block_bytes = 256 * 1024;
constexpr std::size_t bytes_a_unit = 3;         // at most, in UTF-8
constexpr std::size_t piece_bytes = 32 * 1024;  // read at once where they must be decoded

}  // namespace

std::size_t line_buffer_units(std::uint64_t most) {
  constexpr std::size_t initial = 8192;
  constexpr std::size_t step = 1 << 20;
  std::size_t units = initial;
  while (std::min(units * 2, units + step) <= most) units = std::min(units * 2, units + step);
  return units;
}

TextBlocks::TextBlocks(InputStream& in, const text::CharacterSet& character_set,
                       std::size_t line_units)
    : in_(in),
      line_units_(line_units),
      // With a block no larger than a line may be, no line within a block can be too long.
      buffer_(std::min({block_bytes, line_units, static_cast<std::size_t>(in.size())})),
      character_set_(character_set) {
  if (character_set.form() != text::CharacterSet::Form::utf8) decoder_.emplace(character_set);
}

void TextBlocks::make_room() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, read_ - begin_);
    read_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (read_ == buffer_.size()) buffer_.resize(std::max<std::size_t>(64, buffer_.size() * 2));
}

void TextBlocks::append_decoded() {
  if (decoded_.empty() && !at_end_) {
    char piece[piece_bytes];
    const std::size_t count = in_.read(std::as_writable_bytes(std::span(piece)));
    decoder_->update({piece, count}, decoded_);
    if (in_.position() >= in_.size()) {
      decoder_->finish(decoded_);
      at_end_ = true;
    }
  }
  // A cut within a character does no harm: lines are given whole.
  const std::size_t count = std::min(decoded_.size(), buffer_.size() - end_);
  std::memcpy(buffer_.data() + end_, decoded_.data(), count);
  decoded_.erase(0, count);
  read_ = end_ += count;
}

void TextBlocks::fill() {
  make_room();
  if (decoder_) return append_decoded();
  read_ += in_.read(std::as_writable_bytes(std::span(buffer_).subspan(read_)));
  at_end_ = in_.position() >= in_.size();
  const std::string_view fresh(buffer_.data() + end_, read_ - end_);
  const std::size_t good = text::valid_utf8_prefix(fresh);
  end_ += good;
  if (good == fresh.size()) return;
  const std::string_view rest = fresh.substr(good);
  if (!at_end_ && text::utf8_sequence(rest, 0).cut) return;
  decoder_.emplace(character_set_);
  decoder_->update(rest, decoded_);
  if (at_end_) decoder_->finish(decoded_);
  read_ = end_;
}

void TextBlocks::check_length(std::string_view line) const {
  if (line.size() <= line_units_) return;
  if (line.size() / bytes_a_unit <= line_units_ && text::utf16_length(line) <= line_units_) return;
  throw LineTooLong(fmt::format("a line is longer than {} characters", line_units_));
}

// How many bytes of what is held end with a line end. A CR that is the last byte may still get
// its LF.
std::size_t TextBlocks::whole_lines() const {
  const std::string_view held(buffer_.data() + begin_, end_ - begin_);
  if (held.empty()) return 0;
  const auto* lf = static_cast<const char*>(::memrchr(held.data(), '\n', held.size()));
  const std::size_t after_lf = lf ? static_cast<std::size_t>(lf - held.data()) + 1 : 0;
  if (held.size() - after_lf < 2) return after_lf;
  const auto* cr =
      static_cast<const char*>(::memrchr(held.data() + after_lf, '\r', held.size() - after_lf - 1));
  return cr ? static_cast<std::size_t>(cr - held.data()) + 1 : after_lf;
}

std::string_view TextBlocks::next() {
  std::size_t length = 0;
  while (true) {
    const bool all_held = at_end_ && decoded_.empty();
    length = all_held ? end_ - begin_ : whole_lines();
    if (length > 0 || all_held) break;
    const std::size_t held = end_ - begin_;
    check_length({buffer_.data() + begin_, held});
    fill();
  }
  std::string_view block(buffer_.data() + begin_, length);
  if (length > line_units_) {
    // The buffer grew for a long line of wide characters: that line goes by itself.
    block = block.substr(0, first_line_length(block));
    check_length(block);
  }
  begin_ += block.size();
  return block;
}

}  // namespace weir::processors
