#include "tests/vectors/matching.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "tests/vectors/decoding.h"

namespace weir::vectors {
namespace {

using bench::Output;
using nlohmann::json;

std::string from_base64(const std::string& text) {
  std::string out(text.size(), '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  std::size_t padding = 0;
  while (padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  out.resize(size < 0 ? 0 : static_cast<std::size_t>(size) - padding);
  return out;
}

std::string sha256(const std::string& content) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(content.data(), content.size(), digest, &size, EVP_sha256(), nullptr);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string shortened(const std::string& text) {
  return fmt::format("\"{}\"", text.size() <= 120 ? text : text.substr(0, 120) + "...");
}

bool is_uuid(const std::string& text) {
  return flowfile::Uuid::parse(text).has_value();
}

void replace_all(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

bool same_json(const std::string& a, const std::string& b) {
  const json first = json::parse(a, nullptr, false), second = json::parse(b, nullptr, false);
  return !first.is_discarded() && first == second;
}

// Each line's fields sorted; enough for fields without commas in them.
std::vector<std::vector<std::string>> csv_fields(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    lines.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) lines.back().push_back(field);
    std::ranges::sort(lines.back());
  }
  return lines;
}

// Where a FlowFile fails, this engine says why in an attribute of its own.
bool is_reason(const std::string& name) {
  return name.ends_with(".error");
}

}  // namespace

std::string content_of(const json& described) {
  if (described.contains("contentUtf8")) return described.at("contentUtf8").get<std::string>();
  if (described.contains("contentBase64")) {
    return from_base64(described.at("contentBase64").get<std::string>());
  }
  std::string content;
  const json rule = described.value("contentRule", json::array());
  for (const json& part : rule) {
    for (int i = 0; i < part.value("times", 1); ++i) {
      content += part.at("repeat").get_ref<const std::string&>();
    }
  }
  return content;
}

namespace {

std::string printed(const json& value) {
  return shortened(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string bytes_difference(const json& wanted, const std::string& got) {
  if (wanted.contains("contentSha256")) {
    if (sha256(got) == wanted.at("contentSha256")) return {};
    return fmt::format("content of {} bytes has another hash", got.size());
  }
  const std::string content = content_of(wanted);
  if (content == got) return {};
  return fmt::format("content is {} instead of {}", shortened(got), shortened(content));
}

// What is described must be there; what is not described (an entry's time) may be anything.
std::string decoded_difference(const json& wanted, const json& got) {
  static const std::set<std::string> of_bytes = {"contentUtf8", "contentBase64", "contentRule",
                                                 "contentSize", "contentSha256", "headHex",
                                                 "head",        "tail",          "format"};
  for (const auto& [name, value] : wanted.items()) {
    if (of_bytes.contains(name)) continue;
    if (!got.contains(name)) return fmt::format("{} is missing", name);
    if (name != "entries") {
      if (value == got.at(name)) continue;
      return fmt::format("{} is {} instead of {}", name, printed(got.at(name)), printed(value));
    }
    const json& entries = got.at(name);
    if (value.size() != entries.size()) {
      return fmt::format("{} entries instead of {}", entries.size(), value.size());
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string text = decoded_difference(value[i], entries[i]);
      if (!text.empty()) return fmt::format("entry {}: {}", i + 1, text);
    }
  }
  if (!got.contains("content")) return {};
  return bytes_difference(wanted, got.at("content").get_ref<const std::string&>());
}

}  // namespace

std::string Matcher::without_uuids(const std::string& text) {
  constexpr std::size_t uuid_size = 36;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (is_uuid(text.substr(at, uuid_size))) {
      out += '*';
      at += uuid_size;
    } else if (text.compare(at, 5, "@uuid") == 0) {
      out += '*';
      at = std::min(text.find_first_not_of("0123456789", at + 5), text.size());
    } else {
      out += text[at++];
    }
  }
  return out;
}

bool Matcher::same_text(const std::string& wanted, const std::string& got, Uuids& uuids) const {
  if (wanted.starts_with("@uuid")) {
    if (!is_uuid(got)) return false;
    return uuids.try_emplace(wanted, got).first->second == got;
  }
  std::string filled = wanted;
  replace_all(filled, "@dir@", settings_.directory);
  replace_all(filled, "@processorId", settings_.component_id);
  if (filled == got) return true;
  if (!settings_.json_key_order_free && !settings_.csv_column_order_free) return false;
  const std::string a = without_uuids(filled), b = without_uuids(got);
  return (settings_.json_key_order_free && same_json(a, b)) ||
         (settings_.csv_column_order_free && csv_fields(a) == csv_fields(b));
}

std::string Matcher::attribute_difference(const json& wanted, const Output& got,
                                          Uuids& uuids) const {
  const json attributes = wanted.value("attributes", json::object());
  std::set<std::string> expected = {"uuid"};
  for (const auto& [name, value] : attributes.items()) {
    expected.insert(name);
    const auto found = got.attributes.find(name);
    if (found == got.attributes.end()) return fmt::format("attribute {} is missing", name);
    if (settings_.loose_attributes.contains(name)) continue;
    if (value.is_string() && !same_text(value.get<std::string>(), found->second, uuids)) {
      return fmt::format("attribute {} is {} instead of {}", name, shortened(found->second),
                         value.dump());
    }
  }
  const json present = wanted.value("volatileAttributes", json::array());
  for (const json& name : present) {
    const auto text = name.get<std::string>();
    const std::string plain = text.substr(0, text.find(':'));
    expected.insert(plain);
    if (!got.attributes.contains(plain)) return fmt::format("attribute {} is missing", plain);
  }
  for (const auto& [name, value] : got.attributes) {
    const bool is_left_out = name == "path" && value == "./";
    if (!expected.contains(name) && !is_left_out && !is_reason(name)) {
      return fmt::format("attribute {} = {} is too much", name, shortened(value));
    }
  }
  return {};
}

std::string Matcher::content_difference(const json& wanted, const Output& got) const {
  if (wanted.contains("contentDecoded")) {
    const json& described = wanted.at("contentDecoded");
    const auto held = decode(described.at("format").get<std::string>(), got.content);
    if (!held) return fmt::format("content cannot be decoded: {}", held.error());
    return decoded_difference(described, *held);
  }
  Uuids none;
  if (wanted.contains("contentUtf8") && same_text(content_of(wanted), got.content, none)) return {};
  return bytes_difference(wanted, got.content);
}

std::string Matcher::difference(const json& wanted, const Output& got, Uuids& uuids) const {
  if (const std::string text = attribute_difference(wanted, got, uuids); !text.empty()) {
    return text;
  }
  if (const std::string text = content_difference(wanted, got); !text.empty()) return text;
  if (wanted.value("penalized", false) != got.penalized) {
    return got.penalized ? "is penalized" : "is not penalized";
  }
  return {};
}

std::vector<std::string> Matcher::match(const json& wanted, const std::vector<Output>& got) {
  std::vector<std::string> problems;
  if (wanted.size() != got.size()) {
    problems.push_back(fmt::format("{} FlowFiles instead of {}", got.size(), wanted.size()));
    return problems;
  }
  std::vector<bool> used(got.size(), false);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::string first_problem;
    bool found = false;
    for (std::size_t j = 0; j < got.size() && !found; ++j) {
      if (used[j] || (!settings_.any_order && j != i)) continue;
      Uuids uuids = uuids_;
      const std::string text = difference(wanted[i], got[j], uuids);
      if (text.empty()) {
        used[j] = found = true;
        uuids_ = std::move(uuids);
      } else if (first_problem.empty()) {
        first_problem = text;
      }
    }
    if (!found) problems.push_back(fmt::format("FlowFile {}: {}", i + 1, first_problem));
  }
  return problems;
}

}  // namespace weir::vectors
