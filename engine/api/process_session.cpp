#include "engine/api/process_session.h"

#include <algorithm>

namespace weir {

std::string InputStream::read_all() {
  std::string text(static_cast<std::size_t>(size() - std::min(size(), position())), '\0');
  text.resize(read_fully(std::as_writable_bytes(std::span(text.data(), text.size()))));
  return text;
}

std::size_t InputStream::read_fully(std::span<std::byte> out) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    const std::size_t count = read(out.subspan(filled));
    if (count == 0) break;
    filled += count;
  }
  return filled;
}

}  // namespace weir
