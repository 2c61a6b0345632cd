#include "tests/processors/aws/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <ranges>

#include "engine/text/base64.h"

namespace weir::tests {
namespace {

bool read_some(int socket, std::string& pending) {
  char buffer[65536];
  const ssize_t count = ::recv(socket, buffer, sizeof buffer, 0);
  if (count <= 0) return false;
  pending.append(buffer, static_cast<std::size_t>(count));
  return true;
}

bool send_whole(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string reply_text(const HttpReply& reply) {
  std::string text =
      fmt::format("HTTP/1.1 {} Reply\r\nContent-Length: {}\r\n", reply.status, reply.body.size());
  for (const std::string& header : reply.headers) text += header + "\r\n";
  return text + "\r\n" + reply.body;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string sha256(const std::string& text) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  return text::hex_encode(std::string_view(reinterpret_cast<const char*>(hash), sizeof hash));
}

std::string hmac(const std::string& key, const std::string& text) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash, &size);
  return std::string(reinterpret_cast<const char*>(hash), size);
}

}  // namespace

std::string HttpReceived::header(const std::string& name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

HttpServer::HttpServer(Answer answer) : answer_(std::move(answer)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::listen(listener_, 64), 0);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

HttpServer::~HttpServer() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  ending_.notify_all();
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  for (std::thread& thread : threads_) thread.join();
  for (const int socket : sockets_) ::close(socket);
}

std::string HttpServer::url() const {
  return fmt::format("http://127.0.0.1:{}", port_);
}

std::vector<HttpReceived> HttpServer::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

void HttpServer::accept_all() {
  for (int connection = 1;; ++connection) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const std::lock_guard lock(mutex_);
    sockets_.push_back(socket);
    if (ended_) return;
    threads_.emplace_back([this, socket, connection] { serve(socket, connection); });
  }
}

void HttpServer::serve(int socket, int connection) {
  std::string pending;
  while (auto request = read_request(socket, pending)) {
    request->connection = connection;
    HttpReply reply;
    {
      std::unique_lock lock(mutex_);
      received_.push_back(*request);
      reply = answer_(*request);
      if (reply.how == HttpReply::How::silent) ending_.wait(lock, [this] { return ended_; });
    }
    if (reply.how != HttpReply::How::whole || !send_whole(socket, reply_text(reply))) break;
  }
  ::shutdown(socket, SHUT_RDWR);
}

std::optional<HttpReceived> HttpServer::read_request(int socket, std::string& pending) {
  std::size_t end = 0;
  while ((end = pending.find("\r\n\r\n")) == std::string::npos) {
    if (!read_some(socket, pending)) return std::nullopt;
  }
  HttpReceived request;
  const std::string head = pending.substr(0, end);
  pending.erase(0, end + 4);
  for (const auto part : std::views::split(head, std::string_view("\r\n"))) {
    const std::string line(part.begin(), part.end());
    if (request.method.empty()) {
      request.method = line.substr(0, line.find(' '));
      const std::size_t begin = request.method.size() + 1;
      request.target = line.substr(begin, line.rfind(' ') - begin);
      continue;
    }
    const std::size_t colon = line.find(':');
    const std::size_t value = line.find_first_not_of(' ', colon + 1);
    request.headers.emplace_back(lower(line.substr(0, colon)),
                                 value == std::string::npos ? "" : line.substr(value));
  }
  const std::string length = request.header("content-length");
  const std::size_t size = length.empty() ? 0 : std::stoul(length);
  while (pending.size() < size) {
    if (!read_some(socket, pending)) return std::nullopt;
  }
  request.body = pending.substr(0, size);
  pending.erase(0, size);
  return request;
}

std::string expected_authorization(const HttpReceived& request, const std::string& access_key_id,
                                   const std::string& secret, const std::string& region,
                                   const std::string& service) {
  const std::string given = request.header("authorization");
  const std::string marker = "SignedHeaders=";
  const std::size_t begin = given.find(marker) + marker.size();
  const std::string signed_names = given.substr(begin, given.find(',', begin) - begin);
  std::string canonical = request.method + "\n" + request.target + "\n\n";
  for (const auto part : std::views::split(signed_names, ';')) {
    const std::string name(part.begin(), part.end());
    canonical += name + ":" + request.header(name) + "\n";
  }
  canonical += "\n" + signed_names + "\n" + sha256(request.body);

  const std::string date = request.header("x-amz-date");
  const std::string day = date.substr(0, 8);
  const std::string scope = fmt::format("{}/{}/{}/aws4_request", day, region, service);
  const std::string to_sign =
      fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", date, scope, sha256(canonical));
  const std::string key =
      hmac(hmac(hmac(hmac("AWS4" + secret, day), region), service), "aws4_request");
  return fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}",
                     access_key_id, scope, signed_names, text::hex_encode(hmac(key, to_sign)));
}

}  // namespace weir::tests
