#include "repositories/content/layout.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "repositories/storage/checksum.h"
#include "repositories/storage/codec.h"
#include "repositories/storage/error.h"

namespace weir::content {
namespace {

constexpr std::string_view kMagic = "weircont";

std::optional<std::uint64_t> parse_number(std::string_view name) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  if (name.size() > 1 && name.front() == '0') return std::nullopt;
  return value;
}

// Long strings of path components are joined by hand: `operator/` costs several allocations.
storage::Path join(const storage::Path& container, std::uint32_t section, std::string_view middle,
                   std::optional<std::uint64_t> identifier) {
  std::string text = container.native();
  fmt::format_to(std::back_inserter(text), "/{}{}", section, middle);
  if (identifier) fmt::format_to(std::back_inserter(text), "/{}", *identifier);
  return text;
}

}  // namespace

storage::Path section_path(const storage::Path& container, std::uint32_t section) {
  return join(container, section, "", std::nullopt);
}

storage::Path live_path(const storage::Path& container, std::uint32_t section,
                        std::uint64_t identifier) {
  return join(container, section, "", identifier);
}

storage::Path archive_directory(const storage::Path& container, std::uint32_t section) {
  return join(container, section, "/archive", std::nullopt);
}

storage::Path archive_path(const storage::Path& container, std::uint32_t section,
                           std::uint64_t identifier) {
  return join(container, section, "/archive", identifier);
}

std::optional<std::uint64_t> parse_identifier(std::string_view name) {
  return parse_number(name);
}

std::optional<std::uint32_t> parse_section(std::string_view name) {
  const auto number = parse_number(name);
  if (!number || *number >= kSections) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

storage::Path marker_path(const storage::Path& container) {
  return container / "container";
}

storage::Path lock_path(const storage::Path& container) {
  return container / "lock";
}

std::string encode_marker(const Marker& marker) {
  std::vector<std::byte> bytes;
  storage::Encoder out(bytes);
  out.raw(std::as_bytes(std::span(kMagic)));
  out.u32(marker.version);
  out.u64(marker.identifier_limit);
  out.u64(storage::checksum(bytes));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<Marker> decode_marker(std::string_view bytes) {
  const auto raw = std::as_bytes(std::span(bytes));
  try {
    storage::Decoder in(raw);
    const auto magic = in.raw(kMagic.size());
    if (std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0) return std::nullopt;
    Marker marker;
    marker.version = in.u32();
    marker.identifier_limit = in.u64();
    const std::size_t summed_bytes = in.position();
    if (in.u64() != storage::checksum(raw.first(summed_bytes))) return std::nullopt;
    return marker;
  } catch (const storage::DecodeError&) {
    return std::nullopt;
  }
}

void refuse_other_version(const storage::Path& directory, const Marker& marker) {
  if (marker.version == kMarkerVersion) return;
  throw storage::RefusedError(fmt::format(
      "content repository directory {} is of version {}, and this weir reads version {} only",
      directory.native(), marker.version, kMarkerVersion));
}

}  // namespace weir::content
