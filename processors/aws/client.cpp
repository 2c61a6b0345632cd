#include "processors/aws/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/json/parse.h"
#include "processors/aws/http.h"
#include "processors/aws/regions.h"

namespace weir::processors::aws {
namespace {

// Codes that ask for patience, from the common errors of AWS and those of the data services.
constexpr std::array<std::string_view, 14> retryable_codes = {
    "InternalFailure",           "InternalServerError",
    "InternalServiceError",      "KMSThrottlingException",
    "LimitExceededException",    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",      "RequestThrottled",
    "RequestThrottledException", "RequestTimeout",
    "ServiceUnavailable",        "Throttling",
    "ThrottlingException",       "TransactionInProgressException"};

// "com.amazonaws.kinesis#ResourceNotFoundException" and "Name:http://..." name it with more.
std::string bare_code(std::string_view type) {
  type = type.substr(0, type.find(':'));
  return std::string(type.substr(type.rfind('#') + 1));
}

std::string_view text_member(const json::Value& value, std::string_view name) {
  const json::Value* member = value.find(name);
  return member != nullptr && member->is_string() ? member->as_text() : std::string_view();
}

[[noreturn]] void throw_error(const std::string& endpoint, const HttpAnswer& answer,
                              const Credentials& credentials) {
  std::string code = bare_code(answer.error_type);
  std::string message;
  json::Arena arena;
  const auto body = json::parse(answer.body, arena);
  if (body && body->is_object()) {
    if (code.empty()) code = bare_code(text_member(*body, "__type"));
    message = text_member(*body, "message");
    if (message.empty()) message = text_member(*body, "Message");
  }
  std::string what = code.empty() ? fmt::format("{} answered status {}", endpoint, answer.status)
                                  : fmt::format("{} answered {}", endpoint, code);
  if (!message.empty()) what += ": " + message;
  throw ServiceError(answer.status, code, without_secrets(std::move(what), credentials));
}

}  // namespace

bool is_retryable_code(const std::string& code) {
  return std::ranges::find(retryable_codes, code) != retryable_codes.end();
}

bool ServiceError::retryable() const {
  return status_ == 0 || status_ == 429 || status_ >= 500 || is_retryable_code(code_);
}

struct Client::State {
  State(ClientSettings given, std::shared_ptr<CredentialsProvider> provider)
      : settings(std::move(given)), credentials(std::move(provider)), sender(settings.timeout) {
    if (settings.endpoint.empty()) {
      settings.endpoint = service_endpoint(settings.service, settings.region);
    }
    endpoint = shown_url(settings.endpoint);
  }

  ClientSettings settings;
  std::string endpoint;
  const std::shared_ptr<CredentialsProvider> credentials;
  HttpSender sender;
};

Client::Client(ClientSettings settings, std::shared_ptr<CredentialsProvider> credentials)
    : state_(std::make_unique<State>(std::move(settings), std::move(credentials))) {}
Client::~Client() = default;

std::string Client::call(std::string_view target, std::string_view body,
                         std::string_view content_type) {
  const Credentials credentials = state_->credentials->credentials();
  const HttpRequest request{
      .method = "POST",
      .url = state_->endpoint.find('/', state_->endpoint.find("://") + 3) == std::string::npos
                 ? state_->endpoint + "/"
                 : state_->endpoint,
      .headers = {fmt::format("Content-Type: {}", content_type),
                  fmt::format("X-Amz-Target: {}", target)},
      .body = body,
      .credentials = &credentials,
      .service = state_->settings.service,
      .region = signing_region(state_->settings.region)};
  HttpAnswer answer = state_->sender.send(request);
  if (answer.status < 200 || answer.status > 299) {
    throw_error(state_->endpoint, answer, credentials);
  }
  return std::move(answer.body);
}

const std::string& Client::endpoint() const {
  return state_->endpoint;
}

}  // namespace weir::processors::aws
