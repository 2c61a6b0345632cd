#include "tests/repositories/content/content_fixture.h"

namespace weir::content {
namespace {

using FileSystemContentRepositoryTest = OnDisk;

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

}  // namespace
}  // namespace weir::content
