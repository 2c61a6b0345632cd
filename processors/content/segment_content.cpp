#include "processors/content/segment_content.h"

#include <algorithm>

#include "processors/support/declare.h"

namespace weir::processors {
namespace {

const Relationship segments{.name = "segments", .description = "The segments, in order."};
const Relationship original{.name = "original", .description = "The FlowFile that was cut."};

const PropertyDescriptor segment_size{
    .name = "Segment Size",
    .description = "The size of each segment; the last one may be smaller.",
    .required = true,
    .validator = validators::data_size(),
    .expression_scope = ExpressionScope::flow_file_attributes};

class SegmentContent : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override {
    size_ = context.property(segment_size);
    random_ = &context.random();
  }
  void on_trigger(ProcessContext&, ProcessSession& session) override;

 private:
  PropertyValue size_;
  Random* random_ = nullptr;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("SegmentContent");
  definition.summary =
      "Cuts a content into segments of a size. The segments share the bytes of the original: "
      "nothing is copied.";
  definition.tags = {"segment", "split"};
  definition.properties = {segment_size};
  definition.relationships = {original, segments};
  definition.writes_attributes = {
      {"fragment.identifier", "Common to all segments of one FlowFile, and to the original."},
      {"fragment.index", "1 to n."},
      {"fragment.count", "How many segments there are."},
      {"segment.original.filename", "The filename of the original."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "All segments and the original appear with one commit, or none.";
  definition.example = R"({"type": "SegmentContent", "properties": {"Segment Size": "10 MB"}})";
  definition.make = [] { return std::make_unique<SegmentContent>(); };
  return definition;
}

}  // namespace

void SegmentContent::on_trigger(ProcessContext&, ProcessSession& session) {
  const FlowFile source = session.get();
  if (!source) return;
  const std::uint64_t size = size_.data_size(source);
  if (size == 0) throw ProcessException("Segment Size is 0 B: no segment can be that small");

  const std::uint64_t count = std::max<std::uint64_t>(1, (source.size() + size - 1) / size);
  std::vector<flowfile::Attributes::Entry> attributes = {
      {std::string(attribute::fragment_identifier), random_uuid(*random_)},
      {std::string(attribute::fragment_count), std::to_string(count)}};
  const std::vector<flowfile::Attributes::Entry> of_original = attributes;
  attributes.emplace_back(attribute::segment_original_filename,
                          source.attribute(attribute::filename).value_or(""));
  attributes.emplace_back(attribute::fragment_index, "");
  for (std::uint64_t index = 0; index < count; ++index) {
    const std::uint64_t offset = index * size;
    const FlowFile segment = session.create(source);
    session.share_content(segment, source, offset, std::min(size, source.size() - offset));
    attributes.back().second = std::to_string(index + 1);
    session.put_attributes(segment, attributes);
    session.transfer(segment, segments);
  }
  // With one segment NiFi marks the original as that segment, too.
  session.put_attributes(source, count == 1 ? attributes : of_original);
  session.transfer(source, original);
}

const ProcessorDefinition& segment_content() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
