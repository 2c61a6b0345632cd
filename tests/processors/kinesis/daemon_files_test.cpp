#include "processors/kinesis/daemon_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "tests/tools/program.h"

namespace weir::processors::kinesis::test {
namespace {

using tools::testing::Folder;
using tools::testing::read_file;

unsigned mode_of(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(PropertiesText, PlainValuesStandAsTheyAre) {
  EXPECT_EQ(properties_text({{"streamName", "orders"}, {"maxRecords", "100"}}),
            "maxRecords=100\nstreamName=orders\n");
}

TEST(PropertiesText, WhatJavaTakesForSyntaxIsEscaped) {
  EXPECT_EQ(properties_text({{"v", R"(a\b=c:d#e!f)"}}), "v=a\\\\b\\=c\\:d\\#e\\!f\n");
  EXPECT_EQ(properties_text({{"a b=c", ""}}), "a\\ b\\=c=\n");
}

TEST(PropertiesText, ABlankMattersAtTheBeginning) {
  EXPECT_EQ(properties_text({{"v", "  a b "}}), "v=\\  a b \n");
}

TEST(PropertiesText, AValueCannotAddALine) {
  EXPECT_EQ(properties_text({{"v", "a\nexecutableName=/bin/sh\r\t\\"}}),
            "v=a\\u000AexecutableName\\=/bin/sh\\u000D\\u0009\\\\\n");
}

TEST(PropertiesText, OtherCharactersAreTheirUnits) {
  EXPECT_EQ(properties_text({{"v", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\x7F"}}),
            "v=\\u00E4\\u20AC\\uD83D\\uDE00\\u007F\n");
  EXPECT_EQ(properties_text({{"v", "\xFF"}}), "v=\\uFFFD\n");
}

TEST(PrivateFile, IsTheUsersAlone) {
  const Folder folder;
  const ::mode_t before = ::umask(0);
  write_private_file(folder / "file", "text");
  ::umask(before);
  EXPECT_EQ(mode_of(folder / "file"), 0600U);
  EXPECT_EQ(read_file(folder / "file"), "text");
}

TEST(PrivateFile, TakesThePlaceOfWhatWasThere) {
  const Folder folder;
  folder.write("victim", "untouched");
  ::chmod((folder / "victim").c_str(), 0644);
  std::filesystem::create_symlink(folder / "victim", folder / "file");
  write_private_file(folder / "file", "secret");
  EXPECT_EQ(read_file(folder / "victim"), "untouched");
  EXPECT_EQ(mode_of(folder / "file"), 0600U);
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "file"));
}

TEST(PrivateFile, SaysWhichFileCannotBeWritten) {
  const Folder folder;
  try {
    write_private_file(folder / "none/file", "text");
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
    EXPECT_NE(std::string(error.what()).find("none/file"), std::string::npos);
  }
}

}  // namespace
}  // namespace weir::processors::kinesis::test
