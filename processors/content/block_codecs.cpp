// zstd, brotli and lz4 frames: libraries with a streaming call of their own.
#include <brotli/decode.h>
#include <brotli/encode.h>
#include <fmt/format.h>
#include <lz4frame.h>
#include <zstd.h>

#include <algorithm>
#include <array>

#include "processors/content/codec.h"

namespace weir::processors {
namespace {

constexpr std::size_t out_bytes = 64 * 1024;
using OutBuffer = std::array<std::byte, out_bytes>;

std::size_t checked_zstd(std::size_t result) {
  if (ZSTD_isError(result)) {
    throw CodecError(fmt::format("damaged data: {}", ZSTD_getErrorName(result)));
  }
  return result;
}

class ZstdCompressor : public Codec {
 public:
  explicit ZstdCompressor(int level) : context_(ZSTD_createCCtx(), &ZSTD_freeCCtx) {
    // NiFi's 0 to 9 are every other one of zstd's levels; 0 is zstd's default.
    checked_zstd(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, 2 * level));
  }
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    run(in, ZSTD_e_continue, sink);
  }
  void finish(const CodecSink& sink) override { run({}, ZSTD_e_end, sink); }

 private:
  void run(std::span<const std::byte> in, ZSTD_EndDirective directive, const CodecSink& sink) {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    OutBuffer out;
    std::size_t left = 0;
    do {
      ZSTD_outBuffer output{out.data(), out.size(), 0};
      left = checked_zstd(ZSTD_compressStream2(context_.get(), &output, &input, directive));
      if (output.pos > 0) sink(std::span(out).first(output.pos));
    } while (directive == ZSTD_e_end ? left > 0 : input.pos < input.size);
  }
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
};

class ZstdDecompressor : public Codec {
 public:
  ZstdDecompressor() : context_(ZSTD_createDCtx(), &ZSTD_freeDCtx) {}
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    OutBuffer out;
    bool more = true;
    while (more || input.pos < input.size) {
      ZSTD_outBuffer output{out.data(), out.size(), 0};
      wanted_ = checked_zstd(ZSTD_decompressStream(context_.get(), &output, &input));
      if (output.pos > 0) sink(std::span(out).first(output.pos));
      // A frame that is complete and flushed gives 0; another call would ask for a new one.
      more = wanted_ != 0 && output.pos == output.size;
    }
  }
  void finish(const CodecSink&) override {
    if (wanted_ != 0) throw CodecError("the compressed data ends too early");
  }

 private:
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  std::size_t wanted_ = 0;  // nothing at all is no frame, and an empty content, as in NiFi
};

class BrotliCompressor : public Codec {
 public:
  explicit BrotliCompressor(int level)
      : state_(BrotliEncoderCreateInstance(nullptr, nullptr, nullptr),
               &BrotliEncoderDestroyInstance) {
    BrotliEncoderSetParameter(state_.get(), BROTLI_PARAM_QUALITY,
                              static_cast<std::uint32_t>(level));
  }
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    run(in, BROTLI_OPERATION_PROCESS, sink);
  }
  void finish(const CodecSink& sink) override { run({}, BROTLI_OPERATION_FINISH, sink); }

 private:
  void run(std::span<const std::byte> in, BrotliEncoderOperation operation, const CodecSink& sink) {
    const auto* next = reinterpret_cast<const std::uint8_t*>(in.data());
    std::size_t left = in.size();
    OutBuffer out;
    do {
      auto* place = reinterpret_cast<std::uint8_t*>(out.data());
      std::size_t room = out.size();
      if (!BrotliEncoderCompressStream(state_.get(), operation, &left, &next, &room, &place,
                                       nullptr)) {
        throw CodecError("brotli failed to compress");
      }
      if (room < out.size()) sink(std::span(out).first(out.size() - room));
    } while (left > 0 || BrotliEncoderHasMoreOutput(state_.get()));
  }
  std::unique_ptr<BrotliEncoderState, decltype(&BrotliEncoderDestroyInstance)> state_;
};

