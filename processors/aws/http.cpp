#include "processors/aws/http.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

namespace weir::processors::aws {
namespace {

constexpr std::size_t kMostIdleHandles = 8;
constexpr std::size_t kMostMessageBytes = 1000;
constexpr long kMostTimeout_ms = 24 * 3'600'000;  // ten times as much is still taken by libcurl

struct EasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListDeleter>;

void initialise_once() {
  static const CURLcode result = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (result != CURLE_OK) throw ServiceError(0, "", curl_easy_strerror(result));
}

template <typename Value>
void set(CURL* handle, CURLoption option, Value value) {
  const CURLcode result = curl_easy_setopt(handle, option, value);
  if (result != CURLE_OK) {
    throw ServiceError(0, "", fmt::format("an HTTP option: {}", curl_easy_strerror(result)));
  }
}

HeaderList header_list(const std::vector<std::string>& headers) {
  HeaderList list;
  const auto append = [&list](const char* line) {
    curl_slist* longer = curl_slist_append(list.get(), line);
    if (longer == nullptr) throw std::bad_alloc();
    (void)list.release();
    list.reset(longer);
  };
  for (const std::string& header : headers) append(header.c_str());
  return list;
}

struct Received {
  HttpAnswer answer;
  bool too_large = false;
};

std::size_t receive_body(char* data, std::size_t, std::size_t size, void* target) {
  auto& received = *static_cast<Received*>(target);
  if (received.answer.body.size() + size > kMostAnswerBytes) {
    received.too_large = true;
    return 0;
  }
  received.answer.body.append(data, size);
  return size;
}

std::size_t receive_header(char* data, std::size_t, std::size_t size, void* target) {
  static constexpr std::string_view name = "x-amzn-errortype:";
  std::string_view line(data, size);
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  if (line.size() < name.size() || !std::ranges::equal(line.substr(0, name.size()), name, same)) {
    return size;
  }
  line.remove_prefix(name.size());
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  while (!line.empty() && std::strchr(" \r\n", line.back())) line.remove_suffix(1);
  static_cast<Received*>(target)->answer.error_type = line;
  return size;
}

bool is_loopback(std::string_view url) {
  const std::size_t begin = url.find("://");
  if (begin == std::string_view::npos) return false;
  const std::string_view host = url.substr(begin + 3);
  return host.starts_with("127.") || host.starts_with("localhost") || host.starts_with("[::1]");
}

void blot_out(std::string& text, const std::string& secret) {
  if (secret.empty()) return;
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    text.replace(at, secret.size(), "***");
    at += 3;
  }
}

void prepare(CURL* handle, const HttpRequest& request, curl_slist* headers, long timeout_ms) {
  curl_easy_reset(handle);  // keeps the connections
  set(handle, CURLOPT_NOSIGNAL, 1L);
  set(handle, CURLOPT_URL, request.url.c_str());
  set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  set(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(handle, CURLOPT_FOLLOWLOCATION, 0L);
  set(handle, CURLOPT_SSL_VERIFYPEER, 1L);
  set(handle, CURLOPT_SSL_VERIFYHOST, 2L);
  set(handle, CURLOPT_CONNECTTIMEOUT_MS, timeout_ms);
  set(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(handle, CURLOPT_LOW_SPEED_TIME, std::max(1L, (timeout_ms + 999) / 1000));
  set(handle, CURLOPT_TIMEOUT_MS, 10 * timeout_ms);
  // A large body follows at once. An empty "Expect:" header, the usual way to that end, would be
  // among the signed headers, though it is not sent, and the signature would be wrong.
  set(handle, CURLOPT_EXPECT_100_TIMEOUT_MS, 1L);
  set(handle, CURLOPT_HTTPHEADER, headers);
  set(handle, CURLOPT_USERAGENT, "weir");
  if (request.local || is_loopback(request.url)) set(handle, CURLOPT_PROXY, "");
  if (request.method == "POST") {
    set(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(handle, CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
  } else if (request.method != "GET") {
    set(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  if (request.credentials != nullptr && !request.credentials->access_key_id.empty()) {
    const std::string scheme = fmt::format("aws:amz:{}:{}", request.region, request.service);
    set(handle, CURLOPT_AWS_SIGV4, scheme.c_str());
    set(handle, CURLOPT_USERNAME, request.credentials->access_key_id.c_str());
    set(handle, CURLOPT_PASSWORD, request.credentials->secret_access_key.c_str());
  }
}

}  // namespace

struct HttpSender::Pool {
  explicit Pool(std::chrono::milliseconds limit)
      : timeout_ms(std::clamp<long>(limit.count(), 1, kMostTimeout_ms)) {}

  Easy take() {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        Easy handle = std::move(idle.back());
        idle.pop_back();
        return handle;
      }
    }
    Easy handle(curl_easy_init());
    if (!handle) throw std::bad_alloc();
    return handle;
  }

  void give_back(Easy handle) {
    curl_easy_reset(handle.get());  // no pointer into the caller's request or secrets stays
    const std::lock_guard lock(mutex);
    if (idle.size() < kMostIdleHandles) idle.push_back(std::move(handle));
  }

  const long timeout_ms;
  std::mutex mutex;
  std::vector<Easy> idle;
};

HttpSender::HttpSender(std::chrono::milliseconds timeout) : pool_(std::make_unique<Pool>(timeout)) {
  initialise_once();
}
HttpSender::~HttpSender() = default;

HttpAnswer HttpSender::send(const HttpRequest& request) {
  std::vector<std::string> headers = request.headers;
  if (request.credentials != nullptr && !request.credentials->session_token.empty()) {
    headers.push_back("X-Amz-Security-Token: " + request.credentials->session_token);
  }
  for (const std::string& header : headers) {
    if (header.find_first_of("\r\n") != std::string::npos) {
      throw ServiceError(0, "", shown_url(request.url) + ": a header would span lines");
    }
  }
  const HeaderList list = header_list(headers);
  Easy handle = pool_->take();
  Received received;
  char reason[CURL_ERROR_SIZE] = "";
  prepare(handle.get(), request, list.get(), pool_->timeout_ms);
  set(handle.get(), CURLOPT_WRITEFUNCTION, &receive_body);
  set(handle.get(), CURLOPT_WRITEDATA, &received);
  set(handle.get(), CURLOPT_HEADERFUNCTION, &receive_header);
  set(handle.get(), CURLOPT_HEADERDATA, &received);
  set(handle.get(), CURLOPT_ERRORBUFFER, reason);

  const CURLcode result = curl_easy_perform(handle.get());
  long status = 0;
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  if (result != CURLE_OK) {
    const std::string where = shown_url(request.url);
    if (received.too_large) {
      throw ServiceError(static_cast<int>(status), "",
                         fmt::format("{}: the answer is larger than 16 MB", where));
    }
    const std::string text = reason[0] != '\0' ? reason : curl_easy_strerror(result);
    throw ServiceError(0, "", fmt::format("{}: no answer: {}", where, text));
  }
  pool_->give_back(std::move(handle));
  received.answer.status = static_cast<int>(status);
  return std::move(received.answer);
}

std::string shown_url(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const std::size_t begin = scheme + 3;
  const std::string_view authority = url.substr(begin, url.find('/', begin) - begin);
  const std::size_t user = authority.rfind('@');
  if (user == std::string_view::npos) return std::string(url);
  return std::string(url.substr(0, begin)).append(url.substr(begin + user + 1));
}

std::string without_secrets(std::string text, const Credentials& credentials) {
  blot_out(text, credentials.session_token);
  blot_out(text, credentials.secret_access_key);
  if (text.size() > kMostMessageBytes) text.resize(kMostMessageBytes);
  return text;
}

}  // namespace weir::processors::aws
