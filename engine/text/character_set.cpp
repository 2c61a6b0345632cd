#include "engine/text/character_set.h"

#include <unicode/ucnv.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/text/java_case.h"
#include "engine/text/single_byte_table.h"

namespace weir::text {
namespace {

using Form = CharacterSet::Form;

struct BuiltIn {
  CharacterSet set;
  std::vector<std::string_view> names;  // in upper case
};

const std::vector<BuiltIn>& built_in() {
  static const std::vector<BuiltIn> sets = {
      {{"UTF-8", "", Form::utf8}, {"UTF-8", "UTF8", "UNICODE-1-1-UTF-8"}},
      {{"US-ASCII", "", Form::ascii},
       {"US-ASCII", "ASCII", "ISO646-US", "ANSI_X3.4-1968", "ANSI_X3.4-1986", "ISO_646.IRV:1983",
        "ISO_646.IRV:1991", "ISO-IR-6", "IBM367", "CP367", "646", "ASCII7", "US", "CSASCII",
        "DEFAULT", "ISO_646.IRV"}},
      {{"ISO-8859-1", "", Form::latin1},
       {"ISO-8859-1", "ISO8859_1", "LATIN1", "ISO-IR-100", "IBM819", "CP819", "L1", "819",
        "IBM-819", "ISO8859-1", "ISO_8859-1", "ISO_8859_1", "8859_1", "CSISOLATIN1",
        "ISO_8859-1:1987"}},
      {{"UTF-16", "", Form::utf16}, {"UTF-16", "UTF16", "UTF_16", "UNICODE", "UNICODEBIG"}},
      {{"UTF-16BE", "", Form::utf16be},
       {"UTF-16BE", "UTF_16BE", "ISO-10646-UCS-2", "X-UTF-16BE", "UNICODEBIGUNMARKED"}},
      {{"UTF-16LE", "", Form::utf16le},
       {"UTF-16LE", "UTF_16LE", "X-UTF-16LE", "UNICODELITTLEUNMARKED"}},
  };
  return sets;
}

bool is_legal_name(std::string_view name) {
  const auto alphanumeric = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); };
  if (name.empty() || !alphanumeric(name.front())) return false;
  return std::ranges::all_of(name, [&](char c) {
    return alphanumeric(c) || c == '-' || c == '+' || c == '.' || c == ':' || c == '_';
  });
}

using Converter = std::unique_ptr<UConverter, ConverterCloser>;

Converter open(const std::string& name) {
  UErrorCode error = U_ZERO_ERROR;
  Converter converter(ucnv_open(name.c_str(), &error));
  return U_SUCCESS(error) ? std::move(converter) : nullptr;
}

std::string registered_name(const std::string& name, const std::string& converter_name) {
  for (const char* standard : {"MIME", "IANA"}) {
    UErrorCode error = U_ZERO_ERROR;
    const char* found = ucnv_getStandardName(name.c_str(), standard, &error);
    // ICU has this one in lower case.
    if (found) return std::string_view(found) == "gb18030" ? "GB18030" : found;
  }
  return converter_name;
}

// Of ICU, or null.
std::unique_ptr<const CharacterSet> open_set(const std::string& upper) {
  // Cp1252 is Java's short name of windows-1252.
  const bool short_name = upper.starts_with("CP125") && upper.size() == 6;
  std::string name = short_name ? "windows-" + upper.substr(2) : upper;
  Converter converter = open(name);
  if (!converter && name.starts_with("X-")) {
    // Java marks with x- what is not registered, ICU does not always.
    name.erase(0, 2);
    converter = open(name);
  }
  if (!converter) return nullptr;
  UErrorCode error = U_ZERO_ERROR;
  const char* own_name = ucnv_getName(converter.get(), &error);
  std::string converter_name = own_name ? own_name : name;
  std::string registered = registered_name(name, converter_name);
  if (ucnv_getMaxCharSize(converter.get()) > 1) {
    return std::make_unique<CharacterSet>(std::move(registered), std::move(converter_name),
                                          Form::other);
  }
  // Java has no characters for bytes of the windows sets that are not in use, ICU has controls.
  const bool controls = !registered.starts_with("windows-125");
  auto table = std::make_shared<const SingleByteTable>(converter.get(), controls);
  return std::make_unique<CharacterSet>(std::move(registered), std::move(converter_name),
                                        Form::single_byte, std::move(table));
}

// Sets once opened, by their own names and by those they were asked for.
class OpenedSets {
 public:
  const CharacterSet* find(const std::string& upper) {
    const std::lock_guard lock(mutex_);
    const auto found = aliases_.find(upper);
    if (found != aliases_.end()) return found->second;
    std::unique_ptr<const CharacterSet> opened = open_set(upper);
    if (!opened) return nullptr;
    // Two converters may go by one registered name.
    const std::string name = opened->name() + ' ' + opened->converter_name();
    const CharacterSet* set = sets_.emplace(name, std::move(opened)).first->second.get();
    // ICU overlooks hyphens, so that there is no end of names.
    if (aliases_.size() < 1000) aliases_.emplace(upper, set);
    return set;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<const CharacterSet>> sets_;
  std::unordered_map<std::string, const CharacterSet*> aliases_;
};

}  // namespace

const CharacterSet* CharacterSet::find(std::string_view name) {
  const std::string upper = to_upper(name);
  for (const BuiltIn& built : built_in()) {
    if (std::ranges::find(built.names, upper) != built.names.end()) return &built.set;
  }
  if (!is_legal_name(upper)) return nullptr;
  static OpenedSets opened;
  return opened.find(upper == "UTF_32" ? "UTF-32" : upper);
}

SingleByteTable::SingleByteTable(UConverter* converter, bool controls) : bytes(0x10000) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    const char byte = static_cast<char>(i);
    char16_t found[4];
    UErrorCode error = U_ZERO_ERROR;
    ucnv_resetToUnicode(converter);
    const std::int32_t count = ucnv_toUChars(converter, found, 4, &byte, 1, &error);
    units[i] = U_SUCCESS(error) && count == 1 ? found[0] : undefined;
    if (!controls && units[i] >= 0x80 && units[i] < 0xA0) units[i] = undefined;
    if (i < 0x80 && units[i] != i) ascii = false;
    if (units[i] != undefined) bytes[units[i]] = static_cast<std::uint8_t>(i);
  }
}

const CharacterSet& CharacterSet::utf8() {
  return built_in().front().set;
}

void ConverterCloser::operator()(UConverter* converter) const {
  ucnv_close(converter);
}

std::string decode(std::string_view bytes, const CharacterSet& character_set) {
  std::string out;
  Decoder decoder(character_set);
  decoder.update(bytes, out);
  decoder.finish(out);
  return out;
}

std::string encode(std::string_view utf8, const CharacterSet& character_set) {
  std::string out;
  Encoder encoder(character_set);
  encoder.update(utf8, out);
  encoder.finish(out);
  return out;
}

}  // namespace weir::text
