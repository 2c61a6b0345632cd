#include "processors/file/list_file.h"

#include <fmt/format.h>

#include <cstring>

#include "processors/file/directory_walk.h"
#include "processors/file/file_filter.h"
#include "processors/file/listing_state.h"
#include "processors/support/declare.h"

namespace weir::processors {
namespace {

using namespace file_properties;

const Relationship success{.name = "success", .description = "One FlowFile a file, empty."};

const PropertyDescriptor strategy{
    .name = "listing-strategy",
    .display_name = "Listing Strategy",
    .description =
        "How a file counts as new. Timestamps: by time of modification; cheap, but a "
        "file that comes with an old time is never listed. Entities: by name, time and "
        "size; finds those, too, and remembers every file.",
    .default_value = "timestamps",
    .required = true,
    .allowable_values = {{"timestamps", "Tracking Timestamps"},
                         {"entities", "Tracking Entities"},
                         {"none", "No Tracking"}},
    .old_names = {"Listing Strategy"}};
const PropertyDescriptor record_writer{
    .name = "record-writer",
    .display_name = "Record Writer",
    .description = "Writes all files of a listing to one FlowFile. Not in this version.",
    .controller_service = "org.apache.nifi.serialization.RecordSetWriterFactory",
    .old_names = {"Record Writer"}};
const PropertyDescriptor location{
    .name = "Input Directory Location",
    .description = "Whether the folder is the machine's own. Only tells where state belongs.",
    .default_value = "Local",
    .required = true,
    .allowable_values = {{"Local"}, {"Remote"}}};
const PropertyDescriptor include_attributes{
    .name = "Include File Attributes",
    .description = "Whether owner, group, permissions and further times become attributes.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor precision{.name = "target-system-timestamp-precision",
                                   .display_name = "Target System Timestamp Precision",
                                   .description = "How fine the file system's times are.",
                                   .default_value = "auto-detect",
                                   .required = true,
                                   .allowable_values = {{"auto-detect", "Auto Detect"},
                                                        {"millis", "Milliseconds"},
                                                        {"seconds", "Seconds"},
                                                        {"minutes", "Minutes"}},
                                   .old_names = {"Target System Timestamp Precision"}};
const PropertyDescriptor state_cache{
    .name = "et-state-cache",
    .display_name = "Entity Tracking State Cache",
    .description = "Ignored: entities are kept in the component's state.",
    .controller_service = "org.apache.nifi.distributed.cache.client.DistributedMapCacheClient",
    .old_names = {"Entity Tracking State Cache"}};
const PropertyDescriptor window{
    .name = "et-time-window",
    .display_name = "Entity Tracking Time Window",
    .description = "An unknown file is listed where it was modified or moved in within this time.",
    .default_value = "3 hours",
    .validator = validators::duration(),
    .expression_scope = ExpressionScope::environment,
    .old_names = {"Entity Tracking Time Window"}};
const PropertyDescriptor initial_target{
    .name = "et-initial-listing-target",
    .display_name = "Entity Tracking Initial Listing Target",
    .description = "Whether the first listing takes all files or those of the time window.",
    .default_value = "all",
    .allowable_values = {{"window", "Tracking Time Window"}, {"all", "All Available"}},
    .old_names = {"Entity Tracking Initial Listing Target"}};
const PropertyDescriptor node_identifier{
    .name = "et-node-identifier",
    .display_name = "Entity Tracking Node Identifier",
    .description = "Ignored: state belongs to this engine alone.",
    .default_value = "${hostname()}",
    .expression_scope = ExpressionScope::environment,
    .old_names = {"Entity Tracking Node Identifier"}};
const PropertyDescriptor track_performance{
    .name = "track-performance",
    .display_name = "Track Performance",
    .description = "Ignored: disk operations are not measured one by one.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false(),
    .old_names = {"Track Performance"}};
const PropertyDescriptor most_metrics{.name = "max-performance-metrics",
                                      .display_name = "Maximum Number of Files to Track",
                                      .description = "Ignored, as Track Performance.",
                                      .default_value = "100000",
                                      .required = true,
                                      .validator = validators::integer(1, INT32_MAX),
                                      .expression_scope = ExpressionScope::environment,
                                      .old_names = {"Maximum Number of Files to Track"}};
const PropertyDescriptor most_operation_time{.name = "max-operation-time",
                                             .display_name = "Max Disk Operation Time",
                                             .description = "Ignored, as Track Performance.",
                                             .default_value = "10 secs",
                                             .validator = validators::duration(),
                                             .expression_scope = ExpressionScope::environment,
                                             .old_names = {"Max Disk Operation Time"}};
const PropertyDescriptor most_listing_time{
    .name = "max-listing-time",
    .display_name = "Max Directory Listing Time",
    .description = "A listing that takes longer is warned of.",
    .default_value = "3 mins",
    .validator = validators::duration(),
    .expression_scope = ExpressionScope::environment,
    .old_names = {"Max Directory Listing Time"}};

// The state's settings; with others the listing starts anew.
const std::string settings_key = "weir.settings";

class ListFile : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override {
    if (context.property(record_writer).is_set()) {
      return {{record_writer.name, "a record writer comes with a later version"}};
    }
    return {};
  }
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  std::unique_ptr<ListingState> load_state(ProcessContext& context) const;
  bool walk(ProcessContext& context, std::int64_t now_ms, std::vector<WalkedFile>& files) const;
  void list(ProcessSession& session, const WalkedFile& file) const;

