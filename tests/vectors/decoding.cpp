#include "tests/vectors/decoding.h"

#include <archive.h>
#include <archive_entry.h>
#include <brotli/decode.h>
#include <fmt/format.h>
#include <zlib.h>

#include <map>
#include <memory>

#include "processors/content/codec.h"

namespace weir::vectors {
namespace {

using Result = std::expected<std::string, std::string>;

Result with_libarchive(const std::string& content) {
  const std::unique_ptr<archive, int (*)(archive*)> reader(archive_read_new(), &archive_read_free);
  archive_read_support_filter_all(reader.get());
  archive_read_support_format_raw(reader.get());
  archive_read_support_format_empty(reader.get());
  archive_entry* entry = nullptr;
  if (archive_read_open_memory(reader.get(), content.data(), content.size()) != ARCHIVE_OK ||
      archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) {
    return std::unexpected("not compressed");
  }
  if (archive_filter_count(reader.get()) < 2) return std::unexpected("not compressed");
  std::string out;
  char buffer[16384];
  for (la_ssize_t count; (count = archive_read_data(reader.get(), buffer, sizeof(buffer))) != 0;) {
    if (count < 0) return std::unexpected(archive_error_string(reader.get()));
    out.append(buffer, static_cast<std::size_t>(count));
  }
  return out;
}

Result with_zlib(const std::string& content) {
  std::string out(1024, '\0');
  for (;;) {
    uLongf size = out.size();
    const int result = uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                                  reinterpret_cast<const Bytef*>(content.data()), content.size());
    if (result == Z_BUF_ERROR && out.size() < (1u << 28)) {
      out.resize(out.size() * 4);
      continue;
    }
    if (result != Z_OK) return std::unexpected("not what zlib writes");
    out.resize(size);
    return out;
  }
}

Result with_brotli(const std::string& content) {
  std::string out(1u << 20, '\0');
  std::size_t size = out.size();
  const auto* in = reinterpret_cast<const std::uint8_t*>(content.data());
  const auto result = BrotliDecoderDecompress(content.size(), in, &size,
                                              reinterpret_cast<std::uint8_t*>(out.data()));
  if (result != BROTLI_DECODER_RESULT_SUCCESS) return std::unexpected("not what brotli writes");
  out.resize(size);
  return out;
}

// No library reads snappy's streams: the processors' own decoder does.
Result with_own_codec(std::string_view name, const std::string& content) {
  const auto* format = processors::find_compression_format(name);
  if (!format || !format->decompressor) return std::unexpected(fmt::format("{}: no decoder", name));
  std::string out;
  const processors::CodecSink sink = [&](std::span<const std::byte> data) {
    out.append(reinterpret_cast<const char*>(data.data()), data.size());
  };
  const auto codec = format->decompressor();
  try {
    codec->update(std::as_bytes(std::span(content.data(), content.size())), sink);
    codec->finish(sink);
  } catch (const processors::CodecError& error) {
    return std::unexpected(error.what());
  }
  return out;
}

}  // namespace

Result decompress(std::string_view format, const std::string& content) {
  if (format == "deflate") return with_zlib(content);
  if (format == "brotli") return with_brotli(content);
  if (format == "snappy-framed") return with_own_codec("snappy framed", content);
  if (format == "snappy") return with_own_codec(format, content);
  return with_libarchive(content);
}

Decoded decode(std::string_view format, const std::string& content) {
  if (format == "tar") return decode_tar(content);
  if (format == "zip") return decode_zip(content);
  if (format == "flowfile-stream-v3") return decode_package(content, true);
  if (format == "flowfile-stream-v2") return decode_package(content, false);
  if (format == "avro") return decode_avro(content);
  auto text = decompress(format, content);
  if (!text) return std::unexpected(text.error());
  return nlohmann::json{{"content", std::move(*text)}};
}

}  // namespace weir::vectors
