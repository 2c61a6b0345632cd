#include "processors/kinesis/bridge_server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <system_error>
#include <vector>

#include "processors/kinesis/bridge_connection.h"

namespace weir::processors::kinesis {
namespace {

using boost::asio::local::stream_protocol;
using boost::system::error_code;

constexpr std::chrono::seconds kAcceptAgain{1};

// A socket's address holds about a hundred bytes only. A longer path is named through the folder's
// descriptor, which must stay open until the socket is bound.
class SocketAddress {
 public:
  explicit SocketAddress(const std::filesystem::path& path) : name_(path.string()) {
    if (name_.size() < sizeof(sockaddr_un::sun_path)) return;
    folder_ = ::open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder_ < 0) throw std::system_error(errno, std::generic_category(), path.string());
    name_ = "/proc/self/fd/" + std::to_string(folder_) + "/" + path.filename().string();
  }
  ~SocketAddress() {
    if (folder_ >= 0) ::close(folder_);
  }
  SocketAddress(const SocketAddress&) = delete;
  SocketAddress& operator=(const SocketAddress&) = delete;

  stream_protocol::endpoint endpoint() const { return {name_}; }

 private:
  std::string name_;
  int folder_ = -1;
};

bool is_own_user(stream_protocol::socket& socket) {
  ucred peer = {};
  socklen_t size = sizeof(peer);
  return ::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

}  // namespace

BridgeServer::State::State(boost::asio::io_context& io_given, Settings settings_given,
                           RecordBuffer& buffer_given, Clock& clock_given, ComponentLog& log_given)
    : io(io_given),
      settings(std::move(settings_given)),
      buffer(buffer_given),
      clock(clock_given),
      log(log_given),
      acceptor(io),
      accept_timer(io) {}

// Sockets are made here, not by Asio, which lets programs that are started inherit them: a bridge
// would not see its connection end as long as the daemon held it, too.
void BridgeServer::State::listen() {
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) throw std::system_error(errno, std::generic_category(), "socket");
  acceptor.assign(stream_protocol(), made);
  const SocketAddress address(settings.socket);
  acceptor.bind(address.endpoint());
  if (::chmod(settings.socket.c_str(), S_IRUSR | S_IWUSR) != 0) {
    throw std::system_error(errno, std::generic_category(), settings.socket.string());
  }
  acceptor.listen();
  wait_accept();
}

void BridgeServer::State::wait_accept() {
  acceptor.async_wait(stream_protocol::acceptor::wait_read,
                      [self = shared_from_this()](const error_code& error) {
                        if (!error && !self->closed) self->accept();
                      });
}

void BridgeServer::State::accept() {
  for (;;) {
    const int made =
        ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (made >= 0) {
      greet(stream_protocol::socket(io, stream_protocol(), made));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return wait_accept();
    } else if (errno != EINTR && errno != ECONNABORTED) {
      log.warn("A bridge cannot connect: {}",
               error_code(errno, boost::system::system_category()).message());
      return accept_later();
    }
  }
}

// What keeps bridges from connecting, as too many open files, does not go at once.
void BridgeServer::State::accept_later() {
  accept_timer.expires_after(kAcceptAgain);
  accept_timer.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error && !self->closed) self->accept();
  });
}

void BridgeServer::State::greet(stream_protocol::socket socket) {
  if (!is_own_user(socket)) {
    log.warn("Somebody else's process connected to the bridges' socket: refused");
    return;
  }
  const auto connection = std::make_shared<Connection>(*this, std::move(socket));
  connections.insert(connection);
  connection->start();
}

void BridgeServer::State::stop() {
  stopping = true;
  const auto all = connections;  // one may close, and go
  for (const auto& connection : all) connection->stop();
}

void BridgeServer::State::close() {
  closed = true;
  accept_timer.cancel();
  error_code ignored;
  acceptor.close(ignored);
  ::unlink(settings.socket.c_str());
  const auto all = std::exchange(connections, {});
  for (const auto& connection : all) connection->close();
}

void BridgeServer::State::remove(Connection& connection) {
  connections.erase(connection.shared_from_this());
  std::erase_if(waiting, [&](const auto& other) {
    const auto held = other.lock();
    return !held || held.get() == &connection;
  });
}

void BridgeServer::State::changed(const ShardBufferId& id) {
  {
    const std::lock_guard lock(mutex);
    changed_buffers.insert(id);
    if (std::exchange(posted, true)) return;
  }
  post();
}

void BridgeServer::State::room() {
  {
    const std::lock_guard lock(mutex);
    room_made = true;
    if (std::exchange(posted, true)) return;
  }
  post();
}

void BridgeServer::State::post() {
  boost::asio::post(io, [self = shared_from_this()] { self->deliver(); });
}

void BridgeServer::State::deliver() {
  std::set<ShardBufferId> buffers;
  bool has_room = false;
  {
    const std::lock_guard lock(mutex);
    buffers.swap(changed_buffers);
    has_room = std::exchange(room_made, false);
    posted = false;
  }
  if (closed) return;
  for (const ShardBufferId& id : buffers) {
    const auto found = by_buffer.find(id);
    if (found == by_buffer.end()) continue;
    const auto connection = found->second->shared_from_this();
    connection->progress();
  }
  if (has_room) serve_waiting();
}

// What has begun is finished before anything new begins: so the memory that half-read calls hold
// is free again soon. Apart from that, in the order in which they came.
void BridgeServer::State::serve_waiting() {
  std::vector<std::shared_ptr<Connection>> asking;
  for (const auto& connection : waiting) {
    if (auto held = connection.lock()) asking.push_back(std::move(held));
  }
  std::ranges::stable_partition(asking, [](const auto& each) { return each->holds_memory(); });
  bool refused = false;
  for (const auto& connection : asking) {
    if (!connection->waits_for_memory()) continue;
    if (refused && !connection->holds_memory()) return;
    if (!connection->resume()) refused = true;
  }
  // Those that queued meanwhile behind others were refused by nobody, so nobody would call for
  // them: they are asked for in a further turn.
  if (!refused && !waiting.empty()) room();
}

BridgeServer::BridgeServer(boost::asio::io_context& io, Settings settings, RecordBuffer& buffer,
                           Clock& clock, ComponentLog& log)
    : state_(std::make_shared<State>(io, std::move(settings), buffer, clock, log)) {
  state_->listen();
}

BridgeServer::~BridgeServer() {
  state_->close();
}

void BridgeServer::buffer_changed(const ShardBufferId& id) {
  state_->changed(id);
}

void BridgeServer::room() {
  state_->room();
}

void BridgeServer::stop() {
  state_->stop();
}

std::size_t BridgeServer::connections() const {
  return state_->connections.size();
}

std::string hello(const std::string& token) {
  return "weir-kinesis-bridge " + token + "\n";
}

}  // namespace weir::processors::kinesis
