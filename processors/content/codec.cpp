#include "processors/content/codec.h"

#include <algorithm>

namespace weir::processors {
namespace {

// Codecs without levels take the level and drop it.
template <std::unique_ptr<Codec> (*make)()>
std::unique_ptr<Codec> without_level(int) {
  return make();
}

std::vector<CompressionFormat> make_formats() {
  return {
      {"gzip",
       "application/gzip",
       ".gz",
       {"application/gzip", "application/x-gzip"},
       gzip_compressor,
       gzip_decompressor},
      // The mime type is NiFi's answer.
      {"deflate",
       "application/gzip",
       ".zlib",
       {"application/deflate", "application/x-deflate"},
       zlib_compressor,
       zlib_decompressor},
      {"bzip2",
       "application/x-bzip2",
       ".bz2",
       {"application/x-bzip2", "application/bzip2"},
       without_level<bzip2_compressor>,
       bzip2_decompressor},
      // "use mime.type attribute" does not know xz in NiFi: such FlowFiles pass unchanged.
      {"xz-lzma2", "application/x-xz", ".xz", {}, xz_compressor, xz_decompressor},
      {"lzma",
       "application/x-lzma",
       ".lzma",
       {"application/x-lzma"},
       without_level<lzma_compressor>,
       lzma_decompressor},
      {"snappy",
       "application/x-snappy",
       ".snappy",
       {"application/x-snappy"},
       without_level<snappy_compressor>,
       snappy_decompressor},
      {"snappy-hadoop",
       "application/x-snappy-hadoop",
       ".snappy",
       {"application/x-snappy-hadoop"},
       without_level<snappy_hadoop_compressor>,
       {}},
      {"snappy framed",
       "application/x-snappy-framed",
       ".sz",
       {"application/x-snappy-framed"},
       without_level<snappy_framed_compressor>,
       snappy_framed_decompressor},
      {"lz4-framed",
       "application/x-lz4-framed",
       ".lz4",
       {"application/x-lz4-framed"},
       without_level<lz4_compressor>,
       lz4_decompressor},
      {"zstd",
       "application/zstd",
       ".zst",
       {"application/zstd"},
       zstd_compressor,
       zstd_decompressor},
      {"brotli",
       "application/x-brotli",
       ".br",
       {"application/x-brotli"},
       brotli_compressor,
       brotli_decompressor},
  };
}

}  // namespace

const std::vector<CompressionFormat>& compression_formats() {
  static const std::vector<CompressionFormat> formats = make_formats();
  return formats;
}

const CompressionFormat* find_compression_format(std::string_view name) {
  for (const CompressionFormat& format : compression_formats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const CompressionFormat* find_format_of_mime_type(std::string_view mime_type) {
  for (const CompressionFormat& format : compression_formats()) {
    const auto& types = format.mime_types;
    if (std::ranges::find(types, mime_type) != types.end()) return &format;
  }
  return nullptr;
}

const CompressionFormat* find_format_written_as(std::string_view mime_type) {
  for (const CompressionFormat& format : compression_formats()) {
    if (format.mime_type == mime_type) return &format;
  }
  return nullptr;
}

}  // namespace weir::processors
