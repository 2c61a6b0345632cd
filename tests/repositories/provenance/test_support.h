#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>
#include <random>

#include "repositories/provenance/provenance_repository.h"

namespace weir::provenance::test {

inline std::uint64_t environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}
inline std::uint64_t seed(std::uint64_t otherwise) {
  return environment("WEIR_SEED", otherwise);
}
inline std::uint64_t loops() {
  return environment("WEIR_LOOPS", 1);
}

inline flowfile::Uuid uuid(std::uint64_t number) {
  return {0x0190'0000'0000'7abcull, 0x8000'0000'0000'0000ull + number};
}

inline flowfile::AttributesPtr attributes(std::vector<flowfile::Attributes::Entry> entries) {
  return flowfile::Attributes::make(std::move(entries));
}

struct Findings : storage::FindingReporter {
  void report(const storage::Finding& finding) override {
    const std::lock_guard lock(mutex);
    all.push_back(finding);
  }
  std::size_t size() {
    const std::lock_guard lock(mutex);
    return all.size();
  }
  std::mutex mutex;
  std::vector<storage::Finding> all;
};

inline Event simple(EventType type, std::uint64_t flow_file, std::int64_t time_ms = 1000) {
  Event event;
  event.type = type;
  event.flow_file = uuid(flow_file);
  event.time_ms = time_ms;
  event.entry_ms = event.lineage_start_ms = time_ms;
  event.attributes_after = attributes({{"filename", "f" + std::to_string(flow_file)}});
  return event;
}

inline std::vector<std::byte> encode(const ComponentRef& component,
                                     const std::vector<Event>& events) {
  EventBatchEncoder encoder;
  encoder.begin(component, events.empty() ? 0 : events.front().time_ms);
  for (const auto& event : events) encoder.add(event);
  return encoder.take();
}

inline void expect_same(const Event& read, const Event& written) {
  EXPECT_EQ(read.type, written.type);
  EXPECT_EQ(read.flow_file, written.flow_file);
  EXPECT_EQ(read.time_ms, written.time_ms);
  EXPECT_EQ(read.duration_ms, written.duration_ms);
  EXPECT_EQ(read.lineage_start_ms, written.lineage_start_ms);
  EXPECT_EQ(read.entry_ms, written.entry_ms);
  EXPECT_EQ(read.relationship, written.relationship);
  EXPECT_EQ(read.details, written.details);
  EXPECT_EQ(read.transit_uri, written.transit_uri);
  EXPECT_EQ(read.alternate_identifier, written.alternate_identifier);
  EXPECT_EQ(read.source_queue, written.source_queue);
  EXPECT_EQ(read.parents, written.parents);
  EXPECT_EQ(read.children, written.children);
  EXPECT_EQ(read.content_before, written.content_before);
  EXPECT_EQ(read.content_after, written.content_after);
  const auto after =
      written.attributes_after ? written.attributes_after : flowfile::Attributes::empty();
  const auto before = written.attributes_before ? written.attributes_before : after;
  ASSERT_TRUE(read.attributes_after && read.attributes_before);
  EXPECT_EQ(*read.attributes_after, *after);
  EXPECT_EQ(*read.attributes_before, *before);
}

// Any event at all, from a source of randomness.
inline Event random_event(std::mt19937_64& random) {
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  const auto text = [&]() -> std::string {
    if (one_in(3)) return uuid(random() % 50).to_string();
    std::string result(one_in(8) ? random() % 400 : random() % 12, '\0');
    for (auto& c : result) c = static_cast<char>(random());
    return result;
  };
  const auto any_uuid = [&]() -> flowfile::Uuid {
    if (one_in(4)) return {random(), random()};
    auto near = uuid(random() % 1000);
    near.high += (random() % 3) << 16;
    return near;
  };
  const auto time = [&] {
    return one_in(20) ? static_cast<std::int64_t>(random())
                      : static_cast<std::int64_t>(1'700'000'000'000 + random() % 10'000);
  };
  const auto claim = [&]() -> content::ClaimLocation {
    if (one_in(4)) return {};
    return {one_in(5) ? "other" : "default", static_cast<std::uint32_t>(random() % 3),
            one_in(9) ? random() : random() % 3, one_in(9) ? random() : random() % 100,
            random() % 100};
  };
  const auto some_attributes = [&] {
    std::vector<flowfile::Attributes::Entry> entries;
    for (auto n = random() % 5; n > 0; --n) entries.emplace_back(text(), text());
    return attributes(std::move(entries));
  };
  Event event;
  event.type = static_cast<EventType>(1 + random() % 17);
  event.flow_file = any_uuid();
  event.time_ms = time();
  event.entry_ms = time();
  event.lineage_start_ms = one_in(2) ? event.entry_ms : time();
  if (one_in(3)) event.duration_ms = static_cast<std::int64_t>(random() % 1000);
  if (one_in(2)) event.relationship = text();
  if (one_in(2)) event.details = text();
  if (one_in(3)) event.transit_uri = text();
  if (one_in(3)) event.alternate_identifier = text();
  if (one_in(2)) event.source_queue = text();
  for (auto n = one_in(3) ? random() % 40 : 0; n > 0; --n) event.parents.push_back(any_uuid());
  for (auto n = one_in(3) ? random() % 40 : 0; n > 0; --n) event.children.push_back(any_uuid());
  if (!one_in(4)) event.attributes_after = some_attributes();
  if (one_in(3)) event.attributes_before = some_attributes();
  event.content_after = claim();
  event.content_before = one_in(2) ? event.content_after : claim();
  return event;
}

}  // namespace weir::provenance::test
