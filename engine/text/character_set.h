#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

struct UConverter;

// Character sets by their Java or IANA name, and conversion to and from UTF-8 over buffers cut
// anywhere. UTF-8, UTF-16 and the sets of one byte a character are converted here, all others by
// ICU.
namespace weir::text {

struct SingleByteTable;

// A known character set. Values are small and live as long as the process; comparable by address.
class CharacterSet {
 public:
  // By name or alias, upper or lower case; null where Java would not know it.
  static const CharacterSet* find(std::string_view name);
  static const CharacterSet& utf8();

  enum class Form { utf8, ascii, latin1, single_byte, utf16, utf16be, utf16le, other };

  const std::string& name() const { return name_; }  // the canonical name, "windows-1252"
  Form form() const { return form_; }
  const std::string& converter_name() const { return converter_name_; }

  CharacterSet(std::string name, std::string converter_name, Form form,
               std::shared_ptr<const SingleByteTable> table = nullptr)
      : name_(std::move(name)),
        converter_name_(std::move(converter_name)),
        form_(form),
        table_(std::move(table)) {}

 private:
  friend class Decoder;
  friend class Encoder;
  std::string name_;
  std::string converter_name_;  // what ICU calls it, or empty
  Form form_;
  std::shared_ptr<const SingleByteTable> table_;  // of single_byte
};

struct ConverterCloser {
  void operator()(UConverter* converter) const;
};

// Bytes of a character set to UTF-8. What is malformed or has no character becomes U+FFFD, as
// Java's CodingErrorAction.REPLACE has it, and is counted. Holds at most a few bytes of a
// character that a buffer's end cut. Not thread safe.
class Decoder {
 public:
  // `malformed_as` (at most U+FFFF) is for those who want another replacement than Java's.
  explicit Decoder(const CharacterSet& character_set, char32_t malformed_as = 0xFFFD);
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // Appends to `out`.
  void update(std::string_view bytes, std::string& out);
  void finish(std::string& out);  // a character that is not complete becomes U+FFFD

  std::uint64_t malformed_count() const { return malformed_count_; }
  // Bytes into the stream of the first malformed place; meaningful with a count above 0. For the
  // sets that ICU converts it is that of the buffer.
  std::uint64_t first_malformed_offset() const { return first_malformed_offset_; }

 private:
  friend struct ConverterCallbacks;
  void malformed(std::uint64_t offset);
  void replace_malformed(std::uint64_t offset, std::string& out);
  // Returns how many bytes are done; the others wait for more.
  std::size_t consume(std::string_view bytes, bool last, std::string& out);
  std::size_t utf8(std::string_view bytes, bool last, std::string& out);
  void narrow(std::string_view bytes, std::string& out);
  std::size_t utf16(std::string_view bytes, bool last, std::string& out);
  void other(std::string_view bytes, bool last, std::string& out);

  const char32_t malformed_as_;
  void append_units(const char16_t* units, std::size_t count, std::string& out);

  std::shared_ptr<const SingleByteTable> table_;
  CharacterSet::Form form_;  // UTF-16 becomes one of its byte orders with the first two bytes
  std::unique_ptr<UConverter, ConverterCloser> converter_;
  std::string rest_;
  char16_t high_surrogate_ = 0;  // of ICU, whose buffer ended behind it
  std::uint64_t offset_ = 0;     // of the stream, where the bytes at hand begin
  std::uint64_t malformed_count_ = 0;
  std::uint64_t first_malformed_offset_ = 0;
};

// UTF-8 to the bytes of a character set. What the set does not have becomes '?' and is counted;
// ill-formed UTF-8 is read as U+FFFD. UTF-16 writes a byte order mark first, as Java does. Not
// thread safe.
class Encoder {
 public:
  explicit Encoder(const CharacterSet& character_set);
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  void update(std::string_view utf8, std::string& out);
  void finish(std::string& out);  // also what a stateful set needs at its end

  std::uint64_t unmappable_count() const { return unmappable_count_; }

 private:
  friend struct ConverterCallbacks;
  // Whole characters only, all well-formed.
  void write(std::string_view utf8, bool last, std::string& out);
  void narrow(std::string_view utf8, std::string& out);
  void utf16(std::string_view utf8, std::string& out);
  void other(std::string_view utf8, bool last, std::string& out);

  std::shared_ptr<const SingleByteTable> table_;
  CharacterSet::Form form_;
  std::unique_ptr<UConverter, ConverterCloser> converter_;
  std::string rest_;
  bool mark_written_ = false;
  std::uint64_t unmappable_count_ = 0;
};

// Whole texts.
std::string decode(std::string_view bytes, const CharacterSet& character_set);
std::string encode(std::string_view utf8, const CharacterSet& character_set);

// Well-formed UTF-8: no overlong forms, no surrogates. ASCII goes eight bytes at a time.
bool is_valid_utf8(std::string_view bytes);
// The length of the longest prefix that is well-formed.
std::size_t valid_utf8_prefix(std::string_view bytes);
// Ill-formed sequences as U+FFFD, one for each maximal part as Java's decoder does; the text
// itself where there are none.
std::string repair_utf8(std::string_view bytes);

}  // namespace weir::text
