#include "tests/processors/bench/memory_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace weir::bench {

using flowfile::Attributes;
using flowfile::FlowFilePtr;
using flowfile::FlowFileRecord;

const std::string& Output::attribute(const std::string& name) const {
  static const std::string none;
  const auto found = attributes.find(name);
  return found == attributes.end() ? none : found->second;
}

class MemorySession::Input : public InputStream {
 public:
  Input(std::shared_ptr<const std::string> resource, const content::ContentClaim& claim)
      : resource_(std::move(resource)), view_(*resource_) {
    view_ = view_.substr(claim.offset(), claim.length());
  }
  std::size_t read(std::span<std::byte> out) override {
    const std::size_t count = std::min(out.size(), view_.size() - at_);
    if (count == 0) return 0;
    std::memcpy(out.data(), view_.data() + at_, count);
    at_ += count;
    return count;
  }
  std::uint64_t size() const override { return view_.size(); }
  std::uint64_t position() const override { return at_; }
  void seek(std::uint64_t position) override {
    at_ = std::min<std::uint64_t>(position, view_.size());
  }

 private:
  std::shared_ptr<const std::string> resource_;
  std::string_view view_;
  std::size_t at_ = 0;
};

class MemorySession::Writer : public OutputStream {
 public:
  Writer(MemorySession& session, Entry& entry, std::string head)
      : session_(session), entry_(entry), bytes_(std::move(head)), head_size_(bytes_.size()) {}
  using OutputStream::write;
  void write(std::span<const std::byte> data) override {
    bytes_.append(reinterpret_cast<const char*>(data.data()), data.size());
  }
  std::uint64_t written() const override { return bytes_.size() - head_size_; }
  void close() override {
    session_.change(entry_, [&](FlowFileRecord& record) {
      record.claim = session_.world_.contents.store(std::move(bytes_));
    });
    entry_.content_changed = true;
  }

 private:
  MemorySession& session_;
  Entry& entry_;
  std::string bytes_;
  std::size_t head_size_;
};

MemorySession::~MemorySession() {
  rollback();
}

template <typename Change>
void MemorySession::change(Entry& entry, Change change) {
  boost::intrusive_ptr<FlowFileRecord> record(new FlowFileRecord(*entry.current));
  change(*record);
  entry.current = std::move(record);
}

FlowFile MemorySession::adopt(FlowFilePtr record, bool from_queue, std::string event) {
  Entry& entry = entries_.emplace_back();
  entry.owner = this;
  entry.current = record;
  if (from_queue) entry.original = std::move(record);
  entry.automatic_event = std::move(event);
  return FlowFile(&entry);
}

MemorySession::Entry& MemorySession::entry(const FlowFile& flow_file, std::string_view what) {
  auto* found = static_cast<Entry*>(flow_file.entry());
  if (!found || found->owner != this) {
    throw FlowFileHandlingError(fmt::format("{} of a FlowFile of another session", what));
  }
  if (found->fate != Fate::none) {
    throw FlowFileHandlingError(fmt::format(
        "{} of FlowFile {}, which was already transferred or removed", what, flow_file.uuid()));
  }
  return *found;
}

FlowFile MemorySession::take(std::size_t index) {
  FlowFilePtr record = world_.queue[index];
  world_.queue.erase(world_.queue.begin() + static_cast<std::ptrdiff_t>(index));
  return adopt(std::move(record), true, "");
}

FlowFile MemorySession::get() {
  for (std::size_t i = 0; i < world_.queue.size(); ++i) {
    if (world_.queue[i]->penalty_until_ms <= world_.now_ms) return take(i);
  }
  return {};
}

std::vector<FlowFile> MemorySession::get(std::size_t most) {
  std::vector<FlowFile> taken;
  while (taken.size() < most) {
    const FlowFile next = get();
    if (!next) break;
    taken.push_back(next);
  }
  return taken;
}

