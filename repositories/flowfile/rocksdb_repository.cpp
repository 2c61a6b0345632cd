#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "repositories/flowfile/content_check.h"
#include "repositories/flowfile/group_commit.h"
#include "repositories/flowfile/journal.h"
#include "repositories/flowfile/queue_builder.h"
#include "repositories/flowfile/snapshot.h"
#include "repositories/flowfile/swap_file.h"

namespace weir::flowfile {
namespace {

// Column families; the order is that of `handles_`.
enum Family : std::size_t { kDefault, kFlowFiles, kSwap, kEvents, kMeta, kFamilies };
constexpr const char* kFamilyNames[kFamilies] = {"default", "flowfiles", "swap", "events", "meta"};
constexpr char kCountersKey[] = "counters";
constexpr char kMarkKey[] = "mark";
constexpr char kVersionKey[] = "version";
constexpr char kVersionValue[] = "1";

std::string big_endian(std::uint64_t value) {
  std::string key(8, '\0');
  for (int i = 7; i >= 0; --i, value >>= 8) key[static_cast<std::size_t>(i)] = char(value);
  return key;
}

std::uint64_t from_big_endian(const rocksdb::Slice& key) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    value = value << 8 | static_cast<unsigned char>(key[i]);
  }
  return value;
}

storage::Bytes bytes_of(const rocksdb::Slice& slice) {
  return std::as_bytes(std::span(slice.data(), slice.size()));
}
rocksdb::Slice slice_of(storage::Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class RocksDbRepository final : public FlowFileRepository {
 public:
  RocksDbRepository(FlowFileRepositoryConfig config, storage::FindingReporter& reporter)
      : config_(std::move(config)), reporter_(reporter) {
    storage::FileSystem& files = storage::real_file_system();
    files.create_directories(config_.directory);
    lock_ = files.lock(config_.directory / "lock");
    if (files.status(config_.directory / "version")) {
      throw storage::RefusedError(config_.directory.string() +
                                  " holds a write-ahead FlowFile repository, not a RocksDB one.");
    }
    open_database();
  }
  ~RocksDbRepository() override {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) {
      static_cast<void>(database_->DestroyColumnFamilyHandle(handle));
    }
  }

  Recovered recover(content::ContentRepository& contents) override;
  void replay_events(std::uint64_t after, EventSink& sink) override;
  void set_event_sink(EventSink* sink) override { sink_ = sink; }
  void commit(Commit&& commit) override;
  std::uint64_t next_id() override { return next_ids(1); }
  std::uint64_t next_ids(std::uint32_t count) override { return next_id_.fetch_add(count); }
  SwapFilePtr swap_out(const std::string& connection,
                       const std::vector<FlowFilePtr>& flow_files) override;
  std::vector<FlowFilePtr> swap_in(const SwapFilePtr& swap_file) override;
  std::vector<FlowFilePtr> peek(const SwapFilePtr& swap_file) override;
  void checkpoint(std::uint64_t durable_events, bool force) override;
  void flush() override;
  std::uint64_t last_sequence() const override { return last_sequence_; }
  std::uint64_t last_event_id() const override { return next_event_id_ - 1; }
  Statistics statistics() const override {
    return {.commits = commits_,
            .groups = groups_,
            .bytes_written = bytes_written_,
            .checkpoints = checkpoints_};
  }

 private:
  struct Pending : GroupCommit::Item {
    // Adds what the record does. Runs in the lead; counters that it takes are given back when the
    // write fails.
    std::function<void(rocksdb::WriteBatch&, std::uint64_t sequence)> add;
    Commit* commit = nullptr;
    std::uint64_t sequence = 0;
    std::uint64_t first_event_id = 0;
  };

  void open_database();
  void check(const rocksdb::Status& status, std::string_view operation) const;
  void write(Pending& pending);
  void write_group(std::span<GroupCommit::Item* const> group);
  void add_commit(Pending& pending, rocksdb::WriteBatch& batch, std::uint64_t sequence);
  void put_flow_file(rocksdb::WriteBatch& batch, const FlowFileRecord& record,
                     std::string_view connection, std::uint64_t sequence);
  std::vector<std::byte> counters() const;
  void recover_flow_files(Recovered& recovered, QueueBuilder& queues, Names& names);
  bool content_survived(const PlainFlowFile& file) const;
  std::vector<FlowFilePtr> read_swap(const SwapFile& swap_file);

  const FlowFileRepositoryConfig config_;
  storage::FindingReporter& reporter_;
  std::unique_ptr<storage::FileLock> lock_;
  std::unique_ptr<rocksdb::DB> database_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  content::ContentRepository* contents_ = nullptr;
  std::vector<content::ResourceClaimPtr> kept_claims_;

  std::atomic<EventSink*> sink_{nullptr};
  std::atomic<std::uint64_t> next_id_{1};
  std::atomic<std::uint64_t> last_sequence_{0};
  std::atomic<bool> failed_{false};

  // Of the group commit's lead.
  GroupCommit group_commit_;
  std::uint64_t next_order_ = 1;
  std::uint64_t next_event_id_ = 1;

  std::mutex flush_mutex_;
  std::uint64_t durable_sequence_ = 0;
  std::uint64_t removed_events_ = 0;  // of checkpoints, which are one at a time

  std::atomic<std::uint64_t> commits_{0};
  std::atomic<std::uint64_t> groups_{0};
  std::atomic<std::uint64_t> bytes_written_{0};
  std::atomic<std::uint64_t> checkpoints_{0};
};

