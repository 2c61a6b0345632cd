#include "processors/text/split_content.h"

#include "engine/text/base64.h"
#include "processors/support/declare.h"
#include "processors/text/sequence_finder.h"
#include "processors/text/split_progress.h"

namespace weir::processors {
namespace {

const Relationship original{.name = "original", .description = "The FlowFile that was split."};
const Relationship splits{.name = "splits", .description = "The fragments, in order."};

const PropertyDescriptor sequence_format{
    .name = "Byte Sequence Format",
    .description = "How Byte Sequence is written.",
    .default_value = "Hexadecimal",
    .required = true,
    .allowable_values = {{"Hexadecimal", "", "Two digits a byte."},
                         {"Text", "", "The bytes of the text in UTF-8."}}};
const PropertyDescriptor byte_sequence{.name = "Byte Sequence",
                                       .description = "Where the content is split.",
                                       .required = true,
                                       .validator = validators::non_empty()};
const PropertyDescriptor keep_sequence{.name = "Keep Byte Sequence",
                                       .description = "Whether the sequence stays in a fragment.",
                                       .default_value = "false",
                                       .required = true,
                                       .allowable_values = true_or_false()};
const PropertyDescriptor sequence_location{
    .name = "Byte Sequence Location",
    .description = "Where a sequence that is kept stands.",
    .default_value = "Trailing",
    .required = true,
    .allowable_values = {{"Trailing", "", "At the end of the fragment before it."},
                         {"Leading", "", "At the beginning of the fragment after it."}}};

enum class Keep { none, trailing, leading };

struct Range {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t next = 0;  // where the part after it starts
};

// Computes fragments one after the other. Empty ones are left out.
class ContentSplitter {
 public:
  // Starts with the part at `offset`, which is 0 or comes after a sequence.
  ContentSplitter(InputStream& in, const std::string& sequence, Keep keep, std::uint64_t offset)
      : size_(in.size()),
        sequence_bytes_(sequence.size()),
        keep_(keep),
        finder_(in, sequence, offset),
        start_(offset) {}

  std::optional<Range> next() {
    while (!ended_) {
      const std::optional<std::uint64_t> after = finder_.next();
      ended_ = !after;
      Range range{.offset = start_, .size = 0, .next = 0};
      if (keep_ == Keep::leading && start_ > 0) range.offset -= sequence_bytes_;
      const std::uint64_t end = !after                    ? size_
                                : keep_ == Keep::trailing ? *after
                                                          : *after - sequence_bytes_;
      range.size = end - range.offset;
      start_ = range.next = after.value_or(size_);
      if (range.size > 0) return range;
    }
    return std::nullopt;
  }

 private:
  const std::uint64_t size_;
  const std::uint64_t sequence_bytes_;
  const Keep keep_;
  SequenceFinder finder_;
  std::uint64_t start_;
  bool ended_ = false;
};

class SplitContent : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  SplitProgress start_or_resume(ProcessSession& session, const FlowFile& source) const;

  std::string sequence_;
  Keep keep_ = Keep::none;
  Random* random_ = nullptr;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("SplitContent");
  definition.summary =
      "Splits a content wherever a sequence of bytes stands in it. The fragments share the bytes "
      "of the original: nothing is copied. Empty fragments are left out.";
  definition.tags = {"content", "split", "binary"};
  definition.properties = {sequence_format, byte_sequence, keep_sequence, sequence_location};
  definition.relationships = {original, splits};
  definition.writes_attributes = {
      {"fragment.identifier", "Common to all fragments of one FlowFile, and to the original."},
      {"fragment.index", "1 to n."},
      {"fragment.count", "How many fragments there are."},
      {"segment.original.filename", "The filename of the original."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note =
      "Up to 20,000 fragments appear with the original in one commit, or none. A FlowFile of more "
      "fragments is split in several commits; meanwhile it waits in its queue and carries its "
      "progress (weir.split.*), so that a crash neither repeats nor loses a fragment.";
  definition.example = R"({"type": "SplitContent", "properties": {
  "Byte Sequence Format": "Text", "Byte Sequence": "---"}})";
  definition.make = [] { return std::make_unique<SplitContent>(); };
  return definition;
}

}  // namespace

std::vector<ValidationProblem> SplitContent::custom_validate(const PropertyContext& context) const {
  if (context.property(sequence_format).text() == "Hexadecimal" &&
      !text::hex_decode(context.property(byte_sequence).text())) {
    return {{byte_sequence.name, "must be pairs of hexadecimal digits"}};
  }
  return {};
}

void SplitContent::on_scheduled(ProcessContext& context) {
  sequence_ = context.property(byte_sequence).text();
  if (context.property(sequence_format).text() == "Hexadecimal") {
    sequence_ = text::hex_decode(sequence_).value();
  }
  keep_ = !context.property(keep_sequence).boolean()                 ? Keep::none
          : context.property(sequence_location).text() == "Trailing" ? Keep::trailing
                                                                     : Keep::leading;
  random_ = &context.random();
}

SplitProgress SplitContent::start_or_resume(ProcessSession& session, const FlowFile& source) const {
  SplitProgress progress;
  if (progress.take(session, source)) return progress;
  progress.identifier = random_uuid(*random_);
  const std::unique_ptr<InputStream> in = session.read(source);
  ContentSplitter splitter(*in, sequence_, keep_, 0);
  while (splitter.next()) ++progress.count;
  return progress;
}

void SplitContent::on_trigger(ProcessContext&, ProcessSession& session) {
  const FlowFile source = session.get();
  if (!source) return;
  SplitProgress progress = start_or_resume(session, source);
  if (source.size() == 0) progress.count = 1;  // as one without the sequence: split into itself
  const auto common = progress.common_attributes(source);
  const auto make = [&](std::uint64_t offset, std::uint64_t size) {
    const bool is_whole = size == source.size();
    const FlowFile made = is_whole ? session.clone(source) : session.create(source);
    if (!is_whole) session.share_content(made, source, offset, size);
    session.put_attributes(made, common);
    session.put_attribute(made, attribute::fragment_index, std::to_string(++progress.index));
    session.transfer(made, splits);
  };
  if (source.size() == 0) make(0, 0);
  const std::unique_ptr<InputStream> in = session.read(source);
  ContentSplitter splitter(*in, sequence_, keep_, progress.offset);
  for (std::uint64_t made = 0;; ++made) {
    const std::optional<Range> range = splitter.next();
    if (!range) break;
    make(range->offset, range->size);
    if (made + 1 == SplitProgress::fragments_a_commit && progress.index < progress.count) {
      progress.offset = range->next;
      progress.put(session, source);
      return;
    }
  }
  progress.mark_original(session, source);
  session.transfer(source, original);
}

const ProcessorDefinition& split_content() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
