#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weir::tests {

// One request as it came.
struct HttpReceived {
  std::string method;
  std::string target;                                        // path and query
  std::vector<std::pair<std::string, std::string>> headers;  // names in small letters
  std::string body;
  int connection = 0;

  std::string header(const std::string& name) const;  // "" where it is not there
};

struct HttpReply {
  int status = 200;
  std::string body = {};
  std::vector<std::string> headers = {};
  enum class How {
    whole,
    cut,     // the connection is closed without an answer
    silent,  // nothing is said until the server ends
  } how = How::whole;
};

// An HTTP/1.1 service on 127.0.0.1 that records what it is asked and answers by `answer`, which is
// called from many threads, one call at a time. Keeps connections open.
class HttpServer {
 public:
  using Answer = std::function<HttpReply(const HttpReceived&)>;
  explicit HttpServer(Answer answer);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url() const;  // "http://127.0.0.1:PORT"
  std::vector<HttpReceived> received() const;

 private:
  void accept_all();
  void serve(int socket, int connection);
  static std::optional<HttpReceived> read_request(int socket, std::string& pending);

  const Answer answer_;
  int listener_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable ending_;
  // Guarded by `mutex_`.
  bool ended_ = false;
  std::vector<HttpReceived> received_;
  std::vector<int> sockets_;
  std::list<std::thread> threads_;
  std::thread acceptor_;
};

// What Signature Version 4 says of a request, computed from the request alone: the value that its
// Authorization header must have for this secret.
std::string expected_authorization(const HttpReceived& request, const std::string& access_key_id,
                                   const std::string& secret, const std::string& region,
                                   const std::string& service);

}  // namespace weir::tests
