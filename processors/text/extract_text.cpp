#include "processors/text/extract_text.h"

#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>

#include "engine/api/pattern.h"
#include "engine/text/utf16.h"
#include "processors/support/declare.h"
#include "processors/text/text_support.h"

namespace weir::processors {
namespace {

const Relationship matched{.name = "matched", .description = "At least one attribute was written."};
const Relationship unmatched{
    .name = "unmatched",
    .description = "Nothing was found, or the search would have taken too long."};

PropertyDescriptor flag(std::string name, std::string description, std::string value = "false") {
  return {.name = std::move(name),
          .description = std::move(description),
          .default_value = std::move(value),
          .required = true,
          .allowable_values = true_or_false()};
}

const PropertyDescriptor character_set = character_set_property("The character set of the text.");
const PropertyDescriptor maximum_buffer_size{
    .name = "Maximum Buffer Size",
    .description = "How much of the content is searched, from its start.",
    .default_value = "1 MB",
    .required = true,
    .validator = validators::data_size()};
const PropertyDescriptor maximum_group_length{
    .name = "Maximum Capture Group Length",
    .description = "How many characters of a group are taken.",
    .default_value = "1024",
    .validator = validators::integer(1)};
const PropertyDescriptor canonical_equivalence =
    flag("Enable Canonical Equivalence",
         "Whether a composed character matches its parts. Text and expression are then compared, "
         "and values taken, in composed form.");
const PropertyDescriptor case_insensitive =
    flag("Enable Case-insensitive Matching", "Whether upper and lower case are the same: (?i).");
const PropertyDescriptor comments =
    flag("Permit Whitespace and Comments in Pattern",
         "Whether white space and what follows # are no part of an expression: (?x).");
const PropertyDescriptor dot_all =
    flag("Enable DOTALL Mode", "Whether . matches line ends as well: (?s).");
const PropertyDescriptor literal = flag("Enable Literal Parsing of the Pattern",
                                        "Whether no character of an expression has a meaning.");
const PropertyDescriptor multiline =
    flag("Enable Multiline Mode", "Whether ^ and $ match at each line: (?m).");
const PropertyDescriptor unicode_case =
    flag("Enable Unicode-aware Case Folding",
         "Whether case is ignored beyond ASCII, where it is ignored: (?u).");
const PropertyDescriptor unicode_classes =
    flag("Enable Unicode Predefined Character Classes",
         "Whether \\w, \\d and their like go beyond ASCII: (?U).");
const PropertyDescriptor unix_lines =
    flag("Enable Unix Lines Mode", "Whether only LF ends a line: (?d).");
const PropertyDescriptor include_group_zero =
    flag("Include Capture Group 0", "Whether the whole match becomes an attribute.", "true");
const PropertyDescriptor repeating{
    .name = "Enable repeating capture group",
    .description = "Whether all matches are taken, not only the first one. The numbers go on.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false(),
    .old_names = {"extract-text-enable-repeating-capture-group"}};
const PropertyDescriptor named_groups{
    .name = "Enable named group support",
    .description =
        "Whether attributes are called by the names of groups instead of their "
        "numbers. All groups must have a name then.",
    .default_value = "false",
    .allowable_values = true_or_false(),
    .old_names = {"extract-text-enable-named-groups"}};

constexpr std::size_t most_groups = 40;
constexpr std::string_view error_attribute = "extractText.error";

std::string composed(const std::string& text) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = icu::Normalizer2::getNFCInstance(error);
  std::string out;
  if (U_SUCCESS(error)) {
    icu::StringByteSink<std::string> sink(&out);
    normalizer->normalizeUTF8(0, text, sink, nullptr, error);
  }
  if (U_FAILURE(error)) throw ProcessException("the text cannot be composed");
  return out;
}

class ExtractText : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  struct Search {
    std::string name;
    Pattern pattern;
    bool by_group_name = false;
  };
  using Attributes = std::vector<flowfile::Attributes::Entry>;

  void search(const Search& what, std::string_view text, Attributes& attributes) const;
  // `count` matches or groups came before. False where the group has nothing to take.
  void take_names(const Search& what, const Match& match, std::size_t count,
                  Attributes& attributes) const;
  void take_numbers(const Search& what, const Match& match, std::size_t count,
                    Attributes& attributes) const;
  std::string_view shortened(std::string_view value) const;

  std::vector<Search> searches_;
  const text::CharacterSet* character_set_ = nullptr;
  std::uint64_t buffer_bytes_ = 0;
  std::size_t group_length_ = 0;
  bool composes_ = false;
  bool includes_zero_ = true;
  bool repeats_ = false;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("ExtractText");
  definition.summary =
      "Takes what regular expressions capture in a text into attributes. Of a property p the "
      "first group becomes p and p.1, the next p.2, the whole match p.0. A group that is empty or "
      "took no part writes nothing.";
  definition.tags = {"evaluate", "extract", "Text", "Regular Expression", "regex"};
  definition.properties = {character_set,
                           maximum_buffer_size,
                           maximum_group_length,
                           canonical_equivalence,
                           case_insensitive,
                           comments,
                           dot_all,
                           literal,
                           multiline,
                           unicode_case,
                           unicode_classes,
                           unix_lines,
                           include_group_zero,
                           repeating,
                           named_groups};
  definition.dynamic_properties =
      DynamicPropertyNote{.name = "the base of attribute names",
                          .value = "a regular expression",
                          .description = "What is looked for. At most 40 groups."};
  definition.dynamic_property_validator = validators::regular_expression();
  definition.relationships = {matched, unmatched};
  definition.writes_attributes = {
      {"the property's name", "What the first group took."},
      {"the property's name, a dot, a number or a name", "What each group took."},
      {"extractText.error", "Why a search was given up."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "The content is not touched.";
  definition.example = R"json({"type": "ExtractText", "properties": {
  "order": "order=(\\d+)", "city": "city=(\\w+)"}})json";
  definition.make = [] { return std::make_unique<ExtractText>(); };
  return definition;
}

