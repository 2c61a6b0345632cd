#include "processors/content/recode.h"

#include <algorithm>

#include "processors/support/expansion.h"

namespace weir::processors {

void recode(ProcessSession& session, FlowFile flow_file, Codec* decompressor, Codec* compressor) {
  const std::unique_ptr<InputStream> in = session.read(flow_file);
  const std::unique_ptr<OutputStream> out = session.write(flow_file);
  const CodecSink write = [&](std::span<const std::byte> data) { out->write(data); };
  const CodecSink compress = [&](std::span<const std::byte> data) {
    if (compressor) {
      compressor->update(data, write);
    } else {
      out->write(data);
    }
  };
  std::uint64_t decompressed_bytes = 0;
  const CodecSink take_decompressed = [&](std::span<const std::byte> data) {
    decompressed_bytes += data.size();
    check_expansion(in->position(), decompressed_bytes);
    compress(data);
  };
  std::vector<std::byte> buffer(
      std::clamp<std::uint64_t>(flow_file.size(), 1, std::uint64_t{128} * 1024));
  while (const std::size_t count = in->read(buffer)) {
    const auto piece = std::span<const std::byte>(buffer).first(count);
    if (decompressor) {
      decompressor->update(piece, take_decompressed);
    } else {
      compress(piece);
    }
  }
  if (decompressor) decompressor->finish(take_decompressed);
  if (compressor) compressor->finish(write);
  out->close();
}

bool has_extension(std::string_view name, std::string_view extension) {
  if (name.size() < extension.size()) return false;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(name.substr(name.size() - extension.size()), extension, {}, lower,
                            lower);
}

}  // namespace weir::processors
