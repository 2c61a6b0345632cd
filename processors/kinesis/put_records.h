#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/api/flow_file.h"

// Kinesis' PutRecords: its request and its answer, and what becomes of each record. No input and
// no output.
namespace weir::processors::kinesis {

struct PutRecord {
  FlowFile flow_file;
  std::string stream = {};
  std::string key = {};
  std::string content = {};  // given up once it is not needed any more
  enum class State { waiting, accepted, failed, put_back } state = State::waiting;
  int last_pass = -1;  // in which it was sent; -1: never
  std::string shard_id = {};
  std::string sequence_number = {};
  std::string error_code = {};  // of the last attempt
  std::string error_message = {};
  std::int64_t duration_ms = 0;

  std::uint64_t bytes() const { return content.size() + key.size(); }
  // Stays in its state: it may be accepted later.
  void note_error(std::string code, std::string message);
  void fail(std::string code, std::string message);
  // For a log: the message, with the code where it does not say it.
  std::string reason() const;
};
using PutRecords = std::vector<PutRecord*>;

// The body of a request; the records are of one stream.
std::string put_records_request(const PutRecords& records);

// Takes up the answer to that request. False: it does not say what became of them.
bool read_put_records_answer(const std::string& answer, const PutRecords& records);

}  // namespace weir::processors::kinesis
