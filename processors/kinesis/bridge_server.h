#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/api/component.h"
#include "processors/kinesis/record_processor.h"

namespace boost::asio {
class io_context;
}

namespace weir::processors::kinesis {

// The engine's end of the bridges: a Unix socket on which each bridge connects, shows the run's
// token, and from then on relays one shard's protocol both ways. Each connection drives a
// ConsumeKinesisRecordProcessor.
//
// Reads no further than memory allows (RecordBuffer::reserve), and takes records over only where
// there is memory for them: the bridge, and behind it the KCL's call, then wait in their writes. A
// line of up to 16 KB is always read, so that a shard without records goes on. Notices the other
// end's death while it does not read. A connection that shows a wrong token, or nothing within 10
// s, or breaks the protocol, is closed.
//
// Everything happens on the thread that runs `io`, where it is made, used and destroyed, except
// the two calls that say otherwise.
class BridgeServer {
 public:
  struct Settings {
    std::filesystem::path socket;  // made with mode 0600; its folder is the caller's alone
    std::string token;
    CheckpointRules checkpoints = {};
    std::chrono::nanoseconds hello_time = std::chrono::seconds(10);
  };

  // Throws std::system_error where it cannot listen.
  BridgeServer(boost::asio::io_context& io, Settings settings, RecordBuffer& buffer, Clock& clock,
               ComponentLog& log);
  ~BridgeServer();  // closes all connections

  // From any thread: RecordBuffer's listener.
  void buffer_changed(const ShardBufferId& id);
  void room();

  // No call waits for commits any more (ConsumeKinesisRecordProcessor::stop).
  void stop();
  std::size_t connections() const;

 private:
  class Connection;
  struct State;
  std::shared_ptr<State> state_;
};

// The first line that a bridge sends, with its line feed.
std::string hello(const std::string& token);

// Names within the folder the daemon runs in: its bridges find the engine there.
inline constexpr const char* kSocketName = "engine.socket";
inline constexpr const char* kTokenVariable = "WEIR_KINESIS_TOKEN";

}  // namespace weir::processors::kinesis
