#include "engine/text/character_set.h"

#include <unicode/ucnv.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/text/java_case.h"

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

// Of ICU, or null.
std::unique_ptr<const CharacterSet> open_set(const std::string& upper) {
  UErrorCode error = U_ZERO_ERROR;
  // Java's UTF-32 writes no mark, and Cp1252 is its short name of windows-1252.
  std::string name = upper == "UTF_32" ? "UTF-32" : upper;
  if (name.starts_with("CP125") && name.size() == 6) name = "windows-" + name.substr(2);
  std::unique_ptr<UConverter, ConverterCloser> converter(ucnv_open(name.c_str(), &error));
  if (U_FAILURE(error) && name.starts_with("X-")) {
    // Java marks with x- what is not registered, ICU does not always.
    name.erase(0, 2);
    error = U_ZERO_ERROR;
    converter.reset(ucnv_open(name.c_str(), &error));
  }
  if (U_FAILURE(error)) return nullptr;
  const char* canonical = ucnv_getName(converter.get(), &error);
  for (const char* standard : {"MIME", "IANA"}) {
    error = U_ZERO_ERROR;
    const char* found = ucnv_getStandardName(name.c_str(), standard, &error);
    if (!found) continue;
    // ICU has some names of the registry in lower case only.
    const bool capital = std::string_view(found) == "gb18030";
    return std::make_unique<CharacterSet>(capital ? to_upper(found) : found, name, Form::other);
  }
  return std::make_unique<CharacterSet>(canonical ? canonical : name, name, Form::other);
}

}  // namespace

const CharacterSet* CharacterSet::find(std::string_view name) {
  const std::string upper = to_upper(name);
  for (const BuiltIn& built : built_in()) {
    if (std::ranges::find(built.names, upper) != built.names.end()) return &built.set;
  }
  if (!is_legal_name(upper)) return nullptr;
  // Names come from flows, and so there are few; unknown ones are not kept.
  static std::mutex mutex;
  static std::unordered_map<std::string, std::unique_ptr<const CharacterSet>> opened;
  const std::lock_guard lock(mutex);
  const auto found = opened.find(upper);
  if (found != opened.end()) return found->second.get();
  std::unique_ptr<const CharacterSet> set = open_set(upper);
  if (!set) return nullptr;
  return opened.emplace(upper, std::move(set)).first->second.get();
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
