#include "processors/archive/package_flow_file.h"

#include "processors/archive/flow_file_package.h"
#include "processors/support/declare.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "The packages."};
const Relationship original{.name = "original", .description = "The FlowFiles that were packed."};

const PropertyDescriptor maximum_batch_size{
    .name = "max-batch-size",
    .display_name = "Maximum Batch Size",
    .description = "How many FlowFiles go into one package, where as many are there.",
    .default_value = "1",
    .required = true,
    .validator = validators::integer(1, 10'000)};
const PropertyDescriptor maximum_batch_bytes{
    .name = "Maximum Batch Content Size",
    .description = "How large their contents may be together. A larger FlowFile goes alone.",
    .default_value = "1 GB",
    .required = true,
    .validator = validators::data_size()};

class PackageFlowFile : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override {
    most_flow_files_ = static_cast<std::uint64_t>(context.property(maximum_batch_size).integer());
    most_bytes_ = context.property(maximum_batch_bytes).data_size();
  }
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  std::vector<FlowFile> take(ProcessSession& session) const;

  std::uint64_t most_flow_files_ = 1;
  std::uint64_t most_bytes_ = 0;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("PackageFlowFile");
  definition.summary =
      "Packs FlowFiles, with attributes and content, into the content of one (FlowFile Stream, "
      "v3), to be sent or kept. UnpackContent takes them out again.";
  definition.tags = {"flowfile", "flowfile-stream", "flowfile-stream-v3", "package", "attributes"};
  definition.properties = {maximum_batch_size, maximum_batch_bytes};
  definition.relationships = {original, success};
  definition.writes_attributes = {{"mime.type", "application/flowfile-v3"}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "The package and the originals leave with one commit.";
  definition.example = R"({"type": "PackageFlowFile", "properties": {"max-batch-size": "100"}})";
  definition.make = [] { return std::make_unique<PackageFlowFile>(); };
  return definition;
}

}  // namespace

std::vector<FlowFile> PackageFlowFile::take(ProcessSession& session) const {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  return session.get([&](const flowfile::FlowFileRecord& record) {
    const std::uint64_t size = record.size();
    const bool fits =
        count < most_flow_files_ && bytes <= most_bytes_ && size <= most_bytes_ - bytes;
    if (count > 0 && !fits) return FilterDecision::reject_and_stop;
    ++count;
    bytes += size;
    return count == most_flow_files_ ? FilterDecision::accept_and_stop : FilterDecision::accept;
  });
}

void PackageFlowFile::on_trigger(ProcessContext& context, ProcessSession& session) {
  const std::vector<FlowFile> flow_files = take(session);
  if (flow_files.empty()) return;
  const FlowFile package = session.create(std::span<const FlowFile>(flow_files));
  session.write(package, [&](OutputStream& out) {
    BufferedOutput buffered(out);
    PackageWriter writer(PackageVersion::v3, buffered, context.clock().now_ms() / 1000);
    for (const FlowFile& flow_file : flow_files) {
      writer.add(flow_file.uuid(), flow_file.attributes(), *session.read(flow_file));
    }
    buffered.flush();
  });
  session.put_attribute(package, attribute::mime_type, media_type(PackageVersion::v3));
  session.transfer(package, success);
  for (const FlowFile& flow_file : flow_files) session.transfer(flow_file, original);
}

const ProcessorDefinition& package_flow_file() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