void RocksDbRepository::open_database() {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.max_open_files = 256;
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  rocksdb::ColumnFamilyOptions family;
  family.write_buffer_size = 32u << 20;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const char* name : kFamilyNames) families.emplace_back(name, family);
  rocksdb::DB* database = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(
      options, (config_.directory / "rocksdb").string(), families, &handles_, &database);
  if (!status.ok()) {
    throw storage::RefusedError("The RocksDB FlowFile repository in " + config_.directory.string() +
                                " cannot be opened: " + status.ToString());
  }
  database_.reset(database);
  std::string version;
  const auto got = database_->Get({}, handles_[kMeta], kVersionKey, &version);
  if (got.IsNotFound()) {
    check(database_->Put({}, handles_[kMeta], kVersionKey, kVersionValue), "write");
  } else if (!got.ok() || version != kVersionValue) {
    throw storage::RefusedError("The RocksDB FlowFile repository in " + config_.directory.string() +
                                " is of another version.");
  }
}

void RocksDbRepository::check(const rocksdb::Status& status, std::string_view operation) const {
  if (status.ok()) return;
  if (status.IsCorruption()) {
    throw storage::DamagedError(config_.directory, 0, status.ToString());
  }
  throw storage::IoError(std::string(operation) + " (" + status.ToString() + ")", config_.directory,
                         status.IsNoSpace() ? ENOSPC : EIO);
}

std::vector<std::byte> RocksDbRepository::counters() const {
  std::vector<std::byte> value;
  storage::Encoder out(value);
  out.varint(last_sequence_);
  out.varint(next_order_);
  out.varint(next_id_);
  out.varint(next_event_id_);
  return value;
}

void RocksDbRepository::write(Pending& pending) {
  group_commit_.submit(pending,
                       [this](std::span<GroupCommit::Item* const> group) { write_group(group); });
}

