#include "tests/vectors/matching.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <set>

#include "processors/content/codec.h"

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

std::string decoded(const std::string& format, const std::string& content) {
  static const std::map<std::string, std::string> names = {
      {"gz", "gzip"}, {"xz", "xz-lzma2"}, {"snappy-framed", "snappy framed"}};
  const auto renamed = names.find(format);
  const auto* known =
      processors::find_compression_format(renamed == names.end() ? format : renamed->second);
  if (!known || !known->decompressor) return fmt::format("no decoder for {}", format);
  std::string out;
  const processors::CodecSink sink = [&](std::span<const std::byte> data) {
    out.append(reinterpret_cast<const char*>(data.data()), data.size());
  };
  const auto codec = known->decompressor();
  try {
    codec->update(std::as_bytes(std::span(content.data(), content.size())), sink);
    codec->finish(sink);
  } catch (const processors::CodecError& error) {
    return error.what();
  }
  return out;
}

std::string shortened(const std::string& text) {
  return fmt::format("\"{}\"", text.size() <= 120 ? text : text.substr(0, 120) + "...");
}

bool is_uuid(const std::string& text) {
  return flowfile::Uuid::parse(text).has_value();
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
  for (std::size_t at; (at = filled.find("@dir@")) != std::string::npos;) {
    filled.replace(at, 5, settings_.directory);
  }
  return filled == got;
}

std::string Matcher::attribute_difference(const json& wanted, const Output& got,
                                          Uuids& uuids) const {
  const json attributes = wanted.value("attributes", json::object());
  std::set<std::string> expected = {"uuid"};
  for (const auto& [name, value] : attributes.items()) {
    expected.insert(name);
    const auto found = got.attributes.find(name);
    if (found == got.attributes.end()) return fmt::format("attribute {} is missing", name);
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
    if (!expected.contains(name) && !is_left_out) {
      return fmt::format("attribute {} = {} is too much", name, shortened(value));
    }
  }
  return {};
}

std::string Matcher::content_difference(const json& wanted, const Output& got) const {
  if (wanted.contains("contentDecoded")) {
    const json& described = wanted.at("contentDecoded");
    const std::string content = decoded(described.at("format").get<std::string>(), got.content);
    if (content == content_of(described)) return {};
    return fmt::format("content decodes to {}", shortened(content));
  }
  if (wanted.contains("contentSha256")) {
    if (sha256(got.content) == wanted.at("contentSha256")) return {};
    return fmt::format("content of {} bytes has another hash", got.content.size());
  }
  const std::string content = content_of(wanted);
  if (content == got.content) return {};
  return fmt::format("content is {} instead of {}", shortened(got.content), shortened(content));
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
