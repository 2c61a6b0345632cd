#include "processors/text/replace_text_with_mapping.h"

#include <fmt/format.h>

#include <mutex>
#include <unordered_map>

#include "engine/text/java_case.h"
#include "processors/support/declare.h"
#include "processors/text/pattern_cache.h"
#include "processors/text/text_lines.h"
#include "processors/text/text_output.h"
#include "processors/text/text_support.h"
#include "processors/text/watched_file.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success",
                           .description =
                               "FlowFiles that were worked on, whether or not something "
                               "was replaced."};
const Relationship failure{
    .name = "failure",
    .description =
        "Larger than the buffer may be, a search that would take too long, a value "
        "that cannot be used, or no mapping file to be read."};

const PropertyDescriptor regular_expression{
    .name = "Regular Expression",
    .description = "What may be replaced. Values of expressions in it are quoted.",
    .default_value = "\\S+",
    .required = true,
    .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor matching_group{
    .name = "Matching Group",
    .description = "The group that is looked up and replaced; 0 is the whole match.",
    .default_value = "0",
    .required = true,
    .validator = validators::integer(0, INT32_MAX),
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor mapping_file{
    .name = "Mapping File",
    .description =
        "A line for each replacement: what is replaced up to the first tab or space, "
        "then what replaces it; $1 in it is what the first group took.",
    .required = true,
    .validator = existing_file()};
const PropertyDescriptor refresh_interval{
    .name = "Mapping File Refresh Interval",
    .description = "How often the file is asked for a change.",
    .default_value = "60s",
    .required = true,
    .validator = validators::duration()};
const PropertyDescriptor character_set =
    character_set_property("The character set of the content.");
const PropertyDescriptor maximum_buffer_size{
    .name = "Maximum Buffer Size",
    .description = "The largest content that is worked on.",
    .default_value = "1 MB",
    .required = true,
    .validator = validators::data_size()};

constexpr std::string_view error_attribute = "replaceTextWithMapping.error";

using Mapping = std::unordered_map<std::string, std::string>;

Mapping read_mapping(const std::string& bytes) {
  constexpr std::string_view separators = "\t ";
  const std::string text = text::repair_utf8(bytes);
  Mapping mapping;
  LineCursor cursor(text);
  for (TextLine line; cursor.next(line);) {
    std::string_view rest = line.body();
    rest.remove_prefix(std::min(rest.find_first_not_of(separators), rest.size()));
    if (rest.empty()) continue;
    const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
    mapping[std::string(trim_line(rest.substr(0, end)))] = trim_line(rest.substr(end));
  }
  return mapping;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A $ that names no group of the expression stands for itself. At the beginning of the text NiFi
// takes any number as a reference.
std::string with_other_dollars_quoted(std::string_view text, std::size_t groups) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size()) {
      std::size_t group = 0;
      for (std::size_t j = i + 1; j < text.size() && is_digit(text[j]) && group <= groups; ++j) {
        group = group * 10 + static_cast<std::size_t>(text[j] - '0');
      }
      const bool is_quoted = i > 0 && text[i - 1] == '\\';
      if (!is_digit(text[i + 1]) || (i > 0 && !is_quoted && group > groups)) out += '\\';
    }
    out += text[i];
  }
  return out;
}

class ReplaceTextWithMapping : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  std::shared_ptr<const Mapping> current_mapping(ProcessContext& context);
  std::string replace(std::string_view text, const Pattern& pattern, const Mapping& mapping) const;

  PropertyValue expression_;
  std::size_t group_ = 0;
  std::size_t declared_groups_ = 0;
  const text::CharacterSet* character_set_ = nullptr;
  std::uint64_t buffer_bytes_ = 0;
  PatternCache patterns_;
  std::mutex mutex_;
  std::optional<WatchedFile> file_;         // guarded by mutex_
  std::shared_ptr<const Mapping> mapping_;  // guarded by mutex_
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("ReplaceTextWithMapping");
  definition.summary =
      "Replaces what a regular expression finds by what a file has for it; what the file does not "
      "have stays.";
  definition.tags = {
      "Text", "Regular Expression", "Update", "Change", "Replace", "Modify", "Regex", "Mapping"};
  definition.properties = {regular_expression, matching_group, mapping_file,
                           refresh_interval,   character_set,  maximum_buffer_size};
  definition.relationships = {failure, success};
  definition.writes_attributes = {
      {"replaceTextWithMapping.error", "Why the FlowFile went to failure."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note =
      "The new content appears with the commit, or not at all. A mapping file that cannot be read "
      "again keeps the mapping that was read before.";
  definition.example = R"json({"type": "ReplaceTextWithMapping",
  "properties": {"Regular Expression": "color=(\\w+)", "Matching Group": "1",
    "Mapping File": "/etc/weir/colors"}})json";
  definition.make = [] { return std::make_unique<ReplaceTextWithMapping>(); };
  return definition;
}

}  // namespace

