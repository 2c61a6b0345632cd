#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/error.h"

namespace weir::processors {

// Compressed bytes that are damaged, end too early or are followed by others.
class CodecError : public ProcessException {
 public:
  using ProcessException::ProcessException;
};

using CodecSink = std::function<void(std::span<const std::byte>)>;

// Compresses or decompresses one content piece by piece, in bounded memory (but for the raw
// snappy format, which is one block by definition).
class Codec {
 public:
  virtual ~Codec() = default;
  virtual void update(std::span<const std::byte> in, const CodecSink& sink) = 0;
  virtual void finish(const CodecSink& sink) = 0;  // throws CodecError where the input is cut off
};

// What CompressContent knows of a format.
struct CompressionFormat {
  std::string name;       // the allowable value of Compression Format
  std::string mime_type;  // written after compression
  std::string extension;
  std::vector<std::string> mime_types;  // that mean this format when decompressing
  std::function<std::unique_ptr<Codec>(int level)> compressor;
  std::function<std::unique_ptr<Codec>()> decompressor;  // empty: cannot be decompressed
};

const std::vector<CompressionFormat>& compression_formats();
const CompressionFormat* find_compression_format(std::string_view name);
const CompressionFormat* find_format_of_mime_type(std::string_view mime_type);
// The format whose compression writes this mime.type; of several the first.
const CompressionFormat* find_format_written_as(std::string_view mime_type);

// The codecs behind the formats. Levels are 0 to 9 as NiFi's.
std::unique_ptr<Codec> gzip_compressor(int level);
std::unique_ptr<Codec> gzip_decompressor();  // also several members in a row
std::unique_ptr<Codec> zlib_compressor(int level);
std::unique_ptr<Codec> zlib_decompressor();
std::unique_ptr<Codec> bzip2_compressor();
std::unique_ptr<Codec> bzip2_decompressor();
std::unique_ptr<Codec> xz_compressor(int level);
std::unique_ptr<Codec> xz_decompressor();
std::unique_ptr<Codec> lzma_compressor();
std::unique_ptr<Codec> lzma_decompressor();
std::unique_ptr<Codec> zstd_compressor(int level);
std::unique_ptr<Codec> zstd_decompressor();
std::unique_ptr<Codec> brotli_compressor(int level);
std::unique_ptr<Codec> brotli_decompressor();
std::unique_ptr<Codec> lz4_compressor();
std::unique_ptr<Codec> lz4_decompressor();
std::unique_ptr<Codec> snappy_compressor();    // snappy-java's stream format
std::unique_ptr<Codec> snappy_decompressor();  // that, or one raw block
std::unique_ptr<Codec> snappy_framed_compressor();
std::unique_ptr<Codec> snappy_framed_decompressor();
std::unique_ptr<Codec> snappy_hadoop_compressor();

}  // namespace weir::processors
