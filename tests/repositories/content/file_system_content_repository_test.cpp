#include <sys/stat.h>

#include <fstream>

#include "repositories/content/layout.h"
#include "tests/repositories/content/content_fixture.h"

namespace weir::content {
namespace {

using ::testing::HasSubstr;
using FileSystemContentRepositoryTest = OnDisk;

template <typename Error, typename Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(FileSystemContentRepositoryTest, WhatIsWrittenIsReadBack) {
  open_fresh();
  const auto writer = repository->writer();
  const ContentClaim first = write_content(*writer, "one");
  const ContentClaim second = write_content(*writer, "twotwo");
  writer->flush();
  EXPECT_EQ(read_text(*repository, first), "one");
  EXPECT_EQ(read_text(*repository, second), "twotwo");
  EXPECT_EQ(first.resource(), second.resource());
  EXPECT_EQ(second.offset(), 3u);
  EXPECT_EQ(first.checksum(), storage::checksum(bytes_of("one")));
  EXPECT_EQ(read_text(*repository, second.part(3, 3)), "two");
}

TEST_F(FileSystemContentRepositoryTest, AnEmptyContentHasNoClaim) {
  open_fresh();
  const auto writer = repository->writer();
  const ContentClaim empty = write_content(*writer, "");
  EXPECT_FALSE(empty);
  EXPECT_EQ(repository->read(empty)->size(), 0u);
  EXPECT_EQ(repository->read_location({})->size(), 0u);
  EXPECT_TRUE(live().empty());
}

TEST_F(FileSystemContentRepositoryTest, ALargeContentStreamsThroughWithItsChecksum) {
  open_fresh();
  const std::string text = noise(3 * kWriteBufferBytes + 12345, 1);
  for (const std::size_t step : {1000uz, 100'000uz, 300'000uz, text.size()}) {
    const auto writer = repository->writer();
    const ContentClaim before = write_content(*writer, "before");
    writer->begin();
    for (std::size_t at = 0; at < text.size(); at += step) {
      writer->append(bytes_of(std::string_view(text).substr(at, step)));
    }
    EXPECT_EQ(writer->written(), text.size());
    const ContentClaim claim = writer->finish();
    const ContentClaim after = write_content(*writer, "after");
    writer->flush();
    EXPECT_EQ(claim.checksum(), storage::checksum(bytes_of(text)));
    EXPECT_EQ(read_text(*repository, claim), text);
    EXPECT_EQ(read_text(*repository, before), "before");
    EXPECT_EQ(read_text(*repository, after), "after");
  }
}

TEST_F(FileSystemContentRepositoryTest, ARangeOfAFileIsAppended) {
  open_fresh();
  const std::string text = noise(500'000, 2);
  std::ofstream(folder.path / "source", std::ios::binary) << text;
  const auto source = files.open_read(folder.path / "source");
  const auto writer = repository->writer();
  writer->begin();
  writer->append_from(*source, 10, 400'000);
  const ContentClaim large = writer->finish();
  writer->begin();
  writer->append(bytes_of("x"));
  writer->append_from(*source, 3, 5);
  const ContentClaim small = writer->finish();
  writer->flush();
  EXPECT_FALSE(large.has_checksum());
  EXPECT_EQ(read_text(*repository, large), text.substr(10, 400'000));
  EXPECT_EQ(read_text(*repository, small), "x" + text.substr(3, 5));
  EXPECT_EQ(small.checksum(), storage::checksum(bytes_of("x" + text.substr(3, 5))));

  writer->begin();
  EXPECT_THROW(writer->append_from(*source, 499'999, 2), storage::StorageError);
  writer->abandon();
  EXPECT_EQ(read_text(*repository, write_one(*repository, "goes on")), "goes on");
}

TEST_F(FileSystemContentRepositoryTest, AnAbandonedContentLeavesTheOthersAlone) {
  open_fresh();
  const auto writer = repository->writer();
  const ContentClaim first = write_content(*writer, "first");
  writer->begin();
  writer->append(bytes_of("gone"));
  writer->abandon();
  const ContentClaim second = write_content(*writer, "second");
  writer->begin();
  writer->append(bytes_of(noise(2 * kWriteBufferBytes, 3)));
  writer->abandon();
  const ContentClaim third = write_content(*writer, "third");
  writer->flush();
  EXPECT_EQ(second.offset(), first.length());
  EXPECT_EQ(read_text(*repository, first), "first");
  EXPECT_EQ(read_text(*repository, second), "second");
  EXPECT_EQ(read_text(*repository, third), "third");
}

TEST_F(FileSystemContentRepositoryTest, FlushInTheMiddleOfAContentKeepsItWhole) {
  open_fresh();
  const auto writer = repository->writer();
  const ContentClaim first = write_content(*writer, "first");
  writer->begin();
  writer->append(bytes_of("sec"));
  writer->flush();
  EXPECT_EQ(read_text(*repository, first), "first");
  writer->append(bytes_of("ond"));
  const ContentClaim second = writer->finish();
  writer->flush();
  EXPECT_EQ(read_text(*repository, second), "second");
  EXPECT_EQ(second.checksum(), storage::checksum(bytes_of("second")));
}

// R025: the limits for how large a shared claim file may grow were not obeyed.
TEST_F(FileSystemContentRepositoryTest, R025NoClaimFileGrowsPastTheLimitPlusOneContent) {
  config.max_appendable_bytes = 1'000'000;
  open_fresh();
  const std::string text = noise(100'000, 4);
  std::vector<ContentClaim> claims;
  for (int session = 0; session < 5; ++session) {
    const auto writer = repository->writer();
    for (int i = 0; i < 7; ++i) claims.push_back(write_content(*writer, text));
    writer->flush();
  }
  const auto many_small = repository->writer();
  for (int i = 0; i < 3000; ++i) claims.push_back(write_content(*many_small, "0123456789"));
  many_small->flush();
  for (const ContentFile& file : live()) {
    EXPECT_LT(file.location.length, config.max_appendable_bytes + text.size());
  }
  EXPECT_EQ(live().size(), 4u);
  for (const ContentClaim& claim : claims) repository->read(claim);
}

TEST_F(FileSystemContentRepositoryTest, ALimitBelowTheContentsGivesEachAFileInsideOneBufferToo) {
  config.max_appendable_bytes = 1;
  open_fresh();
  const auto writer = repository->writer();
  const ContentClaim first = write_content(*writer, "first");
  const ContentClaim second = write_content(*writer, "second");
  writer->sync();
  EXPECT_NE(first.resource(), second.resource());
  EXPECT_EQ(live().size(), 2u);
  EXPECT_EQ(read_text(*repository, second), "second");
}

TEST_F(FileSystemContentRepositoryTest, WritableClaimsAreSharedBySessionsOneAtATime) {
  open_fresh();
  const auto one = repository->writer();
  const auto two = repository->writer();
  const ContentClaim first = write_content(*one, "first");
  const ContentClaim other = write_content(*two, "other");
  EXPECT_NE(first.resource(), other.resource());
  one->flush();
  two->flush();
  const ContentClaim third = write_one(*repository, "third");
  EXPECT_NE(third.resource(), first.resource());
  EXPECT_NE(third.resource(), other.resource());
}

TEST_F(FileSystemContentRepositoryTest, ContainersTakeTurns) {
  config.containers = {{"a", folder.path / "a"}, {"b", folder.path / "b"}};
  config.max_appendable_bytes = 1;
  open_fresh();
  std::map<std::string, int> used;
  for (int i = 0; i < 6; ++i) ++used[write_one(*repository, "text").resource()->container];
  EXPECT_THAT(used, ::testing::ElementsAre(::testing::Pair("a", 3), ::testing::Pair("b", 3)));
  const auto status = repository->status();
  ASSERT_EQ(status.size(), 2u);
  EXPECT_EQ(status[0].claims, 3u);
  EXPECT_GT(status[0].capacity_bytes, 0u);
  EXPECT_TRUE(repository->has_room());
}

TEST_F(FileSystemContentRepositoryTest, IdentifiersAreNeverGivenTwiceWhenTheClockGoesBack) {
  open_fresh();
  std::uint64_t last = 0;
  for (int run = 0; run < 3; ++run) {
    for (int i = 0; i < 3; ++i) {
      ContentClaim claim = write_one(*repository, "text");
      EXPECT_GE(claim.resource()->identifier, last);
      last = claim.resource()->identifier;
      claim = {};
      checkpoint(*repository);
      now_ms -= 1000;
    }
    now_ms -= 3'600'000;
    open_fresh();
  }
}

TEST_F(FileSystemContentRepositoryTest, MissingAndShortContentNamesTheClaim) {
  open_fresh();
  ContentClaim claim = write_one(*repository, "0123456789");
  const ClaimLocation location = claim.location();
  claim = {};
  open();
  ClaimLocation too_long = location;
  too_long.length = 11;
  const std::string too_short =
      message_of<ContentMissingError>([&] { repository->read(repository->resolve(too_long)); });
  EXPECT_THAT(too_short, HasSubstr("default/" + std::to_string(location.section) + "/" +
                                   std::to_string(location.identifier) + " at offset 0"));
  EXPECT_THAT(too_short, HasSubstr("ends at 10"));
  EXPECT_EQ(repository->read_location(too_long), nullptr);
  EXPECT_EQ(text_of(*repository->read_location(location)), "0123456789");

  ClaimLocation gone = location;
  ++gone.identifier;
  EXPECT_THAT(message_of<ContentMissingError>([&] { repository->read(repository->resolve(gone)); }),
              HasSubstr("the file is gone"));
  EXPECT_EQ(repository->read_location(gone), nullptr);

  ClaimLocation elsewhere = location;
  elsewhere.container = "other";
  EXPECT_THAT(
      message_of<ContentMissingError>([&] { repository->read(repository->resolve(elsewhere)); }),
      HasSubstr("not configured"));
  EXPECT_EQ(repository->read_location(elsewhere), nullptr);

  ClaimLocation absurd = location;
  absurd.offset = UINT64_MAX - 1;
  EXPECT_THROW(repository->read(repository->resolve(absurd)), ContentMissingError);
  EXPECT_EQ(repository->read_location(absurd), nullptr);
}

TEST_F(FileSystemContentRepositoryTest, AReaderReadsFromAnywhereAndStopsAtTheEnd) {
  open_fresh();
  const ContentClaim claim = write_one(*repository, "0123456789");
  const auto reader = repository->read(claim.part(2, 6));
  std::array<std::byte, 10> out;
  EXPECT_EQ(reader->read_at(0, out), 6u);
  EXPECT_EQ(reader->read_at(4, out), 2u);
  EXPECT_EQ(static_cast<char>(out[0]), '6');
  EXPECT_EQ(reader->read_at(6, out), 0u);
  EXPECT_EQ(reader->read_at(UINT64_MAX, out), 0u);
  EXPECT_NE(reader->source().file, nullptr);
  EXPECT_EQ(reader->source().offset, 2u);
}

TEST_F(FileSystemContentRepositoryTest, ADirectoryInUseIsRefused) {
  open_fresh();
  EXPECT_THAT(message_of<storage::RefusedError>([&] {
                FileSystemContentRepository(
                    files, config, [] { return 0; }, findings);
              }),
              HasSubstr("in use"));
}

TEST_F(FileSystemContentRepositoryTest, AnotherVersionIsRefused) {
  std::filesystem::create_directories(config.containers["default"]);
  files.replace_small(marker_path(config.containers["default"]),
                      encode_marker({.version = 2, .identifier_limit = 0}));
  EXPECT_THAT(message_of<storage::RefusedError>([&] { open(); }), HasSubstr("is of version 2"));
}

TEST_F(FileSystemContentRepositoryTest, AFolderOfOthersIsRefused) {
  std::filesystem::create_directories(config.containers["default"] / "photos");
  EXPECT_THAT(message_of<storage::RefusedError>([&] { open(); }), HasSubstr("holds photos"));
}

TEST_F(FileSystemContentRepositoryTest, ADirectoryThatCannotBeMadeIsRefused) {
  std::ofstream(folder.path / "file") << "in the way";
  config.containers["default"] = folder.path / "file" / "content";
  EXPECT_THAT(message_of<storage::RefusedError>([&] { open(); }), HasSubstr("cannot be used"));
  config.containers.clear();
  EXPECT_THROW(open(), storage::RefusedError);
}

TEST_F(FileSystemContentRepositoryTest, ADamagedMarkerIsReportedAndWrittenAnew) {
  open_fresh();
  const ClaimLocation location = write_one(*repository, "text").location();
  const std::string marker = *files.read_small(marker_path(config.containers["default"]));
  for (std::size_t bit = 0; bit < marker.size() * 8; ++bit) {
    std::string damaged = marker;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(decode_marker(damaged), std::nullopt);
  }
  for (std::size_t size = 0; size < marker.size(); ++size) {
    EXPECT_EQ(decode_marker(marker.substr(0, size)), std::nullopt);
  }
  repository.reset();
  std::ofstream(marker_path(config.containers["default"]), std::ios::binary) << "rubbish";
  open();
  ASSERT_EQ(findings.all.size(), 1u);
  EXPECT_EQ(findings.all[0].file, marker_path(config.containers["default"]));
  EXPECT_EQ(text_of(*repository->read_location(location)), "text");
  open();
  EXPECT_EQ(findings.all.size(), 1u);
}

TEST(LayoutTest, OnlyOurOwnSpellingIsAnIdentifier) {
  EXPECT_EQ(parse_identifier("17"), 17u);
  EXPECT_EQ(parse_identifier("18446744073709551615"), UINT64_MAX);
  for (const char* other :
       {"", "017", "-1", "+1", "1 ", "1.tmp", "archive", "18446744073709551616"}) {
    EXPECT_EQ(parse_identifier(other), std::nullopt) << other;
  }
  EXPECT_EQ(parse_section("1023"), 1023u);
  EXPECT_EQ(parse_section("1024"), std::nullopt);
}

// The worked example of README.md.
TEST(LayoutTest, TheMarkerIsAsDescribed) {
  const std::string bytes = encode_marker({.identifier_limit = 1871708160000000000});
  std::string hex;
  for (const unsigned char byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  EXPECT_EQ(hex, "77656972636f6e7401000000000000a0a7a4f9194cdbcb46be65ca4b");
  EXPECT_EQ(decode_marker(bytes)->identifier_limit, 1871708160000000000u);
}

}  // namespace
}  // namespace weir::content
