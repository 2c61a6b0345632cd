#include "processors/text/replace_text.h"

#include <fmt/format.h>

#include "processors/support/declare.h"
#include "processors/text/pattern_cache.h"
#include "processors/text/regex_replacer.h"
#include "processors/text/text_blocks.h"
#include "processors/text/text_support.h"
#include "processors/text/variable_replacer.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success",
                           .description =
                               "FlowFiles that were worked on, whether or not "
                               "something was found in them."};
const Relationship failure{
    .name = "failure",
    .description =
        "Larger than the buffer may be, a line that is too long, a search that would "
        "take too long, or an expression that cannot be evaluated."};

constexpr std::string_view default_expression = "(?s)(^.*$)";
constexpr std::string_view entire_text = "Entire text";

const PropertyDescriptor replacement_strategy{
    .name = "Replacement Strategy",
    .description = "What is done with the text.",
    .default_value = "Regex Replace",
    .required = true,
    .allowable_values = {
        {"Prepend", "", "Replacement Value before each line or the text."},
        {"Append", "", "Replacement Value after each line or the text."},
        {"Surround", "", "A text before and one after each line or the text."},
        {"Regex Replace", "", "Replaces each match of a regular expression."},
        {"Literal Replace", "", "Replaces each place where a text stands."},
        {"Always Replace", "", "Replaces each line, or the text, whole."},
        {"Substitute Variables", "", "Puts attributes in for ${name}; what is not there stays."}}};
const PropertyDescriptor search_value{
    .name = "Regular Expression",
    .display_name = "Search Value",
    .description =
        "What is looked for. Values of expressions within a regular expression are "
        "quoted: they stand for themselves.",
    .default_value = std::string(default_expression),
    .required = true,
    .expression_scope = ExpressionScope::flow_file_attributes,
    .old_names = {"Search Value"},
    .depends_on = {{replacement_strategy.name, {"Literal Replace", "Regex Replace"}}}};
const PropertyDescriptor replacement_value{
    .name = "Replacement Value",
    .description =
        "What is put in. With Regex Replace $1 is what the first group took, also as ${'$1'} in "
        "expressions, which are evaluated for each match; a group that the expression does not "
        "have is no reference. Other strategies take the text as it is.",
    .default_value = "$1",
    .required = true,
    .expression_scope = ExpressionScope::flow_file_attributes,
    .depends_on = {{replacement_strategy.name,
                    {"Always Replace", "Append", "Literal Replace", "Prepend", "Regex Replace"}}}};
const PropertyDescriptor prepend_text{.name = "Text to Prepend",
                                      .description = "What is put before each line or the text.",
                                      .required = true,
                                      .expression_scope = ExpressionScope::flow_file_attributes,
                                      .depends_on = {{replacement_strategy.name, {"Surround"}}}};
const PropertyDescriptor append_text{
    .name = "Text to Append",
    .description = "What is put after each line, before its end, or after the text.",
    .required = true,
    .expression_scope = ExpressionScope::flow_file_attributes,
    .depends_on = {{replacement_strategy.name, {"Surround"}}}};
const PropertyDescriptor character_set = character_set_property("The character set of the text.");
const PropertyDescriptor maximum_buffer_size{
    .name = "Maximum Buffer Size",
    .description =
        "The largest text that is worked on as a whole, and the longest line in "
        "characters. A line limit is taken down to 8192 times a power of two (from "
        "1 MB on: to a whole number of MB), and is 8192 at least.",
    .default_value = "1 MB",
    .required = true,
    .validator = validators::data_size()};
const PropertyDescriptor evaluation_mode{
    .name = "Evaluation Mode",
    .description =
        "Whether each line is a text of its own (its end belongs to it), or the whole "
        "content is one.",
    .default_value = "Line-by-Line",
    .required = true,
    .allowable_values = {{"Line-by-Line"}, {std::string(entire_text)}}};
const PropertyDescriptor line_mode{
    .name = "Line-by-Line Evaluation Mode",
    .description = "Which lines are worked on; the others stay.",
    .default_value = "All",
    .allowable_values = {
        {"All"}, {"First-Line"}, {"Last-Line"}, {"Except-First-Line"}, {"Except-Last-Line"}}};

constexpr std::string_view error_attribute = "replaceText.error";

enum class Strategy { surround, regex, literal, always, substitute };
enum class Lines { all, first, last, except_first, except_last };