std::vector<FlowFile> MemorySession::get(
    const std::function<FilterDecision(const FlowFileRecord&)>& filter) {
  std::vector<FlowFile> taken;
  for (std::size_t i = 0; i < world_.queue.size();) {
    if (world_.queue[i]->penalty_until_ms > world_.now_ms) {
      ++i;
      continue;
    }
    const FilterDecision decision = filter(*world_.queue[i]);
    if (decision == FilterDecision::accept || decision == FilterDecision::accept_and_stop) {
      taken.push_back(take(i));
    } else {
      ++i;
    }
    if (decision == FilterDecision::accept_and_stop || decision == FilterDecision::reject_and_stop)
      break;
  }
  return taken;
}

FlowFilePtr MemorySession::fresh(flowfile::AttributesPtr attributes, std::int64_t lineage_ms) {
  boost::intrusive_ptr<FlowFileRecord> record(new FlowFileRecord());
  record->id = world_.next_id++;
  record->uuid = world_.uuids.next(world_.now_ms);
  record->entry_ms = world_.now_ms;
  record->lineage_start_ms = lineage_ms;
  record->attributes = std::move(attributes);
  return record;
}

FlowFile MemorySession::create() {
  FlowFilePtr record = fresh(Attributes::empty(), world_.now_ms);
  const FlowFile made = adopt(record, false, "CREATE");
  change(entry(made, "create"), [&](FlowFileRecord& changed) {
    changed.attributes = Attributes::make({{"filename", record->uuid.to_string()}, {"path", "./"}});
  });
  return made;
}

FlowFile MemorySession::create(const FlowFile& parent) {
  entry(parent, "create from");
  return adopt(fresh(parent.record().attributes, parent.lineage_start_ms()), false, "FORK");
}

FlowFile MemorySession::create(std::span<const FlowFile> parents) {
  std::vector<Attributes::Entry> common;
  std::int64_t lineage_ms = world_.now_ms;
  for (const FlowFile& parent : parents) {
    entry(parent, "create from");
    lineage_ms = std::min(lineage_ms, parent.lineage_start_ms());
  }
  if (!parents.empty()) {
    for (const auto& [name, value] : parents.front().attributes()) {
      const bool shared = std::ranges::all_of(parents, [&](const FlowFile& parent) {
        const std::string* other = parent.find_attribute(name);
        return other && *other == value;
      });
      if (shared) common.emplace_back(name, value);
    }
  }
  const FlowFilePtr record = fresh(Attributes::make(std::move(common)), lineage_ms);
  const FlowFile made = adopt(record, false, "JOIN");
  if (!record->attributes->find(attribute::filename)) {
    change(entry(made, "create"), [](FlowFileRecord& changed) {
      const Attributes::Entry name{attribute::filename, changed.uuid.to_string()};
      changed.attributes = changed.attributes->with(std::span(&name, 1));
    });
  }
  return made;
}

FlowFile MemorySession::clone(const FlowFile& original) {
  return clone(original, 0, original.size());
}

FlowFile MemorySession::clone(const FlowFile& original, std::uint64_t offset, std::uint64_t size) {
  entry(original, "clone");
  const FlowFile copy =
      adopt(fresh(original.record().attributes, original.lineage_start_ms()), false, "CLONE");
  share_content(copy, original, offset, size);
  return copy;
}

void MemorySession::share_content(FlowFile flow_file, const FlowFile& source, std::uint64_t offset,
                                  std::uint64_t size) {
  if (offset > source.size() || size > source.size() - offset) {
    throw FlowFileHandlingError(
        fmt::format("range {}+{} of a content of {} bytes", offset, size, source.size()));
  }
  change(entry(flow_file, "share_content"),
         [&](FlowFileRecord& record) { record.claim = source.record().claim.part(offset, size); });
}

std::unique_ptr<InputStream> MemorySession::read(const FlowFile& flow_file) {
  entry(flow_file, "read");
  const content::ContentClaim& claim = flow_file.record().claim;
  return std::make_unique<Input>(world_.contents.resource(claim), claim);
}

std::unique_ptr<OutputStream> MemorySession::write(FlowFile flow_file) {
  return std::make_unique<Writer>(*this, entry(flow_file, "write"), "");
}

void MemorySession::write(FlowFile flow_file, const std::function<void(OutputStream&)>& writer) {
  const std::unique_ptr<OutputStream> stream = write(flow_file);
  writer(*stream);
  stream->close();
}

