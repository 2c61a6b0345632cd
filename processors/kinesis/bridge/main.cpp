// weir-kinesis-bridge: the child that the KCL's daemon starts for each shard. Relays between its
// standard input and output and the engine's socket in its working folder, knows nothing of what
// it relays, and ends when either side does.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "processors/kinesis/bridge/direction.h"

extern char** environ;

namespace {

using weir::bridge::Direction;
using State = weir::bridge::Direction::State;

// As BridgeServer says.
constexpr const char* kSocketName = "engine.socket";
constexpr const char* kTokenVariable = "WEIR_KINESIS_TOKEN";
constexpr const char* kHello = "weir-kinesis-bridge ";

constexpr int kPipeBytes = 1 << 20;
constexpr std::size_t kMostTokenBytes = 200;
// How long the engine may leave the last words of a daemon that is gone untouched.
constexpr int kLastWordsMs = 1000;

constexpr int kDaemonEnded = 0;
constexpr int kEngineGone = 1;

int fail(const char* what) {
  std::fprintf(stderr, "weir-kinesis-bridge: %s: %s\n", what, std::strerror(errno));
  return kEngineGone;
}

// The bridge needs nothing of what the daemon's environment holds, and others may look at it
// through the bridge: not even the memory that it came in keeps it.
void forget_environment() {
  for (char** variable = environ; *variable != nullptr; ++variable) {
    ::explicit_bzero(*variable, std::strlen(*variable));
  }
  *environ = nullptr;
}

bool send_all(int socket, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    if (sent < 0) continue;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

// The socket, connected and introduced, or -1 with errno.
int connect_to_engine() {
  char hello[kMostTokenBytes + 64] = {};
  const char* const token = std::getenv(kTokenVariable);
  const int size = std::snprintf(hello, sizeof(hello), "%s%.*s\n", kHello,
                                 static_cast<int>(kMostTokenBytes), token != nullptr ? token : "");
  forget_environment();

  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, kSocketName);
  while (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    if (errno != EINTR) return -1;
  }
  const bool introduced = send_all(socket, hello, static_cast<std::size_t>(size));
  ::explicit_bzero(hello, sizeof(hello));
  return introduced ? socket : -1;
}

void set_nonblocking(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags >= 0) ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

int relay(int socket) {
  static Direction up(STDIN_FILENO, socket);
  static Direction down(socket, STDOUT_FILENO);
  bool daemon_gone = false;
  for (;;) {
    const auto wanted = [](bool wants, int events) {
      return static_cast<short>(wants ? events : 0);
    };
    pollfd waits[] = {{.fd = daemon_gone && up.state() == State::wait_sink ? -1 : STDIN_FILENO,
                       .events = wanted(up.state() == State::wait_source, POLLIN),
                       .revents = 0},
                      {.fd = STDOUT_FILENO,
                       .events = wanted(down.state() == State::wait_sink, POLLOUT),
                       .revents = 0},
                      {.fd = socket,
                       .events = static_cast<short>(
                           wanted(up.state() == State::wait_sink, POLLOUT) |
                           wanted(down.state() == State::wait_source, POLLIN) | POLLRDHUP),
                       .revents = 0}};
    const int ready = ::poll(waits, 3, daemon_gone ? kLastWordsMs : -1);
    if (ready < 0 && errno != EINTR) return fail("cannot wait");
    if (ready < 0) continue;
    if (ready == 0) return kDaemonEnded;
    const short in = waits[0].revents, out = waits[1].revents, engine = waits[2].revents;

    if ((in & (POLLHUP | POLLERR)) != 0) daemon_gone = true;
    if ((out & POLLERR) != 0) return kDaemonEnded;  // nobody reads what the engine says
    const short engine_gone = engine & (POLLRDHUP | POLLHUP | POLLERR);
    if (engine_gone != 0 && down.state() == State::wait_sink) return kEngineGone;

    if (up.state() == State::wait_source ? in != 0 : (engine & POLLOUT) != 0) up.move();
    if (up.state() == State::broken) return kEngineGone;
    if (up.state() == State::ended) return kDaemonEnded;
    if (down.state() == State::wait_source ? (engine & POLLIN) != 0 || engine_gone != 0
                                           : out != 0) {
      down.move();
    }
    if (down.state() == State::ended || down.state() == State::broken) return kEngineGone;
  }
}

}  // namespace

int main() {
  std::signal(SIGPIPE, SIG_IGN);
  const int socket = connect_to_engine();
  if (socket < 0) return fail("cannot reach the engine");
  // A whole call fits into the pipe where that is allowed, and the daemon need not wait so often.
  ::fcntl(STDIN_FILENO, F_SETPIPE_SZ, kPipeBytes);
  set_nonblocking(STDIN_FILENO);
  set_nonblocking(STDOUT_FILENO);
  set_nonblocking(socket);
  const int result = relay(socket);
  ::shutdown(socket, SHUT_RDWR);
  return result;
}
