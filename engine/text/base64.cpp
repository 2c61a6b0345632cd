#include "engine/text/base64.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/text/base64_kernel.h"

namespace weir::text {
namespace {

constexpr std::string_view base64_alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view base32_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::string_view hex_alphabet = "0123456789abcdef";

using Table = std::array<std::int8_t, 256>;

constexpr Table make_table(std::string_view alphabet) {
  Table table{};
  for (std::int8_t& value : table) value = -1;
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
  }
  return table;
}

// The table with upper-case letters also in lower case, or the reverse.
constexpr Table either_case(Table table) {
  for (std::size_t letter = 'A'; letter <= 'Z'; ++letter) {
    std::int8_t& upper = table[letter];
    std::int8_t& lower = table[letter + 0x20];
    if (upper < 0) upper = lower;
    if (lower < 0) lower = upper;
  }
  return table;
}

// Commons Codec reads both alphabets of Base64 at once.
constexpr Table with_url_alphabet(Table table) {
  table['-'] = 62;
  table['_'] = 63;
  return table;
}

constexpr Table base64_table = make_table(base64_alphabet);
constexpr Table base64_lenient_table = with_url_alphabet(base64_table);
constexpr Table base32_table = make_table(base32_alphabet);
constexpr Table base32_lenient_table = either_case(base32_table);
constexpr Table hex_table = either_case(make_table(hex_alphabet));

const Table& table_of(BinaryText form, BinaryTextDecoder::Strictness strictness) {
  const bool lenient = strictness == BinaryTextDecoder::Strictness::lenient;
  switch (form) {
    case BinaryText::base64:
      return lenient ? base64_lenient_table : base64_table;
    case BinaryText::base32:
      return lenient ? base32_lenient_table : base32_table;
    case BinaryText::hex:
      break;
  }
  return hex_table;
}

constexpr std::size_t group_run = 1024;  // characters; whole groups of every form

// Bytes and symbols of one group, and the bits of a symbol.
struct Group {
  unsigned bytes, symbols, bits;
};

constexpr Group group_of(BinaryText form) {
  return form == BinaryText::base64 ? Group{3, 4, 6}
         : form == BinaryText::hex  ? Group{1, 2, 4}
                                    : Group{5, 8, 5};
}

template <BinaryText form>
constexpr std::string_view alphabet_of() {
  return form == BinaryText::base64 ? base64_alphabet
         : form == BinaryText::hex  ? hex_alphabet
                                    : base32_alphabet;
}

// The texts of all pairs of symbols, which halves the look-ups.
template <BinaryText form>
constexpr auto symbol_pairs = [] {
  constexpr std::string_view alphabet = alphabet_of<form>();
  std::array<std::array<char, 2>, alphabet.size() * alphabet.size()> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {alphabet[i / alphabet.size()], alphabet[i % alphabet.size()]};
  }
  return pairs;
}();

template <BinaryText form>
void encode_groups(const unsigned char* in, std::size_t groups, char* out) {
  constexpr Group group = group_of(form);
  constexpr unsigned pair_bits = group.bits * 2;
  for (; groups > 0; --groups) {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < group.bytes; ++i) bits = bits << 8 | *in++;
    for (unsigned i = group.symbols / 2; i-- > 0; out += 2) {
      std::memcpy(out, symbol_pairs<form>[bits >> (i * pair_bits) & ((1u << pair_bits) - 1)].data(),
                  2);
    }
  }
}

