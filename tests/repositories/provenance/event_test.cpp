#include "repositories/provenance/event.h"

#include <algorithm>

#include "repositories/provenance/batch.h"
#include "tests/repositories/provenance/test_support.h"

namespace weir::provenance {
namespace {

using namespace test;

const ComponentRef kComponent{"5b5c1d7e-0190-1000-8000-00000000abcd", "Write", "PutFile"};

TEST(EventType, NamesAreNiFis) {
  for (int number = 1; number <= 17; ++number) {
    const auto type = static_cast<EventType>(number);
    EXPECT_EQ(parse_event_type(to_string(type)), type);
  }
  EXPECT_EQ(to_string(EventType::content_modified), "CONTENT_MODIFIED");
  EXPECT_FALSE(parse_event_type("create"));
  EXPECT_FALSE(parse_event_type(""));
}

TEST(EventBatch, EveryFieldComesBack) {
  Event event = simple(EventType::fork, 1, 5000);
  event.duration_ms = 0;
  event.lineage_start_ms = 4000;
  event.entry_ms = 4500;
  event.relationship = "success";
  event.details = std::string("a\0b\xff", 4);
  event.transit_uri = "file:///in/x";
  event.alternate_identifier = "urn:x";
  event.source_queue = "0199aaaa-0190-1000-8000-00000000abcd";
  event.parents = {uuid(1)};
  event.children = {uuid(2), uuid(900), {7, 9}};
  event.attributes_before = attributes({{"a", std::string("\0\xfe", 2)}, {"", ""}});
  event.attributes_after = attributes({{"a", "2"}, {"filename", uuid(1).to_string()}});
  event.content_before = {"default", 3, 99, 10, 20};
  event.content_after = {"default", 3, 99, 30, 20};
  const auto events = decode_event_batch(40, encode(kComponent, {event, event}));
  ASSERT_EQ(events.size(), 2u);
  expect_same(events[0], event);
  expect_same(events[1], event);
  EXPECT_EQ(events[0].id, 40u);
  EXPECT_EQ(events[1].id, 41u);
  EXPECT_EQ(events[0].component, kComponent);
}

TEST(EventBatch, ComponentIdOfAnyForm) {
  for (const auto& id : {std::string(), std::string("put"), std::string("a\0b", 3),
                         std::string("5B5C1D7E-0190-1000-8000-00000000ABCD"), std::string(36, '-'),
                         std::string(300, 'x')}) {
    const auto events = decode_event_batch(1, encode({id, "n", ""}, {simple(EventType::drop, 1)}));
    EXPECT_EQ(events.at(0).component.id, id);
  }
}

TEST(EventBatch, NoEventsIsNoBatch) {
  EventBatchEncoder encoder;
  encoder.begin(kComponent, 1);
  EXPECT_TRUE(encoder.empty());
  EXPECT_TRUE(encoder.take().empty());
}

TEST(EventBatch, TheCommonCaseIsTheSameEvent) {
  struct Owner : content::ClaimOwner {
    void unreferenced(content::ResourceClaim&) noexcept override {}
  } owner;
  content::ResourceClaim resource(owner, "default", 3, 17);
  const content::ContentClaim claim(&resource, 100, 50);
  for (const auto type : {EventType::create, EventType::drop}) {
    Event event = simple(type, 3, 2000);
    event.details = "Auto-Terminated by success Relationship";
    event.source_queue = kComponent.id;
    event.content_after = claim.location();
    if (type != EventType::create) event.content_before = event.content_after;
    EventBatchEncoder encoder;
    encoder.begin(kComponent, 2000);
    for (int i = 0; i < 3; ++i) {
      encoder.add(type, event.flow_file, 2000, 2000, 2000, *event.attributes_after, claim,
                  event.details, event.source_queue);
    }
    EXPECT_EQ(encoder.count(), 3u);
    const auto batch = encoder.take();
    EXPECT_TRUE(encoder.empty());
    EXPECT_EQ(batch, encode(kComponent, {event, event, event}));
    for (const auto& read : decode_event_batch(1, batch)) expect_same(read, event);
  }
}

TEST(EventBatch, TypicalEventsAreSmall) {
  EventBatchEncoder encoder;
  encoder.begin(kComponent, 1'700'000'000'000);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto own = attributes({{"filename", uuid(i).to_string()}, {"path", "./"}});
    encoder.add(EventType::drop, uuid(i), 1'700'000'000'000, 1'699'999'999'000 + i,
                1'699'999'999'000 + i, *own, {}, "Auto-Terminated by success Relationship",
                kComponent.id);
  }
  EXPECT_LT(encoder.take().size(), 20'000u);
}

TEST(EventBatch, RandomEventsComeBack) {
  const auto start = seed(1);
  RecordProperty("seed", std::to_string(start));
  for (std::uint64_t round = 0; round < 300 * loops(); ++round) {
    std::mt19937_64 random(start + round);
    std::vector<Event> events;
    for (auto n = 1 + random() % 30; n > 0; --n) {
      events.push_back(random() % 4 == 0 && !events.empty() ? events.back() : random_event(random));
    }
    const auto batch = encode(kComponent, events);
    const auto read = decode_event_batch(1, batch);
    ASSERT_EQ(read.size(), events.size());
    for (std::size_t i = 0; i < events.size(); ++i) expect_same(read[i], events[i]);
    ASSERT_FALSE(HasFailure()) << "seed " << start + round;

    std::size_t at = 0;
    ComponentRef component;
    skim_event_batch(batch, &component, [&](const SkimmedEvent& event) {
      EXPECT_EQ(event.flow_file, events[at].flow_file);
      EXPECT_EQ(event.type, events[at].type);
      EXPECT_EQ(event.time_ms, events[at].time_ms);
      auto relatives = events[at].parents;
      relatives.insert(relatives.end(), events[at].children.begin(), events[at].children.end());
      EXPECT_TRUE(std::ranges::equal(event.relatives, relatives));
      ++at;
    });
    EXPECT_EQ(at, events.size());
    EXPECT_EQ(component, kComponent);
  }
}

TEST(EventBatch, DamagedBytesNeverCrash) {
  const auto start = seed(2);
  RecordProperty("seed", std::to_string(start));
  std::mt19937_64 random(start);
  std::size_t refused = 0;
  for (std::uint64_t round = 0; round < 5000 * loops(); ++round) {
    std::vector<Event> events;
    for (auto n = 1 + random() % 4; n > 0; --n) events.push_back(random_event(random));
    auto batch = encode(kComponent, events);
    if (round % 3 == 0) {
      batch.resize(random() % batch.size());
    } else {
      for (auto n = 1 + random() % 3; n > 0; --n)
        batch[random() % batch.size()] = std::byte(random());
    }
    try {
      decode_event_batch(1, batch);
    } catch (const storage::DecodeError&) {
      ++refused;
    }
    try {
      skim_event_batch(batch, nullptr, [](const SkimmedEvent&) {});
    } catch (const storage::DecodeError&) {
    }
  }
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace weir::provenance
