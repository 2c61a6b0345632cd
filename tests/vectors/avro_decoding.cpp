#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cstring>
#include <map>
#include <stdexcept>

#include "tests/vectors/decoding.h"

namespace weir::vectors {
namespace {

using nlohmann::json;

// Any damage; never leaves this file.
struct Damage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Cursor {
 public:
  explicit Cursor(std::string_view rest) : rest_(rest) {}

  bool is_at_end() const { return rest_.empty(); }
  std::string take(std::int64_t size) {
    if (size < 0 || static_cast<std::uint64_t>(size) > rest_.size()) throw Damage("cut off");
    const std::string text(rest_.substr(0, static_cast<std::size_t>(size)));
    rest_.remove_prefix(text.size());
    return text;
  }
  std::int64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  std::string text() { return take(number()); }
  template <typename Number>
  Number fixed() {
    Number value;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }

 private:
  std::string_view rest_;
};

class RecordReader {
 public:
  explicit RecordReader(Cursor& in) : in_(in) {}

  json read(const json& schema, const std::string& space) {
    if (schema.is_array()) return read(schema.at(static_cast<std::size_t>(in_.number())), space);
    if (schema.is_object()) return read_complex(schema, space);
    const auto type = schema.get<std::string>();
    if (type == "null") return nullptr;
    if (type == "boolean") return in_.take(1)[0] != 0;
    if (type == "int" || type == "long") return in_.number();
    if (type == "float") return in_.fixed<float>();
    if (type == "double") return in_.fixed<double>();
    if (type == "string" || type == "bytes") return in_.text();
    const auto named = named_.find(full_name(type, space));
    if (named == named_.end()) throw Damage(fmt::format("the type {} is unknown", type));
    return read_complex(named->second, space);
  }

 private:
  static std::string full_name(const std::string& name, const std::string& space) {
    const bool is_full = name.find('.') != std::string::npos || space.empty();
    return is_full ? name : space + "." + name;
  }

  json read_complex(const json& schema, const std::string& outer) {
    const json& type = schema.at("type");
    if (!type.is_string()) return read(type, outer);
    const auto kind = type.get<std::string>();
    if (kind == "array" || kind == "map") return read_blocks(schema, kind == "map", outer);
    const std::string space = schema.value("namespace", outer);
    if (schema.contains("name")) named_[full_name(schema.at("name"), space)] = schema;
    if (kind == "fixed") return in_.take(schema.at("size"));
    if (kind == "enum") return schema.at("symbols").at(static_cast<std::size_t>(in_.number()));
    if (kind != "record") return read(type, space);
    json record = json::object();
    for (const json& field : schema.at("fields")) {
      record[field.at("name").get<std::string>()] = read(field.at("type"), space);
    }
    return record;
  }

  json read_blocks(const json& schema, bool is_map, const std::string& space) {
    json out = is_map ? json::object() : json::array();
    for (std::int64_t count; (count = in_.number()) != 0;) {
      if (count < 0) {
        in_.number();
        count = -count;
      }
      for (; count > 0; --count) {
        if (is_map) {
          const std::string key = in_.text();
          out[key] = read(schema.at("values"), space);
        } else {
          out.push_back(read(schema.at("items"), space));
        }
      }
    }
    return out;
  }

  Cursor& in_;
  std::map<std::string, json> named_;
};

std::string inflated(const std::string& block) {
  z_stream stream{};
  inflateInit2(&stream, -MAX_WBITS);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
  stream.avail_in = static_cast<uInt>(block.size());
  std::string out;
  char buffer[16384];
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof(buffer);
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, sizeof(buffer) - stream.avail_out);
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END) throw Damage("not what deflate writes");
  return out;
}

std::string decompressed(const std::string& codec, const std::string& block) {
  if (codec == "null") return block;
  if (codec == "deflate") return inflated(block);
  const std::map<std::string, std::string> names = {
      {"bzip2", "bzip2"}, {"xz", "xz"}, {"zstandard", "zstd"}, {"snappy", "snappy"}};
  const auto name = names.find(codec);
  if (name == names.end()) throw Damage(fmt::format("the codec {} is unknown", codec));
  // Behind a block of snappy's stands a checksum.
  const bool has_checksum = codec == "snappy" && block.size() >= 4;
  auto text = decompress(name->second, block.substr(0, block.size() - (has_checksum ? 4 : 0)));
  if (!text) throw Damage(text.error());
  return *text;
}

json read_file(const std::string& content) {
  Cursor in(content);
  if (in.take(4) != std::string("Obj\x01", 4)) throw Damage("the magic is missing");
  std::map<std::string, std::string> metadata;
  for (std::int64_t count; (count = in.number()) != 0;) {
    for (; count > 0; --count) {
      const std::string key = in.text();
      metadata[key] = in.text();
    }
  }
  const std::string marker = in.take(16);
  const json schema = json::parse(metadata["avro.schema"]);
  const std::string codec = metadata.contains("avro.codec") ? metadata["avro.codec"] : "null";
  json records = json::array();
  while (!in.is_at_end()) {
    std::int64_t count = in.number();
    const std::string block = decompressed(codec, in.text());
    if (in.take(16) != marker) throw Damage("a block does not end with the marker");
    Cursor block_in(block);
    RecordReader reader(block_in);
    for (; count > 0; --count) records.push_back(reader.read(schema, ""));
    if (!block_in.is_at_end()) throw Damage("bytes are left in a block");
  }
  return {{"schema", schema}, {"codec", codec}, {"records", std::move(records)}};
}

}  // namespace

Decoded decode_avro(const std::string& content) {
  try {
    return read_file(content);
  } catch (const Damage& error) {
    return std::unexpected(error.what());
  } catch (const json::exception& error) {
    return std::unexpected(error.what());
  }
}

}  // namespace weir::vectors
