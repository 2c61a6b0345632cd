#include "processors/flow/duplicate_flow_file.h"

#include <fmt/format.h>

#include "processors/support/declare.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "The copies, then the original."};

const PropertyDescriptor copies{.name = "Number of Copies",
                                .description = "How many copies are sent beside the original.",
                                .default_value = "100",
                                .required = true,
                                .validator = validators::integer(0, INT32_MAX),
                                .expression_scope = ExpressionScope::flow_file_attributes};

constexpr std::string_view copy_index = "copy.index";

class DuplicateFlowFile : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override {
    copies_ = context.property(copies);
    fixed_copies_ = copies_.has_expression() ? -1 : copies_.integer();
  }
  void on_trigger(ProcessContext&, ProcessSession& session) override {
    const FlowFile original = session.get();
    if (!original) return;
    const std::int64_t count = fixed_copies_ >= 0 ? fixed_copies_ : copies_.integer(original);
    if (count > INT32_MAX) throw ProcessException(fmt::format("{} copies are too many", count));
    for (std::int64_t i = 1; i <= count; ++i) {
      const FlowFile copy = session.clone(original);
      session.put_attribute(copy, copy_index, std::to_string(i));
      session.transfer(copy, success);
    }
    session.put_attribute(original, copy_index, "0");
    session.transfer(original, success);
  }

 private:
  PropertyValue copies_;
  std::int64_t fixed_copies_ = -1;  // -1: an expression, evaluated for each FlowFile
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("DuplicateFlowFile");
  definition.summary =
      "Sends copies of each FlowFile beside the original. The copies share its content: no bytes "
      "are copied.";
  definition.tags = {"test", "load", "duplicate"};
  definition.properties = {copies};
  definition.relationships = {success};
  definition.writes_attributes = {{"copy.index", "0 on the original, 1 to n on the copies."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "All copies and the original appear with one commit, or none.";
  definition.example = R"({"type": "DuplicateFlowFile", "properties": {"Number of Copies": "3"}})";
  definition.make = [] { return std::make_unique<DuplicateFlowFile>(); };
  return definition;
}

}  // namespace

const ProcessorDefinition& duplicate_flow_file() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