class ReplaceText : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  void schedule_regex(ProcessContext& context);
  std::unique_ptr<LineReplacer> replacer(const FlowFile& flow_file);
  void replace(ProcessSession& session, const FlowFile& flow_file);
  void replace_entire(ProcessSession& session, const FlowFile& flow_file);
  void surround_entire(ProcessSession& session, const FlowFile& flow_file);
  void replace_lines(ProcessSession& session, const FlowFile& flow_file);

  Strategy strategy_ = Strategy::regex;
  Lines lines_ = Lines::all;
  bool is_entire_ = false;
  std::uint64_t buffer_bytes_ = 0;
  const text::CharacterSet* character_set_ = nullptr;
  PropertyValue search_;
  PropertyValue replacement_;
  PropertyValue before_;            // may be not set
  PropertyValue after_;             // likewise
  std::optional<Pattern> pattern_;  // where it does not depend on the FlowFile
  std::size_t declared_groups_ = 0;
  std::unique_ptr<PatternCache> patterns_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("ReplaceText");
  definition.summary =
      "Changes a text by replacing what an expression or a literal text finds, or by adding text "
      "to it, line by line or as a whole. A line ends with LF, CRLF or a lone CR.";
  definition.tags = {"Append", "Change",  "Modify", "Normalize", "Prepend",
                     "Regex",  "Replace", "Text",   "Update"};
  definition.properties = {replacement_strategy, search_value,    replacement_value,
                           prepend_text,         append_text,     character_set,
                           maximum_buffer_size,  evaluation_mode, line_mode};
  definition.relationships = {failure, success};
  definition.writes_attributes = {{"replaceText.error", "Why the FlowFile went to failure."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.default_run_duration = std::chrono::milliseconds(25);
  definition.delivery_note = "The new content appears with the commit, or not at all.";
  definition.example = R"json({"type": "ReplaceText", "properties": {
  "Search Value": "(\\w+)@(\\w+)", "Replacement Value": "$2 of $1"}})json";
  definition.make = [] { return std::make_unique<ReplaceText>(); };
  return definition;
}

Lines lines_of(const std::string& mode) {
  if (mode == "First-Line") return Lines::first;
  if (mode == "Last-Line") return Lines::last;
  if (mode == "Except-First-Line") return Lines::except_first;
  return mode == "Except-Last-Line" ? Lines::except_last : Lines::all;
}

// The part of a block of whole lines that is worked on.
struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Part part_of(Lines lines, std::string_view block, bool is_first, bool is_last) {
  switch (lines) {
    case Lines::first:
      return {0, is_first ? first_line_length(block) : 0};
    case Lines::except_first:
      return {is_first ? first_line_length(block) : 0, block.size()};
    case Lines::last:
      return {is_last ? last_line_start(block) : block.size(), block.size()};
    case Lines::except_last:
      return {0, is_last ? last_line_start(block) : block.size()};
    default:
      return {0, block.size()};
  }
}

}  // namespace

std::vector<ValidationProblem> ReplaceText::custom_validate(const PropertyContext& context) const {
  const std::string& strategy = context.property(replacement_strategy).text();
  const PropertyValue search = context.property(search_value);
  if (strategy == "Literal Replace" && search.text().empty()) {
    return {{search_value.name, "must not be empty"}};
  }
  if (strategy == "Regex Replace") {
    if (const auto problem = regex_problem(search)) return {{search_value.name, *problem}};
  }
  return {};
}

void ReplaceText::schedule_regex(ProcessContext& context) {
  search_ = context.property(search_value);
  const std::string& text = search_.text();
  if (text == ".*" || (text == default_expression && is_entire_ && replacement_.text().empty())) {
    // Everything is replaced, once: NiFi's answer, which a match for nothing at the end would
    // change.
    strategy_ = Strategy::always;
    return;
  }
  patterns_ = std::make_unique<PatternCache>();
  const Pattern pattern = patterns_->get(search_.evaluate());
  declared_groups_ = pattern.group_count();
  if (!search_.has_expression()) pattern_ = pattern;
}

void ReplaceText::on_scheduled(ProcessContext& context) {
  const std::string& strategy = context.property(replacement_strategy).text();
  is_entire_ = context.property(evaluation_mode).text() == entire_text;
  lines_ = lines_of(context.property(line_mode).text());
  buffer_bytes_ = context.property(maximum_buffer_size).data_size();
  character_set_ = &find_character_set(context.property(character_set).text());
  replacement_ = context.property(replacement_value);
  before_ = after_ = {};
  pattern_.reset();
  if (strategy == "Regex Replace") {
    strategy_ = Strategy::regex;
    schedule_regex(context);
  } else if (strategy == "Literal Replace") {
    strategy_ = Strategy::literal;
    search_ = context.property(search_value);
  } else if (strategy == "Always Replace") {
    strategy_ = Strategy::always;
  } else if (strategy == "Substitute Variables") {
    strategy_ = Strategy::substitute;
  } else {
    strategy_ = Strategy::surround;
    const bool is_both = strategy == "Surround";
    if (is_both || strategy == "Prepend") {
      before_ = is_both ? context.property(prepend_text) : replacement_;
    }
    if (is_both || strategy == "Append") {
      after_ = is_both ? context.property(append_text) : replacement_;
    }
  }
}

