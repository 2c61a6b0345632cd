#include "processors/support/character_set.h"

#include <fmt/format.h>
#include <iconv.h>

#include <cerrno>

#include "engine/api/error.h"

namespace weir::processors {
namespace {

std::string convert(std::string_view text, const char* from, const char* to,
                    std::string_view replacement, std::size_t (*width)(std::string_view)) {
  const iconv_t converter = iconv_open(to, from);
  if (converter == iconv_t(-1)) {
    throw ProcessException(fmt::format("unknown character set: \"{}\" to \"{}\"", from, to));
  }
  std::string out;
  char* in = const_cast<char*>(text.data());
  std::size_t in_left = text.size();
  char buffer[4096];
  bool flushed = false;
  while (!flushed) {
    char* piece = buffer;
    std::size_t room = sizeof(buffer);
    flushed = in_left == 0;
    // Without input, iconv writes what a stateful set needs at its end.
    const std::size_t result =
        iconv(converter, flushed ? nullptr : &in, flushed ? nullptr : &in_left, &piece, &room);
    const int error = errno;
    out.append(buffer, sizeof(buffer) - room);
    if (result != static_cast<std::size_t>(-1) || error == E2BIG) {
      if (error == E2BIG && result == static_cast<std::size_t>(-1)) flushed = false;
      continue;
    }
    out += replacement;
    const std::size_t skip = std::min(in_left, std::max<std::size_t>(1, width({in, in_left})));
    in += skip;
    in_left -= skip;
  }
  iconv_close(converter);
  return out;
}

std::size_t utf8_width(std::string_view text) {
  std::size_t count = 1;
  while (count < text.size() && (static_cast<unsigned char>(text[count]) & 0xC0) == 0x80) ++count;
  return count;
}

std::size_t one(std::string_view) {
  return 1;
}

bool is_utf8(std::string_view name) {
  return name == "UTF-8" || name == "utf-8" || name == "UTF8" || name == "utf8";
}

}  // namespace

std::string encode_text(std::string_view utf8, const std::string& character_set) {
  if (is_utf8(character_set)) return std::string(utf8);
  return convert(utf8, "UTF-8", character_set.c_str(), "?", &utf8_width);
}

std::string decode_text(std::string_view bytes, const std::string& character_set) {
  return convert(bytes, character_set.c_str(), "UTF-8", "\xEF\xBF\xBD", &one);
}

}  // namespace weir::processors
