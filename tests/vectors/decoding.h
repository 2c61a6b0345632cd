#pragma once

#include <expected>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

// Reads archives, packages and compressed contents with code that shares nothing with the
// processors that wrote them, as far as libraries go.
namespace weir::vectors {

// What `content` holds, in the form of a case's `contentDecoded` (`format` and `headHex` left
// out): `contentUtf8`, or `entries`, or `schema`, `codec` and `records`. Contents are strings of
// any bytes under `content`. The error says what is damaged.
using Decoded = std::expected<nlohmann::json, std::string>;

Decoded decode(std::string_view format, const std::string& content);

// By kind; `decode` chooses.
Decoded decode_tar(const std::string& content);
Decoded decode_zip(const std::string& content);
Decoded decode_package(const std::string& content, bool has_magic);
Decoded decode_avro(const std::string& content);
std::expected<std::string, std::string> decompress(std::string_view format,
                                                   const std::string& content);

}  // namespace weir::vectors
