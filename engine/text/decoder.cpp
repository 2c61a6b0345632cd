#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "engine/text/character_set.h"
#include "engine/text/converter.h"
#include "engine/text/single_byte_table.h"
#include "engine/text/utf16.h"
#include "engine/text/utf8_sequence.h"

namespace weir::text {
namespace {

using Form = CharacterSet::Form;

}  // namespace

void ConverterCallbacks::malformed(const void* decoder, UConverterToUnicodeArgs* arguments,
                                   const char*, std::int32_t, UConverterCallbackReason reason,
                                   UErrorCode* error) {
  if (reason > UCNV_IRREGULAR) return;
  auto* self = static_cast<Decoder*>(const_cast<void*>(decoder));
  self->malformed(self->offset_);
  const auto replacement = static_cast<UChar>(self->malformed_as_);
  *error = U_ZERO_ERROR;
  ucnv_cbToUWriteUChars(arguments, &replacement, 1, 0, error);
}

Decoder::Decoder(const CharacterSet& character_set, char32_t malformed_as)
    : malformed_as_(malformed_as), table_(character_set.table_), form_(character_set.form_) {
  if (form_ != Form::other) return;
  UErrorCode error = U_ZERO_ERROR;
  converter_.reset(ucnv_open(character_set.converter_name_.c_str(), &error));
  if (U_FAILURE(error)) std::abort();  // it opened when the set was found
  ucnv_setToUCallBack(converter_.get(), &ConverterCallbacks::malformed, this, nullptr, nullptr,
                      &error);
}

void Decoder::malformed(std::uint64_t offset) {
  if (malformed_count_++ == 0) first_malformed_offset_ = offset;
}

void Decoder::replace_malformed(std::uint64_t offset, std::string& out) {
  malformed(offset);
  append_code_point(out, malformed_as_);
}

void Decoder::update(std::string_view bytes, std::string& out) {
  if (!rest_.empty()) {
    // No character is longer than four bytes, so the seam needs no more.
    const std::size_t before = rest_.size();
    rest_ += bytes.substr(0, 8);
    const std::size_t done = consume(rest_, false, out);
    offset_ += done;
    if (done < before) {
      rest_.erase(0, done);
      return;
    }
    rest_.clear();
    bytes.remove_prefix(done - before);
  }
  const std::size_t done = consume(bytes, false, out);
  offset_ += done;
  rest_.assign(bytes.substr(done));
}

void Decoder::finish(std::string& out) {
  consume(rest_, true, out);
  offset_ += rest_.size();
  rest_.clear();
  if (high_surrogate_ != 0) append_code_point(out, malformed_as_);
  high_surrogate_ = 0;
}

std::size_t Decoder::consume(std::string_view bytes, bool last, std::string& out) {
  switch (form_) {
    case Form::utf8:
      return utf8(bytes, last, out);
    case Form::ascii:
    case Form::latin1:
    case Form::single_byte:
      narrow(bytes, out);
      return bytes.size();
    case Form::utf16:
    case Form::utf16be:
    case Form::utf16le:
      return utf16(bytes, last, out);
    case Form::other:
      break;
  }
  other(bytes, last, out);
  return bytes.size();
}

std::size_t Decoder::utf8(std::string_view bytes, bool last, std::string& out) {
  std::size_t at = 0;
  while (true) {
    const std::size_t good = valid_utf8_prefix(bytes.substr(at));
    out.append(bytes, at, good);
    at += good;
    if (at == bytes.size()) return at;
    const Utf8Sequence sequence = utf8_sequence(bytes, at);
    if (sequence.cut && !last) return at;
    replace_malformed(offset_ + at, out);
    at += sequence.length;
  }
}

void Decoder::narrow(std::string_view bytes, std::string& out) {
  const bool ascii = !table_ || table_->ascii;
  const auto unit_of = [&](unsigned char byte) -> char16_t {
    if (table_) return table_->units[byte];
    return form_ == Form::latin1 ? byte : SingleByteTable::undefined;
  };
  out.reserve(out.size() + bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t begin = at;
    std::uint64_t word = 0;
    for (; ascii && bytes.size() - at >= sizeof(word); at += sizeof(word)) {
      std::memcpy(&word, bytes.data() + at, sizeof(word));
      if (word & 0x8080808080808080) break;
    }
    while (ascii && at < bytes.size() && !(bytes[at] & 0x80)) ++at;
    out.append(bytes, begin, at - begin);
    for (; at < bytes.size() && (!ascii || (bytes[at] & 0x80)); ++at) {
      const char16_t unit = unit_of(static_cast<unsigned char>(bytes[at]));
      if (unit == SingleByteTable::undefined) {
        replace_malformed(offset_ + at, out);
      } else {
        append_code_point(out, unit);
      }
    }
  }
}

std::size_t Decoder::utf16(std::string_view bytes, bool last, std::string& out) {
  std::size_t at = 0;
  if (form_ == Form::utf16) {
    if (bytes.size() < 2 && !last) return 0;
    const bool little = bytes.starts_with("\xFF\xFE");
    if (little || bytes.starts_with("\xFE\xFF")) at = 2;
    form_ = little ? Form::utf16le : Form::utf16be;
  }
  const std::size_t low_byte = form_ == Form::utf16be ? 1 : 0;
  const auto unit = [&](std::size_t index) -> char16_t {
    const auto low = static_cast<unsigned char>(bytes[index + low_byte]);
    const auto high = static_cast<unsigned char>(bytes[index + 1 - low_byte]);
    return static_cast<char16_t>(high << 8 | low);
  };
  out.reserve(out.size() + bytes.size() / 2);
  // Of four units at once: no bit that ASCII does not have. The words are little endian.
  const std::uint64_t beyond_ascii = low_byte == 1 ? 0x80FF80FF80FF80FF : 0xFF80FF80FF80FF80;
  while (bytes.size() - at >= 2) {
    std::uint64_t word = beyond_ascii;
    if (bytes.size() - at >= sizeof(word)) std::memcpy(&word, bytes.data() + at, sizeof(word));
    if ((word & beyond_ascii) == 0) {
      word >>= low_byte * 8;
      const char four[] = {static_cast<char>(word), static_cast<char>(word >> 16),
                           static_cast<char>(word >> 32), static_cast<char>(word >> 48)};
      out.append(four, sizeof(four));
      at += sizeof(word);
      continue;
    }
    const char16_t first = unit(at);
    if (!U16_IS_SURROGATE(first)) {
      append_code_point(out, first);
      at += 2;
      continue;
    }
    const bool lead = U16_IS_SURROGATE_LEAD(first);
    if (lead && bytes.size() - at < 4 && !last) return at;
    const bool pair = lead && bytes.size() - at >= 4 && U16_IS_TRAIL(unit(at + 2));
    if (pair) {
      append_code_point(out, static_cast<char32_t>(U16_GET_SUPPLEMENTARY(first, unit(at + 2))));
      at += 4;
    } else {
      replace_malformed(offset_ + at, out);
      at += 2;
    }
  }
  if (at < bytes.size() && last) {
    replace_malformed(offset_ + at, out);
    ++at;
  }
  return at;
}

void Decoder::append_units(const char16_t* units, std::size_t count, std::string& out) {
  out.reserve(out.size() + count);
  for (std::size_t i = 0; i < count; ++i) {
    const char16_t unit = units[i];
    if (unit < 0x80 && high_surrogate_ == 0) {
      const std::size_t begin = i;
      while (i + 1 < count && units[i + 1] < 0x80) ++i;
      const std::size_t before = out.size();
      out.resize(before + i + 1 - begin);
      std::transform(units + begin, units + i + 1, out.begin() + static_cast<long>(before),
                     [](char16_t ascii) { return static_cast<char>(ascii); });
    } else if (high_surrogate_ != 0) {
      append_code_point(out, static_cast<char32_t>(U16_GET_SUPPLEMENTARY(high_surrogate_, unit)));
      high_surrogate_ = 0;
    } else if (U16_IS_LEAD(unit)) {
      high_surrogate_ = unit;
    } else {
      append_code_point(out, unit);
    }
  }
}

void Decoder::other(std::string_view bytes, bool last, std::string& out) {
  const char* source = bytes.data();
  const char* const source_end = source + bytes.size();
  UChar units[2048];
  UErrorCode error = U_BUFFER_OVERFLOW_ERROR;
  while (error == U_BUFFER_OVERFLOW_ERROR) {
    error = U_ZERO_ERROR;
    UChar* target = units;
    ucnv_toUnicode(converter_.get(), &target, std::end(units), &source, source_end, nullptr, last,
                   &error);
    append_units(units, static_cast<std::size_t>(target - units), out);
  }
  if (U_FAILURE(error)) std::abort();  // the callback takes all errors of content
}

}  // namespace weir::text
