#include <fstream>

#include "tests/repositories/content/content_fixture.h"

namespace weir::content {
namespace {

using CleanUpTest = OnDisk;

TEST_F(CleanUpTest, AFileGoesAtTheCheckpointAfterItsLastHandleAndNotBefore) {
  config.archive_enabled = false;
  open_fresh();
  ContentClaim claim = write_one(*repository, "text");
  ContentClaim clone = claim;
  claim = {};
  checkpoint(*repository);
  EXPECT_EQ(live().size(), 1u);
  EXPECT_EQ(read_text(*repository, clone), "text");

  repository->begin_checkpoint();
  clone = {};
  repository->finish_checkpoint({});  // it still had a handle when the checkpoint began
  EXPECT_EQ(live().size(), 1u);
  checkpoint(*repository);
  EXPECT_TRUE(live().empty());
  EXPECT_TRUE(archived().empty());
  EXPECT_EQ(repository->status()[0].claims, 0u);
}

TEST_F(CleanUpTest, AClaimTakenUpAgainDuringTheCheckpointStays) {
  config.archive_enabled = false;
  open_fresh();
  ContentClaim claim = write_one(*repository, "text");
  const ClaimLocation location = claim.location();
  claim = {};
  repository->begin_checkpoint();
  claim = repository->resolve(location);
  claim = {};
  repository->finish_checkpoint({});
  EXPECT_EQ(live().size(), 1u);
  checkpoint(*repository);
  EXPECT_TRUE(live().empty());
}

TEST_F(CleanUpTest, AFileOfAnOpenSessionStays) {
  config.archive_enabled = false;
  open_fresh();
  auto writer = repository->writer();
  ContentClaim claim = write_content(*writer, "text");
  writer->flush();
  claim = {};
  checkpoint(*repository);
  EXPECT_EQ(live().size(), 1u);
  claim = write_content(*writer, "more");
  writer->flush();
  EXPECT_EQ(read_text(*repository, claim), "more");
  writer.reset();
  claim = {};
  checkpoint(*repository);
  EXPECT_TRUE(live().empty());
}

TEST_F(CleanUpTest, ASessionThatDidNotFlushLeavesNothing) {
  open_fresh();
  {
    const auto writer = repository->writer();
    write_content(*writer, "never committed");
  }
  EXPECT_EQ(repository->status()[0].claims, 1u);
  checkpoint(*repository);
  EXPECT_EQ(repository->status()[0].claims, 0u);
  EXPECT_TRUE(live().empty());
}

TEST_F(CleanUpTest, NothingIsAppendedToAClaimThatACheckpointRemembers) {
  open_fresh();
  ContentClaim claim = write_one(*repository, "text");
  const ResourceClaim* before = claim.resource().get();
  claim = {};
  repository->begin_checkpoint();
  const ContentClaim next = write_one(*repository, "next");
  EXPECT_NE(next.resource().get(), before);
  repository->finish_checkpoint({});
  EXPECT_EQ(read_text(*repository, next), "next");
}

TEST_F(CleanUpTest, AReaderKeepsItsBytesWhenTheFileGoes) {
  config.archive_enabled = false;
  open_fresh();
  ContentClaim claim = write_one(*repository, "text");
  const ClaimLocation location = claim.location();
  const auto by_claim = repository->read(claim);
  claim = {};
  const auto by_location = repository->read_location(location);
  repository->begin_checkpoint();
  repository->finish_checkpoint({});
  EXPECT_EQ(text_of(*by_claim), "text");
  EXPECT_EQ(text_of(*by_location), "text");
}

TEST_F(CleanUpTest, NothingStaleIsReadFromAFileThatIsGone) {
  config.archive_enabled = false;
  open_fresh();
  ContentClaim claim = write_one(*repository, "text");
  const ClaimLocation location = claim.location();
  EXPECT_EQ(read_text(*repository, claim), "text");
  claim = {};
  checkpoint(*repository);
  EXPECT_EQ(repository->read_location(location), nullptr);
  EXPECT_THROW(repository->read(repository->resolve(location)), ContentMissingError);
}

// R016: a temporary clone made and removed in the same session lowered a count that it had never
// raised, and the content of a living FlowFile was cut away.
TEST_F(CleanUpTest, R016ACloneMadeAndRemovedInOneSessionTakesNothingAway) {
  config.archive_enabled = false;
  open_fresh();
  const std::string text = noise(1'500'000, 16);
  std::vector<ContentClaim> flow_files;
  {
    const auto writer = repository->writer();
    for (int i = 0; i < 3; ++i) {
      writer->begin();
      writer->append(bytes_of(text));
      flow_files.push_back(writer->finish());
    }
    writer->flush();
  }
  for (int round = 0; round < 10'000; ++round) {
    const ContentClaim& flow_file = flow_files[round % flow_files.size()];
    ContentClaim clone = flow_file.part(0, round % 2 ? flow_file.length() : 7);
    clone = {};
    if (round % 1000 == 0) {
      repository->begin_checkpoint();
      LiveRanges ranges;
      for (const auto& candidate : repository->sparse_candidates()) {
        for (const auto& claim : flow_files) {
          if (claim.resource() == candidate) {
            ranges[candidate.get()].emplace_back(claim.offset(), claim.length());
          }
        }
      }
      repository->finish_checkpoint(ranges);
    }
  }
  for (const auto& claim : flow_files) EXPECT_EQ(read_text(*repository, claim), text);
}

// R017: content was given back that only a swapped-out FlowFile referred to after a restart.
TEST_F(CleanUpTest, R017AClaimHeldByASwapFileKeepsItsBytes) {
  config.archive_enabled = false;
  open_fresh();
  const std::string large = noise(5'000'000, 17);
  ClaimLocation small_at;
  ClaimLocation large_at;
  {
    const auto writer = repository->writer();
    small_at = write_content(*writer, "small").location();
    large_at = write_content(*writer, large).location();
    writer->flush();
  }
  open();
  ContentClaim small = repository->resolve(small_at);
  // A swap file holds one handle for the claim, whatever it refers to in it.
  const ResourceClaimPtr held_by_swap_file = repository->resolve(large_at).resource();
  repository->recovered(false);
  repository->wait_for_scan();
  small = {};
  repository->begin_checkpoint();
  LiveRanges ranges;
  for (const auto& candidate : repository->sparse_candidates()) {
    ranges[candidate.get()].emplace_back(large_at.offset, large_at.length);
  }
  EXPECT_EQ(ranges.size(), 1u);
  repository->finish_checkpoint(ranges);
  EXPECT_EQ(read_text(*repository, repository->resolve(large_at)), large);
}

TEST_F(CleanUpTest, UnreferencedFilesFoundAtStartGoAndReferencedOnesStay) {
  config.archive_enabled = false;
  config.max_appendable_bytes = 1;
  open_fresh();
  const ClaimLocation kept = write_one(*repository, "kept").location();
  const ClaimLocation lost = write_one(*repository, "lost").location();
  std::ofstream(config.containers["default"] / "0" / "notes.txt") << "somebody's";
  open();
  const ContentClaim claim = repository->resolve(kept);
  repository->recovered(false);
  const ContentClaim written_meanwhile = write_one(*repository, "new");
  repository->wait_for_scan();
  EXPECT_EQ(live().size(), 2u);
  EXPECT_EQ(read_text(*repository, claim), "kept");
  EXPECT_EQ(read_text(*repository, written_meanwhile), "new");
  EXPECT_EQ(repository->read_location(lost), nullptr);
  EXPECT_TRUE(std::filesystem::exists(config.containers["default"] / "0" / "notes.txt"));
  EXPECT_TRUE(findings.all.empty());
}

TEST_F(CleanUpTest, NothingOldIsTakenAwayWhileARecordIsUnreadable) {
  config.archive_enabled = false;
  config.max_appendable_bytes = 1;
  open_fresh();
  const ClaimLocation named = write_one(*repository, "named").location();
  const ClaimLocation unnamed = write_one(*repository, "unnamed").location();
  open();
  ContentClaim claim = repository->resolve(named);
  repository->recovered(true);
  repository->wait_for_scan();
  claim = {};
  checkpoint(*repository);
  EXPECT_NE(repository->read_location(named), nullptr);
  EXPECT_NE(repository->read_location(unnamed), nullptr);
  EXPECT_EQ(findings.all.size(), 1u);
}

TEST_F(CleanUpTest, AnArchivedContentIsReadByItsLocationUntilItIsTooOld) {
  config.archive_max_age = std::chrono::hours(3);
  open_fresh();
  ContentClaim claim = write_one(*repository, "text");
  const ClaimLocation location = claim.location();
  claim = {};
  checkpoint(*repository);
  EXPECT_TRUE(live().empty());
  EXPECT_EQ(archived().size(), 1u);
  EXPECT_EQ(repository->status()[0].archived_bytes, 4u);
  EXPECT_EQ(text_of(*repository->read_location(location)), "text");

  now_ms += 3 * 3'600'000 - 1;
  open_fresh();  // also what an earlier run archived
  checkpoint(*repository);
  EXPECT_EQ(repository->status()[0].archived_bytes, 4u);
  EXPECT_NE(repository->read_location(location), nullptr);
  ++now_ms;
  {
    const ContentClaim replayed = repository->resolve(location);
    checkpoint(*repository);
    EXPECT_EQ(read_text(*repository, replayed), "text");
  }
  checkpoint(*repository);  // forgets the replayed one
  checkpoint(*repository);
  EXPECT_EQ(repository->read_location(location), nullptr);
  EXPECT_TRUE(archived().empty());
  EXPECT_EQ(repository->status()[0].archived_bytes, 0u);
}

TEST_F(CleanUpTest, TheOldestArchivedContentGoesWhenTheDiskIsTooFull) {
  config.archive_max_usage = 0;  // any disk is too full
  config.max_appendable_bytes = 1;
  open_fresh();
  write_one(*repository, "one");
  const ContentClaim kept = write_one(*repository, "two");
  checkpoint(*repository);
  EXPECT_TRUE(archived().empty());
  EXPECT_EQ(live().size(), 1u);
}

// R022: a start walked through every archived file. Scaled: that a start does not look at the
// archive at all shows in that it opens with a folder there that cannot even be listed in time.
TEST_F(CleanUpTest, R022AStartDoesNotWalkThroughTheArchive) {
  open_fresh();
  const auto archive = config.containers["default"] / "0" / "archive";
  std::filesystem::create_directories(archive);
  constexpr int kFiles = 20'000;
  for (int i = 1; i <= kFiles; ++i) {
    std::filesystem::create_hard_link(
        i == 1 ? config.containers["default"] / "container" : archive / "1024",
        archive / std::to_string(i * 1024));
  }
  const auto before = std::chrono::steady_clock::now();
  open();
  repository->recovered(false);
  const ContentClaim claim = write_one(*repository, "text");
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_EQ(read_text(*repository, claim), "text");
  repository->wait_for_scan();
  const auto scan_took = std::chrono::steady_clock::now() - before;
  std::printf("start %lld us, with scan %lld us\n",
              static_cast<long long>(took / std::chrono::microseconds(1)),
              static_cast<long long>(scan_took / std::chrono::microseconds(1)));
  checkpoint(*repository);  // all of them are from 1970
  EXPECT_TRUE(archived().empty());
}

TEST(ArchiveTest, MoreFilesThanItRemembersGoInSeveralScans) {
  TemporaryFolder folder;
  auto& files = storage::real_file_system();
  std::vector<std::unique_ptr<Container>> containers;
  containers.push_back(std::make_unique<Container>("default", folder.path));
  std::vector<std::uint64_t> order;
  Archive archive(files, containers, {.max_age_ms = 0, .remembered_files = 10},
                  [&](Container& container, std::uint32_t section, std::uint64_t identifier) {
                    order.push_back(identifier);
                    files.remove(archive_path(container.directory, section, identifier));
                    return true;
                  });
  files.create_directories(archive_directory(folder.path, 3));
  const auto add = [&](std::uint64_t identifier) {
    files.open_append(archive_path(folder.path, 3, identifier),
                      storage::FileSystem::Create::must_not_exist);
  };
  for (std::uint64_t n = 1; n <= 25; ++n) add(n * 1024 + 3);
  const std::atomic<bool> stop{false};
  int scans = 0;
  do {
    archive.scan(stop);
    archive.expire(1);
    ++scans;
  } while (archive.scan_needed());
  EXPECT_EQ(scans, 3);
  EXPECT_EQ(order.size(), 25u);
  EXPECT_TRUE(std::ranges::is_sorted(order));
  add(1000 * 1024 + 3);
  archive.added(*containers[0], 3, 1000 * 1024 + 3, 0);
  archive.expire(1);
  EXPECT_EQ(order.size(), 26u);
}

class HolesTest : public OnDisk {
 protected:
  // One claim with contents of a megabyte each; returns them.
  std::vector<ContentClaim> write_large(int count) {
    config.archive_enabled = false;
    config.max_appendable_bytes = 8u << 20;
    open_fresh();
    std::vector<ContentClaim> claims;
    const auto writer = repository->writer();
    for (int i = 0; i < count; ++i) claims.push_back(write_content(*writer, noise(1 << 20, i)));
    // The claim must be closed for appends before holes are made.
    writer->begin();
    writer->append(bytes_of(noise(8u << 20, 99)));
    writer->finish();
    writer->flush();
    return claims;
  }
  void checkpoint_with(const std::vector<ContentClaim>& alive) {
    repository->begin_checkpoint();
    LiveRanges ranges;
    const auto candidates = repository->sparse_candidates();
    for (const auto& claim : alive) {
      if (std::ranges::find(candidates, claim.resource()) == candidates.end()) continue;
      ranges[claim.resource().get()].emplace_back(claim.offset(), claim.length());
    }
    repository->finish_checkpoint(ranges);
  }
  std::uint64_t allocated() {
    std::uint64_t sum = 0;
    for (const auto& file : live()) {
      sum += files
                 .status(live_path(config.containers["default"], file.location.section,
                                   file.location.identifier))
                 ->allocated_bytes;
    }
    return sum;
  }
};

TEST_F(HolesTest, OneSmallFlowFileDoesNotPinALargeFile) {
  auto claims = write_large(4);
  const ClaimLocation dead = claims[1].location();
  std::vector<ContentClaim> alive{claims[0].part(5, 10), claims[3]};
  claims.clear();
  EXPECT_GT(allocated(), 8u << 20);
  checkpoint_with(alive);
  EXPECT_LT(allocated(), 2u << 20);
  EXPECT_EQ(read_text(*repository, alive[0]), noise(1 << 20, 0).substr(5, 10));
  EXPECT_EQ(read_text(*repository, alive[1]), noise(1 << 20, 3));
  EXPECT_EQ(repository->read_location(dead), nullptr);

  // Looked at again only once handles are gone.
  repository->begin_checkpoint();
  EXPECT_TRUE(repository->sparse_candidates().empty());
  repository->finish_checkpoint({});
  alive.pop_back();
  checkpoint_with(alive);
  EXPECT_LT(allocated(), 100u << 10);
  EXPECT_EQ(read_text(*repository, alive[0]), noise(1 << 20, 0).substr(5, 10));
}

TEST_F(HolesTest, AnOpenReaderKeepsItsDeadRange) {
  auto claims = write_large(3);
  std::vector<ContentClaim> alive{claims[2]};
  const auto reader = repository->read(claims[0]);
  claims.clear();
  checkpoint_with(alive);
  EXPECT_EQ(text_of(*reader), noise(1 << 20, 0));
}

TEST_F(HolesTest, AReplayedRangeIsNeverGivenBack) {
  auto claims = write_large(3);
  std::vector<ContentClaim> alive{claims[2]};
  const ClaimLocation replayed_at = claims[0].location();
  claims.clear();
  repository->begin_checkpoint();
  const auto candidates = repository->sparse_candidates();
  ASSERT_EQ(candidates.size(), 1u);
  const ContentClaim replayed = repository->resolve(replayed_at);
  repository->finish_checkpoint({{candidates[0].get(), {{alive[0].offset(), alive[0].length()}}}});
  checkpoint_with(alive);
  EXPECT_EQ(read_text(*repository, replayed), noise(1 << 20, 0));
}

TEST_F(HolesTest, ACandidateWithoutRangesIsLeftAlone) {
  const auto claims = write_large(2);
  repository->begin_checkpoint();
  EXPECT_EQ(repository->sparse_candidates().size(), 1u);
  repository->finish_checkpoint({});
  EXPECT_EQ(read_text(*repository, claims[0]), noise(1 << 20, 0));
}

}  // namespace
}  // namespace weir::content