class BrotliDecompressor : public Codec {
 public:
  BrotliDecompressor()
      : state_(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr),
               &BrotliDecoderDestroyInstance) {}
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    const auto* next = reinterpret_cast<const std::uint8_t*>(in.data());
    std::size_t left = in.size();
    OutBuffer out;
    while (true) {
      if (BrotliDecoderIsFinished(state_.get())) {
        if (left > 0) throw CodecError("bytes follow the compressed data");
        return;
      }
      auto* place = reinterpret_cast<std::uint8_t*>(out.data());
      std::size_t room = out.size();
      const BrotliDecoderResult result =
          BrotliDecoderDecompressStream(state_.get(), &left, &next, &room, &place, nullptr);
      if (room < out.size()) sink(std::span(out).first(out.size() - room));
      if (result == BROTLI_DECODER_RESULT_ERROR) {
        throw CodecError("damaged data: not what brotli writes");
      }
      if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) return;
    }
  }
  void finish(const CodecSink&) override {
    if (!BrotliDecoderIsFinished(state_.get())) {
      throw CodecError("the compressed data ends too early");
    }
  }

 private:
  std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> state_;
};

std::size_t checked_lz4(std::size_t result) {
  if (LZ4F_isError(result)) {
    throw CodecError(fmt::format("damaged data: {}", LZ4F_getErrorName(result)));
  }
  return result;
}

class Lz4Compressor : public Codec {
 public:
  Lz4Compressor() : context_(nullptr, &LZ4F_freeCompressionContext) {
    LZ4F_cctx* context = nullptr;
    checked_lz4(LZ4F_createCompressionContext(&context, LZ4F_VERSION));
    context_.reset(context);
    preferences_.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  }
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    begin(sink);
    buffer_.resize(LZ4F_compressBound(piece_bytes, &preferences_));
    for (std::size_t at = 0; at < in.size(); at += piece_bytes) {
      const auto piece = in.subspan(at, std::min(piece_bytes, in.size() - at));
      give(LZ4F_compressUpdate(context_.get(), buffer_.data(), buffer_.size(), piece.data(),
                               piece.size(), nullptr),
           sink);
    }
  }
  void finish(const CodecSink& sink) override {
    begin(sink);
    buffer_.resize(LZ4F_compressBound(0, &preferences_));
    give(LZ4F_compressEnd(context_.get(), buffer_.data(), buffer_.size(), nullptr), sink);
  }

 private:
  static constexpr std::size_t piece_bytes = 64 * 1024;
  void begin(const CodecSink& sink) {
    if (begun_) return;
    begun_ = true;
    buffer_.resize(LZ4F_HEADER_SIZE_MAX);
    give(LZ4F_compressBegin(context_.get(), buffer_.data(), buffer_.size(), &preferences_), sink);
  }
  void give(std::size_t result, const CodecSink& sink) {
    if (checked_lz4(result) > 0) sink(std::span(buffer_).first(result));
  }
  std::unique_ptr<LZ4F_cctx, decltype(&LZ4F_freeCompressionContext)> context_;
  LZ4F_preferences_t preferences_{};
  std::vector<std::byte> buffer_;
  bool begun_ = false;
};

class Lz4Decompressor : public Codec {
 public:
  Lz4Decompressor() : context_(nullptr, &LZ4F_freeDecompressionContext) {
    LZ4F_dctx* context = nullptr;
    checked_lz4(LZ4F_createDecompressionContext(&context, LZ4F_VERSION));
    context_.reset(context);
  }
  void update(std::span<const std::byte> in, const CodecSink& sink) override {
    OutBuffer out;
    bool more = true;
    while (more || !in.empty()) {
      std::size_t room = out.size();
      std::size_t taken = in.size();
      wanted_ = checked_lz4(
          LZ4F_decompress(context_.get(), out.data(), &room, in.data(), &taken, nullptr));
      if (room > 0) sink(std::span(out).first(room));
      in = in.subspan(taken);
      more = wanted_ != 0 && room == out.size();
    }
  }
  void finish(const CodecSink&) override {
    if (wanted_ != 0) throw CodecError("the compressed data ends too early");
  }

 private:
  std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context_;
  std::size_t wanted_ = 1;
};

}  // namespace

std::unique_ptr<Codec> zstd_compressor(int level) {
  return std::make_unique<ZstdCompressor>(level);
}
std::unique_ptr<Codec> zstd_decompressor() {
  return std::make_unique<ZstdDecompressor>();
}
std::unique_ptr<Codec> brotli_compressor(int level) {
  return std::make_unique<BrotliCompressor>(level);
}
std::unique_ptr<Codec> brotli_decompressor() {
  return std::make_unique<BrotliDecompressor>();
}
std::unique_ptr<Codec> lz4_compressor() {
  return std::make_unique<Lz4Compressor>();
}
std::unique_ptr<Codec> lz4_decompressor() {
  return std::make_unique<Lz4Decompressor>();
}

}  // namespace weir::processors
