#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "engine/text/error.h"

// java.net.URLEncoder, URLDecoder and URI. Pure, thread safe.
namespace weir::text {

// URLEncoder.encode in UTF-8: letters, digits and . - * _ stay, a space becomes +, all other bytes
// become %XX in upper case.
std::string url_encode(std::string_view text);

// URLDecoder.decode in UTF-8: + is a space; bytes that are no UTF-8 become U+FFFD. The error: a %
// without two hexadecimal digits.
std::expected<std::string, Error> url_decode(std::string_view text);

// The arguments of java.net.URI's constructor with seven arguments. What is absent leaves its mark
// away too; what is empty keeps it ("?", "#", "@"). A port of -1 is none.
struct UriParts {
  std::optional<std::string_view> scheme;
  std::optional<std::string_view> user_info;
  std::optional<std::string_view> host;
  int port = -1;
  std::optional<std::string_view> path;
  std::optional<std::string_view> query;
  std::optional<std::string_view> fragment;
};

// The URI as text: characters that may not stand in a part are percent-encoded, a percent sign
// always, letters outside of ASCII never. An IPv6 address gets its brackets. The error is what
// Java's parser rejects: a bad scheme, a host that is no server name, a relative path after an
// authority, a scheme without anything following; its offset is into the text built so far.
std::expected<std::string, Error> build_uri(const UriParts& parts);

}  // namespace weir::text
