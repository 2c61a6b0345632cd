#include "tests/integration/kinesis/aggregate.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

namespace weir::kinesis_testing {
namespace {

constexpr std::string_view kMagic("\xf3\x89\x9a\xc2", 4);
constexpr int kVarint = 0, kBytes = 2;  // protobuf's wire types

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>((value & 0x7f) | 0x80));
  out.push_back(static_cast<char>(value));
}

void append_number(std::string& out, int field, std::uint64_t value) {
  append_varint(out, static_cast<std::uint64_t>(field) << 3 | kVarint);
  append_varint(out, value);
}

void append_bytes(std::string& out, int field, std::string_view value) {
  append_varint(out, static_cast<std::uint64_t>(field) << 3 | kBytes);
  append_varint(out, value.size());
  out += value;
}

std::string md5(const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_md5(), nullptr) != 1) {
    throw std::runtime_error("no MD5 in this OpenSSL");
  }
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace

std::string aggregate(const std::vector<AggregatedRecord>& records, const std::string& hash_key) {
  std::vector<std::string> keys;
  for (const AggregatedRecord& record : records) {
    if (std::ranges::find(keys, record.partition_key) == keys.end()) {
      keys.push_back(record.partition_key);
    }
  }
  std::string message;
  for (const std::string& key : keys) append_bytes(message, 1, key);
  append_bytes(message, 2, hash_key);
  for (const AggregatedRecord& record : records) {
    const auto index = std::ranges::find(keys, record.partition_key) - keys.begin();
    std::string one;
    append_number(one, 1, static_cast<std::uint64_t>(index));
    append_number(one, 2, 0);
    append_bytes(one, 3, record.data);
    append_bytes(message, 3, one);
  }
  return std::string(kMagic) + message + md5(message);
}

}  // namespace weir::kinesis_testing
