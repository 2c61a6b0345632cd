#include "processors/kafka/mirror/mirror_expression_handler.h"

#include <algorithm>

namespace weir::processors::kafka {
namespace {

const std::vector<PropertyDescriptor::Dependency> of_expressions = {
    {.property = "Message Handler", .values = {kExpressionHandler}}};

const PropertyDescriptor keep_if{
    .name = "Keep If",
    .description =
        "Records for which it gives anything but true are left out. Reads kafka.topic, "
        "kafka.partition, kafka.offset, kafka.timestamp, kafka.key, kafka.value and header.NAME.",
    .expression_scope = ExpressionScope::flow_file_attributes,
    .depends_on = of_expressions};
const PropertyDescriptor target_topic{
    .name = "Target Topic",
    .description = "The topic of the target, such as copy.${kafka.topic}. Not set: the source's.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .depends_on = of_expressions};
const PropertyDescriptor target_key{
    .name = "Target Key",
    .description = "The key of records that have one. Not set: as it is.",
    .expression_scope = ExpressionScope::flow_file_attributes,
    .depends_on = of_expressions};
const PropertyDescriptor target_value{
    .name = "Target Value",
    .description = "The value of records that have one. Not set: as it is.",
    .expression_scope = ExpressionScope::flow_file_attributes,
    .depends_on = of_expressions};

class ExpressionHandler : public MirrorMessageHandler {
 public:
  explicit ExpressionHandler(const PropertyContext& context)
      : keep_if_(context.property(keep_if)),
        topic_(context.property(target_topic)),
        key_(context.property(target_key)),
        value_(context.property(target_value)) {
    for (const std::string& name : context.dynamic_properties()) {
      if (!name.starts_with(kHeaderPrefix)) continue;
      headers_.emplace_back(name.substr(kHeaderPrefix.size()), context.property(name));
    }
  }

  void handle(MirrorRecord record, std::vector<MirrorRecord>& out) override;
  bool keeps_topic_names() const override { return !topic_.is_set(); }

 private:
  using Variables = std::map<std::string, std::string, std::less<>>;
  static Variables variables_of(const MirrorRecord& record);
  static void set_header(MirrorRecord& record, const std::string& name, std::string value);

  const PropertyValue keep_if_, topic_, key_, value_;
  std::vector<std::pair<std::string, PropertyValue>> headers_;
};

ExpressionHandler::Variables ExpressionHandler::variables_of(const MirrorRecord& record) {
  Variables variables = {{"kafka.topic", record.topic},
                         {"kafka.partition", std::to_string(record.partition)},
                         {"kafka.offset", std::to_string(record.offset)},
                         {"kafka.timestamp", std::to_string(record.timestamp_ms)}};
  if (record.key) variables["kafka.key"] = *record.key;
  if (record.value) variables["kafka.value"] = *record.value;
  for (const MirrorHeader& header : record.headers) {
    if (header.value) variables[std::string(kHeaderPrefix) + header.name] = *header.value;
  }
  return variables;
}

// Where the name repeats, the first one gets the value, and the others go.
void ExpressionHandler::set_header(MirrorRecord& record, const std::string& name,
                                   std::string value) {
  std::vector<MirrorHeader>& headers = record.headers;
  const auto first = std::ranges::find(headers, name, &MirrorHeader::name);
  const bool is_there = first != headers.end();
  if (value.empty()) {
    std::erase_if(headers, [&name](const MirrorHeader& header) { return header.name == name; });
  } else if (!is_there) {
    headers.push_back({name, std::move(value)});
  } else {
    first->value = std::move(value);
    headers.erase(
        std::remove_if(first + 1, headers.end(),
                       [&name](const MirrorHeader& header) { return header.name == name; }),
        headers.end());
  }
}

void ExpressionHandler::handle(MirrorRecord record, std::vector<MirrorRecord>& out) {
  const Variables variables = variables_of(record);
  const ExpressionInputs inputs{.variables = &variables};
  if (keep_if_.is_set() && keep_if_.evaluate(inputs) != "true") return;
  if (topic_.is_set()) {
    record.topic = topic_.evaluate(inputs);
    if (record.topic.empty()) throw ProcessException("Target Topic gives no name");
  }
  if (key_.is_set() && record.key) record.key = key_.evaluate(inputs);
  if (value_.is_set() && record.value) record.value = value_.evaluate(inputs);
  for (const auto& [name, value] : headers_) set_header(record, name, value.evaluate(inputs));
  out.push_back(std::move(record));
}

}  // namespace

std::unique_ptr<MirrorMessageHandler> make_expression_handler(const PropertyContext& context) {
  return std::make_unique<ExpressionHandler>(context);
}

std::vector<PropertyDescriptor> expression_handler_properties() {
  return {keep_if, target_topic, target_key, target_value};
}

}  // namespace weir::processors::kafka
