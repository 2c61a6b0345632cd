#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>

#include <bit>

#include "repositories/provenance/block_index.h"

namespace weir::provenance {

namespace {

using storage::Decoder;
using storage::Encoder;

constexpr std::uint8_t kEntryVersion = 1;

// Errors are told by the statuses that methods return.
class NoLog : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

void check(const rocksdb::Status& status) {
  if (!status.ok()) throw IndexError("provenance index: " + status.ToString());
}

// Big endian: keys sort as the ids do.
std::string key_of(std::uint64_t event_id) {
  std::string key(8, '\0');
  for (int byte = 0; byte < 8; ++byte) {
    key[static_cast<std::size_t>(byte)] = static_cast<char>(event_id >> (56 - 8 * byte));
  }
  return key;
}

std::string encode(const BlockEntry& entry) {
  std::vector<std::byte> bytes;
  Encoder out(bytes);
  out.u8(kEntryVersion);
  out.u64(entry.file.first_event_id);
  out.u32(entry.file.generation);
  out.u64(entry.offset);
  out.u32(entry.summary_bytes);
  entry.summary.encode(out);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

BlockEntry decode(const rocksdb::Slice& value) {
  try {
    Decoder in(std::as_bytes(std::span(value.data(), value.size())));
    if (in.u8() != kEntryVersion) throw storage::DecodeError("an entry is of another version");
    BlockEntry entry;
    entry.file.first_event_id = in.u64();
    entry.file.generation = in.u32();
    entry.offset = in.u64();
    entry.summary_bytes = in.u32();
    entry.summary = BlockSummary::decode(in);
    return entry;
  } catch (const storage::DecodeError& error) {
    throw IndexError(std::string("provenance index: ") + error.what());
  }
}

rocksdb::Options options() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.info_log = std::make_shared<NoLog>();
  options.info_log_level = rocksdb::FATAL_LEVEL;
  options.write_buffer_size = 1 << 20;
  options.max_write_buffer_number = 2;
  options.arena_block_size = 64 << 10;
  options.max_open_files = 32;
  options.max_background_jobs = 1;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.max_total_wal_size = 1 << 20;
  options.max_manifest_file_size = 1 << 20;
  options.compression = rocksdb::kNoCompression;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(1 << 20, 0);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

class RocksDbIndex : public BlockIndex {
 public:
  explicit RocksDbIndex(const storage::Path& directory) {
    rocksdb::DB* db = nullptr;
    check(rocksdb::DB::Open(options(), directory.string(), &db));
    db_.reset(db);
    // What is not flushed when the process ends is found in the event files again.
    write_options_.disableWAL = true;
  }

  void put(const BlockEntry& entry) override {
    check(db_->Put(write_options_, key_of(entry.summary.first_event_id), encode(entry)));
  }

  void erase_before(std::uint64_t event_id) override {
    const auto first = iterator();
    first->SeekToFirst();
    if (!first->Valid()) return check(first->status());
    if (first->key().ToString() >= key_of(event_id)) return;
    check(
        db_->DeleteRange(write_options_, db_->DefaultColumnFamily(), key_of(0), key_of(event_id)));
  }

  void erase_from(std::uint64_t event_id) override {
    const auto at = iterator();
    for (at->Seek(key_of(event_id)); at->Valid(); at->Next()) {
      check(db_->Delete(write_options_, at->key()));
    }
    check(at->status());
  }

  void sync() override { check(db_->Flush(rocksdb::FlushOptions())); }

  std::optional<BlockEntry> last() override {
    const auto at = iterator();
    at->SeekToLast();
    if (at->Valid()) return decode(at->value());
    check(at->status());
    return std::nullopt;
  }

  void visit(std::uint64_t from_event, std::uint64_t to_event, bool newest_first,
             const std::function<bool(const BlockEntry&)>& visitor) override {
    const auto at = iterator();
    if (newest_first) {
      at->SeekForPrev(key_of(to_event));
    } else {
      at->SeekForPrev(key_of(from_event));
      if (!at->Valid()) at->SeekToFirst();
    }
    while (at->Valid()) {
      const BlockEntry entry = decode(at->value());
      if (entry.summary.first_event_id > to_event) break;
      const bool below = entry.summary.last_event_id() < from_event;
      if (below && newest_first) break;
      if (!below && !visitor(entry)) return;
      newest_first ? at->Prev() : at->Next();
    }
    check(at->status());
  }

 private:
  std::unique_ptr<rocksdb::Iterator> iterator() {
    return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(rocksdb::ReadOptions()));
  }

  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::WriteOptions write_options_;
};

}  // namespace

std::shared_ptr<BlockIndex> open_rocksdb_index(const storage::Path& directory) {
  return std::make_shared<RocksDbIndex>(directory);
}

void delete_rocksdb_index(const storage::Path& directory) {
  std::error_code ignored;  // what cannot be deleted makes opening it fail, which is told
  std::filesystem::remove_all(directory, ignored);
}

}  // namespace weir::provenance
