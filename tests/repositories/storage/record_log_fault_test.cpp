#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "repositories/storage/fault_file_system.h"
#include "repositories/storage/record_log.h"
#include "tests/repositories/storage/test_support.h"

namespace weir::storage {
namespace {

using Operation = FaultFileSystem::Operation;
using Status = RecordLogReader::Status;
using test::bytes_of;

constexpr std::array<char, 8> kFormat{'w', 'e', 'i', 'r', 't', 'e', 's', 't'};
const Path kPath = "/log";

RecordLogWriter create(FileSystem& files) {
  return {files, kPath, {.format = kFormat, .version = 1, .salt = 99}};
}

std::string payload(std::uint64_t sequence) {
  return std::string(sequence * 37 % 6000, static_cast<char>('a' + sequence % 26));
}

// Reads the log and checks each record against `payload`; returns how many there are.
std::uint64_t count_records(FileSystem& files, Status& status) {
  RecordLogReader reader(files, kPath, kFormat, 1);
  std::uint64_t count = 0;
  while ((status = reader.next()) == Status::record) {
    ++count;
    EXPECT_EQ(reader.record().sequence, count);
    EXPECT_EQ(test::text_of(reader.record().payload), payload(count));
  }
  return count;
}

TEST(RecordLogFaultTest, AFailedAppendIsCutOff) {
  FaultFileSystem files(3);
  RecordLogWriter writer = create(files);
  writer.append(1, bytes_of(payload(1)));
  for (int loop = 0; loop < 20; ++loop) {
    files.fail(Operation::append, ENOSPC);
    EXPECT_THROW(writer.append(2, bytes_of(std::string(10'000, 'z'))), IoError);
    Status status = Status::end;
    EXPECT_EQ(count_records(files, status), 1U);
    EXPECT_EQ(status, Status::end);
  }
  writer.append(2, bytes_of(payload(2)));
  Status status = Status::torn;
  EXPECT_EQ(count_records(files, status), 2U);
  EXPECT_EQ(status, Status::end);
  EXPECT_EQ(files.status(kPath)->size_bytes, writer.size());
}

// A recovery once could have found the first records of a group that was rolled back.
TEST(RecordLogFaultTest, NoRecordOfAFailedGroupIsLeft) {
  FaultFileSystem files(3);
  RecordLogWriter writer = create(files);
  std::vector<std::byte> group;
  for (std::uint64_t sequence = 1; sequence < 50; ++sequence) {
    const Bytes part = bytes_of("abc");
    RecordFramer(writer.salt()).frame(sequence, std::span(&part, 1), group);
  }
  for (int loop = 0; loop < 20; ++loop) {
    files.fail(Operation::append, EIO);
    EXPECT_THROW(writer.append_frames(group), IoError);
    EXPECT_EQ(files.status(kPath)->size_bytes, writer.size());
  }
}

TEST(RecordLogFaultTest, AFileWhoseHeaderFailedIsNotLeftBehind) {
  FaultFileSystem files;
  files.fail(Operation::append, ENOSPC);
  EXPECT_THROW(create(files), IoError);
  EXPECT_FALSE(files.status(kPath));
  create(files);
}

TEST(RecordLogFaultTest, AFailedSyncIsNeverForgotten) {
  FaultFileSystem files;
  RecordLogWriter writer = create(files);
  files.fail(Operation::sync, EIO);
  EXPECT_THROW(writer.sync(), IoError);
  EXPECT_THROW(writer.append(1, {}), IoError);
  EXPECT_THROW(writer.append(1, {}), IoError);
  EXPECT_THROW(writer.sync(), IoError);
}

TEST(RecordLogFaultTest, AReadErrorIsNoTornTail) {
  FaultFileSystem files;
  create(files).append(1, bytes_of("a"));
  RecordLogReader reader(files, kPath, kFormat, 1);
  reader.seek(kRecordLogHeaderBytes);
  files.fail(Operation::read, EIO);
  EXPECT_THROW(reader.next(), IoError);
  EXPECT_EQ(reader.next(), Status::record);
}

// Synced records survive each cut; of the others a prefix, or a prefix and reported damage.
TEST(RecordLogFaultTest, SyncedRecordsSurviveAPowerCutAtEveryOperation) {
  const std::uint64_t seed = test::seed_of_run();
  for (const UnsyncedFate fate :
       {UnsyncedFate::kept, UnsyncedFate::lost, UnsyncedFate::garbage, UnsyncedFate::mixed}) {
    for (std::uint64_t loop = 0; loop < test::loops(60); ++loop) {
      const std::uint64_t cut = loop % 60 + 1;
      FaultFileSystem files(seed + loop);
      std::uint64_t synced = 0;
      std::uint64_t written = 0;
      try {
        RecordLogWriter writer = create(files);
        writer.sync();
        files.sync_directory("/");
        files.cut_power_at(cut);
        for (;;) {
          writer.append(written + 1, bytes_of(payload(written + 1)));
          ++written;
          if (written % 5 != 0) continue;
          writer.sync();
          synced = written;
        }
      } catch (const PowerLost&) {
      }
      files.restart(fate);
      Status status = Status::end;
      const std::uint64_t found = count_records(files, status);
      EXPECT_GE(found, synced);
      EXPECT_LE(found, written + 1);
      if (fate == UnsyncedFate::kept) {
        EXPECT_GE(found, written);
      }
      if (fate != UnsyncedFate::mixed) {
        EXPECT_NE(status, Status::damaged);
      }
    }
  }
}

}  // namespace
}  // namespace weir::storage