std::vector<ValidationProblem> ReplaceTextWithMapping::custom_validate(
    const PropertyContext& context) const {
  const PropertyValue value = context.property(regular_expression);
  if (const auto problem = regex_problem(value)) return {{regular_expression.name, *problem}};
  const auto group = static_cast<std::size_t>(
      std::strtoull(context.property(matching_group).evaluate().c_str(), nullptr, 10));
  if (regex_problem(value, group)) {
    return {{"Insufficient Matching Groups",
             fmt::format("the regular expression has no group {}", group)}};
  }
  return {};
}

void ReplaceTextWithMapping::on_scheduled(ProcessContext& context) {
  expression_ = context.property(regular_expression);
  declared_groups_ = patterns_.get(expression_.evaluate()).group_count();
  group_ = static_cast<std::size_t>(
      std::strtoull(context.property(matching_group).evaluate().c_str(), nullptr, 10));
  character_set_ = &find_character_set(context.property(character_set).text());
  buffer_bytes_ = context.property(maximum_buffer_size).data_size();
  const std::scoped_lock lock(mutex_);
  file_.emplace(context.property(mapping_file).text(),
                context.property(refresh_interval).duration());
  mapping_ = nullptr;
}

// Null where the file could not be read yet.
std::shared_ptr<const Mapping> ReplaceTextWithMapping::current_mapping(ProcessContext& context) {
  const std::scoped_lock lock(mutex_);
  try {
    if (file_->is_due(context.clock().now_ms())) {
      mapping_ = std::make_shared<const Mapping>(read_mapping(file_->read()));
    }
  } catch (const storage::IoError& error) {
    context.log().error("the mapping {}: {}", mapping_ ? "stays as it was" : "cannot be read",
                        error.what());
  }
  return mapping_;
}

std::string ReplaceTextWithMapping::replace(std::string_view text, const Pattern& pattern,
                                            const Mapping& mapping) const {
  thread_local Match match;
  std::string out;
  std::size_t at = 0;
  for (bool found = pattern.find(text, 0, match); found; found = pattern.find_next(text, match)) {
    if (!match.participated(group_)) continue;
    const auto mapped = mapping.find(std::string(match.group(group_)));
    if (mapped == mapping.end()) continue;
    const auto replacement =
        Replacement::parse(with_other_dollars_quoted(mapped->second, declared_groups_), pattern);
    if (!replacement) {
      throw ProcessException(
          fmt::format("the replacement of \"{}\": {}", mapped->first, replacement.error()));
    }
    out.append(text.substr(at, match.start(group_) - at));
    replacement->append_to(out, match);
    at = match.end(group_);
  }
  return out.append(text.substr(at));
}

void ReplaceTextWithMapping::on_trigger(ProcessContext& context, ProcessSession& session) {
  const std::shared_ptr<const Mapping> mapping = current_mapping(context);
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  const auto fail = [&](std::string_view reason) {
    note_failure(context, session, flow_file, error_attribute, reason);
    session.transfer(flow_file, failure);
  };
  if (!mapping) return fail("the mapping file cannot be read");
  if (flow_file.size() > buffer_bytes_) {
    return fail(fmt::format("the content of {} bytes is larger than Maximum Buffer Size",
                            flow_file.size()));
  }
  std::string changed;
  try {
    const Pattern pattern = patterns_.get(evaluate_quoted(expression_, flow_file));
    changed =
        replace(read_text(session, flow_file, *character_set_, buffer_bytes_), pattern, *mapping);
  } catch (const FlowFileHandlingError&) {
    throw;
  } catch (const ProcessException& error) {
    return fail(error.what());
  }
  TextOutput out(session, flow_file, *character_set_);
  out.write(changed);
  out.close();
  session.provenance().modify_content(flow_file);
  session.transfer(flow_file, success);
}

const ProcessorDefinition& replace_text_with_mapping() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
