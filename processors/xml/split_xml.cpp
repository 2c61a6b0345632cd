#include "processors/xml/split_xml.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "processors/support/declare.h"
#include "processors/xml/xml_splitter.h"

namespace weir::processors {
namespace {

const Relationship failure{.name = "failure",
                           .description = "FlowFiles whose content is no XML document."};
const Relationship original{.name = "original", .description = "The FlowFile that was split."};
const Relationship splits{.name = "split", .description = "The fragments, in order."};

const PropertyDescriptor split_depth{
    .name = "Split Depth",
    .description =
        "Below how many levels the fragments begin: 1 for the children of the root, 2 "
        "for theirs.",
    .default_value = "1",
    .required = true,
    .validator = validators::integer(1, INT32_MAX)};

// More fragments than this are not committed at once: the original goes back to its queue with
// these attributes and the next trigger goes on from there. Memory stays bounded, and each commit
// takes the original forward together with its fragments, so that none doubles or is lost.
constexpr std::uint64_t fragments_a_commit = 20'000;
const std::string resume_offset = "weir.split.offset";
const std::string resume_ancestors = "weir.split.ancestors";
const std::string resume_skip = "weir.split.skip";
const std::string resume_index = "weir.split.index";
const std::string resume_count = "weir.split.count";
const std::string resume_identifier = "weir.split.identifier";
const std::string error_attribute = "splitXml.error";

using Attributes = std::vector<flowfile::Attributes::Entry>;

class SplitXml : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override {
    depth_ = static_cast<int>(context.property(split_depth).integer());
    random_ = &context.random();
  }
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  struct Progress {
    std::string identifier;
    std::uint64_t index = 0;  // of the next fragment
    std::uint64_t count = 0;
    XmlPosition position = {};
  };

  static std::optional<Progress> resumed(ProcessSession& session, const FlowFile& source);
  std::expected<Progress, std::string> start(ProcessSession& session, const FlowFile& source) const;

  int depth_ = 1;
  Random* random_ = nullptr;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("SplitXml");
  definition.summary =
      "Cuts an XML document into its elements below a depth, each a document of its own. Read as a "
      "stream: memory does not depend on the document's size.";
  definition.tags = {"xml", "split"};
  definition.properties = {split_depth};
  definition.relationships = {failure, original, splits};
  definition.writes_attributes = {
      {"fragment.identifier", "Common to all fragments of one FlowFile, and to the original."},
      {"fragment.index", "0 to n - 1."},
      {"fragment.count", "How many fragments there are."},
      {"segment.original.filename", "The filename of the original."},
      {error_attribute, "Why a FlowFile went to failure."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note =
      "A document that is not well-formed gives no fragment at all. Up to 20,000 fragments appear "
      "with the original in one commit, or none. A FlowFile of more fragments is split in several "
      "commits; meanwhile it waits in its queue and carries its progress (weir.split.*), so that "
      "a crash neither repeats nor loses a fragment.";
  definition.example = R"({"type": "SplitXml", "properties": {"Split Depth": "2"}})";
  definition.make = [] { return std::make_unique<SplitXml>(); };
  return definition;
}

// Makes a FlowFile of each fragment as it comes.
class FragmentWriter : public FragmentSink {
 public:
  FragmentWriter(ProcessSession& session, const FlowFile& source, std::uint64_t index,
                 Attributes attributes)
      : session_(session), source_(source), index_(index), attributes_(std::move(attributes)) {
    attributes_.emplace_back(attribute::fragment_index, "");
  }

  void begin() override {
    made_ = session_.create(source_);
    out_ = session_.write(made_);
  }
  void write(std::string_view text) override { out_->write(text); }
  void end() override {
    out_->close();
    out_.reset();
    attributes_.back().second = std::to_string(index_++);
    session_.put_attributes(made_, attributes_);
    session_.transfer(made_, splits);
  }
  std::uint64_t index() const { return index_; }

 private:
  ProcessSession& session_;
  const FlowFile source_;
  std::uint64_t index_;
  Attributes attributes_;
  FlowFile made_;
  std::unique_ptr<OutputStream> out_;
};

std::uint64_t number(const FlowFile& flow_file, const std::string& attribute) {
  const std::string* const text = flow_file.find_attribute(attribute);
  return text ? std::strtoull(text->c_str(), nullptr, 10) : 0;
}

}  // namespace

std::optional<SplitXml::Progress> SplitXml::resumed(ProcessSession& session,
                                                    const FlowFile& source) {
  const std::string* const identifier = source.find_attribute(resume_identifier);
  if (!identifier) return std::nullopt;
  Progress progress;
  progress.identifier = *identifier;
  progress.index = number(source, resume_index);
  progress.count = number(source, resume_count);
  progress.position.offset = number(source, resume_offset);
  progress.position.skip = number(source, resume_skip);
  progress.position.ancestors = source.attribute(resume_ancestors).value_or("");
  // Fragments must not inherit them.
  const std::array names = {resume_offset, resume_ancestors, resume_skip,
                            resume_index,  resume_count,     resume_identifier};
  session.remove_attributes(source, names);
  return progress;
}

// Reads the whole document once, so that a fault at its end is known before anything is made.
std::expected<SplitXml::Progress, std::string> SplitXml::start(ProcessSession& session,
                                                               const FlowFile& source) const {
  XmlSplitter splitter(depth_);
  const auto outcome = splitter.run(*session.read(source), nullptr);
  if (!outcome) return std::unexpected(outcome.error());
  return Progress{.identifier = random_uuid(*random_), .count = outcome->fragments};
}

void SplitXml::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile source = session.get();
  if (!source) return;
  const auto fail = [&](const std::string& reason) {
    context.log().error("{} cannot be split: {}", source.uuid(), reason);
    session.put_attribute(source, error_attribute, reason);
    session.transfer(source, failure);
  };
  Progress progress;
  if (auto carried = resumed(session, source)) {
    progress = std::move(*carried);
  } else {
    auto started = start(session, source);
    if (!started) return fail(started.error());
    progress = std::move(*started);
  }
  const Attributes common = {
      {std::string(attribute::fragment_identifier), progress.identifier},
      {std::string(attribute::fragment_count), std::to_string(progress.count)}};
  if (progress.count > 0) {
    Attributes of_fragments = common;
    of_fragments.emplace_back(attribute::segment_original_filename,
                              source.attribute(attribute::filename).value_or(""));
    FragmentWriter writer(session, source, progress.index, std::move(of_fragments));
    XmlSplitter splitter(depth_);
    const auto outcome =
        splitter.run(*session.read(source), &writer, progress.position, fragments_a_commit);
    // It was read before without a fault.
    if (!outcome) throw ProcessException(outcome.error());
    if (outcome->stopped) {
      const Attributes attributes = {{resume_offset, std::to_string(outcome->next.offset)},
                                     {resume_ancestors, outcome->next.ancestors},
                                     {resume_skip, std::to_string(outcome->next.skip)},
                                     {resume_index, std::to_string(writer.index())},
                                     {resume_count, std::to_string(progress.count)},
                                     {resume_identifier, progress.identifier}};
      session.put_attributes(source, attributes);
      session.transfer_to_source(source);
      return;
    }
  }
  session.put_attributes(source, common);
  session.transfer(source, original);
}

const ProcessorDefinition& split_xml() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
