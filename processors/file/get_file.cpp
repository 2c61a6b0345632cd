#include "processors/file/get_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <mutex>
#include <unordered_set>

#include "processors/file/directory_walk.h"
#include "processors/file/file_filter.h"
#include "processors/support/declare.h"

namespace weir::processors {
namespace {

using namespace file_properties;

const Relationship success{.name = "success", .description = "The files taken."};

const PropertyDescriptor batch_size{.name = "Batch Size",
                                    .description = "How many files one trigger takes at most.",
                                    .default_value = "10",
                                    .required = true,
                                    .validator = validators::integer(1, INT32_MAX)};
const PropertyDescriptor keep_source{
    .name = "Keep Source File",
    .description = "Whether the file stays. It is then taken again at every look.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor polling_interval{
    .name = "Polling Interval",
    .description = "The folder is looked at again after this time at the earliest.",
    .default_value = "0 sec",
    .required = true,
    .validator = validators::duration()};

// A folder of millions of files is taken in parts: what does not fit comes at the next look.
constexpr std::size_t most_listed = 100'000;

struct Found {
  std::string folder;
  std::string name;
};

class GetFile : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  enum class Outcome { taken, left };

  void look(ProcessContext& context);
  std::vector<Found> next_files(ProcessContext& context);
  Outcome take(ProcessContext& context, ProcessSession& session, const Found& found);
  void remove_source(ComponentLog& log, const std::filesystem::path& file, const FileFacts& facts);
  void tell_once(ComponentLog& log, const std::filesystem::path& path, std::string_view problem);
  void release(const std::vector<Found>& files);
  std::filesystem::path path_of(const Found& found) const {
    return root_ / found.folder / found.name;
  }

  std::filesystem::path root_;
  std::optional<FileFilter> filter_;
  bool recurse_ = true;
  bool keep_source_ = false;
  std::size_t batch_size_ = 10;
  std::int64_t interval_ms_ = 0;