void RocksDbRepository::write_group(std::span<GroupCommit::Item* const> group) {
  if (failed_) {
    throw storage::IoError("commit after a write failed (restart the engine)", config_.directory,
                           EIO);
  }
  const std::uint64_t old_sequence = last_sequence_;
  const std::uint64_t old_order = next_order_;
  const std::uint64_t old_event_id = next_event_id_;
  rocksdb::WriteBatch batch;
  std::uint64_t sequence = old_sequence;
  for (GroupCommit::Item* item : group) {
    auto& pending = static_cast<Pending&>(*item);
    pending.sequence = ++sequence;
    pending.add(batch, sequence);
  }
  last_sequence_ = sequence;
  batch.Put(handles_[kMeta], kCountersKey, slice_of(counters()));
  rocksdb::WriteOptions options;
  options.sync = config_.always_sync;
  const rocksdb::Status status = database_->Write(options, &batch);
  if (!status.ok()) {
    last_sequence_ = old_sequence;
    next_order_ = old_order;
    next_event_id_ = old_event_id;
    // RocksDB goes read-only by itself after a failed sync; a full disk it resumes from.
    if (!status.IsNoSpace()) failed_ = true;
    check(status, "commit to");
  }
  commits_ += group.size();
  ++groups_;
  bytes_written_ += batch.GetDataSize();
  EventSink* const sink = sink_;
  for (GroupCommit::Item* item : group) {
    auto& pending = static_cast<Pending&>(*item);
    if (sink == nullptr || pending.commit == nullptr || pending.commit->event_count == 0) continue;
    sink->take(pending.sequence, pending.first_event_id, pending.commit->event_count,
               std::move(pending.commit->events));
  }
}

void RocksDbRepository::put_flow_file(rocksdb::WriteBatch& batch, const FlowFileRecord& record,
                                      std::string_view connection, std::uint64_t sequence) {
  static thread_local std::vector<std::byte> attributes;
  static thread_local std::vector<std::byte> value;
  value.clear();
  storage::Encoder out(value);
  out.varint(sequence);
  encode_connection(connection, out);
  PlainUpdate update{.kind = FlowFileUpdate::Kind::create,
                     .has_attributes = true,
                     .has_content = static_cast<bool>(record.claim),
                     .connection = 0,
                     .file = plain_flow_file(record, attributes)};
  UpdateContext context;
  encode_update(update, context, out);
  out.varint(record.arrival());
  batch.Put(handles_[kFlowFiles], big_endian(record.id), slice_of(value));
}

void RocksDbRepository::add_commit(Pending& pending, rocksdb::WriteBatch& batch,
                                   std::uint64_t sequence) {
  const Commit& commit = *pending.commit;
  for (const FlowFileUpdate& update : commit.updates) {
    if (update.kind == FlowFileUpdate::Kind::drop) {
      batch.Delete(handles_[kFlowFiles], big_endian(update.record->id));
      continue;
    }
    update.record->set_arrival(next_order_++);
    put_flow_file(batch, *update.record, commit.connections[update.connection], sequence);
  }
  if (commit.event_count == 0) return;
  pending.first_event_id = next_event_id_;
  next_event_id_ += commit.event_count;
  std::vector<std::byte> value;
  storage::Encoder out(value);
  out.varint(pending.first_event_id);
  out.varint(commit.event_count);
  out.raw(commit.events);
  batch.Put(handles_[kEvents], big_endian(sequence), slice_of(value));
}

void RocksDbRepository::commit(Commit&& commit) {
  Pending pending;
  pending.commit = &commit;
  pending.add = [this, &pending](rocksdb::WriteBatch& batch, std::uint64_t sequence) {
    add_commit(pending, batch, sequence);
  };
  write(pending);
}