std::unique_ptr<LineReplacer> ReplaceText::replacer(const FlowFile& flow_file) {
  const auto value = [&](const PropertyValue& property) {
    return property.is_set() ? property.evaluate(flow_file) : std::string();
  };
  switch (strategy_) {
    case Strategy::surround:
      return std::make_unique<SurroundReplacer>(value(before_), value(after_));
    case Strategy::always:
      return std::make_unique<AlwaysReplacer>(value(replacement_));
    case Strategy::literal:
      return std::make_unique<LiteralReplacer>(value(search_), value(replacement_));
    case Strategy::substitute:
      return std::make_unique<VariableReplacer>(flow_file);
    default:
      return std::make_unique<RegexReplacer>(
          pattern_ ? *pattern_ : patterns_->get(evaluate_quoted(search_, flow_file)),
          declared_groups_, replacement_, flow_file);
  }
}

void ReplaceText::surround_entire(ProcessSession& session, const FlowFile& flow_file) {
  std::string before;
  std::string after;
  if (strategy_ == Strategy::always) {
    before = text::encode(replacement_.evaluate(flow_file), *character_set_);
  } else {
    if (before_.is_set()) before = text::encode(before_.evaluate(flow_file), *character_set_);
    if (after_.is_set()) after = text::encode(after_.evaluate(flow_file), *character_set_);
  }
  session.write(flow_file, [&](OutputStream& out) {
    out.write(before);
    if (strategy_ == Strategy::always) return;
    const std::unique_ptr<InputStream> in = session.read(flow_file);
    std::vector<std::byte> buffer(64 * 1024);
    while (const std::size_t count = in->read(buffer)) out.write(std::span(buffer).first(count));
    out.write(after);
  });
}

void ReplaceText::replace_entire(ProcessSession& session, const FlowFile& flow_file) {
  if (strategy_ == Strategy::surround || strategy_ == Strategy::always) {
    return surround_entire(session, flow_file);
  }
  if (flow_file.size() > buffer_bytes_) {
    throw ProcessException(fmt::format("the content of {} bytes is larger than Maximum Buffer Size",
                                       flow_file.size()));
  }
  const std::string text = read_text(session, flow_file, *character_set_, buffer_bytes_);
  TextOutput out(session, flow_file, *character_set_);
  ReplacedText replaced(out);
  const bool is_found = replacer(flow_file)->replace_text(text, replaced);
  // Where a regular expression finds nothing NiFi does not touch the content.
  if (!is_found && strategy_ == Strategy::regex) return;
  replaced.finish();
  out.close();
}

void ReplaceText::replace_lines(ProcessSession& session, const FlowFile& flow_file) {
  const std::unique_ptr<LineReplacer> lines_replacer = replacer(flow_file);
  const std::unique_ptr<InputStream> in = session.read(flow_file);
  TextBlocks blocks(*in, *character_set_, line_buffer_units(buffer_bytes_));
  TextOutput out(session, flow_file, *character_set_);
  ReplacedText replaced(out);
  bool is_first = true;
  for (std::string_view block = blocks.next(); !block.empty(); block = blocks.next()) {
    const Part part = part_of(lines_, block, is_first, blocks.is_last());
    replaced.keep(block.substr(0, part.begin));
    if (part.begin < part.end) {
      lines_replacer->replace_lines(block.substr(part.begin, part.end - part.begin), replaced);
    }
    replaced.keep(block.substr(part.end));
    replaced.finish();
    is_first = false;
  }
  out.close();
}

void ReplaceText::replace(ProcessSession& session, const FlowFile& flow_file) {
  if (is_entire_) {
    replace_entire(session, flow_file);
  } else {
    replace_lines(session, flow_file);
  }
}

void ReplaceText::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  try {
    replace(session, flow_file);
  } catch (const BadReplacement&) {
    throw;
  } catch (const FlowFileHandlingError&) {
    throw;
  } catch (const ProcessException& error) {
    note_failure(context, session, flow_file, error_attribute, error.what());
    session.transfer(flow_file, failure);
    return;
  }
  session.provenance().modify_content(flow_file);
  session.transfer(flow_file, success);
}

const ProcessorDefinition& replace_text() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
