#pragma once

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "engine/api/environment.h"
#include "processors/kinesis/record.h"
#include "tests/processors/bench/manual_clock.h"

namespace weir::processors::kinesis::test {

using bench::ManualClock;

// Records whose data and sequence number are first, first + 1, ...
inline RecordBatchPtr batch(std::uint64_t first, std::size_t count,
                            std::int64_t millis_behind_latest = 0) {
  std::string texts;
  for (std::size_t i = 0; i < count; ++i) texts += std::to_string(first + i);
  auto storage = std::make_unique<char[]>(texts.size());
  std::memcpy(storage.get(), texts.data(), texts.size());
  std::vector<Record> records;
  const char* at = storage.get();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view number(at, std::to_string(first + i).size());
    records.push_back({.data = number, .partition_key = number, .sequence_number = number});
    at += number.size();
  }
  return std::make_shared<const RecordBatch>(std::move(storage), texts.size(), std::move(records),
                                             millis_behind_latest);
}

// The numbers of all their records, in order.
inline std::vector<std::uint64_t> numbers(const std::vector<RecordBatchPtr>& batches) {
  std::vector<std::uint64_t> all;
  for (const RecordBatchPtr& each : batches) {
    for (const Record& record : each->records())
      all.push_back(std::stoull(std::string(record.data)));
  }
  return all;
}

inline Position at(std::uint64_t number) {
  return {std::to_string(number), 0};
}

// From WEIR_SEED, or a new one; printed, so that a failure can be run again.
inline std::uint64_t seed_of_run() {
  const char* given = std::getenv("WEIR_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "WEIR_SEED=" << seed << '\n';
  return seed;
}

// How often a random test repeats: `least`, times WEIR_LOOPS.
inline std::uint64_t loops(std::uint64_t least) {
  const char* given = std::getenv("WEIR_LOOPS");
  return least * (given ? std::max(1ULL, std::strtoull(given, nullptr, 10)) : 1);
}

}  // namespace weir::processors::kinesis::test
