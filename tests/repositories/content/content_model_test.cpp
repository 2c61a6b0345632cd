// Random actions on the repository beside the simplest model of it: a list of living contents
// with their bytes.

#include "tests/repositories/content/content_fixture.h"

namespace weir::content {
namespace {

struct Living {
  ContentClaim claim;
  std::string text;
};

class ContentModelTest : public OnDisk {
 protected:
  void write_session() {
    const auto writer = repository->writer();
    const bool commits = random() % 4 != 0;
    std::vector<Living> written;
    for (std::size_t n = random() % 5; n > 0; --n) {
      const std::string text =
          noise(random() % 10 == 0 ? random() % 400'000 : random() % 3000, random());
      writer->begin();
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t step = 1 + random() % 200'000;
        writer->append(bytes_of(std::string_view(text).substr(at, step)));
        at += step;
        if (random() % 50 == 0) writer->flush();
      }
      if (random() % 5 == 0) {
        writer->abandon();
      } else {
        written.push_back({writer->finish(), text});
      }
    }
    if (!commits) return;
    if (random() % 10 == 0) {
      writer->sync();
    } else {
      writer->flush();
    }
    for (auto& content : written) living.push_back(std::move(content));
  }

  Living& any() { return living[random() % living.size()]; }

  void clone_part() {
    if (living.empty()) return;
    const Living& parent = any();
    const std::uint64_t from = random() % (parent.text.size() + 1);
    const std::uint64_t size = random() % (parent.text.size() - from + 1);
    living.push_back({parent.claim.part(from, size), parent.text.substr(from, size)});
  }

  void drop() {
    if (living.empty()) return;
    std::swap(any(), living.back());
    living.pop_back();
  }

  void check_one() {
    if (living.empty()) return;
    const Living& content = any();
    EXPECT_EQ(read_text(*repository, content.claim), content.text);
    EXPECT_EQ(text_of(*repository->read_location(content.claim.location())), content.text);
    if (content.claim.has_checksum()) {
      EXPECT_EQ(content.claim.checksum(), storage::checksum(bytes_of(content.text)));
    }
  }

  void checkpoint_now() {
    repository->begin_checkpoint();
    LiveRanges ranges;
    for (const auto& candidate : repository->sparse_candidates()) {
      for (const auto& content : living) {
        if (content.claim.resource() != candidate) continue;
        ranges[candidate.get()].emplace_back(content.claim.offset(), content.claim.length());
      }
    }
    // FlowFiles go while the snapshot is written: their ranges are in it all the same.
    for (std::size_t n = random() % 3; n > 0; --n) drop();
    if (random() % 3 == 0) write_session();
    repository->finish_checkpoint(ranges);
  }

  void restart() {
    std::vector<std::pair<ClaimLocation, std::string>> recorded;
    for (const auto& content : living) {
      recorded.emplace_back(content.claim.location(), content.text);
    }
    living.clear();
    open();
    for (auto& [location, text] : recorded) {
      living.push_back({repository->resolve(location), std::move(text)});
    }
    repository->recovered(false);
    if (random() % 2) repository->wait_for_scan();
  }

  // At the end of a run every file that nobody refers to is gone.
  void check_no_leak() {
    repository->wait_for_scan();
    for (int i = 0; i < 2; ++i) checkpoint(*repository);
    std::set<std::pair<std::string, std::uint64_t>> held;
    for (const auto& content : living) {
      if (!content.claim) continue;
      held.emplace(content.claim.resource()->container, content.claim.resource()->identifier);
    }
    for (const ContentFile& file : live()) {
      EXPECT_TRUE(held.contains({file.location.container, file.location.identifier}));
    }
  }

  std::mt19937_64 random;
  std::vector<Living> living;
};

TEST_F(ContentModelTest, RandomActionsKeepEveryLivingContent) {
  const std::uint64_t seed = seed_of_run();
  for (std::uint64_t loop = 0; loop < 4 * loops(); ++loop) {
    random.seed(seed + loop);
    config.archive_enabled = random() % 2;
    config.max_appendable_bytes = std::array{1u, 5000u, 51200u, 4u << 20}[random() % 4];
    if (random() % 2) config.containers["second"] = folder.path / "second";
    open_fresh();
    for (int action = 0; action < 400 && !HasFailure(); ++action) {
      now_ms += static_cast<std::int64_t>(random() % 100);
      const auto chosen = random() % 100;
      if (chosen < 30) write_session();
      if (chosen >= 30 && chosen < 45) clone_part();
      if (chosen >= 45 && chosen < 65) drop();
      if (chosen >= 65 && chosen < 88) check_one();
      if (chosen >= 88 && chosen < 95) checkpoint_now();
      if (chosen >= 95 && chosen < 97) repository->sync_all();
      if (chosen >= 97) restart();
    }
    for (const auto& content : living) {
      ASSERT_EQ(read_text(*repository, content.claim), content.text) << "seed " << seed + loop;
    }
    check_no_leak();
    ASSERT_FALSE(HasFailure()) << "seed " << seed + loop;
    living.clear();
    checkpoint(*repository);
  }
}

}  // namespace
}  // namespace weir::content
