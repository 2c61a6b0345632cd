#include "processors/text/split_text.h"

#include <fmt/format.h>
#include <array>

#include "processors/support/declare.h"
#include "processors/text/split_progress.h"
#include "processors/text/text_splitter.h"

namespace weir::processors {
namespace {

const Relationship failure{.name = "failure",
                           .description =
                               "Fewer lines than the header needs, or a header larger "
                               "than a fragment may be."};
const Relationship original{.name = "original", .description = "The FlowFile that was split."};
const Relationship splits{.name = "splits", .description = "The fragments, in order."};

const PropertyDescriptor line_split_count{
    .name = "Line Split Count",
    .description =
        "How many lines a fragment has, without header lines. 0: as many as Maximum "
        "Fragment Size allows.",
    .required = true,
    .validator = validators::integer(0, INT32_MAX)};
const PropertyDescriptor maximum_fragment_size{
    .name = "Maximum Fragment Size",
    .description =
        "A fragment ends before the line that would make it larger, header included. A "
        "single longer line is a fragment of its own.",
    .validator = validators::data_size()};
const PropertyDescriptor header_line_count{
    .name = "Header Line Count",
    .description = "How many lines at the start are a header that every fragment begins with.",
    .default_value = "0",
    .required = true,
    .validator = validators::integer(0, INT32_MAX)};
const PropertyDescriptor header_marker{
    .name = "Header Line Marker Characters",
    .description =
        "Lines at the start that begin with these characters are the header. Ignored "
        "where Header Line Count is not 0.",
    .validator = validators::non_empty()};
const PropertyDescriptor remove_trailing_newlines{
    .name = "Remove Trailing Newlines",
    .description =
        "Whether line ends at the end of a fragment are left out. A fragment of blank "
        "lines only then vanishes, unless there is a header.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};

constexpr std::string_view line_count_attribute = "text.line.count";

class SplitText : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override {
    if (context.property(line_split_count).integer() == 0 &&
        !context.property(maximum_fragment_size).is_set()) {
      return {{line_split_count.name, "may be 0 only where Maximum Fragment Size is set"}};
    }
    return {};
  }
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  // What all fragments carry, beside what is their own.
  using CommonAttributes = std::array<flowfile::Attributes::Entry, 3>;

  SplitProgress start_or_resume(ProcessSession& session, const FlowFile& source) const;
  void make_fragment(ProcessSession& session, const FlowFile& source, const Header& header,
                     const Fragment& fragment, const SplitProgress& progress,
                     const CommonAttributes& common) const;
  FlowFile with_header(ProcessSession& session, const FlowFile& source, const Header& header,
                       const Fragment& fragment, std::uint64_t size) const;
  bool makes_a_fragment(const Header& header, const Fragment& fragment) const;

  SplitRules rules_;
  bool trim_ = true;
  Random* random_ = nullptr;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("SplitText");
  definition.summary =
      "Splits text into fragments on line borders. A line ends with LF, CRLF or a lone CR. Without "
      "a header the fragments share the bytes of the original: nothing is copied.";
  definition.tags = {"split", "text"};
  definition.properties = {line_split_count, maximum_fragment_size, header_line_count,
                           header_marker, remove_trailing_newlines};
  definition.relationships = {failure, original, splits};
  definition.writes_attributes = {
      {"text.line.count", "Lines of the fragment that are not blank, without header lines."},
      {"fragment.size", "Bytes of the fragment, with its header."},
      {"fragment.identifier", "Common to all fragments of one FlowFile, and to the original."},
      {"fragment.index", "1 to n."},
      {"fragment.count", "How many fragments there are."},
      {"segment.original.filename", "The filename of the original."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note =
      "Up to 20,000 fragments appear with the original in one commit, or none. A FlowFile of more "
      "fragments is split in several commits; meanwhile it waits in its queue and carries its "
      "progress (weir.split.*), so that a crash neither repeats nor loses a fragment.";
  definition.example =
      R"({"type": "SplitText", "properties": {"Line Split Count": "1", "Header Line Count": "1"}})";
  definition.make = [] { return std::make_unique<SplitText>(); };
  return definition;
}

}  // namespace

void SplitText::on_scheduled(ProcessContext& context) {
  rules_.lines = static_cast<std::uint64_t>(context.property(line_split_count).integer());
  rules_.header_lines = static_cast<std::uint64_t>(context.property(header_line_count).integer());
  rules_.header_marker = context.property(header_marker).text();
  const PropertyValue size = context.property(maximum_fragment_size);
  rules_.fragment_bytes = size.is_set() ? size.data_size() : UINT64_MAX;
  trim_ = context.property(remove_trailing_newlines).boolean();
  random_ = &context.random();
}

bool SplitText::makes_a_fragment(const Header& header, const Fragment& fragment) const {
  return header.length > 0 || (trim_ ? fragment.trimmed : fragment.length) > 0;
}

SplitProgress SplitText::start_or_resume(ProcessSession& session, const FlowFile& source) const {
  SplitProgress progress;
  if (progress.take(session, source)) return progress;
  progress.identifier = random_uuid(*random_);
  const std::unique_ptr<InputStream> in = session.read(source);
  TextSplitter splitter(*in, rules_);
  if (!splitter.header()) return progress;
  while (const auto fragment = splitter.next()) {
    if (makes_a_fragment(*splitter.header(), *fragment)) ++progress.count;
  }
  return progress;
}

FlowFile SplitText::with_header(ProcessSession& session, const FlowFile& source,
                                const Header& header, const Fragment& fragment,
                                std::uint64_t size) const {
  const FlowFile made = session.create(source);
  if (size == 0) {
    session.share_content(made, source, 0, trim_ ? header.trimmed : header.length);
    return made;
  }
  session.write(made, [&](OutputStream& out) {
    const std::unique_ptr<InputStream> in = session.read(source);
    std::vector<std::byte> buffer(64 * 1024);
    const auto copy = [&](std::uint64_t offset, std::uint64_t length) {
      in->seek(offset);
      while (length > 0) {
        const std::size_t count =
            in->read_fully(std::span(buffer).first(std::min<std::uint64_t>(length, buffer.size())));
        if (count == 0) throw ProcessException("the content ended before its size");
        out.write(std::span<const std::byte>(buffer).first(count));
        length -= count;
      }
    };
    copy(0, header.length);
    copy(fragment.offset, size);
  });
  return made;
}

void SplitText::make_fragment(ProcessSession& session, const FlowFile& source, const Header& header,
                              const Fragment& fragment, const SplitProgress& progress,
                              const CommonAttributes& common) const {
  const std::uint64_t size = trim_ ? fragment.trimmed : fragment.length;
  FlowFile made;
  if (header.length > 0) {
    made = with_header(session, source, header, fragment, size);
  } else {
    made = session.create(source);
    session.share_content(made, source, fragment.offset, size);
  }
  session.put_attributes(made, common);
  const flowfile::Attributes::Entry attributes[] = {
      {std::string(line_count_attribute), std::to_string(fragment.filled_lines)},
      {std::string(attribute::fragment_size), std::to_string(made.size())},
      {std::string(attribute::fragment_index), std::to_string(progress.index)}};
  session.put_attributes(made, attributes);
  session.transfer(made, splits);
}

void SplitText::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile source = session.get();
  if (!source) return;
  SplitProgress progress = start_or_resume(session, source);
  const std::unique_ptr<InputStream> in = session.read(source);
  TextSplitter splitter(*in, rules_);
  const auto& header = splitter.header();
  if (!header) {
    context.log().error("{} cannot be split: {}", source.uuid(), header.error());
    session.transfer(source, failure);
    return;
  }
  if (progress.offset > 0) splitter.skip_to(progress.offset, progress.is_carried);
  const CommonAttributes common = progress.common_attributes(source);
  std::uint64_t made = 0;
  while (const auto fragment = splitter.next()) {
    if (!makes_a_fragment(*header, *fragment)) continue;
    if (made == SplitProgress::fragments_a_commit) {
      progress.offset = fragment->offset;
      progress.is_carried = fragment->is_carried;
      progress.put(session, source);
      return;
    }
    ++made;
    ++progress.index;
    make_fragment(session, source, *header, *fragment, progress, common);
  }
  progress.mark_original(session, source);
  session.transfer(source, original);
}

const ProcessorDefinition& split_text() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