std::unique_ptr<OutputStream> MemorySession::append(FlowFile flow_file) {
  return std::make_unique<Writer>(*this, entry(flow_file, "append"),
                                  world_.contents.read(flow_file.record().claim));
}

void MemorySession::import_from(const std::filesystem::path& file, FlowFile flow_file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw storage::IoError("open", file, errno);
  struct stat status {};
  const bool is_folder = fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
  std::string bytes;
  char buffer[65536];
  ssize_t count = is_folder ? -1 : 1;
  if (is_folder) errno = EISDIR;
  while (count > 0 && (count = ::read(descriptor, buffer, sizeof(buffer))) > 0) {
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
  const int error = errno;
  close(descriptor);
  if (count < 0) throw storage::IoError("read", file, error);
  Entry& target = entry(flow_file, "import");
  change(target,
         [&](FlowFileRecord& record) { record.claim = world_.contents.store(std::move(bytes)); });
  target.content_changed = true;
}

void MemorySession::export_to(const FlowFile& flow_file, int descriptor) {
  entry(flow_file, "export");
  const std::string bytes = world_.contents.read(flow_file.record().claim);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0) throw storage::IoError("write", "descriptor", errno);
    done += static_cast<std::size_t>(count);
  }
}

void MemorySession::put_attribute(FlowFile flow_file, std::string_view name,
                                  std::string_view value) {
  const Attributes::Entry pair{name, value};
  put_attributes(flow_file, std::span(&pair, 1));
}

void MemorySession::put_attributes(FlowFile flow_file,
                                   std::span<const Attributes::Entry> attributes) {
  for (const auto& [name, value] : attributes) {
    if (name == attribute::uuid) throw FlowFileHandlingError("uuid cannot be set");
  }
  Entry& target = entry(flow_file, "put_attributes");
  change(target,
         [&](FlowFileRecord& record) { record.attributes = record.attributes->with(attributes); });
  target.attributes_changed = true;
}

void MemorySession::remove_attributes(FlowFile flow_file, std::span<const std::string> names) {
  Entry& target = entry(flow_file, "remove_attributes");
  change(target,
         [&](FlowFileRecord& record) { record.attributes = record.attributes->with({}, names); });
  target.attributes_changed = true;
}

void MemorySession::transfer(FlowFile flow_file, const Relationship& relationship) {
  transfer(flow_file, std::string_view(relationship.name));
}

void MemorySession::transfer(FlowFile flow_file, std::string_view relationship) {
  if (std::ranges::find(world_.relationships, relationship) == world_.relationships.end()) {
    throw FlowFileHandlingError(fmt::format("no relationship \"{}\"", relationship));
  }
  Entry& target = entry(flow_file, "transfer");
  target.fate = Fate::transferred;
  target.decided = ++decisions_;
  target.relationship = relationship;
}

void MemorySession::transfer_to_source(FlowFile flow_file) {
  Entry& target = entry(flow_file, "transfer_to_source");
  if (!target.original) throw FlowFileHandlingError("a new FlowFile has no source");
  target.fate = Fate::to_source;
}

void MemorySession::penalize(FlowFile flow_file) {
  change(entry(flow_file, "penalize"), [&](FlowFileRecord& record) {
    record.penalty_until_ms = world_.now_ms + world_.penalty_ms;
  });
}

void MemorySession::remove(FlowFile flow_file) {
  entry(flow_file, "remove").fate = Fate::removed;
}

void MemorySession::after_commit(std::function<void()> action) {
  actions_.push_back(std::move(action));
}

void MemorySession::adjust_counter(std::string_view name, std::int64_t delta) {
  counters_[std::string(name)] += delta;
}

void MemorySession::migrate(ProcessSession& to, std::span<const FlowFile> flow_files) {
  auto& target = dynamic_cast<MemorySession&>(to);
  for (const FlowFile& flow_file : flow_files) {
    entry(flow_file, "migrate");
    const auto found = std::ranges::find_if(
        entries_, [&](const Entry& candidate) { return &candidate == flow_file.entry(); });
    found->owner = &target;
    target.entries_.splice(target.entries_.end(), entries_, found);
  }
}