Recovered RocksDbRepository::recover(content::ContentRepository& contents) {
  contents_ = &contents;
  Recovered recovered;
  std::string value;
  const auto status = database_->Get({}, handles_[kMeta], kCountersKey, &value);
  if (!status.IsNotFound()) check(status, "read");
  Names names;
  QueueBuilder queues(contents, names);
  try {
    if (!value.empty()) {
      storage::Decoder in(bytes_of(value));
      last_sequence_ = in.varint();
      next_order_ = in.varint();
      next_id_ = in.varint();
      next_event_id_ = in.varint();
    }
    recover_flow_files(recovered, queues, names);
    std::unique_ptr<rocksdb::Iterator> it(database_->NewIterator({}, handles_[kSwap]));
    for (it->Seek("s"); it->Valid() && it->key().starts_with("s"); it->Next()) {
      storage::Decoder in(bytes_of(it->value()));
      queues.swap_file(decode_summary(in));
    }
    check(it->status(), "read");
  } catch (const storage::DecodeError& error) {
    throw storage::RefusedError("The RocksDB FlowFile repository in " + config_.directory.string() +
                                " is damaged: " + error.what());
  }
  queues.finish(Layout(config_.directory), recovered, kept_claims_);
  for (const storage::Finding& finding : recovered.findings) reporter_.report(finding);
  flush();
  return recovered;
}

void RocksDbRepository::recover_flow_files(Recovered& recovered, QueueBuilder& queues,
                                           Names& names) {
  std::uint64_t durable = 0;
  std::string boot;
  std::string mark;
  if (database_->Get({}, handles_[kMeta], kMarkKey, &mark).ok()) {
    storage::Decoder in(bytes_of(mark));
    durable = in.varint();
    boot = in.string();
  }
  const bool power_lost = boot != storage::real_file_system().boot_id();
  std::vector<std::uint64_t> torn;
  std::unique_ptr<rocksdb::Iterator> it(database_->NewIterator({}, handles_[kFlowFiles]));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    storage::Decoder in(bytes_of(it->value()));
    const std::uint64_t sequence = in.varint();
    const std::uint32_t connection = names.connection(decode_connection(in));
    UpdateContext context;
    PlainUpdate update = decode_update(context, in);
    update.file.order = in.varint();
    if (update.file.id != from_big_endian(it->key())) {
      throw storage::DecodeError("a FlowFile stands under another id");
    }
    if (!config_.always_sync && power_lost && sequence > durable &&
        !content_survived(update.file)) {
      torn.push_back(update.file.id);
      continue;
    }
    queues.flow_file(update.file, connection);
  }
  check(it->status(), "read");
  if (torn.empty()) return;
  recovered.findings.push_back(
      {.file = config_.directory,
       .what = describe_ids(torn) + " whose content did not survive the loss of power"});
}

bool RocksDbRepository::content_survived(const PlainFlowFile& file) const {
  return file.claim.length == 0 ||
         (file.claim.has_checksum && content_matches(*contents_, file.claim));
}

void RocksDbRepository::replay_events(std::uint64_t after, EventSink& sink) {
  std::unique_ptr<rocksdb::Iterator> it(database_->NewIterator({}, handles_[kEvents]));
  for (it->Seek(big_endian(after + 1)); it->Valid(); it->Next()) {
    storage::Decoder in(bytes_of(it->value()));
    const std::uint64_t first_event_id = in.varint();
    const auto count = static_cast<std::uint32_t>(in.varint());
    const storage::Bytes events = in.raw(in.remaining());
    sink.take(from_big_endian(it->key()), first_event_id, count, {events.begin(), events.end()});
  }
  check(it->status(), "read");
}

SwapFilePtr RocksDbRepository::swap_out(const std::string& connection,
                                        const std::vector<FlowFilePtr>& flow_files) {
  auto swap_file = std::make_shared<SwapFile>();
  Pending pending;
  pending.add = [&](rocksdb::WriteBatch& batch, std::uint64_t sequence) {
    *swap_file = {};
    swap_file->connection = connection;
    swap_file->name = segment_name(sequence);
    describe(*swap_file, flow_files);
    std::vector<std::byte> data;
    std::vector<std::byte> attributes;
    storage::Encoder out(data);
    UpdateContext context;
    for (const FlowFilePtr& record : flow_files) {
      encode_update({.kind = FlowFileUpdate::Kind::create,
                     .has_attributes = true,
                     .has_content = static_cast<bool>(record->claim),
                     .connection = 0,
                     .file = plain_flow_file(*record, attributes)},
                    context, out);
      out.varint(record->arrival());
      batch.Delete(handles_[kFlowFiles], big_endian(record->id));
    }
    std::vector<std::byte> encoded;
    storage::Encoder summary_out(encoded);
    encode_summary(summarize(*swap_file), summary_out);
    batch.Put(handles_[kSwap], "s" + swap_file->name, slice_of(encoded));
    batch.Put(handles_[kSwap], "d" + swap_file->name, slice_of(data));
  };
  write(pending);
  return swap_file;
}

