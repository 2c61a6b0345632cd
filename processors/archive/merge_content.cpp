#include "processors/archive/merge_content.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "processors/archive/merge_bins.h"
#include "processors/archive/merge_formats.h"
#include "processors/archive/merge_properties.h"
#include "processors/support/declare.h"
#include "processors/support/failure.h"

namespace weir::processors {
namespace {

using namespace merge;

constexpr std::string_view error_attribute = "mergeContent.error";

class MergeContent : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override {
    return validate(context);
  }
  void on_scheduled(ProcessContext& context) override;
  void on_trigger_with(ProcessContext& context, ProcessSessionFactory& sessions) override;
  void on_trigger(ProcessContext&, ProcessSession&) override {
    throw ProcessException("MergeContent manages its own sessions");
  }
  void on_stopped(ProcessContext&) override;

 private:
  std::size_t fill_bins(ProcessContext& context, ProcessSessionFactory& sessions);
  void bin(const FlowFile& flow_file, ProcessSessionFactory& sessions, std::int64_t now_ms);
  void migrate_from(ProcessSession& session);
  std::string group_of(const FlowFile& flow_file) const;
  void finish(ProcessContext& context, Bin& bin);
  void merge_bin(ProcessContext& context, Bin& bin) const;
  void fail(ProcessContext& context, Bin& bin, std::string_view reason) const;
  std::string filename_of(ProcessContext& context, Bin& bin, const FlowFile& merged) const;
  std::vector<flowfile::Attributes::Entry> attributes_of(ProcessContext& context, Bin& bin,
                                                         const FlowFile& merged) const;

  bool defragment_ = false;
  bool keeps_unique_attributes_ = false;
  std::size_t most_bins_ = 5;
  PropertyValue correlation_;
  PropertyValue termination_;
  std::string insertion_;
  std::unique_ptr<const Bundler> bundler_;

  std::mutex mutex_;  // guards what follows
  std::unique_ptr<BinStore> bins_;
  std::list<Bin> ready_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("MergeContent");
  definition.summary =
      "Joins several FlowFiles into one: as many as fit into a bin, or all fragments of one split; "
      "their contents one after another, or as a tar, a zip, a package of FlowFiles, or one Avro "
      "file.";
  definition.tags = {"merge", "content", "correlation",     "concatenation",      "tar",
                     "zip",   "archive", "flowfile-stream", "flowfile-stream-v3", "avro"};
  definition.properties = properties();
  definition.relationships = {failure, merged_relationship, original};
  definition.reads_attributes = {
      {"fragment.identifier", "FlowFiles of one value belong together (Defragment)."},
      {"fragment.index", "The order of the fragments (Defragment)."},
      {"fragment.count", "How many fragments there are; on one of them at least (Defragment)."},
      {"segment.original.filename", "Becomes the filename of the merged FlowFile."},
      {"path", "Goes into the names of a tar's or zip's entries, where Keep Path is true."},
      {"tar.permissions", "The mode of a tar's entry, as a decimal number (420 is rw-r--r--)."}};
  definition.writes_attributes = {
      {"filename",
       "That of the only FlowFile, or segment.original.filename, or a number; then .tar, .zip or "
       ".pkg."},
      {"mime.type", "Of the format; concatenated contents keep the one they have in common."},
      {"merge.count", "How many FlowFiles were merged."},
      {"merge.bin.age", "Milliseconds from the bin's first FlowFile to the merge."},
      {"merge.uuid", "On the originals: the uuid of the merged FlowFile."},
      {"merge.reason", "Why the bin was merged."},
      {std::string(error_attribute), "On failure: why."}};
  definition.input = InputRequirement::required;
  definition.trigger_when_empty = true;
  definition.manages_sessions = true;
  definition.delivery_note =
      "FlowFiles in bins still belong to their queue: when the engine stops or dies they are "
      "there again. The merged FlowFile and its originals leave with one commit.";
  definition.example =
      R"({"type": "MergeContent", "properties": {"Minimum Number of Entries": "1000",
  "Max Bin Age": "1 min", "Delimiter Strategy": "Text", "Demarcator File": "\n"}})";
  definition.make = [] { return std::make_unique<MergeContent>(); };
  return definition;
}

}  // namespace

