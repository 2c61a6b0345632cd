#include "processors/kafka/unsecured_token.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "engine/api/environment.h"
#include "engine/text/base64.h"

namespace weir::processors::kafka {
namespace {

constexpr std::int64_t kMostLife_s = 1'000'000'000;

std::string base64_url(std::string_view text) {
  std::string encoded = text::base64_encode(text);
  std::ranges::replace(encoded, '+', '-');
  std::ranges::replace(encoded, '/', '_');
  encoded.erase(std::min(encoded.find('='), encoded.size()));
  return encoded;
}

// "a,b" becomes ["a","b"].
std::string json_list(std::string_view names) {
  std::string list = "[";
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    list += fmt::format("{}\"{}\"", list.size() > 1 ? "," : "", names.substr(0, comma));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return list + "]";
}

using Options = std::map<std::string, std::string, std::less<>>;

std::expected<Options, std::string> read_options(std::string_view config) {
  Options options = {{"lifeSeconds", "3600"},
                     {"principal", ""},
                     {"principalClaimName", "sub"},
                     {"scope", ""},
                     {"scopeClaimName", "scope"}};
  const bool plain = std::ranges::all_of(
      config, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (!plain) return std::unexpected("it holds quotes, backslashes or unprintable characters");
  while (!config.empty()) {
    const std::size_t space = std::min(config.find(' '), config.size());
    const std::string_view one = config.substr(0, space);
    config.remove_prefix(std::min(space + 1, config.size()));
    if (one.empty()) continue;
    const std::size_t equals = one.find('=');
    const auto known = options.find(one.substr(0, equals));
    if (equals == std::string_view::npos || known == options.end()) {
      return std::unexpected(
          "it does not read as NAME=VALUE with principal, scope, lifeSeconds, principalClaimName, "
          "scopeClaimName, separated by spaces");
    }
    known->second = one.substr(equals + 1);
  }
  return options;
}

// By librdkafka, in a thread of its own.
void refresh(rd_kafka_t* client, const char* config, void*) {
  const auto made = unsecured_token(config == nullptr ? "" : config, system_clock().now_ms());
  char why[256] = "";
  if (!made) {
    rd_kafka_oauthbearer_set_token_failure(client, made.error().c_str());
  } else if (rd_kafka_oauthbearer_set_token(client, made->token.c_str(), made->expires_ms,
                                            made->principal.c_str(), nullptr, 0, why,
                                            sizeof why) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    rd_kafka_oauthbearer_set_token_failure(client, why);
  }
}

}  // namespace

std::expected<UnsecuredToken, std::string> unsecured_token(std::string_view config,
                                                           std::int64_t now_ms) {
  auto options = read_options(config);
  if (!options) return std::unexpected(options.error());
  UnsecuredToken made;
  made.principal = options->at("principal");
  if (made.principal.empty()) return std::unexpected("it names no principal");
  const std::string& life = options->at("lifeSeconds");
  std::int64_t life_s = 0;
  const auto [end, error] = std::from_chars(life.data(), life.data() + life.size(), life_s);
  if (error != std::errc() || end != life.data() + life.size() || life_s < 1 ||
      life_s > kMostLife_s) {
    return std::unexpected(fmt::format("lifeSeconds is no number from 1 to {}", kMostLife_s));
  }
  made.expires_ms = now_ms + life_s * 1000;
  std::string claims = fmt::format(R"("{}":"{}","iat":{}.{:03},"exp":{}.{:03})",
                                   options->at("principalClaimName"), made.principal, now_ms / 1000,
                                   now_ms % 1000, made.expires_ms / 1000, made.expires_ms % 1000);
  if (const std::string& scope = options->at("scope"); !scope.empty()) {
    claims += fmt::format(R"(,"{}":{})", options->at("scopeClaimName"), json_list(scope));
  }
  made.token = base64_url(R"({"alg":"none"})") + "." + base64_url("{" + claims + "}") + ".";
  return made;
}

void make_unsecured_tokens(rd_kafka_conf_t* settings) {
  rd_kafka_conf_set_oauthbearer_token_refresh_cb(settings, &refresh);
  rd_kafka_conf_enable_sasl_queue(settings, 1);
}

}  // namespace weir::processors::kafka
