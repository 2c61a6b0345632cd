#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "processors/kinesis/record.h"

// The KCL's multi-language protocol: one JSON object a line, read from the daemon and written to
// it. A line is given and made without its line feed.
namespace weir::processors::kinesis::protocol {

struct Initialize {
  std::string shard_id;
  std::string sequence_number;  // digits, or TRIM_HORIZON, LATEST, AT_TIMESTAMP
  std::int64_t sub_sequence_number = 0;
};
struct ProcessRecords {
  RecordBatchPtr batch;  // may hold no record
};
struct LeaseLost {};
struct ShardEnded {};
struct ShutdownRequested {};
// The answer to a checkpoint.
struct CheckpointResult {
  std::optional<std::string> error;  // the exception's simple name
};
using Message = std::variant<Initialize, ProcessRecords, LeaseLost, ShardEnded, ShutdownRequested,
                             CheckpointResult>;

// Reads lines into messages. One a connection; keeps its buffers. Not thread safe.
class Reader {
 public:
  Reader();
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // How many bytes must follow the line in its memory, whatever they hold.
  static std::size_t padding();
  // `line` must have `padding()` readable bytes behind it. The error says what is wrong and where.
  // Records that lack a field, a number that is none, data that is no base64: all are errors, and
  // the whole line is refused. Unknown fields are ignored.
  std::expected<Message, std::string> read(std::string_view line);

 private:
  struct Parser;
  const std::unique_ptr<Parser> parser_;
};

// The replies.
std::string status(std::string_view response_for);  // "initialize", "processRecords", ...
std::string checkpoint(const Position& position);
std::string checkpoint_all();  // up to the last record delivered

}  // namespace weir::processors::kinesis::protocol