void MemorySession::check_complete() const {
  for (const Entry& entry : entries_) {
    if (entry.fate == Fate::none) {
      throw FlowFileHandlingError(fmt::format("FlowFile {} was neither transferred nor removed",
                                              entry.current->uuid.to_string()));
    }
  }
}

void MemorySession::commit() {
  check_complete();
  entries_.sort([](const Entry& a, const Entry& b) { return a.decided < b.decided; });
  for (const Entry& entry : entries_) {
    const bool is_new = !entry.original;
    if (is_new) ++world_.created;
    if (entry.fate == Fate::removed) {
      ++world_.removed;
      if (!is_new) events_.push_back("DROP");
      continue;
    }
    if (is_new) {
      if (!entry.origin_reported) events_.push_back(entry.automatic_event);
    } else if (!is_new && entry.content_changed && !entry.reported) {
      events_.push_back("CONTENT_MODIFIED");
    } else if (!is_new && entry.attributes_changed && !entry.reported) {
      events_.push_back("ATTRIBUTES_MODIFIED");
    }
    if (entry.fate == Fate::to_source) {
      world_.queue.push_back(entry.current);
    } else {
      world_.transferred[entry.relationship].push_back(entry.current);
    }
  }
  for (std::string& event : events_) world_.events.push_back(std::move(event));
  for (std::string& uri : transit_uris_) world_.transit_uris.push_back(std::move(uri));
  for (const auto& [name, delta] : counters_) world_.counters[name] += delta;
  const auto actions = std::move(actions_);
  end();
  for (const auto& action : actions) action();
}

void MemorySession::rollback(bool penalize) {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (!entry->original) continue;
    if (penalize) {
      entry->current = entry->original;
      change(*entry, [&](FlowFileRecord& record) {
        record.penalty_until_ms = world_.now_ms + world_.penalty_ms;
      });
      world_.queue.push_front(entry->current);
    } else {
      world_.queue.push_front(entry->original);
    }
  }
  end();
}

void MemorySession::end() {
  entries_.clear();
  events_.clear();
  transit_uris_.clear();
  actions_.clear();
  counters_.clear();
}

void MemorySession::report(const FlowFile& flow_file, std::string event,
                           std::string_view transit_uri) {
  auto* entry = static_cast<Entry*>(flow_file.entry());
  entry->reported = true;
  // Where a new FlowFile comes from stays to be told beside a ROUTE and its like.
  for (const char* origin : {"RECEIVE", "FETCH", "CREATE", "FORK", "JOIN"}) {
    if (event == origin) entry->origin_reported = true;
  }
  events_.push_back(std::move(event));
  if (!transit_uri.empty()) transit_uris_.emplace_back(transit_uri);
}

void MemorySession::receive(const FlowFile& f, std::string_view uri, std::string_view,
                            std::int64_t) {
  report(f, "RECEIVE", uri);
}
void MemorySession::fetch(const FlowFile& f, std::string_view uri, std::string_view, std::int64_t) {
  report(f, "FETCH", uri);
}
void MemorySession::send(const FlowFile& f, std::string_view uri, std::string_view, std::int64_t) {
  report(f, "SEND", uri);
}
void MemorySession::route(const FlowFile& f, const Relationship& r, std::string_view) {
  report(f, "ROUTE:" + r.name);
}
void MemorySession::create(const FlowFile& f, std::string_view) {
  report(f, "CREATE");
}
void MemorySession::modify_content(const FlowFile& f, std::string_view, std::int64_t) {
  report(f, "CONTENT_MODIFIED");
}
void MemorySession::modify_attributes(const FlowFile& f, std::string_view) {
  report(f, "ATTRIBUTES_MODIFIED");
}
void MemorySession::fork(const FlowFile& parent, std::span<const FlowFile>, std::string_view) {
  report(parent, "FORK");
}
void MemorySession::join(std::span<const FlowFile>, const FlowFile& child, std::string_view) {
  report(child, "JOIN");
}
void MemorySession::add_info(const FlowFile&, std::string_view) {
  events_.push_back("ADDINFO");
}

}  // namespace weir::bench
