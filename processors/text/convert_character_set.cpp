#include "processors/text/convert_character_set.h"

#include <algorithm>

#include "processors/support/declare.h"
#include "processors/text/text_output.h"
#include "processors/text/text_support.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "The converted FlowFiles."};

PropertyDescriptor named_set(std::string name, std::string description) {
  return {.name = std::move(name),
          .description = std::move(description),
          .required = true,
          .validator = known_character_set(),
          .expression_scope = ExpressionScope::flow_file_attributes};
}

const PropertyDescriptor input_set =
    named_set("Input Character Set", "The character set that the content has.");
const PropertyDescriptor output_set =
    named_set("Output Character Set", "The character set that the content gets.");

class ConvertCharacterSet : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override {
    input_ = context.property(input_set);
    output_ = context.property(output_set);
  }
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  PropertyValue input_;
  PropertyValue output_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("ConvertCharacterSet");
  definition.summary =
      "Converts a text from one character set to another. What is malformed, and what the new set "
      "does not have, becomes a question mark.";
  definition.tags = {"text", "convert", "characterset", "character set"};
  definition.properties = {input_set, output_set};
  definition.relationships = {success};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note =
      "The new content appears with the commit, or not at all. An expression that gives no known "
      "character set rolls the trigger back.";
  definition.example = R"({"type": "ConvertCharacterSet", "properties": {
  "Input Character Set": "ISO-8859-1", "Output Character Set": "UTF-8"}})";
  definition.make = [] { return std::make_unique<ConvertCharacterSet>(); };
  return definition;
}

}  // namespace

void ConvertCharacterSet::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  text::Decoder decoder(find_character_set(input_.evaluate(flow_file)), U'?');
  TextOutput out(session, flow_file, find_character_set(output_.evaluate(flow_file)));
  const std::unique_ptr<InputStream> in = session.read(flow_file);
  std::vector<char> buffer(std::min<std::uint64_t>(64 * 1024, flow_file.size()));
  std::string decoded;
  while (const std::size_t count = in->read(std::as_writable_bytes(std::span(buffer)))) {
    decoded.clear();
    decoder.update({buffer.data(), count}, decoded);
    out.write(decoded);
  }
  decoded.clear();
  decoder.finish(decoded);
  out.write(decoded);
  out.close();
  if (decoder.malformed_count() > 0) {
    context.log().warn("{}: {} malformed places became question marks, the first at byte {}",
                       flow_file.uuid(), decoder.malformed_count(),
                       decoder.first_malformed_offset());
  }
  session.provenance().modify_content(flow_file);
  session.transfer(flow_file, success);
}

const ProcessorDefinition& convert_character_set() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
