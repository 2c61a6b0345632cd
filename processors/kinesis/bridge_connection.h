#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "processors/kinesis/bridge_server.h"
#include "processors/kinesis/line_buffer.h"

namespace weir::processors::kinesis {

// What the connections share. All but what the mutex guards belongs to the thread of `io`.
struct BridgeServer::State : std::enable_shared_from_this<State> {
  State(boost::asio::io_context& io_given, Settings settings_given, RecordBuffer& buffer_given,
        Clock& clock_given, ComponentLog& log_given);
  void listen();
  void wait_accept();
  void accept();
  void accept_later();
  void greet(boost::asio::local::stream_protocol::socket socket);
  void stop();
  void close();
  void remove(Connection& connection);

  // From any thread: `deliver` soon, once for however many calls.
  void changed(const ShardBufferId& id);
  void room();
  void post();
  void deliver();
  void serve_waiting();

  boost::asio::io_context& io;
  const Settings settings;
  RecordBuffer& buffer;
  Clock& clock;
  ComponentLog& log;
  boost::asio::local::stream_protocol::acceptor acceptor;
  boost::asio::steady_timer accept_timer;
  bool stopping = false, closed = false;
  // One for all: it keeps buffers of a few times its longest line.
  std::unique_ptr<protocol::Reader> reader = std::make_unique<protocol::Reader>();
  std::set<std::shared_ptr<Connection>> connections;
  std::map<ShardBufferId, Connection*> by_buffer;
  std::deque<std::weak_ptr<Connection>> waiting;  // for memory, in the order they came

  std::mutex mutex;
  // Guarded by mutex:
  std::set<ShardBufferId> changed_buffers;
  bool room_made = false;
  bool posted = false;
};

// One bridge: its socket, the line it is sending, and the record processor that its lines drive.
//
// While it waits for memory it does not read; then the end of the other side closes it at once.
// Otherwise what the other side still said is read first.
class BridgeServer::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(State& state, boost::asio::local::stream_protocol::socket socket);

  void start();
  // The buffer changed, or the deadline is over.
  void progress();
  void stop();
  // Asks again for the memory it waits for. False where that is refused.
  bool resume();
  // What it was refused belongs to a call that already holds memory.
  bool holds_memory() const { return reservation_.bytes() > 0; }
  bool waits_for_memory() const { return waits_for_memory_; }
  void close();

 private:
  void wait_read();
  void wait_hang_up();
  void read();
  bool take_lines();
  bool take_line(std::string_view line);
  bool take_hello(std::string_view line);
  bool take_message(protocol::Message message);
  bool hand_over(protocol::Message message);
  bool deliver_pending();
  void wait_for_memory();
  bool grow();
  bool reserve(std::size_t bytes);
  void after_processor();
  void flush();
  void arm();
  void timer_over();
  bool breach(std::string_view what);
  std::string name() const;

  const std::shared_ptr<State> state_;
  boost::asio::local::stream_protocol::socket socket_;
  boost::asio::steady_timer timer_;
  std::optional<std::int64_t> armed_ns_;  // for when the timer is set
  std::int64_t hello_deadline_ns_ = 0;
  bool closed_ = false;
  bool hung_up_ = false;
  bool waits_for_memory_ = false;

  LineBuffer line_;
  std::size_t expected_bytes_ = 0;                   // how long the last long line was
  RecordBuffer::Reservation reservation_;            // of the long line, then of its records
  std::optional<protocol::ProcessRecords> pending_;  // read, but there is no memory for it yet
  std::string unsent_;
  bool waits_write_ = false;
  std::unique_ptr<ConsumeKinesisRecordProcessor> processor_;  // from the hello on
  std::optional<ShardBufferId> registered_;
};

}  // namespace weir::processors::kinesis
