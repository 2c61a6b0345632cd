#pragma once

#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/api/processor.h"
#include "engine/json/parse.h"
#include "engine/json/path.h"

namespace weir::processors {

// A larger content is not read: it would be held in memory several times over.
constexpr std::uint64_t most_json_bytes = 512 * 1024 * 1024;

// The memory that reading one document needs, reused from FlowFile to FlowFile.
struct JsonScratch {
  std::string content;
  json::Arena arena;
  std::string text;                                     // for what is written
  std::vector<flowfile::Attributes::Entry> attributes;  // for what is put
};

// What the processors that take a JSONPath have in common.
const PropertyDescriptor& null_value_representation();
const PropertyDescriptor& max_string_length();
Validator json_path_validator();
// As the two properties say.
std::string_view null_text(const PropertyContext& context);
json::ParseOptions parse_options(const PropertyContext& context);
// Throws ProcessException where the text is no JSONPath, which the validator refused before.
json::JsonPath compile_path(std::string_view text);

// Appends a result as these processors write it: the plain text of a scalar, compact JSON of an
// array or object, `null_text` for null.
void append_result(const json::Value& result, std::string_view null_text, std::string& out);

// Hands scratches to the threads that trigger a processor. Thread safe.
class JsonScratchPool {
 public:
  class Lease {
   public:
    Lease(JsonScratchPool& pool, std::unique_ptr<JsonScratch> scratch)
        : pool_(pool), scratch_(std::move(scratch)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.give_back(std::move(scratch_)); }
    JsonScratch& operator*() const { return *scratch_; }
    JsonScratch* operator->() const { return scratch_.get(); }

   private:
    JsonScratchPool& pool_;
    std::unique_ptr<JsonScratch> scratch_;
  };

  Lease take();

 private:
  void give_back(std::unique_ptr<JsonScratch> scratch);

  std::mutex mutex_;
  std::vector<std::unique_ptr<JsonScratch>> idle_;
};

// Reads a FlowFile's content into `content`. The error: it is larger than `most_json_bytes`.
std::expected<void, std::string> read_content(ProcessSession& session, const FlowFile& flow_file,
                                              std::string& content);

// The first JSON document of a FlowFile's content. It lives in the scratch until that is used
// again. The error says what is wrong, and where.
std::expected<json::Value, std::string> read_json(ProcessSession& session,
                                                  const FlowFile& flow_file, JsonScratch& scratch,
                                                  const json::ParseOptions& options);

}  // namespace weir::processors
