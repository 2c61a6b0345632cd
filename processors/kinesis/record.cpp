#include "processors/kinesis/record.h"

#include <algorithm>

namespace weir::processors::kinesis {
namespace {

std::string_view without_leading_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

}  // namespace

std::strong_ordering Position::operator<=>(const Position& other) const {
  const std::string_view mine = without_leading_zeros(sequence_number);
  const std::string_view others = without_leading_zeros(other.sequence_number);
  if (const auto order = mine.size() <=> others.size(); order != 0) return order;
  if (const auto order = mine <=> others; order != 0) return order;
  return sub_sequence_number <=> other.sub_sequence_number;
}

RecordBatch::RecordBatch(std::unique_ptr<char[]> storage, std::size_t storage_bytes,
                         std::vector<Record> records, std::int64_t millis_behind_latest)
    : storage_(std::move(storage)),
      records_(std::move(records)),
      millis_behind_latest_(millis_behind_latest),
      bytes_(sizeof(RecordBatch) + storage_bytes + records_.capacity() * sizeof(Record)) {}

}  // namespace weir::processors::kinesis
