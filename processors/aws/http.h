#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "processors/aws/credentials.h"
#include "processors/aws/service_error.h"

namespace weir::processors::aws {

struct HttpRequest {
  std::string method = "GET";
  std::string url;                           // http or https
  std::vector<std::string> headers = {};     // "Name: value"
  std::string_view body = {};                // of a POST
  const Credentials* credentials = nullptr;  // null or anonymous: not signed
  std::string service = {};                  // for the signature
  std::string region = {};
  bool local = false;  // of this machine or its network: never through a proxy
};

struct HttpAnswer {
  int status = 0;
  std::string body = {};
  std::string error_type = {};  // header x-amzn-errortype
};

// The largest answer that is taken.
inline constexpr std::size_t kMostAnswerBytes = 16 << 20;

// Sends requests by HTTP/1.1, signed with AWS Signature Version 4 where there are credentials.
// Verifies TLS, follows no redirects, keeps connections. Thread safe; calls block.
class HttpSender {
 public:
  // `timeout`: to connect, and of silence; a whole request may take ten times as long.
  explicit HttpSender(std::chrono::milliseconds timeout);
  ~HttpSender();

  // Any status is an answer. Throws ServiceError with status 0 where there is none.
  HttpAnswer send(const HttpRequest& request);

 private:
  struct Pool;
  const std::unique_ptr<Pool> pool_;
};

// The URL without a user's name and password, query and fragment: what may stand in a message.
std::string shown_url(std::string_view url);

// `text` with the secrets of `credentials` blotted out, and not longer than a message should be.
std::string without_secrets(std::string text, const Credentials& credentials);

}  // namespace weir::processors::aws
