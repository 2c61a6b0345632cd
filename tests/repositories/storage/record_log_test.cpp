#include "repositories/storage/record_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/repositories/storage/test_support.h"

namespace weir::storage {
namespace {

using test::bytes_of;
using Status = RecordLogReader::Status;

constexpr std::array<char, 8> kFormat{'w', 'e', 'i', 'r', 't', 'e', 's', 't'};
constexpr std::uint64_t kSalt = 0x1122334455667788;

struct Read {
  std::vector<std::pair<std::uint64_t, std::string>> records;
  Status status = Status::end;
  std::uint64_t good_bytes = 0;
  Finding finding;
};

class RecordLogTest : public testing::Test {
 protected:
  RecordLogWriter create(std::uint64_t salt = kSalt) {
    return {files_, path_, {.format = kFormat, .version = 3, .salt = salt}};
  }
  RecordLogReader open() { return {files_, path_, kFormat, 3}; }

  Read read() {
    Read result;
    RecordLogReader reader = open();
    while ((result.status = reader.next()) == Status::record) {
      result.records.emplace_back(reader.record().sequence, test::text_of(reader.record().payload));
    }
    EXPECT_EQ(reader.next(), result.status);
    result.good_bytes = reader.offset();
    result.finding = reader.finding();
    return result;
  }

  void write_file(std::string_view content) {
    files_.open_append(path_, FileSystem::Create::truncate)->append(bytes_of(content));
  }

