#include "processors/aws/profile_file.h"

#include <charconv>
#include <ranges>

#include "engine/text/utf16.h"

namespace weir::processors::aws {
namespace {

constexpr std::string_view blanks = " \t\r\f";

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// A comment within a line begins after a blank: "#" may be part of a value.
std::string_view without_comment(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool mark = text[i] == '#' || text[i] == ';';
    if (mark && blanks.contains(text[i - 1])) return text.substr(0, i);
  }
  return text;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return lower;
}

// Empty where the section is no profile ("[sso-session x]", "[services y]").
std::string profile_name(std::string_view section, ProfileFileKind kind) {
  section = trim(section);
  if (kind == ProfileFileKind::credentials || section == "default") return std::string(section);
  constexpr std::string_view word = "profile";
  if (!section.starts_with(word) || section.size() == word.size() ||
      !blanks.contains(section[word.size()])) {
    return {};
  }
  return std::string(trim(section.substr(word.size())));
}

// One logical line of a Java properties file, escapes and continuations still in it.
class JavaLines {
 public:
  explicit JavaLines(std::string_view text) : text_(text) {}

  bool next(std::string& line) {
    line.clear();
    bool goes_on = false;
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find_first_of("\r\n", at_), text_.size());
      std::string_view natural = text_.substr(at_, end - at_);
      at_ = end + 1;
      natural.remove_prefix(std::min(natural.find_first_not_of(" \t\f"), natural.size()));
      if (!goes_on && (natural.empty() || natural[0] == '#' || natural[0] == '!')) continue;
      goes_on = ends_with_escape(natural);
      if (goes_on) natural.remove_suffix(1);
      line += natural;
      // The line feed of CR LF is no line of its own.
      if (goes_on && at_ < text_.size() && text_[end] == '\r' && text_[at_] == '\n') ++at_;
      if (!goes_on) return true;
    }
    return !line.empty();
  }

 private:
  static bool ends_with_escape(std::string_view line) {
    const std::size_t last = line.find_last_not_of('\\');
    const std::size_t count = line.size() - (last == std::string_view::npos ? 0 : last + 1);
    return count % 2 == 1;
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

std::string unescape_java(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char escaped = text[++i];
    if (escaped == 'u' && i + 4 < text.size()) {
      unsigned unit = 0;
      const char* end = text.data() + i + 5;
      const auto read = std::from_chars(text.data() + i + 1, end, unit, 16);
      if (read.ec == std::errc() && read.ptr == end) {
        text::append_code_point(out, unit);
        i += 4;
        continue;
      }
    }
    constexpr std::string_view letters = "tnrf", meant = "\t\n\r\f";
    const std::size_t known = letters.find(escaped);
    out += known == std::string_view::npos ? escaped : meant[known];
  }
  return out;
}

std::size_t end_of_key(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (std::string_view("=: \t\f").contains(line[i])) {
      return i;
    }
  }
  return line.size();
}

}  // namespace

Profiles read_profiles(std::string_view text, ProfileFileKind kind) {
  Profiles profiles;
  Profile* profile = nullptr;
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line(part.begin(), part.end());
    if (trim(line).empty() || blanks.contains(line[0]) || line[0] == '#' || line[0] == ';') {
      continue;
    }
    if (line[0] == '[') {
      const std::size_t end = line.find(']');
      const std::string name = end == std::string_view::npos
                                   ? std::string()
                                   : profile_name(line.substr(1, end - 1), kind);
      profile = name.empty() ? nullptr : &profiles[name];
      continue;
    }
    const std::size_t equals = line.find('=');
    if (profile == nullptr || equals == std::string_view::npos) continue;
    const std::string_view value = trim(without_comment(line.substr(equals + 1)));
    (*profile)[lower_case(trim(line.substr(0, equals)))] = value;
  }
  return profiles;
}

ProfileFiles load_profiles(const Surroundings& surroundings) {
  ProfileFiles files;
  const auto home = surroundings.variable("HOME");
  const auto place = [&](const char* variable, const char* name) -> std::filesystem::path {
    if (const auto given = surroundings.variable(variable)) return *given;
    return home ? std::filesystem::path(*home) / ".aws" / name : std::filesystem::path();
  };
  files.config = place("AWS_CONFIG_FILE", "config");
  files.credentials = place("AWS_SHARED_CREDENTIALS_FILE", "credentials");
  if (const auto text = surroundings.read_file(files.config)) {
    files.profiles = read_profiles(*text, ProfileFileKind::config);
  }
  if (const auto text = surroundings.read_file(files.credentials)) {
    for (auto& [name, profile] : read_profiles(*text, ProfileFileKind::credentials)) {
      for (auto& [setting, value] : profile) files.profiles[name][setting] = value;
    }
  }
  return files;
}

std::map<std::string, std::string> read_java_properties(std::string_view text) {
  std::map<std::string, std::string> properties;
  JavaLines lines(text);
  for (std::string line; lines.next(line);) {
    const std::string_view view(line);
    const std::size_t end = end_of_key(view);
    std::size_t value = view.find_first_not_of(" \t\f", end);
    if (value != std::string_view::npos && (view[value] == '=' || view[value] == ':')) {
      value = view.find_first_not_of(" \t\f", value + 1);
    }
    properties[unescape_java(view.substr(0, end))] =
        value == std::string_view::npos ? std::string() : unescape_java(view.substr(value));
  }
  return properties;
}

}  // namespace weir::processors::aws
