#include "processors/text/count_text.h"

#include <algorithm>
#include <vector>

#include "processors/support/declare.h"
#include "processors/text/text_counter.h"
#include "processors/text/text_support.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success",
                           .description = "FlowFiles with their counts as attributes."};
const Relationship failure{.name = "failure",
                           .description = "FlowFiles that could not be counted."};

PropertyDescriptor flag(std::string name, std::string shown, std::string description,
                        std::string value = "false") {
  return {.name = std::move(name),
          .display_name = std::move(shown),
          .description = std::move(description),
          .default_value = std::move(value),
          .required = true,
          .allowable_values = true_or_false()};
}

const PropertyDescriptor count_lines = flag("text-line-count", "Count Lines",
                                            "Whether lines are counted. A last line without end "
                                            "is one.",
                                            "true");
const PropertyDescriptor count_filled_lines =
    flag("text-line-nonempty-count", "Count Non-Empty Lines",
         "Whether lines with anything but white space are counted.");
const PropertyDescriptor count_words =
    flag("text-word-count", "Count Words",
         "Whether words are counted: what stands between white space.");
const PropertyDescriptor count_characters =
    flag("text-character-count", "Count Characters",
         "Whether characters are counted, without line ends. One past U+FFFF counts two, as in "
         "Java.");
const PropertyDescriptor split_on_symbols =
    flag("split-words-on-symbols", "Split Words on Symbols",
         "Whether hyphens, underscores and full stops also stand between words.");
const PropertyDescriptor character_encoding{
    .name = "character-encoding",
    .display_name = "Character Encoding",
    .description = "The character set of the text.",
    .default_value = "UTF-8",
    .required = true,
    .allowable_values = {
        {"ISO-8859-1"}, {"UTF-8"}, {"UTF-16"}, {"UTF-16LE"}, {"UTF-16BE"}, {"US-ASCII"}}};
const PropertyDescriptor adjust_immediately =
    flag("ajust-immediately", "Call Immediate Adjustment",
         "Has no effect: counters change with the commit, so that nothing is counted twice.");

class CountText : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  TextCounts count(ProcessSession& session, const FlowFile& flow_file) const;

  struct Count {
    std::string attribute;
    std::uint64_t TextCounts::*value;
  };
  std::vector<Count> counts_;
  bool splits_on_symbols_ = false;
  const text::CharacterSet* character_set_ = nullptr;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("CountText");
  definition.summary =
      "Counts lines, words and characters of a text. A line ends with LF, CRLF or a lone CR. A "
      "content of any size takes the same memory.";
  definition.tags = {"count", "text", "line", "word", "character"};
  definition.properties = {count_lines,       count_filled_lines, count_words,
                           count_characters,  split_on_symbols,   character_encoding,
                           adjust_immediately};
  definition.relationships = {failure, success};
  definition.writes_attributes = {
      {"text.line.count", "How many lines there are."},
      {"text.line.nonempty.count", "How many lines have anything but white space."},
      {"text.word.count", "How many words there are."},
      {"text.character.count", "How many characters there are, without line ends."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "The content is not touched. Counters change with the commit.";
  definition.example = R"({"type": "CountText", "properties": {"text-word-count": "true"}})";
  definition.make = [] { return std::make_unique<CountText>(); };
  return definition;
}

}  // namespace

void CountText::on_scheduled(ProcessContext& context) {
  counts_.clear();
  const auto add = [&](const PropertyDescriptor& property, const char* attribute,
                       std::uint64_t TextCounts::*value) {
    if (context.property(property).boolean()) counts_.emplace_back(attribute, value);
  };
  add(count_lines, "text.line.count", &TextCounts::lines);
  add(count_filled_lines, "text.line.nonempty.count", &TextCounts::filled_lines);
  add(count_words, "text.word.count", &TextCounts::words);
  add(count_characters, "text.character.count", &TextCounts::units);
  splits_on_symbols_ = context.property(split_on_symbols).boolean();
  character_set_ = &find_character_set(context.property(character_encoding).text());
}

TextCounts CountText::count(ProcessSession& session, const FlowFile& flow_file) const {
  TextCounter counter(splits_on_symbols_);
  std::vector<char> buffer(std::min<std::uint64_t>(64 * 1024, flow_file.size()));
  std::string decoded;
  text::Decoder decoder(*character_set_);
  const std::unique_ptr<InputStream> in = session.read(flow_file);
  while (const std::size_t size = in->read(std::as_writable_bytes(std::span(buffer)))) {
    decoded.clear();
    decoder.update({buffer.data(), size}, decoded);
    counter.add(decoded);
  }
  decoded.clear();
  decoder.finish(decoded);
  counter.add(decoded);
  return counter.finish();
}

void CountText::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  const TextCounts counts = count(session, flow_file);
  std::vector<flowfile::Attributes::Entry> attributes;
  for (const Count& one : counts_) {
    attributes.emplace_back(one.attribute, std::to_string(counts.*one.value));
  }
  session.put_attributes(flow_file, attributes);
  const auto counted = [&](const PropertyDescriptor& property, std::uint64_t value) {
    return context.property(property).boolean() ? static_cast<std::int64_t>(value) : 0;
  };
  session.adjust_counter("Lines Counted", counted(count_lines, counts.lines));
  session.adjust_counter("Lines (non-empty) Counted",
                         counted(count_filled_lines, counts.filled_lines));
  session.adjust_counter("Words Counted", counted(count_words, counts.words));
  session.adjust_counter("Characters Counted", counted(count_characters, counts.units));
  session.transfer(flow_file, success);
}

const ProcessorDefinition& count_text() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
