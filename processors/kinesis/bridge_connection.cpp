#include "processors/kinesis/bridge_connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace weir::processors::kinesis {
namespace {

using boost::asio::local::stream_protocol;
using boost::system::error_code;

constexpr std::size_t kMostLineBytes = 64 << 20;
// So much at a time; then the other connections have their turn.
constexpr std::size_t kTurnBytes = 1 << 20;
constexpr std::size_t kMostUnsentBytes = 1 << 20;
// A line and the records that are read from it, which take no more than it, are there at once.
constexpr std::size_t kReservedALineByte = 2;
// A reader that has seen a longer line is given up with its buffers.
constexpr std::size_t kKeepReaderBytes = 8 << 20;

// Takes the same time wherever the two differ.
bool same(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t at = 0; at < one.size(); ++at) {
    difference = static_cast<unsigned char>(difference | (one[at] ^ other[at]));
  }
  return difference == 0;
}

}  // namespace

BridgeServer::Connection::Connection(State& state, stream_protocol::socket socket)
    : state_(state.shared_from_this()),
      socket_(std::move(socket)),
      timer_(state.io),
      line_(protocol::Reader::padding()) {}

void BridgeServer::Connection::start() {
  hello_deadline_ns_ = state_->clock.steady_ns() + state_->settings.hello_time.count();
  arm();
  wait_hang_up();
  wait_read();
}

void BridgeServer::Connection::progress() {
  if (closed_ || !processor_) return;
  processor_->progress();
  after_processor();
}

void BridgeServer::Connection::stop() {
  if (closed_ || !processor_) return;
  processor_->stop();
  after_processor();
}

void BridgeServer::Connection::close() {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  if (processor_) processor_->closed();
  processor_.reset();
  pending_.reset();
  timer_.cancel();
  error_code ignored;
  socket_.close(ignored);
  state_->remove(*this);
  if (registered_) state_->by_buffer.erase(*registered_);
  static_cast<void>(line_.shrink());
  reservation_.release();
}

// --- Reading

void BridgeServer::Connection::wait_read() {
  socket_.async_wait(stream_protocol::socket::wait_read,
                     [self = shared_from_this()](const error_code& error) {
                       if (!error && !self->closed_) self->read();
                     });
}

// Comes when the other side has closed the socket, whatever is unread and whether or not somebody
// reads.
void BridgeServer::Connection::wait_hang_up() {
  socket_.async_wait(stream_protocol::socket::wait_error,
                     [self = shared_from_this()](const error_code& error) {
                       if (error || self->closed_) return;
                       self->hung_up_ = true;
                       if (self->waits_for_memory_) self->close();
                     });
}

void BridgeServer::Connection::read() {
  for (std::size_t taken = 0; taken < kTurnBytes;) {
    const std::span<char> room = line_.room();
    if (room.empty()) {
      if (!grow()) return;
      continue;
    }
    const ssize_t got = ::recv(socket_.native_handle(), room.data(), room.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) {
      state_->log.debug("The connection of {} ended", name());
      return close();
    }
    taken += static_cast<std::size_t>(got);
    line_.filled(static_cast<std::size_t>(got));
    if (!take_lines()) return;
  }
  wait_read();
}

// Makes room for more of the line that began. False where it has to wait, or the line is too long.
bool BridgeServer::Connection::grow() {
  const std::size_t has = line_.capacity_bytes();
  if (!processor_) return breach("what it says first is no token");
  if (has >= kMostLineBytes) {
    return breach(
        "it sends a line of more than 64 MB; ask the KCL for fewer records a call "
        "(maxRecords)");
  }
  // At once what the line before needed, where there is that much.
  const std::size_t doubled = std::min(2 * has, kMostLineBytes);
  const std::size_t expected = std::clamp(expected_bytes_, doubled, kMostLineBytes);
  for (const std::size_t wanted : {expected, doubled}) {
    if (!reserve(kReservedALineByte * (wanted - line_.large_bytes()))) continue;
    line_.grow(wanted);
    return true;
  }
  wait_for_memory();
  return false;
}

bool BridgeServer::Connection::reserve(std::size_t bytes) {
  // Nothing new begins before those who wait.
  const bool others_first = !waits_for_memory_ && !holds_memory() && !state_->waiting.empty();
  return !others_first && state_->buffer.reserve(reservation_, bytes);
}

void BridgeServer::Connection::wait_for_memory() {
  if (waits_for_memory_) return;
  // Nobody is left to answer to.
  if (hung_up_) return close();
  waits_for_memory_ = true;
  state_->waiting.push_back(weak_from_this());
}

bool BridgeServer::Connection::resume() {
  if (pending_ ? !deliver_pending() : !grow()) return closed_;
  waits_for_memory_ = false;
  std::erase_if(state_->waiting, [&](const auto& other) { return other.lock().get() == this; });
  if (closed_) return true;
  if (take_lines()) read();
  return true;
}

