#include "processors/text/scan_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <mutex>

#include "engine/text/character_set.h"
#include "processors/support/declare.h"
#include "processors/text/term_search.h"
#include "processors/text/text_lines.h"
#include "processors/text/text_support.h"
#include "processors/text/watched_file.h"

namespace weir::processors {
namespace {

const Relationship matched{.name = "matched",
                           .description = "FlowFiles that have a term of the dictionary in them."};
const Relationship unmatched{.name = "unmatched",
                             .description = "FlowFiles that have none of the terms in them."};

const PropertyDescriptor dictionary_file{
    .name = "Dictionary File",
    .description =
        "The terms to look for. The file is read again within a minute after it "
        "changed.",
    .required = true,
    .validator = existing_file()};
const PropertyDescriptor dictionary_encoding{
    .name = "Dictionary Encoding",
    .description = "How the dictionary is written.",
    .default_value = "text",
    .required = true,
    .allowable_values = {{"text", "",
                          "A term a line, in UTF-8. It ends with the first empty "
                          "line."},
                         {"binary", "",
                          "For each term its length as four bytes, the highest "
                          "first, then its bytes."}}};

constexpr std::string_view term_attribute = "matching.term";
constexpr std::chrono::minutes ask_interval{1};

using Terms = std::vector<std::string>;

std::expected<Terms, std::string> text_terms(const std::string& bytes) {
  const std::string text = text::repair_utf8(bytes);
  Terms terms;
  LineCursor cursor(text);
  for (TextLine line; cursor.next(line) && !line.body().empty();) terms.emplace_back(line.body());
  return terms;
}

std::expected<Terms, std::string> binary_terms(std::string_view bytes) {
  Terms terms;
  while (!bytes.empty()) {
    std::uint64_t length = 0;
    for (const char c : bytes.substr(0, 4)) length = length << 8 | static_cast<unsigned char>(c);
    if (bytes.size() < 4 || bytes.size() - 4 < length) {
      return std::unexpected(fmt::format("term {} goes past the end", terms.size() + 1));
    }
    if (length == 0) return std::unexpected(fmt::format("term {} is empty", terms.size() + 1));
    terms.emplace_back(bytes.substr(4, length));
    bytes.remove_prefix(4 + length);
  }
  return terms;
}

class ScanContent : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  std::shared_ptr<const TermSearch> current_search(ProcessContext& context);
  std::shared_ptr<const TermSearch> load();

  bool is_binary_ = false;
  std::mutex mutex_;
  std::optional<WatchedFile> file_;           // guarded by mutex_
  std::shared_ptr<const TermSearch> search_;  // guarded by mutex_
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("ScanContent");
  definition.summary =
      "Looks for the terms of a dictionary in the bytes of a content, all terms in one pass. The "
      "first one that is found counts.";
  definition.tags = {"aho-corasick", "scan", "content",   "byte sequence",
                     "search",       "find", "dictionary"};
  definition.properties = {dictionary_file, dictionary_encoding};
  definition.relationships = {matched, unmatched};
  definition.writes_attributes = {{"matching.term", "The term that was found."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note =
      "The content is not touched. A dictionary that cannot be read rolls the trigger back; one "
      "that cannot be read again keeps the terms that were read before.";
  definition.example =
      R"({"type": "ScanContent", "properties": {"Dictionary File": "/etc/weir/terms.txt"}})";
  definition.make = [] { return std::make_unique<ScanContent>(); };
  return definition;
}

}  // namespace

void ScanContent::on_scheduled(ProcessContext& context) {
  is_binary_ = context.property(dictionary_encoding).text() == "binary";
  const std::scoped_lock lock(mutex_);
  file_.emplace(context.property(dictionary_file).text(), ask_interval);
  search_ = nullptr;
}

std::shared_ptr<const TermSearch> ScanContent::load() {
  const std::string bytes = file_->read();
  auto terms = is_binary_ ? binary_terms(bytes) : text_terms(bytes);
  if (!terms) {
    throw ProcessException(fmt::format("{}: {}", file_->path().string(), terms.error()));
  }
  if (terms->empty()) throw ProcessException(file_->path().string() + ": there are no terms");
  return std::make_shared<TermSearch>(*std::move(terms));
}

std::shared_ptr<const TermSearch> ScanContent::current_search(ProcessContext& context) {
  const std::scoped_lock lock(mutex_);
  try {
    if (file_->is_due(context.clock().now_ms())) search_ = load();
  } catch (const storage::StorageError& error) {
    if (!search_) throw;
    context.log().error("the dictionary stays as it was: {}", error.what());
  }
  return search_;
}

void ScanContent::on_trigger(ProcessContext& context, ProcessSession& session) {
  const std::shared_ptr<const TermSearch> search = current_search(context);
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  TermSearch::Run run(*search);
  const std::unique_ptr<InputStream> in = session.read(flow_file);
  std::vector<char> buffer(std::min<std::uint64_t>(64 * 1024, flow_file.size()));
  bool found = false;
  while (!found) {
    const std::size_t count = in->read(std::as_writable_bytes(std::span(buffer)));
    if (count == 0) break;
    found = run.add({buffer.data(), count});
  }
  if (found) session.put_attribute(flow_file, term_attribute, text::repair_utf8(run.found()));
  session.provenance().route(flow_file, found ? matched : unmatched);
  session.transfer(flow_file, found ? matched : unmatched);
}

const ProcessorDefinition& scan_content() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