std::vector<FlowFilePtr> RocksDbRepository::read_swap(const SwapFile& swap_file) {
  std::string data;
  const auto status = database_->Get({}, handles_[kSwap], "d" + swap_file.name, &data);
  if (status.IsNotFound()) {
    throw storage::DamagedError(config_.directory / swap_file.name, 0, "no such swap file");
  }
  check(status, "read");
  std::vector<FlowFilePtr> flow_files;
  RecordMaker maker(*contents_, swap_file.claims);
  try {
    storage::Decoder in(bytes_of(data));
    UpdateContext context;
    while (!in.at_end()) {
      PlainUpdate update = decode_update(context, in);
      update.file.order = in.varint();
      flow_files.push_back(maker.make(update.file));
    }
  } catch (const storage::DecodeError& error) {
    throw storage::DamagedError(config_.directory / swap_file.name, 0, error.what());
  }
  return flow_files;
}

std::vector<FlowFilePtr> RocksDbRepository::swap_in(const SwapFilePtr& swap_file) {
  const std::vector<FlowFilePtr> flow_files = read_swap(*swap_file);
  Pending pending;
  pending.add = [&](rocksdb::WriteBatch& batch, std::uint64_t sequence) {
    for (const FlowFilePtr& record : flow_files) {
      put_flow_file(batch, *record, swap_file->connection, sequence);
    }
    batch.Delete(handles_[kSwap], "s" + swap_file->name);
    batch.Delete(handles_[kSwap], "d" + swap_file->name);
  };
  write(pending);
  return flow_files;
}

std::vector<FlowFilePtr> RocksDbRepository::peek(const SwapFilePtr& swap_file) {
  return read_swap(*swap_file);
}

void RocksDbRepository::flush() {
  const std::lock_guard lock(flush_mutex_);
  const std::uint64_t sequence = last_sequence_;
  if (sequence <= durable_sequence_) return;
  try {
    contents_->sync_all();
  } catch (const storage::IoError&) {
    failed_ = true;
    throw;
  }
  const rocksdb::Status status = database_->SyncWAL();
  if (!status.ok()) failed_ = true;
  check(status, "sync");
  std::vector<std::byte> mark;
  storage::Encoder out(mark);
  out.varint(sequence);
  out.string(storage::real_file_system().boot_id());
  check(database_->Put({}, handles_[kMeta], kMarkKey, slice_of(mark)), "write");
  durable_sequence_ = sequence;
}

void RocksDbRepository::checkpoint(std::uint64_t durable_events, bool) {
  contents_->begin_checkpoint();
  flush();
  if (durable_events > removed_events_) {
    check(database_->DeleteRange({}, handles_[kEvents], big_endian(0),
                                 big_endian(durable_events + 1)),
          "remove events from");
    removed_events_ = durable_events;
  }
  contents_->finish_checkpoint({});
  ++checkpoints_;
}

}  // namespace

std::unique_ptr<FlowFileRepository> open_rocksdb_repository(FlowFileRepositoryConfig config,
                                                            std::function<std::int64_t()>,
                                                            storage::FindingReporter& reporter) {
  return std::make_unique<RocksDbRepository>(std::move(config), reporter);
}

}  // namespace weir::flowfile