// Whole groups up to the first character that is no symbol; how many characters that was.
template <BinaryText form>
std::size_t decode_groups(const Table& table, std::string_view text, std::string& out) {
  constexpr Group group = group_of(form);
  const std::size_t before = out.size();
  out.resize(before + text.size() / group.symbols * group.bytes);
  if (form == BinaryText::base64 && &table == &base64_table) {
    const std::size_t groups =
        decode_base64_groups(text.data(), text.size() / group.symbols, out.data() + before);
    out.resize(before + groups * group.bytes);
    return groups * group.symbols;
  }
  char* to = out.data() + before;
  const char* in = text.data();
  const char* const end = in + text.size() / group.symbols * group.symbols;
  while (in < end) {
    std::uint64_t bits = 0;
    int bad = 0;
    for (unsigned i = 0; i < group.symbols; ++i) {
      const int value = table[static_cast<unsigned char>(in[i])];
      bad |= value;
      bits = bits << group.bits | (static_cast<unsigned>(value) & ((1u << group.bits) - 1));
    }
    if (bad < 0) break;
    for (unsigned i = group.bytes; i-- > 0;) *to++ = static_cast<char>(bits >> (i * 8));
    in += group.symbols;
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
  return static_cast<std::size_t>(in - text.data());
}

std::size_t decode_groups(BinaryText form, const Table& table, std::string_view text,
                          std::string& out) {
  switch (form) {
    case BinaryText::base64:
      return decode_groups<BinaryText::base64>(table, text, out);
    case BinaryText::base32:
      return decode_groups<BinaryText::base32>(table, text, out);
    case BinaryText::hex:
      break;
  }
  return decode_groups<BinaryText::hex>(table, text, out);
}

void append_groups(BinaryText form, std::string_view bytes, std::string& out) {
  const Group group = group_of(form);
  const std::size_t groups = bytes.size() / group.bytes;
  const std::size_t before = out.size();
  out.resize(before + groups * group.symbols);
  const auto* in = reinterpret_cast<const unsigned char*>(bytes.data());
  char* to = out.data() + before;
  switch (form) {
    case BinaryText::base64:
      encode_groups<BinaryText::base64>(in, groups, to);
      break;
    case BinaryText::base32:
      encode_groups<BinaryText::base32>(in, groups, to);
      break;
    case BinaryText::hex:
      encode_groups<BinaryText::hex>(in, groups, to);
      break;
  }
}

// The last, incomplete group.
void append_padded(BinaryText form, std::string_view bytes, std::string& out) {
  const Group group = group_of(form);
  std::string whole(bytes);
  whole.resize(group.bytes, '\0');
  std::string encoded;
  append_groups(form, whole, encoded);
  const std::size_t used = (bytes.size() * 8 + group.bits - 1) / group.bits;
  out.append(encoded, 0, used).append(group.symbols - used, '=');
}

std::string encode_whole(BinaryText form, std::string_view bytes) {
  std::string out;
  BinaryTextEncoder encoder(form);
  encoder.update(bytes, out);
  encoder.finish(out);
  return out;
}

std::expected<std::string, Error> decode_whole(BinaryText form, std::string_view text) {
  std::string out;
  BinaryTextDecoder decoder(form, BinaryTextDecoder::Strictness::strict);
  auto done = decoder.update(text, out);
  if (done) done = decoder.finish(out);
  if (!done) return std::unexpected(done.error());
  return out;
}

// Padding counts only where it fills the last group.
std::string_view without_padding(std::string_view text) {
  if (text.size() % 4 != 0) return text;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return text;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  return encode_whole(BinaryText::base64, bytes);
}

std::string base32_encode(std::string_view bytes) {
  return encode_whole(BinaryText::base32, bytes);
}

std::string hex_encode(std::string_view bytes) {
  std::string out;
  append_groups(BinaryText::hex, bytes, out);
  return out;
}

std::string hex_encode(std::span<const std::uint8_t> bytes) {
  return hex_encode(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::expected<std::string, Error> base64_decode(std::string_view text) {
  std::string out(base64_decoded_size(text), '\0');
  if (auto done = base64_decode(text, out.data()); !done) return std::unexpected(done.error());
  return out;
}

std::size_t base64_decoded_size(std::string_view text) {
  const std::size_t symbols = without_padding(text).size();
  return symbols / 4 * 3 + symbols % 4 * 3 / 4;
}

std::expected<std::size_t, Error> base64_decode(std::string_view text, char* out) {
  const std::string_view symbols = without_padding(text);
  const std::size_t groups = symbols.size() / 4, rest = symbols.size() % 4;
  if (decode_base64_groups(symbols.data(), groups, out) == groups) {
    if (rest == 0) return groups * 3;
    std::array<char, 4> last = {'A', 'A', 'A', 'A'};
    std::ranges::copy(symbols.substr(groups * 4), last.begin());
    std::array<char, 3> bytes;
    if (rest > 1 && decode_base64_groups(last.data(), 1, bytes.data()) == 1) {
      std::copy_n(bytes.begin(), rest - 1, out + groups * 3);
      return groups * 3 + rest - 1;
    }
  }
  // The slow way finds out where the text is wrong.
  const auto decoded = decode_whole(BinaryText::base64, text);
  if (!decoded) return std::unexpected(decoded.error());
  return decoded->copy(out, decoded->size());
}

std::expected<std::string, Error> base32_decode(std::string_view text) {
  return decode_whole(BinaryText::base32, text);
}

std::expected<std::string, Error> hex_decode(std::string_view text) {
  return decode_whole(BinaryText::hex, text);
}

BinaryTextEncoder::BinaryTextEncoder(BinaryText form, std::size_t line_length,
                                     std::string line_separator)
    : form_(form),
      line_length_(form == BinaryText::hex ? 0 : line_length),
      line_separator_(std::move(line_separator)) {}

void BinaryTextEncoder::update(std::string_view bytes, std::string& out) {
  const std::size_t group_bytes = group_of(form_).bytes;
  std::string& encoded = line_length_ == 0 ? out : encoded_;
  if (line_length_ > 0) encoded_.clear();
  if (rest_size_ > 0) {
    const std::size_t more = std::min(bytes.size(), group_bytes - rest_size_);
    std::ranges::copy(bytes.substr(0, more), rest_.begin() + static_cast<long>(rest_size_));
    rest_size_ += more;
    bytes.remove_prefix(more);
    if (rest_size_ < group_bytes) return;
    append_groups(form_, {rest_.data(), rest_size_}, encoded);
  }
  rest_size_ = bytes.size() % group_bytes;
  std::ranges::copy(bytes.substr(bytes.size() - rest_size_), rest_.begin());
  append_groups(form_, bytes.substr(0, bytes.size() - rest_size_), encoded);
  if (line_length_ > 0) put(encoded_, out);
}

void BinaryTextEncoder::put(std::string_view encoded, std::string& out) {
  while (!encoded.empty()) {
    const std::string_view part = encoded.substr(0, line_length_ - column_);
    out += part;
    column_ += part.size();
    encoded.remove_prefix(part.size());
    if (column_ == line_length_) {
      out += line_separator_;
      column_ = 0;
    }
  }
}

void BinaryTextEncoder::finish(std::string& out) {
  encoded_.clear();
  if (rest_size_ > 0) append_padded(form_, {rest_.data(), rest_size_}, encoded_);
  rest_size_ = 0;
  if (line_length_ == 0) {
    out += encoded_;
    return;
  }
  put(encoded_, out);
  if (column_ > 0) out += line_separator_;
  column_ = 0;
}

BinaryTextDecoder::BinaryTextDecoder(BinaryText form, Strictness strictness)
    : form_(form), strictness_(strictness), table_(table_of(form, strictness)) {}

std::expected<void, Error> BinaryTextDecoder::update(std::string_view text, std::string& out) {
  const Group group = group_of(form_);
  for (std::size_t at = 0; at < text.size();) {
    if (symbols_ == 0 && padding_ == 0 && !ended_) {
      // A line at a time: what follows it would be made room for again and again.
      const std::size_t done = decode_groups(form_, table_, text.substr(at, group_run), out);
      at += done;
      offset_ += done;
      if (at == text.size()) break;
      if (done == group_run) continue;
    }
    const char c = text[at++];
    const int value = ended_ ? -1 : table_[static_cast<unsigned char>(c)];
    if (value < 0 || padding_ > 0) {
      if (auto done = put_aside(c); !done) return done;
      ++offset_;
      continue;
    }
    ++offset_;
    bits_ = bits_ << group.bits | static_cast<unsigned>(value);
    if (++symbols_ < group.symbols) continue;
    for (unsigned i = group.bytes; i-- > 0;) out += static_cast<char>(bits_ >> (i * 8));
    bits_ = 0;
    symbols_ = 0;
  }
  return {};
}

// A character outside of the alphabet, or one after padding.
std::expected<void, Error> BinaryTextDecoder::put_aside(char c) {
  const bool lenient = strictness_ == Strictness::lenient && form_ != BinaryText::hex;
  if (lenient) {
    if (c == '=') ended_ = true;  // as Commons Codec: the first padding ends the text
    return {};
  }
  if (strictness_ == Strictness::skip_space && is_space(c)) return {};
  const Group group = group_of(form_);
  const bool room = symbols_ * group.bits >= 8 && symbols_ + padding_ < group.symbols;
  if (c == '=' && form_ != BinaryText::hex && !ended_ && room) {
    ended_ = symbols_ + ++padding_ == group.symbols;
    return {};
  }
  return std::unexpected(
      Error{offset_, fmt::format("byte 0x{:02x} is out of place", static_cast<unsigned char>(c))});
}

std::expected<void, Error> BinaryTextDecoder::finish(std::string& out) {
  const Group group = group_of(form_);
  const bool lenient = strictness_ == Strictness::lenient && form_ != BinaryText::hex;
  const unsigned bytes = symbols_ * group.bits / 8;
  const bool half = symbols_ > 0 && (bytes == 0 || symbols_ * group.bits - bytes * 8 >= group.bits);
  if (!lenient && (half || form_ == BinaryText::hex) && symbols_ > 0) {
    return std::unexpected(Error{offset_, "the text ends within a group"});
  }
  if (!lenient && padding_ > 0 && symbols_ + padding_ != group.symbols) {
    return std::unexpected(Error{offset_, "padding is missing"});
  }
  bits_ <<= (group.symbols - symbols_) * group.bits;
  for (unsigned i = 0; i < bytes; ++i)
    out += static_cast<char>(bits_ >> ((group.bytes - 1 - i) * 8));
  symbols_ = 0;
  return {};
}

}  // namespace weir::text
