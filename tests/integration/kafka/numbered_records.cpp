#include "tests/integration/kafka/numbered_records.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>

namespace weir::kafka_testing {
namespace {

std::optional<std::pair<int, int>> read(std::string_view value) {
  const char* const end = value.data() + value.size();
  int partition = 0;
  const auto colon = std::from_chars(value.data(), end, partition);
  if (colon.ec != std::errc() || colon.ptr == end || *colon.ptr != ':') return std::nullopt;
  int number = 0;
  const auto rest = std::from_chars(colon.ptr + 1, end, number);
  if (rest.ec != std::errc()) return std::nullopt;
  const std::string_view dots(rest.ptr, static_cast<std::size_t>(end - rest.ptr));
  if (dots.find_first_not_of('.') != std::string_view::npos) return std::nullopt;
  return std::pair(partition, number);
}

}  // namespace

std::vector<Record> NumberedRecords::of_topic(const std::string& topic) const {
  std::vector<Record> records;
  for (int number = first; number < first + per_partition; ++number) {
    for (int partition = 0; partition < partitions; ++partition) {
      std::string value = fmt::format("{}:{}", partition, number);
      if (value.size() < size_bytes) value.resize(size_bytes, '.');
      records.push_back({.topic = topic,
                         .partition = partition,
                         .key = std::to_string(number),
                         .value = std::move(value)});
    }
  }
  return records;
}

std::ostream& operator<<(std::ostream& out, const Arrival& arrival) {
  return out << fmt::format("{} lost, {} duplicates, {} out of order, {} strangers", arrival.lost,
                            arrival.duplicates, arrival.out_of_order, arrival.strangers);
}

Arrival arrival_of(const NumberedRecords& sent, const std::vector<std::string>& values) {
  Arrival arrival;
  std::vector<std::set<int>> came(static_cast<std::size_t>(sent.partitions));
  for (const std::string& value : values) {
    const auto one = read(value);
    if (!one || one->first < 0 || one->first >= sent.partitions || one->second < sent.first ||
        one->second >= sent.first + sent.per_partition) {
      ++arrival.strangers;
      continue;
    }
    std::set<int>& numbers = came[static_cast<std::size_t>(one->first)];
    const bool later_came = !numbers.empty() && *numbers.rbegin() > one->second;
    if (!numbers.insert(one->second).second) {
      ++arrival.duplicates;
    } else if (later_came) {
      ++arrival.out_of_order;
    }
  }
  for (const auto& numbers : came) {
    arrival.lost += static_cast<std::uint64_t>(sent.per_partition) - numbers.size();
  }
  return arrival;
}

Arrival arrival_of(const NumberedRecords& sent, const std::vector<Record>& records) {
  std::vector<std::string> values;
  for (const Record& record : records) values.push_back(record.value.value_or(""));
  return arrival_of(sent, values);
}

}  // namespace weir::kafka_testing