PatternFlags flags_of(const PropertyContext& context) {
  const auto is_on = [&](const PropertyDescriptor& property) {
    return context.property(property).boolean();
  };
  return {.case_insensitive = is_on(case_insensitive),
          .multiline = is_on(multiline),
          .dot_all = is_on(dot_all),
          .comments = is_on(comments),
          .literal = is_on(literal),
          .unix_lines = is_on(unix_lines),
          .unicode_case = is_on(unicode_case),
          .unicode_character_class = is_on(unicode_classes)};
}

bool takes_names(const PropertyContext& context) {
  const PropertyValue value = context.property(named_groups);
  return value.is_set() && value.boolean();
}

}  // namespace

std::vector<ValidationProblem> ExtractText::custom_validate(const PropertyContext& context) const {
  std::vector<ValidationProblem> problems;
  const std::size_t least_groups = context.property(include_group_zero).boolean() ? 0 : 1;
  for (const std::string& name : context.dynamic_properties()) {
    const PropertyValue value = context.property(name);
    if (const auto problem = regex_problem(value, least_groups, most_groups)) {
      problems.push_back({name, *problem});
      continue;
    }
    const auto pattern = Pattern::compile(value.text());
    if (takes_names(context) && pattern->group_names().size() != pattern->group_count()) {
      problems.push_back({name, "all groups must have a name"});
    }
  }
  return problems;
}

void ExtractText::on_scheduled(ProcessContext& context) {
  character_set_ = &find_character_set(context.property(character_set).text());
  buffer_bytes_ = context.property(maximum_buffer_size).data_size();
  const PropertyValue length = context.property(maximum_group_length);
  group_length_ = length.is_set() ? static_cast<std::size_t>(length.integer()) : SIZE_MAX;
  composes_ = context.property(canonical_equivalence).boolean();
  includes_zero_ = context.property(include_group_zero).boolean();
  repeats_ = context.property(repeating).boolean();
  searches_.clear();
  for (const std::string& name : context.dynamic_properties()) {
    const std::string& expression = context.property(name).text();
    auto pattern =
        Pattern::compile(composes_ ? composed(expression) : expression, flags_of(context));
    if (!pattern) throw ProcessException(fmt::format("{}: {}", name, pattern.error()));
    const bool by_group_name =
        takes_names(context) && pattern->group_names().size() == pattern->group_count();
    searches_.push_back({name, *std::move(pattern), by_group_name});
  }
}

std::string_view ExtractText::shortened(std::string_view value) const {
  if (value.size() <= group_length_) return value;
  const auto end = text::offset_of_unit(value, group_length_);
  return end ? value.substr(0, end->offset) : value;
}

void ExtractText::take_names(const Search& what, const Match& match, std::size_t count,
                             Attributes& attributes) const {
  for (const auto& [name, group] : what.pattern.group_names()) {
    if (match.group(group).empty()) continue;
    std::string key = what.name + "." + name;
    if (count > 0) key += "." + std::to_string(count);
    attributes.emplace_back(std::move(key), shortened(match.group(group)));
  }
  if (includes_zero_ && count == 0) attributes.emplace_back(what.name, match.group());
}

void ExtractText::take_numbers(const Search& what, const Match& match, std::size_t count,
                               Attributes& attributes) const {
  for (std::size_t i = includes_zero_ && count == 0 ? 0 : 1; i <= match.group_count(); ++i) {
    if (match.group(i).empty()) continue;
    const std::string_view value = shortened(match.group(i));
    attributes.emplace_back(fmt::format("{}.{}", what.name, i + count), value);
    if (i == 1 && count == 0) attributes.emplace_back(what.name, value);
  }
}

void ExtractText::search(const Search& what, std::string_view text, Attributes& attributes) const {
  thread_local Match match;
  std::size_t count = 0;
  for (bool found = what.pattern.find(text, 0, match); found;
       found = what.pattern.find_next(text, match)) {
    if (what.by_group_name) {
      take_names(what, match, count++, attributes);
    } else {
      take_numbers(what, match, count, attributes);
      count += match.group_count();
    }
    if (!repeats_) break;
  }
}

void ExtractText::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  std::string text = read_text(session, flow_file, *character_set_, buffer_bytes_);
  if (composes_) text = composed(text);
  Attributes attributes;
  try {
    for (const Search& what : searches_) search(what, text, attributes);
  } catch (const PatternLimitExceeded& error) {
    note_failure(context, session, flow_file, error_attribute, error.what());
    session.transfer(flow_file, unmatched);
    return;
  }
  if (attributes.empty()) {
    session.transfer(flow_file, unmatched);
    return;
  }
  // An attribute that is written twice has the last value.
  std::map<std::string, std::string> last;
  for (auto& [name, value] : attributes) last.insert_or_assign(std::move(name), std::move(value));
  session.put_attributes(flow_file, Attributes(last.begin(), last.end()));
  session.provenance().modify_attributes(flow_file);
  session.transfer(flow_file, matched);
}

const ProcessorDefinition& extract_text() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
