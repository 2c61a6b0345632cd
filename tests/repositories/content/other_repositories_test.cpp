// The volatile and the read-only repository.

#include "repositories/storage/fault_file_system.h"
#include "tests/repositories/content/content_fixture.h"

namespace weir::content {
namespace {

TEST(VolatileContentRepositoryTest, ContentLivesAsLongAsItsHandles) {
  const auto repository = open_volatile_content_repository(1000);
  ContentClaim claim = write_one(*repository, "text");
  const ClaimLocation location = claim.location();
  EXPECT_EQ(claim.checksum(), storage::checksum(bytes_of("text")));
  EXPECT_EQ(read_text(*repository, claim.part(1, 2)), "ex");
  const auto reader = repository->read_location(location);
  EXPECT_EQ(text_of(*reader), "text");
  EXPECT_EQ(repository->status()[0].available_bytes, 996u);
  claim = {};
  EXPECT_EQ(repository->status()[0].available_bytes, 1000u);
  EXPECT_EQ(text_of(*reader), "text");
  EXPECT_EQ(repository->read_location(location), nullptr);
  EXPECT_THROW(repository->read(repository->resolve(location)), ContentMissingError);
  EXPECT_FALSE(write_one(*repository, ""));
}

TEST(VolatileContentRepositoryTest, PastItsLimitItFailsAsAFullDiskDoes) {
  const auto repository = open_volatile_content_repository(10);
  const auto writer = repository->writer();
  writer->begin();
  writer->append(bytes_of("12345678"));
  try {
    writer->append(bytes_of("123"));
    FAIL();
  } catch (const storage::IoError& error) {
    EXPECT_TRUE(error.disk_full());
  }
  writer->abandon();
  const ContentClaim full = write_content(*writer, "1234567890");
  EXPECT_FALSE(repository->has_room());
  EXPECT_EQ(read_text(*repository, full), "1234567890");
}

TEST(ReadOnlyContentRepositoryTest, ReadsBesideARunningEngineAndChangesNothing) {
  storage::FaultFileSystem files;
  Findings findings;
  ContentRepositoryConfig config;
  config.containers["default"] = "/content";
  config.archive_max_usage = 1;
  FileSystemContentRepository engine(
      files, config, [] { return 1'700'000'000'000; }, findings);
  const ContentClaim claim = write_one(engine, "text");
  const ClaimLocation archived = [&] {
    config.max_appendable_bytes = 1;
    const auto busy = engine.writer();
    const ContentClaim other = write_content(*busy, "the one that is in use");
    busy->flush();
    return write_one(engine, "archived").location();
  }();
  checkpoint(engine);

  const std::uint64_t operations = files.operations();
  const auto reader = open_content_repository_read_only(files, config.containers);
  EXPECT_EQ(read_text(*reader, reader->resolve(claim.location())), "text");
  EXPECT_EQ(text_of(*reader->read_location(archived)), "archived");
  ClaimLocation gone = archived;
  ++gone.identifier;
  EXPECT_EQ(reader->read_location(gone), nullptr);
  EXPECT_THROW(reader->read(reader->resolve(gone)), ContentMissingError);
  gone.container = "other";
  EXPECT_EQ(reader->read_location(gone), nullptr);
  EXPECT_THROW(reader->read(reader->resolve(gone)), ContentMissingError);
  EXPECT_EQ(reader->read({})->size(), 0u);
  ASSERT_EQ(reader->status().size(), 1u);
  EXPECT_GE(reader->status()[0].claims, 1u);
  EXPECT_GT(reader->status()[0].archived_bytes, 0u);
  EXPECT_THROW(reader->writer(), std::logic_error);
  EXPECT_EQ(files.operations(), operations);
}

TEST(ReadOnlyContentRepositoryTest, AFolderThatIsNoRepositoryIsRefused) {
  storage::FaultFileSystem files;
  files.create_directories("/content");
  EXPECT_THROW(open_content_repository_read_only(files, {{"default", "/content"}}),
               storage::RefusedError);
}

}  // namespace
}  // namespace weir::content
