#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "processors/archive/avro_container.h"
#include "processors/archive/merge_formats.h"
#include "processors/archive/merge_properties.h"

namespace weir::processors::merge {
namespace {

using nlohmann::json;

// The codecs that Avro's own library knows: a file of another one could not be read by anybody.
constexpr std::array<std::string_view, 6> codecs = {"null",  "deflate", "snappy",
                                                    "bzip2", "xz",      "zstandard"};
constexpr int most_schema_depth = 500;

// What two schemas must have in common to be equal: all but documentation and aliases.
void drop_notes(json& schema, int depth) {
  if (depth > most_schema_depth) throw ArchiveError("the Avro schema is nested too deep");
  if (schema.is_object()) {
    schema.erase("doc");
    schema.erase("aliases");
  }
  if (!schema.is_structured()) return;
  for (json& part : schema) drop_notes(part, depth + 1);
}

json parse_schema(const std::string& text) {
  // The depth is looked at first: a parser that goes down without bound would end the engine.
  int depth = 0;
  for (const char character : text) {
    if (character == '[' || character == '{') ++depth;
    if (character == ']' || character == '}') --depth;
    if (depth > most_schema_depth) throw ArchiveError("the Avro schema is nested too deep");
  }
  json schema = json::parse(text, nullptr, false);
  if (schema.is_discarded()) throw ArchiveError("the Avro file's schema is no JSON");
  drop_notes(schema, 0);
  return schema;
}

bool is_reserved(const std::string& key) {
  return key.starts_with("avro.");
}

// The first file sets schema, codec and metadata; a later one goes in where it agrees.
class AvroBundler : public Bundler {
 public:
  explicit AvroBundler(ProcessContext& context)
      : random_(context.random()), strategy_(context.property(metadata_strategy).text()) {}

  void write(ProcessSession& session, std::span<const FlowFile> contents, BufferedOutput& out,
             std::vector<FlowFile>& left_out) const override {
    const AvroMarker marker = make_marker();
    std::optional<AvroHeader> header;
    json schema;
    for (const FlowFile& flow_file : contents) {
      const std::unique_ptr<InputStream> in = session.read(flow_file);
      AvroReader reader(*in);
      if (!header) {
        header = first_header(reader.header());
        schema = parse_schema(header->schema);
        write_avro_header(*header, marker, out);
      } else if (!agrees(reader.header(), *header, schema)) {
        left_out.push_back(flow_file);
        continue;
      }
      while (reader.copy_block(out, marker)) continue;
    }
  }
  std::string left_out_reason() const override {
    return "schema, codec or metadata are not those of the first Avro file";
  }
  std::string mime_type(std::span<const FlowFile>) const override {
    return "application/avro-binary";
  }
  std::optional<std::string> extension() const override { return std::nullopt; }

 private:
  AvroMarker make_marker() const {
    AvroMarker marker;
    for (std::size_t i = 0; i < marker.size(); i += 8) {
      const std::uint64_t value = random_.next();
      for (std::size_t j = 0; j < 8; ++j) marker[i + j] = static_cast<std::byte>(value >> (8 * j));
    }
    return marker;
  }

  AvroHeader first_header(AvroHeader header) const {
    if (std::ranges::find(codecs, header.codec) == codecs.end()) {
      throw ArchiveError(fmt::format("the Avro codec {} is unknown", header.codec));
    }
    if (strategy_ == "Ignore Metadata") header.metadata.clear();
    std::erase_if(header.metadata, [](const auto& entry) { return is_reserved(entry.first); });
    return header;
  }

  bool agrees(const AvroHeader& other, const AvroHeader& first, const json& schema) const {
    return other.codec == first.codec && parse_schema(other.schema) == schema &&
           metadata_agrees(other, first);
  }

  bool metadata_agrees(const AvroHeader& other, const AvroHeader& first) const {
    const bool keeps_common = strategy_ == "Keep Only Common Metadata";
    if (!keeps_common && strategy_ != "Do Not Merge Uncommon Metadata") return true;
    return std::ranges::all_of(other.metadata, [&](const auto& entry) {
      if (is_reserved(entry.first)) return true;
      const auto known = first.metadata.find(entry.first);
      if (known == first.metadata.end()) return keeps_common;
      return known->second == entry.second;
    });
  }

  Random& random_;
  const std::string strategy_;
};

}  // namespace

std::unique_ptr<const Bundler> make_avro_bundler(ProcessContext& context) {
  return std::make_unique<AvroBundler>(context);
}

}  // namespace weir::processors::merge