void MergeContent::on_scheduled(ProcessContext& context) {
  defragment_ = context.property(merge_strategy).text() == "Defragment";
  keeps_unique_attributes_ =
      context.property(attribute_strategy).text() == "Keep All Unique Attributes";
  most_bins_ = static_cast<std::size_t>(context.property(maximum_bins).integer());
  correlation_ = context.property(correlation_attribute);
  termination_ = defragment_ ? PropertyValue() : context.property(bin_termination_check);
  insertion_ = context.property(insertion_strategy).text();
  bundler_ = make_bundler(context);

  BinLimits limits;
  limits.defragment = defragment_;
  if (const PropertyValue age = context.property(maximum_bin_age); age.is_set()) {
    limits.most_age_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(age.duration()).count();
  }
  if (!defragment_) {
    limits.least_entries = static_cast<std::uint64_t>(context.property(minimum_entries).integer());
    limits.most_entries = static_cast<std::uint64_t>(context.property(maximum_entries).integer());
    limits.least_bytes = context.property(minimum_size).data_size();
    if (const PropertyValue most = context.property(maximum_size); most.is_set()) {
      limits.most_bytes = most.data_size();
    }
  }
  const std::scoped_lock lock(mutex_);
  bins_ = std::make_unique<BinStore>(limits);
}

void MergeContent::on_stopped(ProcessContext&) {
  const std::scoped_lock lock(mutex_);
  for (Bin& bin : ready_) bin.session().rollback();
  ready_.clear();
  bins_->roll_back();
}

std::string MergeContent::group_of(const FlowFile& flow_file) const {
  if (defragment_) return flow_file.attribute(attribute::fragment_identifier).value_or("");
  if (!correlation_.is_set()) return "";
  return flow_file.attribute(correlation_.evaluate(flow_file)).value_or("");
}

void MergeContent::bin(const FlowFile& flow_file, ProcessSessionFactory& sessions,
                       std::int64_t now_ms) {
  const std::string group = group_of(flow_file);
  constexpr const char* signal = "BIN_TERMINATION_SIGNAL";
  const bool ends = termination_.is_set() && termination_.evaluate(flow_file) == "true";
  if (ends && insertion_ != "Last in Bin") bins_->close_group(group, signal);
  if (ends && insertion_ == "Isolated") {
    Bin& own = bins_->open(group, sessions, now_ms);
    own.take(flow_file);
    own.close(signal);
    return;
  }
  Bin* taken = bins_->offer(group, flow_file, sessions, now_ms);
  if (!taken) {
    // Larger than any bin may be: it goes alone.
    ready_.emplace_back(sessions.create_session(), bins_->limits(), now_ms);
    ready_.back().take(flow_file);
  } else if (ends && insertion_ == "Last in Bin") {
    taken->close(signal);
  }
}

void MergeContent::migrate_from(ProcessSession& session) {
  bins_->migrate_from(session);
  for (Bin& bin : ready_) bin.migrate_from(session);
}

std::size_t MergeContent::fill_bins(ProcessContext& context, ProcessSessionFactory& sessions) {
  constexpr std::size_t at_a_time = 1000;
  std::size_t binned = 0;
  while (context.is_scheduled() && bins_->size() <= most_bins_) {
    const std::shared_ptr<ProcessSession> session = sessions.create_session();
    const std::vector<FlowFile> flow_files = session->get(at_a_time);
    if (flow_files.empty()) {
      session->rollback();
      break;
    }
    const std::int64_t now_ms = context.clock().now_ms();
    try {
      for (const FlowFile& flow_file : flow_files) bin(flow_file, sessions, now_ms);
    } catch (const ProcessException&) {
      // An expression failed: what is in a bin stays there, the rest goes back.
      migrate_from(*session);
      throw;
    }
    migrate_from(*session);
    session->commit();
    binned += flow_files.size();
    // A full bin is merged before more is taken: what it holds is still in the caches.
    if (bins_->has_full()) break;
  }
  return binned;
}

