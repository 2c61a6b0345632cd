#include "tests/integration/kafka/damaged_batch.h"

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "tests/tools/program.h"

namespace weir::kafka_testing {
namespace {

// Of a batch: its base offset and length, the checksum, what that covers, and the records.
constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kLengthEnd = 12;
constexpr std::size_t kChecksumAt = 17;
constexpr std::size_t kCoveredAt = 21;
constexpr std::size_t kRecordsAt = 61;

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0U);
  }
  return ~crc;
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    number = (number << 8) | static_cast<unsigned char>(bytes.at(i));
  }
  return number;
}

}  // namespace

void damage_batch(const Broker& broker, const std::string& topic, int partition, int batch,
                  Damage damage) {
  const std::filesystem::path file = broker.folder() / "data" /
                                     (topic + "-" + std::to_string(partition)) /
                                     "00000000000000000000.log";
  const std::string log = tools::testing::read_file(file);
  const auto end_of = [&](std::size_t at) {
    return at + kLengthEnd + number_at(log, at + kLengthAt);
  };
  std::size_t begin = 0;
  for (int i = 0; i < batch; ++i) begin = end_of(begin);
  if (end_of(begin) > log.size()) throw std::runtime_error("there is no such batch in " + topic);
  std::string bytes = log.substr(begin, end_of(begin) - begin);
  if (damage == Damage::checksum) {
    bytes.replace(kRecordsAt + 20, 6, "damage");
  } else {
    bytes.replace(kRecordsAt, 8, std::string(8, '\xff'));
    const std::uint32_t crc = crc32c(std::string_view(bytes).substr(kCoveredAt));
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[kChecksumAt + i] = static_cast<char>((crc >> (24 - 8 * i)) & 0xff);
    }
  }
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(static_cast<std::streamoff>(begin));
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace weir::kafka_testing
