#include "processors/aws/security_token_service.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "engine/text/url.h"
#include "processors/aws/regions.h"

namespace weir::processors::aws {
namespace {

constexpr std::pair<std::string_view, char> entities[] = {
    {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};

std::string unescape_xml(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    bool found = false;
    for (const auto& [name, character] : entities) {
      if (!text.substr(i).starts_with(name)) continue;
      out += character;
      i += name.size();
      found = true;
      break;
    }
    if (!found) out += text[i++];
  }
  return out;
}

// The text of the first element of that name. The answers have none within another of its name,
// and no attributes but the namespace at the root.
std::string element(std::string_view xml, std::string_view name) {
  const std::string open = fmt::format("<{}>", name), close = fmt::format("</{}>", name);
  const std::size_t begin = xml.find(open);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = xml.find(close, begin);
  if (end == std::string_view::npos) return {};
  return unescape_xml(xml.substr(begin + open.size(), end - begin - open.size()));
}

void add_field(std::string& form, std::string_view name, std::string_view value) {
  form += fmt::format("{}{}={}", form.empty() ? "" : "&", name, text::url_encode(value));
}

}  // namespace

std::optional<std::int64_t> parse_expiration(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, read = 0;
  const std::string copy(text.substr(0, 40));
  if (std::sscanf(copy.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute,
                  &second, &read) != 6) {
    return std::nullopt;
  }
  const std::string_view rest = std::string_view(copy).substr(static_cast<std::size_t>(read));
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  const bool zulu = rest == "Z" || (rest.starts_with('.') && rest.ends_with('Z'));
  if (!zulu || !date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const auto instant = std::chrono::sys_days(date) + std::chrono::hours(hour) +
                       std::chrono::minutes(minute) + std::chrono::seconds(second);
  return std::chrono::milliseconds(instant.time_since_epoch()).count();
}

SecurityTokenService::SecurityTokenService(std::string region, std::string endpoint,
                                           std::chrono::milliseconds timeout)
    : region_(region.empty() ? "aws-global" : std::move(region)),
      endpoint_(endpoint.empty() ? service_endpoint("sts", region_) : shown_url(endpoint)),
      sender_(timeout) {}

Credentials SecurityTokenService::assume_role(const AssumedRole& role, const Credentials& signing) {
  return ask("AssumeRole", role, {}, signing);
}

Credentials SecurityTokenService::assume_role_with_web_identity(const AssumedRole& role,
                                                                std::string_view token) {
  return ask("AssumeRoleWithWebIdentity", role, token, {});
}

Credentials SecurityTokenService::ask(std::string_view action, const AssumedRole& role,
                                      std::string_view web_token, const Credentials& signing) {
  std::string form;
  add_field(form, "Action", action);
  add_field(form, "Version", "2011-06-15");
  add_field(form, "RoleArn", role.arn);
  add_field(form, "RoleSessionName", role.session_name);
  add_field(form, "DurationSeconds", std::to_string(role.duration.count()));
  if (!role.external_id.empty()) add_field(form, "ExternalId", role.external_id);
  if (!web_token.empty()) add_field(form, "WebIdentityToken", web_token);

  const HttpAnswer answer =
      sender_.send({.method = "POST",
                    .url = endpoint_.ends_with('/') ? endpoint_ : endpoint_ + "/",
                    .headers = {"Content-Type: application/x-www-form-urlencoded; charset=utf-8"},
                    .body = form,
                    .credentials = &signing,
                    .service = "sts",
                    .region = signing_region(region_)});
  if (answer.status != 200) {
    const std::string code = element(answer.body, "Code");
    std::string what =
        fmt::format("{} answered {} to {}", endpoint_,
                    code.empty() ? fmt::format("status {}", answer.status) : code, action);
    const std::string message = element(answer.body, "Message");
    if (!message.empty()) what += ": " + message;
    Credentials secrets = signing;
    if (!web_token.empty()) secrets.session_token = web_token;
    throw ServiceError(answer.status, code, without_secrets(std::move(what), secrets));
  }
  Credentials given{.access_key_id = element(answer.body, "AccessKeyId"),
                    .secret_access_key = element(answer.body, "SecretAccessKey"),
                    .session_token = element(answer.body, "SessionToken"),
                    .expires_ms = parse_expiration(element(answer.body, "Expiration"))};
  if (given.access_key_id.empty() || given.secret_access_key.empty() || !given.expires_ms) {
    throw ServiceError(answer.status, "",
                       fmt::format("{} answered {} without credentials", endpoint_, action));
  }
  return given;
}

}  // namespace weir::processors::aws