bool BridgeServer::Connection::take_lines() {
  while (const std::optional<std::string_view> line = line_.next_line()) {
    if (!take_line(*line)) return false;
  }
  return true;
}

// False where it closed the connection, or has to wait.
bool BridgeServer::Connection::take_line(std::string_view line) {
  if (line.empty()) return true;
  if (!processor_) return take_hello(line);
  if (line_.large_bytes() > 0) expected_bytes_ = line.size() + line.size() / 8;
  std::expected<protocol::Message, std::string> message = state_->reader->read(line);
  if (line.size() > kKeepReaderBytes) state_->reader = std::make_unique<protocol::Reader>();
  if (!message) return breach(message.error());
  // What holds the line goes before its records are kept.
  if (!line_.shrink()) return breach("it sends on without waiting for an answer");
  return take_message(std::move(*message));
}

bool BridgeServer::Connection::take_hello(std::string_view line) {
  const std::string expected = hello(state_->settings.token);
  if (!same(line, std::string_view(expected).substr(0, expected.size() - 1))) {
    return breach("it shows a wrong token");
  }
  processor_ = std::make_unique<ConsumeKinesisRecordProcessor>(
      state_->buffer, state_->settings.checkpoints, state_->clock, state_->log,
      [this](const std::string& text) { unsent_ += text + '\n'; });
  if (state_->stopping) processor_->stop();
  after_processor();
  return !closed_;
}

bool BridgeServer::Connection::take_message(protocol::Message message) {
  auto* const records = std::get_if<protocol::ProcessRecords>(&message);
  if (records == nullptr || records->batch->records().empty()) {
    reservation_.release();
    return hand_over(std::move(message));
  }
  pending_ = std::move(*records);
  if (deliver_pending()) return !closed_;
  wait_for_memory();
  return false;
}

// Records are taken over only where there is memory for them: a short line, for which none was
// asked yet, has to wait, too.
bool BridgeServer::Connection::deliver_pending() {
  const std::size_t needed = pending_->batch->bytes();
  const std::size_t has = reservation_.bytes();
  if (has < needed && !reserve(needed - has)) return false;
  protocol::ProcessRecords records = std::move(*pending_);
  pending_.reset();
  reservation_.release();
  hand_over(std::move(records));
  return true;
}

bool BridgeServer::Connection::hand_over(protocol::Message message) {
  if (!processor_->message(std::move(message))) return breach("it breaks the protocol");
  after_processor();
  return !closed_;
}

// --- The record processor's wishes

void BridgeServer::Connection::after_processor() {
  if (registered_ != processor_->buffer_id()) {
    if (registered_) state_->by_buffer.erase(*registered_);
    registered_ = processor_->buffer_id();
    if (registered_) state_->by_buffer[*registered_] = this;
  }
  flush();
  if (!closed_) arm();
}

void BridgeServer::Connection::flush() {
  while (!unsent_.empty() && !waits_write_) {
    const ssize_t sent = ::send(socket_.native_handle(), unsent_.data(), unsent_.size(),
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      unsent_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      waits_write_ = true;
      socket_.async_wait(stream_protocol::socket::wait_write,
                         [self = shared_from_this()](const error_code& error) {
                           self->waits_write_ = false;
                           if (!error && !self->closed_) self->flush();
                         });
    } else if (errno != EINTR) {
      return close();
    }
  }
  if (unsent_.size() > kMostUnsentBytes) static_cast<void>(breach("it does not read its answers"));
}

void BridgeServer::Connection::arm() {
  std::optional<std::int64_t> wanted = hello_deadline_ns_;
  if (processor_) wanted = processor_->deadline_ns();
  if (wanted == armed_ns_) return;
  armed_ns_ = wanted;
  timer_.cancel();
  if (!wanted) return;
  const std::chrono::nanoseconds left(*wanted - state_->clock.steady_ns());
  // Not at once, so that a deadline that stays in the past cannot hold the thread.
  timer_.expires_after(std::max<std::chrono::nanoseconds>(left, std::chrono::milliseconds(1)));
  timer_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error && !self->closed_) self->timer_over();
  });
}

void BridgeServer::Connection::timer_over() {
  if (!armed_ns_) return;
  const bool early = state_->clock.steady_ns() < *armed_ns_;
  armed_ns_.reset();
  if (early) return arm();
  if (processor_) return progress();
  static_cast<void>(breach("it shows no token"));
}

bool BridgeServer::Connection::breach(std::string_view what) {
  state_->log.warn("The connection of {} is closed: {}", name(), what);
  close();
  return false;
}

std::string BridgeServer::Connection::name() const {
  return registered_ ? "shard " + registered_->shard_id : "a bridge";
}

}  // namespace weir::processors::kinesis