  std::mutex mutex_;  // guards what follows
  std::deque<Found> queue_;
  std::unordered_set<std::string> busy_;  // paths in the hands of some trigger
  std::int64_t last_look_ms_ = INT64_MIN;
  std::unordered_set<std::string> told_;  // paths whose problem was told
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("GetFile");
  definition.summary =
      "Takes files out of a folder: each becomes a FlowFile, and is removed unless it is to stay.";
  definition.tags = {"local", "files", "filesystem", "ingest", "source", "input", "get"};
  definition.properties = {input_directory, file_filter, path_filter,      batch_size,
                           keep_source,     recurse,     polling_interval, ignore_hidden,
                           minimum_age,     maximum_age, minimum_size,     maximum_size};
  definition.relationships = {success};
  definition.writes_attributes = {
      {"filename", "The file's name, byte for byte."},
      {"path", "The folder below the input directory, with a slash at its end."},
      {"absolute.path", "The whole path of the folder."},
      {"file.creationTime", "When the file was created."},
      {"file.lastModifiedTime", "When it was modified."},
      {"file.lastAccessTime", "When it was read."},
      {"file.owner", "Its owner."},
      {"file.group", "Its group."},
      {"file.permissions", "Its permissions, e.g. rw-r--r--."}};
  definition.input = InputRequirement::forbidden;
  definition.trigger_when_empty = true;
  definition.delivery_note =
      "The file is removed only after the FlowFile is committed: a crash between the two takes it "
      "again, none is lost. A file that changes while it is copied is left for later. A file still "
      "being written by others is only safe with a Minimum File Age.";
  definition.example =
      R"({"type": "GetFile", "properties": {"Input Directory": "in", "Minimum File Age": "5 sec"}})";
  definition.make = [] { return std::make_unique<GetFile>(); };
  return definition;
}

std::int64_t to_ms(std::chrono::nanoseconds duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace

void GetFile::on_scheduled(ProcessContext& context) {
  root_ = context.property(input_directory).evaluate();
  filter_.emplace(context);
  recurse_ = context.property(recurse).boolean();
  keep_source_ = context.property(keep_source).boolean();
  batch_size_ = static_cast<std::size_t>(context.property(batch_size).integer());
  interval_ms_ = to_ms(context.property(polling_interval).duration());
  const std::scoped_lock lock(mutex_);
  queue_.clear();
  last_look_ms_ = INT64_MIN;
}

void GetFile::tell_once(ComponentLog& log, const std::filesystem::path& path,
                        std::string_view problem) {
  if (told_.size() > most_listed) told_.clear();
  if (told_.insert(path.native()).second) log.warn("{} is left: {}", path.native(), problem);
}

void GetFile::look(ProcessContext& context) {
  const std::int64_t now_ms = context.clock().now_ms();
  if (last_look_ms_ != INT64_MIN && now_ms - last_look_ms_ < interval_ms_) return;
  last_look_ms_ = now_ms;
  DirectoryWalk walk;
  walk.recurse = recurse_;
  walk.takes_name = [&](const std::string& folder, const std::string& name) {
    return filter_->takes_name(folder, name);
  };
  walk.visit = [&](WalkedFile&& file) {
    if (!filter_->takes(file.facts, now_ms)) return true;
    Found found{std::move(file.folder), std::move(file.name)};
    if (!busy_.contains(path_of(found).native())) queue_.push_back(std::move(found));
    return queue_.size() < most_listed;
  };
  walk.problem = [&](const std::filesystem::path& path, int error) {
    tell_once(context.log(), path, std::strerror(error));
  };
  walk.run(root_);
}

std::vector<Found> GetFile::next_files(ProcessContext& context) {
  const std::scoped_lock lock(mutex_);
  if (queue_.empty()) look(context);
  std::vector<Found> files;
  while (!queue_.empty() && files.size() < batch_size_) {
    busy_.insert(path_of(queue_.front()).native());
    files.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return files;
}

void GetFile::release(const std::vector<Found>& files) {
  const std::scoped_lock lock(mutex_);
  for (const Found& file : files) busy_.erase(path_of(file).native());
}

GetFile::Outcome GetFile::take(ProcessContext& context, ProcessSession& session,
                               const Found& found) {
  const std::filesystem::path file = path_of(found);
  const auto leave = [&](std::string_view why) {
    const std::scoped_lock lock(mutex_);
    tell_once(context.log(), file, why);
    return Outcome::left;
  };
  const auto before = file_facts(file);
  if (!before || !before->is_regular) return Outcome::left;  // vanished since the look
  if (!keep_source_ && access(file.parent_path().c_str(), W_OK | X_OK) != 0) {
    return leave("its folder is not writable, so it could not be removed");
  }
  const FlowFile flow_file = session.create();
  try {
    session.import_from(file, flow_file);
  } catch (const storage::IoError& error) {
    if (error.path() != file || error.disk_full()) throw;
    session.remove(flow_file);
    return error.error_number() == ENOENT ? Outcome::left
                                          : leave(std::strerror(error.error_number()));
  }
  const auto after = file_facts(file);
  if (!after || !after->same_content(*before) || flow_file.size() != before->size_bytes) {
    session.remove(flow_file);
    return leave("it changed while it was copied");
  }
  std::vector<flowfile::Attributes::Entry> attributes = {
      {std::string(attribute::filename), found.name},
      {std::string(attribute::path), path_attribute(found.folder, "/")},
      {std::string(attribute::absolute_path), absolute_path_attribute(root_, found.folder)}};
  append_file_attributes(*before, attributes);
  session.put_attributes(flow_file, attributes);
  session.provenance().receive(flow_file, file_uri(std::filesystem::absolute(file)));
  session.transfer(flow_file, success);
  if (!keep_source_) {
    ComponentLog& log = context.log();
    session.after_commit([this, &log, file, facts = *before] { remove_source(log, file, facts); });
  }
  return Outcome::taken;
}

void GetFile::remove_source(ComponentLog& log, const std::filesystem::path& file,
                            const FileFacts& facts) {
  const auto now = file_facts(file);
  if (!now) return;
  if (!now->same_content(facts)) {
    log.warn("{} changed after it was taken: it is not removed", file.native());
  } else if (unlink(file.c_str()) != 0 && errno != ENOENT) {
    log.error("{} was taken but cannot be removed, and will be taken again: {}", file.native(),
              std::strerror(errno));
  }
}

void GetFile::on_trigger(ProcessContext& context, ProcessSession& session) {
  const std::vector<Found> files = next_files(context);
  if (files.empty()) {
    context.yield();
    return;
  }
  // The commit is made here, so that sources are gone before others may look for them again.
  struct Release {
    GetFile& owner;
    const std::vector<Found>& files;
    ~Release() { owner.release(files); }
  } release{*this, files};
  std::size_t taken = 0;
  for (const Found& file : files) {
    if (take(context, session, file) == Outcome::taken) ++taken;
  }
  if (taken == 0) {
    context.yield();
    return;
  }
  session.commit();
}

const ProcessorDefinition& get_file() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