  std::filesystem::path root_;
  std::optional<FileFilter> filter_;
  bool recurse_ = true;
  bool includes_attributes_ = true;
  std::string strategy_;
  std::string settings_;
  std::int64_t precision_ms_ = 0;
  std::int64_t window_ms_ = 0;
  bool initially_all_ = true;
  std::optional<std::int64_t> most_listing_ms_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("ListFile");
  definition.summary =
      "Lists the files of a folder: an empty FlowFile for each that is new, for FetchFile behind.";
  definition.tags = {"file", "get", "list", "ingest", "source", "filesystem"};
  definition.properties = {input_directory,
                           strategy,
                           recurse,
                           record_writer,
                           location,
                           file_filter,
                           path_filter,
                           include_attributes,
                           minimum_age,
                           maximum_age,
                           minimum_size,
                           maximum_size,
                           ignore_hidden,
                           precision,
                           state_cache,
                           window,
                           initial_target,
                           node_identifier,
                           track_performance,
                           most_metrics,
                           most_operation_time,
                           most_listing_time};
  definition.relationships = {success};
  definition.writes_attributes = {
      {"filename", "The file's name, byte for byte."},
      {"path", "The folder below the input directory, with a slash at its end; ./ for itself."},
      {"absolute.path", "The whole path of the folder."},
      {"file.owner", "The file's owner."},
      {"file.group", "Its group."},
      {"file.size", "Its size in bytes."},
      {"file.permissions", "Its permissions, e.g. rw-r--r--."},
      {"file.lastModifiedTime", "When it was modified."},
      {"file.lastAccessTime", "When it was read."},
      {"file.creationTime", "When it was created."}};
  definition.input = InputRequirement::forbidden;
  definition.trigger_serially = true;
  definition.stateful = true;
  definition.default_scheduling_period = "1 min";
  definition.delivery_note =
      "The state moves on after the commit: a crash between the two lists some files twice, none "
      "is lost. With Tracking Timestamps a file that is moved in with an old time is not listed.";
  definition.example =
      R"({"type": "ListFile", "properties": {"Input Directory": "in", "listing-strategy": "entities"}})";
  definition.make = [] { return std::make_unique<ListFile>(); };
  return definition;
}

std::int64_t to_ms(std::chrono::nanoseconds duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace

void ListFile::on_scheduled(ProcessContext& context) {
  root_ = context.property(input_directory).evaluate();
  filter_.emplace(context);
  recurse_ = context.property(recurse).boolean();
  includes_attributes_ = context.property(include_attributes).boolean();
  strategy_ = context.property(strategy).text();
  settings_ = fmt::format("{}|{}|{}|{}|{}", strategy_, root_.native(), recurse_,
                          context.property(location).text(), filter_->settings());
  const std::string& unit = context.property(precision).text();
  precision_ms_ = unit == "millis" ? 1 : unit == "seconds" ? 1000 : unit == "minutes" ? 60'000 : 0;
  const PropertyValue span = context.property(window);
  window_ms_ = span.is_set() ? to_ms(span.duration()) : INT64_MAX / 4;
  initially_all_ = context.property(initial_target).text() != "window";
  most_listing_ms_.reset();
  if (const PropertyValue most = context.property(most_listing_time); most.is_set()) {
    most_listing_ms_ = to_ms(most.duration());
  }
}

std::unique_ptr<ListingState> ListFile::load_state(ProcessContext& context) const {
  ListingState::Map stored = context.state().get().values;
  const auto settings = stored.find(settings_key);
  if (settings == stored.end() || settings->second != settings_) stored.clear();
  if (strategy_ == "timestamps") return std::make_unique<TimestampState>(stored, precision_ms_);
  if (strategy_ == "none") return nullptr;
  return std::make_unique<EntityState>(stored, window_ms_, initially_all_);
}

bool ListFile::walk(ProcessContext& context, std::int64_t now_ms,
                    std::vector<WalkedFile>& files) const {
  bool complete = true;
  DirectoryWalk walk;
  walk.recurse = recurse_;
  walk.takes_name = [&](const std::string& folder, const std::string& name) {
    return filter_->takes_name(folder, name);
  };
  walk.visit = [&](WalkedFile&& file) {
    if (filter_->takes(file.facts, now_ms)) files.push_back(std::move(file));
    return true;
  };
  walk.problem = [&](const std::filesystem::path& path, int error) {
    complete = false;
    context.log().warn("{} cannot be listed: {}", path.native(), std::strerror(error));
  };
  return walk.run(root_) && complete;
}

void ListFile::list(ProcessSession& session, const WalkedFile& file) const {
  std::vector<flowfile::Attributes::Entry> attributes = {
      {std::string(attribute::filename), file.name},
      {std::string(attribute::path), path_attribute(file.folder, "./")},
      {std::string(attribute::absolute_path), absolute_path_attribute(root_, file.folder)},
      {"file.size", std::to_string(file.facts.size_bytes)}};
  std::vector<flowfile::Attributes::Entry> facts;
  append_file_attributes(file.facts, facts);
  for (auto& entry : facts) {
    if (includes_attributes_ || entry.first == "file.lastModifiedTime") {
      attributes.push_back(std::move(entry));
    }
  }
  const FlowFile flow_file = session.create();
  session.put_attributes(flow_file, attributes);
  session.transfer(flow_file, success);
}

void ListFile::on_trigger(ProcessContext& context, ProcessSession& session) {
  const std::int64_t now_ms = context.clock().now_ms();
  const std::int64_t start_ns = context.clock().steady_ns();
  std::vector<WalkedFile> files;
  const bool complete = walk(context, now_ms, files);
  const std::int64_t took_ms = (context.clock().steady_ns() - start_ns) / 1'000'000;
  if (most_listing_ms_ && took_ms > *most_listing_ms_) {
    context.log().warn("listing {} took {} ms", root_.native(), took_ms);
  }
  const std::unique_ptr<ListingState> state = load_state(context);
  if (state) files = state->choose(std::move(files), now_ms, complete);
  for (const WalkedFile& file : files) list(session, file);
  if (state) {
    ListingState::Map map = state->to_map();
    map[settings_key] = settings_;
    if (map != context.state().get().values) {
      session.after_commit([&context, map = std::move(map)] { context.state().set(map); });
      session.commit();
    }
  }
  if (files.empty()) context.yield();
}

const ProcessorDefinition& list_file() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