  FileSystem& files_ = real_file_system();
  test::TemporaryFolder folder_;
  Path path_ = folder_.path() / "log";
};

TEST_F(RecordLogTest, ReadsBackWhatWasWritten) {
  std::vector<std::pair<std::uint64_t, std::string>> expected;
  {
    RecordLogWriter writer = create();
    std::mt19937_64 random(7);
    std::uint64_t sequence = 41;
    for (const std::size_t size : {0UL, 1UL, 100UL, 70'000UL, 3'000'000UL, 5UL, 1'048'560UL}) {
      std::string payload(size, '\0');
      for (char& c : payload) c = static_cast<char>(random());
      expected.emplace_back(++sequence, payload);
      writer.append(sequence, bytes_of(payload));
    }
    writer.sync();
    EXPECT_EQ(writer.size(), files_.status(path_)->size_bytes);
  }
  const Read result = read();
  EXPECT_EQ(result.status, Status::end);
  EXPECT_TRUE(result.records == expected);
  EXPECT_EQ(result.good_bytes, files_.status(path_)->size_bytes);
  EXPECT_EQ(open().header().salt, kSalt);
}

TEST_F(RecordLogTest, JoinsThePartsOfAFramedGroup) {
  RecordLogWriter writer = create();
  const RecordFramer framer(writer.salt());
  std::vector<std::byte> group;
  const std::array<Bytes, 3> parts{bytes_of("ab"), bytes_of(""), bytes_of("cd")};
  framer.frame(1, parts, group);
  framer.frame(2, {}, group);
  writer.append_frames(group);
  using Record = std::pair<std::uint64_t, std::string>;
  EXPECT_THAT(read().records, testing::ElementsAre(Record{1, "abcd"}, Record{2, ""}));
}

TEST_F(RecordLogTest, RefusesToOverwriteALog) {
  create();
  EXPECT_THROW(create(), IoError);
}

TEST_F(RecordLogTest, TornTailIsTheCleanEndAtEveryByte) {
  {
    RecordLogWriter writer = create();
    writer.append(1, bytes_of("first"));
    writer.append(2, bytes_of("second record"));
  }
  const std::string whole = test::read_all(files_, path_);
  const std::uint64_t second_at = kRecordLogHeaderBytes + kRecordFrameBytes + 5;
  for (std::size_t size = second_at; size < whole.size(); ++size) {
    write_file(std::string_view(whole).substr(0, size));
    Read result = read();
    EXPECT_EQ(result.status, size == second_at ? Status::end : Status::torn) << size;
    EXPECT_EQ(result.records.size(), 1U) << size;
    EXPECT_EQ(result.good_bytes, second_at) << size;
    if (size == second_at) continue;
    EXPECT_EQ(result.finding.offset, second_at);
    EXPECT_EQ(result.finding.bytes, size - second_at);

    // As a file system may leave it: the length is there, the data is not.
    write_file(whole.substr(0, size) + std::string(whole.size() - size + 100, '\0'));
    result = read();
    EXPECT_EQ(result.status, Status::torn) << size;
    EXPECT_EQ(result.records.size(), 1U) << size;
  }
}

TEST_F(RecordLogTest, AHeaderThatEndsEarlyOrIsEmptyIsDamaged) {
  create();
  const std::string whole = test::read_all(files_, path_);
  for (std::size_t size = 0; size < kRecordLogHeaderBytes; ++size) {
    write_file(std::string_view(whole).substr(0, size));
    EXPECT_THROW(open(), DamagedError) << size;
  }
  write_file(std::string(100, '\0'));
  EXPECT_THROW(open(), DamagedError);
}

TEST_F(RecordLogTest, AnotherFormatIsDamagedAnotherVersionRefused) {
  create();
  EXPECT_THROW(RecordLogReader(files_, path_, {'o', 't', 'h', 'e', 'r'}, 3), DamagedError);
  EXPECT_THROW(RecordLogReader(files_, path_, kFormat, 4), RefusedError);
  EXPECT_THROW(RecordLogReader(files_, folder_.path() / "none", kFormat, 3), IoError);
}

TEST_F(RecordLogTest, AFlippedBitAnywhereIsFound) {
  std::vector<std::uint64_t> starts;
  std::vector<std::pair<std::uint64_t, std::string>> written;
  {
    RecordLogWriter writer = create();
    for (std::uint64_t sequence = 10; sequence < 14; ++sequence) {
      starts.push_back(writer.size());
      written.emplace_back(sequence, "payload " + std::to_string(sequence * 1000));
      writer.append(sequence, bytes_of(written.back().second));
    }
  }
  const std::string whole = test::read_all(files_, path_);
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    write_file(flipped);
    if (bit / 8 < kRecordLogHeaderBytes) {
      EXPECT_THROW(open(), DamagedError) << bit;
      continue;
    }
    std::size_t bad = 0;
    while (bad + 1 < starts.size() && starts[bad + 1] <= bit / 8) ++bad;
    const Read result = read();
    EXPECT_EQ(result.records.size(), bad) << bit;
    EXPECT_TRUE(std::equal(result.records.begin(), result.records.end(), written.begin())) << bit;
    const bool last = bad + 1 == starts.size();
    EXPECT_EQ(result.status, last ? Status::torn : Status::damaged) << bit;
    EXPECT_EQ(result.finding.offset, starts[bad]) << bit;
    EXPECT_EQ(result.finding.bytes, (last ? whole.size() : starts[bad + 1]) - starts[bad]) << bit;
  }
}

TEST_F(RecordLogTest, AGapInTheSequenceIsDamage) {
  {
    RecordLogWriter writer = create();
    writer.append(1, bytes_of("a"));
    writer.append(3, bytes_of("b"));
  }
  const Read result = read();
  EXPECT_EQ(result.status, Status::damaged);
  EXPECT_EQ(result.records.size(), 1U);
  EXPECT_THAT(result.finding.what, testing::HasSubstr("record 3 stands where record 2 belongs"));
}

TEST_F(RecordLogTest, RecordsOfAnEarlierFileDoNotPassForNewOnes) {
  {
    RecordLogWriter writer = create(kSalt + 1);
    for (std::uint64_t sequence = 1; sequence < 9; ++sequence) writer.append(sequence, {});
  }
  const std::string old = test::read_all(files_, path_);
  files_.remove(path_);
  create().append(1, {});
  const std::string fresh = test::read_all(files_, path_);
  write_file(fresh + old.substr(fresh.size()));
  const Read result = read();
  EXPECT_EQ(result.status, Status::torn);
  EXPECT_EQ(result.records.size(), 1U);
}

TEST_F(RecordLogTest, DamageIsToldFromATornTailAcrossLargeRecords) {
  const std::string large(5'000'000, 'x');
  {
    RecordLogWriter writer = create();
    for (std::uint64_t sequence = 1; sequence < 4; ++sequence) {
      writer.append(sequence, bytes_of(large));
    }
  }
  std::string whole = test::read_all(files_, path_);
  whole[kRecordLogHeaderBytes + kRecordFrameBytes + 1000] = 'y';  // in the very first record
  write_file(whole);
  const Read result = read();
  EXPECT_EQ(result.status, Status::damaged);
  EXPECT_EQ(result.records.size(), 0U);
  EXPECT_EQ(result.finding.offset, kRecordLogHeaderBytes);
  EXPECT_EQ(result.finding.bytes, kRecordFrameBytes + large.size());
}

TEST_F(RecordLogTest, RandomBytesAreNeverARecord) {
  create();
  const std::string header = test::read_all(files_, path_);
  std::mt19937_64 random(test::seed_of_run());
  for (std::uint64_t loop = 0; loop < test::loops(50); ++loop) {
    // The first loop's size makes the scan cross its window and meet plausible lengths.
    std::string content(loop == 0 ? 20'000'000 : random() % 5000, '\0');
    for (char& c : content) c = static_cast<char>(random());
    write_file(header + content);
    const Read result = read();
    EXPECT_EQ(result.records.size(), 0U);
    EXPECT_EQ(result.status, content.empty() ? Status::end : Status::torn);
  }
}

TEST_F(RecordLogTest, DamagedFilesYieldNothingThatWasNotWritten) {
  std::mt19937_64 random(test::seed_of_run());
  std::vector<std::pair<std::uint64_t, std::string>> written;
  {
    RecordLogWriter writer = create();
    for (std::uint64_t sequence = 1; sequence < 30; ++sequence) {
      written.emplace_back(sequence, std::string(random() % 200, static_cast<char>(sequence)));
      writer.append(sequence, bytes_of(written.back().second));
    }
  }
  const std::string whole = test::read_all(files_, path_);
  for (std::uint64_t loop = 0; loop < test::loops(300); ++loop) {
    std::string bytes = whole;
    for (std::uint64_t change = random() % 4 + 1; change > 0; --change) {
      const std::size_t body = bytes.size() - kRecordLogHeaderBytes;
      const std::size_t at = kRecordLogHeaderBytes + random() % body;
      const std::size_t length = std::min<std::size_t>(random() % 40, bytes.size() - at - 1);
      switch (random() % 4) {
        case 0:
          bytes.erase(at, length);
          break;
        case 1:
          bytes.insert(at, bytes.substr(at, length));
          break;
        case 2:
          for (std::size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<char>(random());
          break;
        default:
          std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, '\0');
      }
    }
    write_file(bytes);
    const Read result = read();
    ASSERT_LE(result.records.size(), written.size());
    EXPECT_TRUE(std::equal(result.records.begin(), result.records.end(), written.begin()));
  }
}

// The worked example of the room's README.md.
TEST_F(RecordLogTest, TheFormatIsTheDocumentedOne) {
  {
    RecordLogWriter writer(files_, path_,
                           {.format = {'w', 'e', 'i', 'r', 'd', 'e', 'm', 'o'},
                            .version = 1,
                            .salt = 0x0123456789ABCDEF});
    writer.append(7, bytes_of("hello"));
  }
  std::string hex;
  for (const char c : test::read_all(files_, path_)) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[c & 15];
  }
  EXPECT_EQ(hex,
            "57454952"
            "7765697264656d6f"
            "01000000"
            "efcdab8967452301"
            "b798d1742a4a84c0"
            "dd196c8c"
            "05000000"
            "0700000000000000"
            "68656c6c6f");
}

TEST_F(RecordLogTest, SeekPositionsAtAKnownRecord) {
  RecordLogWriter writer = create();
  std::vector<std::uint64_t> starts;
  for (std::uint64_t sequence = 1; sequence < 100; ++sequence) {
    starts.push_back(writer.size());
    writer.append(sequence, bytes_of(std::string(sequence * 50, 'p')));
  }
  RecordLogReader reader = open();
  for (const std::size_t index : {98UL, 0UL, 50UL, 51UL}) {
    reader.seek(starts[index]);
    ASSERT_EQ(reader.next(), Status::record);
    EXPECT_EQ(reader.record().sequence, index + 1);
    EXPECT_EQ(reader.record().offset, starts[index]);
  }
  EXPECT_THROW(reader.seek(31), DamagedError);
  EXPECT_THROW(reader.seek(writer.size() + 1), DamagedError);
}

TEST_F(RecordLogTest, AReaderAtTheEndFollowsTheWriter) {
  RecordLogWriter writer = create();
  RecordLogReader reader = open();
  EXPECT_EQ(reader.next(), Status::end);
  for (std::uint64_t sequence = 1; sequence < 4; ++sequence) {
    writer.append(sequence, bytes_of("more"));
    ASSERT_EQ(reader.next(), Status::record);
    EXPECT_EQ(reader.record().sequence, sequence);
    EXPECT_EQ(reader.next(), Status::end);
  }
}

TEST_F(RecordLogTest, RefusesARecordAboveTheLimit) {
  // Never touched, so the pages of this span are not needed.
  const Bytes half(static_cast<const std::byte*>(nullptr), kMaximumRecordBytes / 2 + 1);
  const std::array<Bytes, 2> parts{half, half};
  std::vector<std::byte> out;
  EXPECT_THROW(RecordFramer(kSalt).frame(1, parts, out), StorageError);
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace weir::storage