void MergeContent::on_trigger_with(ProcessContext& context, ProcessSessionFactory& sessions) {
  std::list<Bin> to_finish;
  std::size_t binned = 0;
  {
    const std::scoped_lock lock(mutex_);
    const std::int64_t now_ms = context.clock().now_ms();
    if (bins_->size() + ready_.size() <= most_bins_) binned = fill_bins(context, sessions);
    if (!context.is_scheduled()) return;
    // While FlowFiles still come, a bin that could take more waits for them.
    std::list<Bin> full = bins_->take_ready(binned == 0, now_ms);
    if (full.empty() && bins_->size() + ready_.size() > most_bins_) {
      if (auto oldest = bins_->take_oldest("BIN_MANAGER_FULL")) full.push_back(std::move(*oldest));
    }
    ready_.splice(ready_.end(), full);
    to_finish.swap(ready_);
  }
  if (binned == 0 && to_finish.empty()) {
    context.yield();
    return;
  }
  for (Bin& bin : to_finish) finish(context, bin);
}

void MergeContent::finish(ProcessContext& context, Bin& bin) {
  ProcessSession& session = bin.session();
  try {
    const auto problem = defragment_ ? check_fragments(bin.contents()) : std::nullopt;
    if (problem) {
      fail(context, bin, *problem);
    } else {
      merge_bin(context, bin);
    }
    session.commit();
  } catch (const storage::StorageError& error) {
    // The other bins go on; these FlowFiles are back in their queue.
    session.rollback(true);
    context.log().error("a bin of {} FlowFiles was rolled back: {}", bin.contents().size(),
                        error.what());
    context.yield();
  }
}

void MergeContent::fail(ProcessContext& context, Bin& bin, std::string_view reason) const {
  context.log().error("{} FlowFiles cannot be merged: {}", bin.contents().size(), reason);
  for (const FlowFile& flow_file : bin.contents()) {
    bin.session().put_attribute(flow_file, error_attribute, reason);
    bin.session().transfer(flow_file, failure);
  }
}

void MergeContent::merge_bin(ProcessContext& context, Bin& bin) const {
  ProcessSession& session = bin.session();
  const FlowFile merged = session.create(std::span<const FlowFile>(bin.contents()));
  std::vector<FlowFile> left_out;
  try {
    session.write(merged, [&](OutputStream& out) {
      BufferedOutput buffered(out);
      bundler_->write(session, bin.contents(), buffered, left_out);
      buffered.flush();
    });
  } catch (const ArchiveError& error) {
    session.remove(merged);
    fail(context, bin, error.what());
    return;
  }
  session.put_attributes(merged, attributes_of(context, bin, merged));
  session.transfer(merged, merged_relationship);
  for (const FlowFile& flow_file : left_out) {
    const FlowFile copy = session.clone(flow_file);
    processors::fail(context, session, copy, failure, error_attribute, bundler_->left_out_reason());
  }
  const flowfile::Attributes::Entry id{"merge.uuid", merged.uuid()};
  for (const FlowFile& flow_file : bin.contents()) {
    session.put_attributes(flow_file, std::span(&id, 1));
    session.transfer(flow_file, original);
  }
}

std::string MergeContent::filename_of(ProcessContext& context, Bin& bin,
                                      const FlowFile& merged) const {
  const std::optional<std::string> extension = bundler_->extension();
  if (!extension) return merged.attribute(attribute::filename).value_or("");
  const FlowFile& first = bin.contents().front();
  const auto name = first.attribute(
      bin.contents().size() == 1 ? attribute::filename : attribute::segment_original_filename);
  return name.value_or(std::to_string(context.clock().steady_ns())) + *extension;
}

std::vector<flowfile::Attributes::Entry> MergeContent::attributes_of(ProcessContext& context,
                                                                     Bin& bin,
                                                                     const FlowFile& merged) const {
  const std::vector<FlowFile>& contents = bin.contents();
  std::map<std::string, std::string> attributes;
  if (keeps_unique_attributes_) {
    std::set<std::string> conflicting;
    for (const FlowFile& flow_file : contents) {
      for (const auto& [name, value] : flow_file.attributes()) {
        const auto [known, is_new] = attributes.try_emplace(name, value);
        if (!is_new && known->second != value) conflicting.insert(name);
      }
    }
    for (const std::string& name : conflicting) attributes.erase(name);
  }
  attributes[std::string(attribute::filename)] = filename_of(context, bin, merged);
  attributes[std::string(attribute::mime_type)] = bundler_->mime_type(contents);
  attributes["merge.count"] = std::to_string(contents.size());
  attributes["merge.bin.age"] = std::to_string(context.clock().now_ms() - bin.created_ms());
  attributes["merge.reason"] = bin.reason();
  return {attributes.begin(), attributes.end()};
}

const ProcessorDefinition& merge_content() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
