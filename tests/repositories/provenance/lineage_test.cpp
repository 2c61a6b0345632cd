#include <algorithm>

#include "tests/repositories/provenance/test_support.h"

namespace weir::provenance {
namespace {

using namespace test;

const ComponentRef kComponent{"split", "Split", "SplitText"};

Event relation(EventType type, std::uint64_t flow_file, std::vector<std::uint64_t> parents,
               std::vector<std::uint64_t> children) {
  Event event = simple(type, flow_file);
  for (const auto parent : parents) event.parents.push_back(uuid(parent));
  for (const auto child : children) event.children.push_back(uuid(child));
  return event;
}

// File 1 is split into 10, 11, 12; 10 and 11 are merged into 20; 12 is dropped; 99 is a stranger.
class LineageTest : public testing::Test {
 protected:
  LineageTest() {
    put(simple(EventType::receive, 1));                    // 1
    put(relation(EventType::fork, 1, {1}, {10, 11, 12}));  // 2
    put(simple(EventType::drop, 1));                       // 3
    put(simple(EventType::create, 99));                    // 4
    put(simple(EventType::attributes_modified, 10));       // 5
    put(relation(EventType::join, 20, {10, 11}, {20}));    // 6
    put(simple(EventType::drop, 12));                      // 7
    put(simple(EventType::send, 20));                      // 8
  }
  void put(const Event& event) {
    ++next_;
    repository_->take(next_, next_, 1, encode(kComponent, {event}));
  }
  std::vector<std::uint64_t> ids(const Lineage& lineage) {
    std::vector<std::uint64_t> result;
    for (const auto& event : lineage.events) result.push_back(event.id);
    return result;
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges(const Lineage& lineage) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> result;
    for (const auto& edge : lineage.edges) {
      result.emplace_back(lineage.events[edge.from].id, lineage.events[edge.to].id);
    }
    std::ranges::sort(result);
    return result;
  }

  std::unique_ptr<ProvenanceRepository> repository_ = open_volatile_provenance_repository(1000);
  std::uint64_t next_ = 0;
};

using Ids = std::vector<std::uint64_t>;
using Edges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TEST_F(LineageTest, GoesForwardsToAllDescendants) {
  const auto lineage = repository_->lineage(uuid(1));
  EXPECT_EQ(ids(lineage), (Ids{1, 2, 3, 5, 6, 7, 8}));
  EXPECT_EQ(edges(lineage), (Edges{{1, 2}, {2, 3}, {2, 5}, {2, 6}, {2, 7}, {5, 6}, {6, 8}}));
  EXPECT_FALSE(lineage.truncated);
}

TEST_F(LineageTest, GoesBackToAncestorsButNotToSiblings) {
  const auto lineage = repository_->lineage(uuid(12));
  EXPECT_EQ(ids(lineage), (Ids{1, 2, 3, 7}));
  EXPECT_EQ(edges(lineage), (Edges{{1, 2}, {2, 3}, {2, 7}}));
}

TEST_F(LineageTest, AMergedFlowFileHasAllItsSources) {
  EXPECT_EQ(ids(repository_->lineage(uuid(20))), (Ids{1, 2, 3, 5, 6, 8}));
}

TEST_F(LineageTest, StopsAtTheLimit) {
  const auto lineage = repository_->lineage(uuid(1), 3);
  EXPECT_EQ(lineage.events.size(), 3u);
  EXPECT_TRUE(lineage.truncated);
}

TEST_F(LineageTest, AnUnknownFlowFileHasNone) {
  EXPECT_TRUE(repository_->lineage(uuid(12345)).events.empty());
}

TEST_F(LineageTest, VolatileKeepsTheNewest) {
  auto small = open_volatile_provenance_repository(3);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    small->take(i, i, 1, encode(kComponent, {simple(EventType::create, i)}));
  }
  const auto result = small->query({});
  ASSERT_EQ(result.events.size(), 3u);
  EXPECT_EQ(result.events.front().id, 10u);
  EXPECT_EQ(small->statistics().first_event_id, 8u);
  EXPECT_FALSE(small->find(7));
  EXPECT_EQ(small->find(9)->flow_file, uuid(9));
  EXPECT_EQ(small->durable_sequence(), 10u);
}

}  // namespace
}  // namespace weir::provenance
