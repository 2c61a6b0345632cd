#include <unicode/ustring.h>

#include <cstdlib>

#include "engine/text/character_set.h"
#include "engine/text/converter.h"
#include "engine/text/single_byte_table.h"
#include "engine/text/utf16.h"
#include "engine/text/utf8_sequence.h"

namespace weir::text {
namespace {

using Form = CharacterSet::Form;

// Without a character at the end that more bytes may complete.
std::size_t whole_characters(std::string_view utf8) {
  for (std::size_t back = 1; back <= 3 && back <= utf8.size(); ++back) {
    const std::size_t at = utf8.size() - back;
    if ((utf8[at] & 0xC0) == 0x80) continue;
    return utf8_sequence(utf8, at).cut ? at : utf8.size();
  }
  return utf8.size();
}

void append_unit(std::string& out, char32_t unit, bool little) {
  const auto high = static_cast<char>(unit >> 8);
  const auto low = static_cast<char>(unit & 0xFF);
  out += little ? low : high;
  out += little ? high : low;
}

}  // namespace

void ConverterCallbacks::unmappable(const void* encoder, UConverterFromUnicodeArgs* arguments,
                                    const UChar*, std::int32_t, UChar32,
                                    UConverterCallbackReason reason, UErrorCode* error) {
  if (reason > UCNV_IRREGULAR) return;
  auto* self = static_cast<Encoder*>(const_cast<void*>(encoder));
  ++self->unmappable_count_;
  *error = U_ZERO_ERROR;
  ucnv_cbFromUWriteSub(arguments, 0, error);
}

Encoder::Encoder(const CharacterSet& character_set)
    : table_(character_set.table_), form_(character_set.form_) {
  if (form_ != Form::other) return;
  UErrorCode error = U_ZERO_ERROR;
  const std::string& name = character_set.converter_name_;
  converter_.reset(ucnv_open(name == "UTF-32" ? "UTF-32BE" : name.c_str(), &error));
  if (U_FAILURE(error)) std::abort();  // it opened when the set was found
  constexpr UChar question_mark = u'?';
  ucnv_setSubstString(converter_.get(), &question_mark, 1, &error);
  error = U_ZERO_ERROR;  // a set that has no question mark keeps its own replacement
  ucnv_setFromUCallBack(converter_.get(), &ConverterCallbacks::unmappable, this, nullptr, nullptr,
                        &error);
}

void Encoder::update(std::string_view utf8, std::string& out) {
  if (!rest_.empty()) {
    const std::size_t before = rest_.size();
    rest_ += utf8.substr(0, 4);
    const std::size_t whole = whole_characters(rest_);
    if (whole < before) return;
    write(std::string_view(rest_).substr(0, whole), false, out);
    utf8.remove_prefix(whole - before);
    rest_.clear();
  }
  const std::size_t whole = whole_characters(utf8);
  write(utf8.substr(0, whole), false, out);
  rest_.assign(utf8.substr(whole));
}

void Encoder::finish(std::string& out) {
  write(rest_, true, out);
  rest_.clear();
}

void Encoder::write(std::string_view utf8, bool last, std::string& out) {
  std::string repaired;
  if (!is_valid_utf8(utf8)) {
    repaired = repair_utf8(utf8);
    utf8 = repaired;
  }
  switch (form_) {
    case Form::utf8:
      out += utf8;
      break;
    case Form::ascii:
    case Form::latin1:
    case Form::single_byte:
      narrow(utf8, out);
      break;
    case Form::utf16:
    case Form::utf16be:
    case Form::utf16le:
      utf16(utf8, out);
      break;
    case Form::other:
      other(utf8, last, out);
      break;
  }
}

void Encoder::narrow(std::string_view utf8, std::string& out) {
  if ((!table_ || table_->ascii) && is_ascii(utf8)) {
    out += utf8;
    return;
  }
  out.reserve(out.size() + utf8.size());
  const char32_t limit = form_ == Form::latin1 ? 0x100 : form_ == Form::ascii ? 0x80 : 0;
  const char question_mark = table_ ? static_cast<char>(table_->bytes[u'?']) : '?';
  for (std::size_t at = 0; at < utf8.size();) {
    const char32_t c = next_code_point(utf8, at);
    const std::uint8_t mapped = table_ && c < 0x10000 ? table_->bytes[c] : 0;
    if (c < limit || (table_ && c == 0)) {
      out += static_cast<char>(c);
    } else if (mapped != 0) {
      out += static_cast<char>(mapped);
    } else {
      out += question_mark;
      ++unmappable_count_;
    }
  }
}

void Encoder::utf16(std::string_view utf8, std::string& out) {
  const bool little = form_ == Form::utf16le;
  if (form_ == Form::utf16 && !mark_written_ && !utf8.empty()) {
    append_unit(out, 0xFEFF, false);
    mark_written_ = true;
  }
  if (is_ascii(utf8)) {
    const std::size_t before = out.size();
    out.resize(before + utf8.size() * 2);
    char* to = out.data() + before + (little ? 0 : 1);
    for (std::size_t i = 0; i < utf8.size(); ++i) to[2 * i] = utf8[i];
    return;
  }
  out.reserve(out.size() + utf8.size() * 2);
  for (std::size_t at = 0; at < utf8.size();) {
    const char32_t c = next_code_point(utf8, at);
    if (c > 0xFFFF) {
      append_unit(out, static_cast<char32_t>(U16_LEAD(c)), little);
      append_unit(out, static_cast<char32_t>(U16_TRAIL(c)), little);
    } else {
      append_unit(out, c, little);
    }
  }
}

void Encoder::other(std::string_view utf8, bool last, std::string& out) {
  // Pieces of this size keep the units on the stack; no character is cut.
  constexpr std::size_t piece_bytes = 2048;
  UChar units[piece_bytes];
  char bytes[4096];
  bool done = false;
  while (!done) {
    const std::size_t size =
        utf8.size() <= piece_bytes ? utf8.size() : whole_characters(utf8.substr(0, piece_bytes));
    std::int32_t count = 0;
    UErrorCode error = U_ZERO_ERROR;
    u_strFromUTF8(units, static_cast<std::int32_t>(piece_bytes), &count, utf8.data(),
                  static_cast<std::int32_t>(size), &error);
    utf8.remove_prefix(size);
    done = utf8.empty();
    const UChar* source = units;
    error = U_BUFFER_OVERFLOW_ERROR;
    while (error == U_BUFFER_OVERFLOW_ERROR) {
      error = U_ZERO_ERROR;
      char* target = bytes;
      ucnv_fromUnicode(converter_.get(), &target, std::end(bytes), &source, units + count, nullptr,
                       last && done, &error);
      out.append(bytes, target);
    }
    if (U_FAILURE(error)) std::abort();  // the callback takes all errors of content
  }
}

}  // namespace weir::text
