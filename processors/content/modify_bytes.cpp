#include "processors/content/modify_bytes.h"

#include "processors/support/declare.h"
#include "processors/support/handle_queued.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "FlowFiles with what is left."};

const PropertyDescriptor start_offset{.name = "Start Offset",
                                      .description = "How many bytes are taken off the beginning.",
                                      .default_value = "0 B",
                                      .required = true,
                                      .validator = validators::data_size(),
                                      .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor end_offset{.name = "End Offset",
                                    .description = "How many bytes are taken off the end.",
                                    .default_value = "0 B",
                                    .required = true,
                                    .validator = validators::data_size(),
                                    .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor remove_all{
    .name = "Remove All Content",
    .description = "Whether nothing is left, whatever the offsets say.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false()};

class ModifyBytes : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override {
    start_ = context.property(start_offset);
    end_ = context.property(end_offset);
    removes_all_ = context.property(remove_all).boolean();
  }
  void on_trigger(ProcessContext&, ProcessSession& session) override;

 private:
  PropertyValue start_;
  PropertyValue end_;
  bool removes_all_ = false;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("ModifyBytes");
  definition.summary =
      "Takes bytes off the beginning and the end of a content, or all of it. What is left is "
      "shared with the old content: nothing is copied.";
  definition.tags = {"binary", "discard", "keep"};
  definition.properties = {start_offset, end_offset, remove_all};
  definition.relationships = {success};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "The content changes with the commit; a crash before it leaves it.";
  definition.example = R"({"type": "ModifyBytes", "properties": {"Start Offset": "512 B"}})";
  definition.make = [] { return std::make_unique<ModifyBytes>(); };
  return definition;
}

}  // namespace

void ModifyBytes::on_trigger(ProcessContext&, ProcessSession& session) {
  handle_queued(session, usual_batch, [&](const FlowFile& flow_file) {
    // Both are looked at, also where all is removed: a bad one is an error in any case.
    const std::uint64_t start = start_.data_size(flow_file);
    const std::uint64_t end = end_.data_size(flow_file);
    const std::uint64_t size = flow_file.size();
    const bool is_nothing_left = removes_all_ || start >= size || end >= size - start;
    session.share_content(flow_file, flow_file, is_nothing_left ? 0 : start,
                          is_nothing_left ? 0 : size - start - end);
    session.provenance().modify_content(flow_file);
    session.transfer(flow_file, success);
  });
}

const ProcessorDefinition& modify_bytes() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
